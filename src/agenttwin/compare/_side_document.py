"""One side of a case as it is published, field by field: the verdict, the claim, the evidence."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

Free: TypeAlias = Any
"""Any JSON."""

Measured: TypeAlias = dict[str, Any]
"""What differs from run to run. It always stands under a key `measured`, and no digest covers it."""

VerdictWord: TypeAlias = Literal["PASS", "FAIL", "ERROR", "SKIPPED"]
CaseVerdictWord: TypeAlias = Literal["PASSED", "FAILED", "ERRORED"]
OutcomeWord: TypeAlias = Literal["SUCCESS", "PARTIAL", "FAILURE", "ESCALATED", "REFUSED", "UNKNOWN"]
EffectWord: TypeAlias = Literal["applied", "replayed", "none"]


class ChangeDocument(TypedDict):
    """What stood at a path and what stands there now. A key is absent where nothing was, or is."""

    path: str
    before: NotRequired[Free]
    after: NotRequired[Free]


class EvidenceDocument(TypedDict):
    """Where to look: a call by its seq, or a path of the state."""

    call: int | None
    path: str | None
    note: str


class JudgeDocument(TypedDict):
    """Who gave an opinion. A `deterministic-fake` is not a language model."""

    provider: str
    model: str | None
    kind: str


class OverrideDocument(TypedDict):
    """A person's decision, and the result that it replaced."""

    by: str
    note: str
    original: Free
    measured: Measured


class EvaluationDocument(TypedDict):
    """One expectation held against one side. `score` is 0 to 1, and null where the verdict is ERROR."""

    id: str
    type: str
    version: int
    verdict: VerdictWord
    label: str | None
    score: float | None
    critical: bool
    reason: str
    evidence: list[EvidenceDocument]
    judge: JudgeDocument | None
    calibrated: bool | None
    overridden: OverrideDocument | None
    expected_to_fail: bool
    measured: NotRequired[Measured]


class FaultDocument(TypedDict):
    """A fault rule: was it chosen, did it make a difference?"""

    rule: str
    type: str
    target: str
    fired: bool
    took_effect: bool


class CallDocument(TypedDict):
    """One call: what was asked, what was done (`effect`, `changes`), what was seen (`status`, `answer`).

    `landed`: the seq of the call before which a late effect was executed, 0 at the end of the case.
    """

    seq: int
    number: int | None
    tool: str
    arguments: Free
    status: int | None
    result: str
    code: str | None
    answer: Free
    headers: dict[str, str]
    risk: str
    fault: str | None
    rule: str | None
    took_effect: bool
    knowable: bool
    idempotency_key: str | None
    effect_key: str | None
    effect: EffectWord
    computed_changes: int
    committed: str | None
    landed: int | None
    replayed: bool
    redelivered: bool
    retry: bool
    changes: list[ChangeDocument]
    refusal: str | None
    cross_tenant: str | None
    approved: bool
    delay_ms: int


class FoundDocument(TypedDict):
    """A document that a search found."""

    id: str
    trusted: bool


class RetrievalDocument(TypedDict):
    """A search of the knowledge base."""

    seq: int
    query: str
    documents: list[FoundDocument]


class StepDocument(TypedDict):
    """A step: a call, a policy decision, a retrieval, or the claimed outcome.

    `call`: the seq of the call or search that it is, or is about.
    """

    step: int
    kind: Literal["call", "policy", "retrieval", "outcome"]
    name: str
    shown: str
    result: str
    code: str | None
    effect: EffectWord
    call: int | None


class OwnCallDocument(TypedDict):
    """An entry of the agent's own call list: what it says, not what was recorded."""

    tool: str
    arguments: Free
    result: str | None


class OutcomeDocument(TypedDict):
    """How it provably went."""

    status: Literal["SUCCESS", "PARTIAL", "FAILURE", "UNKNOWN"]
    verified: bool
    by: str


class DuplicateDocument(TypedDict):
    """An effect that was applied more than once. `by_arguments`: the tool names no effect key."""

    effect: str
    count: int
    calls: list[int]
    by_arguments: bool


class ViolationDocument(TypedDict):
    """A call against a policy."""

    policy: str
    call: int


class SideDocument(TypedDict):
    """One side of a case. `verdict` is null where it never ran.

    `final_state` is the whole state up to 64 KiB in canonical form, else null; `state_digest` is over
    `state_changes`, and null where there is no state at all.
    """

    verdict: CaseVerdictWord | None
    outcome: OutcomeDocument | None
    ending: str | None
    claimed_outcome: OutcomeWord
    claim_inferred: bool
    business_outcome: str | None
    answer: str | None
    tool_calls: int
    retries: int
    duplicates: int
    policy_violations: int
    duplicate_effects: list[DuplicateDocument]
    violations: list[ViolationDocument]
    final_state: Free
    state_changes: list[ChangeDocument]
    state_digest: str | None
    evaluations: list[EvaluationDocument]
    faults: list[FaultDocument]
    calls: list[CallDocument]
    retrievals: list[RetrievalDocument]
    own_calls: list[OwnCallDocument] | None
    disagreements: list[str]
    measured: Measured
