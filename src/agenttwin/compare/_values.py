"""What comparing takes: the pair, its cases and its sides, all of it as stored; and the classes it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agenttwin.evaluate import Grade
from agenttwin.scenario import ManifestDiff
from agenttwin.transcript import Claim, ToolCall, Transcript
from agenttwin.values import Json, canonical


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
    """What a case is, whoever runs it.

    ``file`` is relative to the workspace. ``ignore`` holds, for each tool, the arguments whose wording is no
    difference; ``expected_failures`` why an expectation is known to fail, by its id; ``reads``
    the state paths that expectations look at.
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
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one version did in one case, and what it actually ran with.

    ``transcript`` is None where the side never ran. ``grade`` is the effective one, people's decisions
    included. ``pins`` are the digests and the seed as stored with the case (keys: scenario, twin, manifest,
    evaluators, seed); they are checked against the plan's.
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
    """Everything a comparison is made of; all of it comes from the store.

    ``tools`` is the risk of each tool of the twins, ``secrets`` what is masked wherever the pair is shown.
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


class Movement(StrEnum):
    """What became of one expectation."""

    BROKEN = "broken"
    FIXED = "fixed"
    STILL_FAILING = "still_failing"
    SAME = "same"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a trajectory, normalised. ``shown`` is how sentences print it.

    ``kind`` is call, policy, retrieval or outcome; ``arguments`` are those whose wording counts.
    """

    kind: str
    name: str
    shown: str
    arguments: Json = None
    result: str | None = None
    code: str | None = None
    effect: str | None = None
    call: ToolCall | None = None

    @property
    def signature(self) -> tuple[object, ...]:
        """What two steps must share to be the same."""
        return self.kind, self.name, canonical(self.arguments), self.result, self.code, self.effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """Steps that stand side by side, by their numbers; None where one side has none there."""

    baseline: int | None
    candidate: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where two trajectories part; no verdict. ``meaning`` where the record supports one."""

    step: int
    kind: str
    summary: str
    meaning: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseComparison:
    """One case compared. ``worse`` are the expectations that make it worse."""

    case: PairedCase
    classification: Classification
    reason: str
    movements: Mapping[str, Movement]
    worse: tuple[str, ...]
    baseline_unverified: bool
    candidate_critical: tuple[str, ...]
    divergence: Divergence | None
    baseline_steps: tuple[Step, ...]
    candidate_steps: tuple[Step, ...]
    alignment: tuple[Aligned, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The pair compared. ``invalid`` says why nothing can be concluded, where that is so."""

    pair: Pair
    cases: tuple[CaseComparison, ...]
    manifest_diff: ManifestDiff
    invalid: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def of(self, kind: Classification) -> tuple[CaseComparison, ...]:
        """The cases of a class."""
        return tuple(case for case in self.cases if case.classification is kind)
