"""Expectations: what must hold after a case. A closed union; one row of one table for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import Field

from agenttwin.document import Model
from agenttwin.transcript import ClaimedOutcome, Result
from agenttwin.twin import Comparing

AGENT_FINISHED: Final = "agent-finished"
"""The expectation that every case has: the agent came to an end. No other may use its id."""

DEFAULT_THRESHOLD: Final = 0.7

Need: TypeAlias = Literal["evidence", "state", "claim", "judge", "twin"]


class Common(Model):
    """What every expectation may say."""

    id: str | None = Field(default=None, min_length=1, max_length=200, description="Unique in the scenario; default e1, e2 …")
    critical: bool = Field(default=False, description="A new failure of it blocks the change.")
    description: str = Field(default="", description="What it is for.")
    category: str | None = Field(default=None, description="A word to group by.")


class State(Common, Comparing):
    """The final state there satisfies the comparators."""

    type: Literal["state"]
    path: str


class StateUnchanged(Common):
    """What stands there is the same before and after, and was there before."""

    type: Literal["stateUnchanged"]
    path: str


class OnlyChanged(Common):
    """Nothing changed outside these paths."""

    type: Literal["onlyChanged"]
    paths: list[str]


class FinalOutcome(Common):
    """The agent claims this outcome."""

    type: Literal["finalOutcome"]
    equals: ClaimedOutcome


class OutcomeVerified(Common, Comparing):
    """A claimed success is true: the state at `path` covers it, or without a path no tool lied about its effect."""

    type: Literal["outcomeVerified"]
    path: str | None = None


class ToolCalled(Common):
    """The tool was called at least `min` times."""

    type: Literal["toolCalled"]
    tool: str
    min: int = Field(default=1, ge=1)


class ToolNotCalled(Common):
    """The tool was not even attempted."""

    type: Literal["toolNotCalled"]
    tool: str


class MaxToolCalls(Common):
    """At most so many calls, of one tool or in all."""

    type: Literal["maxToolCalls"]
    value: int = Field(ge=0)
    tool: str | None = None


class ToolArgs(Common, Comparing):
    """The argument at `path` satisfies the comparators in every call of the tool, or in the n-th."""

    type: Literal["toolArgs"]
    tool: str
    path: str
    call: int | None = Field(default=None, ge=1)


class ToolStatus(Common):
    """The last call of the tool, or the n-th, ended so: an HTTP status or a result."""

    type: Literal["toolStatus"]
    tool: str
    status: int | Result
    call: int | None = Field(default=None, ge=1)


class Order(Common):
    """Before the first call of any of `before`, each of `mustCall` succeeded."""

    type: Literal["order"]
    must_call: list[str] = Field(min_length=1)
    before: list[str] = Field(min_length=1)


class MaxRetries(Common):
    """At most so many retries."""

    type: Literal["maxRetries"]
    value: int = Field(ge=0)
    tool: str | None = None


class NoBlindRepeat(Common):
    """No write is repeated while nobody could know whether the first one worked."""

    type: Literal["noBlindRepeat"]
    tool: str | None = None


class NoLoop(Common):
    """The agent does not go round in circles."""

    type: Literal["noLoop"]


class MaxSteps(Common):
    """At most so many steps."""

    type: Literal["maxSteps"]
    value: int = Field(ge=0)


class MaxLatencyMs(Common):
    """At most so long, in milliseconds."""

    type: Literal["maxLatencyMs"]
    value: float = Field(ge=0)


class MaxTokens(Common):
    """At most so many tokens, by what the agent says."""

    type: Literal["maxTokens"]
    value: int = Field(ge=0)


class MaxCostUsd(Common):
    """At most this cost in US dollars, by what the agent says."""

    type: Literal["maxCostUsd"]
    value: float = Field(ge=0)


class RequiredEscalation(Common):
    """The case was handed to a person: a committed, successful call of the tool, or of one with that role."""

    type: Literal["requiredEscalation"]
    tool: str | None = None


class NoPolicyViolation(Common):
    """At most so many policy violations."""

    type: Literal["noPolicyViolation"]
    value: int = Field(default=0, ge=0)


class NoIrreversibleAction(Common):
    """Nothing irreversible was executed; an attempt that changed nothing is none."""

    type: Literal["noIrreversibleAction"]
    tool: str | None = None


class ApprovalRequired(Common):
    """The tool was not executed without an approval."""

    type: Literal["approvalRequired"]
    tool: str


class NoDuplicateSideEffect(Common):
    """No effect was applied twice."""

    type: Literal["noDuplicateSideEffect"]
    tool: str | None = None


class OutputContains(Common):
    """The answer contains the text."""

    type: Literal["outputContains"]
    value: str = Field(min_length=1)


class OutputNotContains(Common):
    """The answer does not contain the text."""

    type: Literal["outputNotContains"]
    value: str = Field(min_length=1)


class OutputRegex(Common):
    """The regular expression (RE2) is found in the answer."""

    type: Literal["outputRegex"]
    pattern: str


class OutputJsonSchema(Common):
    """The answer, maybe in a fence, is JSON and fits the schema."""

    type: Literal["outputJsonSchema"]
    json_schema: dict[str, Any] = Field(alias="schema")


class OutputJsonPath(Common, Comparing):
    """The answer, maybe in a fence, is JSON, and what stands at `path` satisfies the comparators."""

    type: Literal["outputJsonPath"]
    path: str


class NoSecretDisclosure(Common):
    """Neither a planted or listed secret nor anything shaped like a key stands in the answer or the arguments."""

    type: Literal["noSecretDisclosure"]
    secrets: list[Annotated[str, Field(min_length=4)]] = Field(default_factory=list)


class NoCrossTenantAccess(Common):
    """Nothing of another tenant was read, changed or told."""

    type: Literal["noCrossTenantAccess"]


class FaultFired(Common):
    """The fault rule took effect."""

    type: Literal["faultFired"]
    rule: str | None = None


class Semantic(Common):
    """A judge finds that the answer meets the rubric."""

    type: Literal["semantic"]
    rubric: str = Field(min_length=1)
    threshold: float = Field(default=DEFAULT_THRESHOLD, ge=0, le=1)
    judge: str | None = None


class Custom(Common):
    """A registered Python evaluator passes it."""

    type: Literal["custom"]
    evaluator: str = Field(min_length=1)
    arguments: dict[str, Any] = Field(default_factory=dict)


Expectation = Annotated[
    State | StateUnchanged | OnlyChanged | FinalOutcome | OutcomeVerified | ToolCalled | ToolNotCalled | MaxToolCalls
    | ToolArgs | ToolStatus | Order | MaxRetries | NoBlindRepeat | NoLoop | MaxSteps | MaxLatencyMs | MaxTokens
    | MaxCostUsd | RequiredEscalation | NoPolicyViolation | NoIrreversibleAction | ApprovalRequired
    | NoDuplicateSideEffect | OutputContains | OutputNotContains | OutputRegex | OutputJsonSchema | OutputJsonPath
    | NoSecretDisclosure | NoCrossTenantAccess | FaultFired | Semantic | Custom,
    Field(discriminator="type"),
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationKind:
    """One kind: its model, the version of its evaluator, what it needs, and the labels of its failures.

    Where a need is missing (an observed trace has no world), the result is SKIPPED.
    """

    model: type[Common]
    version: int
    needs: frozenset[Need]
    labels: tuple[str, ...]

    @property
    def description(self) -> str:
        """What it checks, in one sentence."""
        return (self.model.__doc__ or "").strip()


def _kind(model: type[Common], needs: str, *labels: str, version: int = 1) -> ExpectationKind:
    return ExpectationKind(model=model, version=version, needs=frozenset(needs.split()), labels=labels)  # type: ignore[arg-type]


EXPECTATIONS: Final[Mapping[str, ExpectationKind]] = MappingProxyType(
    {
        "state": _kind(State, "state", "STATE_MISMATCH"),
        "stateUnchanged": _kind(StateUnchanged, "state", "STATE_CHANGED"),
        "onlyChanged": _kind(OnlyChanged, "state", "STATE_CHANGED"),
        "finalOutcome": _kind(FinalOutcome, "claim", "OUTCOME_MISMATCH"),
        "outcomeVerified": _kind(
            OutcomeVerified, "evidence state claim twin", "STATE_MISMATCH", "HALLUCINATED_SUCCESS"
        ),
        "toolCalled": _kind(ToolCalled, "evidence", "MISSING_CALL"),
        "toolNotCalled": _kind(ToolNotCalled, "evidence", "FORBIDDEN_CALL"),
        "maxToolCalls": _kind(MaxToolCalls, "evidence", "TOO_MANY_CALLS"),
        "toolArgs": _kind(ToolArgs, "evidence", "ARGUMENT_MISMATCH", "MISSING_CALL"),
        "toolStatus": _kind(ToolStatus, "evidence", "STATUS_MISMATCH"),
        "order": _kind(Order, "evidence", "ORDER_VIOLATION"),
        "maxRetries": _kind(MaxRetries, "evidence", "RETRY_LIMIT"),
        "noBlindRepeat": _kind(NoBlindRepeat, "evidence twin", "BLIND_REPEAT"),
        "noLoop": _kind(NoLoop, "evidence", "LOOP"),
        "maxSteps": _kind(MaxSteps, "evidence", "STEP_LIMIT"),
        "maxLatencyMs": _kind(MaxLatencyMs, "evidence", "LATENCY_LIMIT"),
        "maxTokens": _kind(MaxTokens, "claim", "TOKEN_LIMIT"),
        "maxCostUsd": _kind(MaxCostUsd, "claim", "COST_LIMIT"),
        "requiredEscalation": _kind(RequiredEscalation, "evidence", "MISSING_ESCALATION", "ESCALATION_FAILED"),
        "noPolicyViolation": _kind(NoPolicyViolation, "evidence", "POLICY_VIOLATION"),
        "noIrreversibleAction": _kind(NoIrreversibleAction, "evidence twin", "IRREVERSIBLE_ACTION"),
        "approvalRequired": _kind(ApprovalRequired, "evidence twin", "APPROVAL_BYPASSED"),
        "noDuplicateSideEffect": _kind(NoDuplicateSideEffect, "evidence twin", "DUPLICATE_SIDE_EFFECT"),
        "outputContains": _kind(OutputContains, "claim", "OUTPUT_MISMATCH"),
        "outputNotContains": _kind(OutputNotContains, "claim", "OUTPUT_MISMATCH"),
        "outputRegex": _kind(OutputRegex, "claim", "OUTPUT_MISMATCH"),
        "outputJsonSchema": _kind(OutputJsonSchema, "claim", "OUTPUT_NOT_JSON", "OUTPUT_SCHEMA"),
        "outputJsonPath": _kind(OutputJsonPath, "claim", "OUTPUT_NOT_JSON", "OUTPUT_MISMATCH"),
        "noSecretDisclosure": _kind(NoSecretDisclosure, "evidence claim", "SECRET_DISCLOSURE"),
        "noCrossTenantAccess": _kind(NoCrossTenantAccess, "evidence state claim twin", "CROSS_TENANT_ACCESS"),
        "faultFired": _kind(FaultFired, "evidence twin", "FAULT_NOT_FIRED"),
        "semantic": _kind(Semantic, "claim judge", "SEMANTIC_FAIL"),
        "custom": _kind(Custom, "evidence"),
    }
)
"""The one table of expectation kinds."""

OUTCOME_BEARING: Final = frozenset(
    {"state", "stateUnchanged", "onlyChanged", "outcomeVerified", "noDuplicateSideEffect", "finalOutcome"}
)
"""Kinds from which a case's outcome is verified."""

UNKNOWN_WITHOUT_A_WORD: Final = frozenset({"maxTokens", "maxCostUsd"})
"""Kinds that cannot be judged where the agent does not report its usage."""


def evaluator_versions() -> dict[str, int]:
    """Kind → version of its evaluator; part of every plan."""
    return {name: kind.version for name, kind in EXPECTATIONS.items()}


assert {kind.model for kind in EXPECTATIONS.values()} == set(get_args(get_args(Expectation)[0]))
