"""The documents that results are published as: `comparison/1` and `run/1`, field by field.

Whoever writes or reads one is checked against these types, and the published JSON Schemas are made of them.
Under a key `measured` stands what differs from run to run; everything else is deterministic.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from typing_extensions import TypedDict

from agenttwin.compare._side_document import (
    CaseVerdictWord,
    ChangeDocument,
    Measured,
    SideDocument,
    StepDocument,
)

COMPARISON_FORMAT: Final = "comparison/1"
RUN_FORMAT: Final = "run/1"
MEASURED: Final = "measured"

ClassWord: TypeAlias = Literal[
    "NEW_CRITICAL_FAILURE", "REGRESSED", "INCOMPLETE", "INCONCLUSIVE", "IMPROVED", "UNCHANGED"
]

MovementWord: TypeAlias = Literal["broken", "fixed", "still_failing", "same", "not_judged"]


class AgentDocument(TypedDict):
    """A version of an agent; `digest` is its manifest's."""

    agent: str
    version: str
    digest: str
    model_kind: Literal["llm", "deterministic-fake", "unknown"]


class LineDocument(TypedDict):
    """A line that only one side has: - the first, + the second."""

    sign: Literal["-", "+"]
    text: str


class ManifestDiffDocument(TypedDict):
    """What differs between two manifests: lines of the instructions, and other fields."""

    instructions: list[LineDocument]
    fields: list[ChangeDocument]


class PlanDocument(TypedDict):
    """What was run: the sealed plan and the seed of its draws. `measured.key` names the pair or run."""

    plan_digest: str
    seed: int | str
    trials: int
    measured: Measured


class TotalsDocument(TypedDict):
    """Sums over the cases of a side.

    `errored` counts cases that could not be judged or never ran, `expected_failures` the expectations that
    failed as expected.
    """

    tool_calls: int
    retries: int
    passed: int
    failed: int
    errored: int
    expected_failures: int


class BothTotalsDocument(TypedDict):
    """The totals of both sides."""

    baseline: TotalsDocument
    candidate: TotalsDocument


class ToolsDocument(TypedDict):
    """The tools of the twins: how many, those that were called, and those that were not."""

    total: int
    exercised: list[str]
    not_exercised: list[str]


class IrreversibleDocument(TypedDict):
    """An irreversible tool: was it called, did an answer get lost after its effect, did a success lie?"""

    tool: str
    exercised: bool
    timeout_after_effect: bool
    success_without_effect: bool


class IdleFaultDocument(TypedDict):
    """A fault that made no difference on a side (null: the only one)."""

    scenario: str
    side: str | None
    rule: str
    type: str
    fired: bool


class UnreadDocument(TypedDict):
    """A path of the state that a case changed and no expectation of it looks at."""

    scenario: str
    path: str


class CoverageDocument(TypedDict):
    """What was exercised, and what was not.

    `measured.twins` says of each twin when it was last held against the real thing, where that is known.
    """

    tools: ToolsDocument
    irreversible: list[IrreversibleDocument]
    faults_took_effect: list[str]
    faults_without_effect: list[IdleFaultDocument]
    unread_changes: list[UnreadDocument]
    measured: Measured


class DivergenceDocument(TypedDict):
    """The first step at which the sides part. It is no verdict."""

    step: int
    kind: str
    summary: str
    meaning: str | None


class RowDocument(TypedDict):
    """Steps side by side; null where only the other side has one there. `same`: no difference."""

    baseline: StepDocument | None
    candidate: StepDocument | None
    same: bool


class DifferencesDocument(TypedDict):
    """What differs, from baseline to candidate: final states, lines of the answers, claims, and counts."""

    state: list[ChangeDocument]
    same_answer: bool
    answer: list[LineDocument]
    claim: list[ChangeDocument]
    counts: dict[str, int]
    measured: Measured


class SourceDocument(TypedDict):
    """Where the scenario is written, relative to the workspace."""

    file: str | None
    line: int | None


class CaseDocument(TypedDict):
    """One case of a comparison.

    `worse`: the expectations that make it worse; `movements`: what became of each; `expected_failures`: why
    an expectation is known to fail.
    """

    scenario: str
    severity: str
    tags: list[str]
    description: str
    asked: str
    source: SourceDocument
    trial: int
    seed: str
    classification: ClassWord
    reason: str
    candidate_critical: list[str]
    baseline_unverified: list[str]
    worse: list[str]
    movements: dict[str, MovementWord]
    expected_failures: dict[str, str]
    baseline: SideDocument
    candidate: SideDocument
    divergence: DivergenceDocument | None
    alignment: list[RowDocument]
    differences: DifferencesDocument
    rerun: str


class ComparisonDocument(TypedDict):
    """A comparison. `report_digest`: the digest of the document without itself and every `measured`.

    `measured.totals` sums what was measured (`latency_ms`, `tokens`, `cost_usd`) over the `cases` in which
    both sides know it.
    """

    format: Literal["comparison/1"]
    baseline: AgentDocument
    candidate: AgentDocument
    verdict: str
    headline: str
    manifest_diff: ManifestDiffDocument
    pair: PlanDocument
    counts: dict[ClassWord, int]
    totals: BothTotalsDocument
    coverage: CoverageDocument
    cases: list[CaseDocument]
    invalid: list[str]
    warnings: list[str]
    exit_code: int
    report_digest: str
    measured: Measured


class SingleCaseDocument(TypedDict):
    """One case of a run of one version. `outcome` tells failures that are expected apart."""

    scenario: str
    severity: str
    tags: list[str]
    description: str
    asked: str
    source: SourceDocument
    trial: int
    seed: str
    verdict: CaseVerdictWord
    outcome: Literal["passed", "failed", "failed as expected", "errored"]
    reason: str
    expected_failures: dict[str, str]
    side: SideDocument
    steps: list[StepDocument]
    rerun: str


class RunDocument(TypedDict):
    """A run of one version, without another beside it. `report_digest` as of a comparison."""

    format: Literal["run/1"]
    agent: str
    version: str
    digest: str
    model_kind: Literal["llm", "deterministic-fake", "unknown"]
    verdict: str
    headline: str
    plan_digest: str
    seed: int | str
    trials: int
    counts: dict[str, int]
    totals: TotalsDocument
    coverage: CoverageDocument
    cases: list[SingleCaseDocument]
    warnings: list[str]
    exit_code: int
    report_digest: str
    measured: Measured
