"""What comparing gives: per case a class with its reason, the first divergence, and the deltas beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from agenttwin.evaluate import Grade
from agenttwin.transcript import Claim, Transcript
from agenttwin.values import Json


class Classification(StrEnum):
    """What a change of version did to a case, worst first."""

    NEW_CRITICAL_FAILURE = "NEW_CRITICAL_FAILURE"
    REGRESSED = "REGRESSED"
    INCOMPLETE = "INCOMPLETE"
    INCONCLUSIVE = "INCONCLUSIVE"
    IMPROVED = "IMPROVED"
    UNCHANGED = "UNCHANGED"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseInfo:
    """What a case is, whoever runs it."""

    scenario: str
    severity: str
    tags: tuple[str, ...]
    file: str | None
    line: int | None
    expectations: tuple[str, ...]
    ignore: Mapping[str, tuple[str, ...]]
    expected_failures: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one version did in one case, and what it actually ran with.

    ``transcript`` is None where the side never ran. ``pins`` are the digests and the seed as stored with
    the case (keys: scenario, twin, manifest, evaluators, seed); they are checked against the plan's.
    """

    transcript: Transcript | None
    claim: Claim
    grade: Grade | None
    pins: Mapping[str, str]
    measured: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One side's agent."""

    agent: str
    version: str
    digest: str
    model_kind: str
    manifest: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCase:
    """One trial on both sides. ``pins`` is what the plan says both must have run."""

    info: CaseInfo
    trial: int
    seed: str
    pins: Mapping[str, str]
    baseline: Side
    candidate: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Everything a comparison is made of; all of it comes from the store."""

    baseline: Version
    candidate: Version
    plan_digest: str
    seed: str
    trials: int
    cases: tuple[PairedCase, ...]
    warnings: tuple[str, ...] = ()
