"""What comparing takes: the pair, its cases and its sides, all of it as stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agenttwin.evaluate import Grade
from agenttwin.transcript import Claim, Transcript
from agenttwin.values import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseInfo:
    """What a case is, whoever runs it.

    ``file`` is relative to the workspace. ``ignore`` holds, for each tool, the arguments whose wording is no
    difference; ``expected_failures`` why an expectation is known to fail, by its id; ``reads`` the paths
    that expectations look at ("" for the whole state); ``asked`` what the user says.
    """

    scenario: str
    severity: str
    tags: tuple[str, ...]
    file: str | None
    line: int | None
    expectations: tuple[str, ...]
    ignore: Mapping[str, tuple[str, ...]]
    expected_failures: Mapping[str, str]
    description: str = ""
    asked: str = ""
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one version did in one case, and what it actually ran with.

    ``transcript`` is None where the side never ran. ``grade`` is the effective one, people's decisions
    included. ``pins`` are the digests and the seed as stored with the case (keys: scenario, twin, manifest,
    evaluators, seed); they are checked against the plan's. ``measured`` is shown and never read.
    """

    transcript: Transcript | None
    claim: Claim
    grade: Grade | None
    pins: Mapping[str, str]
    measured: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One side's agent. ``digest`` and ``manifest`` are those of the manifest as written."""

    agent: str
    version: str
    digest: str
    model_kind: str
    manifest: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinCheck:
    """When a twin was last held against the real thing, and how it did.

    ``at`` is an instant in ISO 8601, UTC; None where the twin never was. ``against`` says what it was held
    against, ``digest`` what the twin was then; ``current``: it is the same now.
    """

    twin: str
    digest: str = ""
    at: str | None = None
    against: str = ""
    agrees: int = 0
    differs: int = 0
    current: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCase:
    """One trial on both sides. ``pins`` is what the plan says both must have run."""

    info: CaseInfo
    trial: int
    seed: str
    pins: Mapping[str, str]
    baseline: Side
    candidate: Side

    @property
    def sides(self) -> tuple[tuple[str, Side], tuple[str, Side]]:
        """Both sides with their names, baseline first."""
        return ("baseline", self.baseline), ("candidate", self.candidate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Everything a comparison is made of; all of it comes from the store.

    ``tools`` is the risk of each tool of the twins; ``secrets`` are masked wherever the pair is shown, beside
    those that the transcripts name; ``checks`` what is known of the twins themselves.
    """

    baseline: Version
    candidate: Version
    plan_digest: str
    seed: int
    trials: int
    cases: tuple[PairedCase, ...]
    warnings: tuple[str, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    checks: tuple[TwinCheck, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleCase:
    """One trial of one version."""

    info: CaseInfo
    trial: int
    seed: str
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """One version run alone. Fields as of a Pair."""

    version: Version
    plan_digest: str
    seed: int
    cases: tuple[SingleCase, ...]
    trials: int = 1
    warnings: tuple[str, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    checks: tuple[TwinCheck, ...] = ()
