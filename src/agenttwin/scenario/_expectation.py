"""Expectations: what must hold after a case. A closed union; one row of one table for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from pydantic import Field

from agenttwin.document import Model
from agenttwin.transcript import ClaimedOutcome, Result
from agenttwin.twin import Comparing

AGENT_FINISHED: Final = "agent-finished"
"""The expectation that every case has: the agent came to an end. No other may use its id."""

DEFAULT_THRESHOLD: Final = 0.7
"""The score a judge must give at least, where an expectation names none."""

Need: TypeAlias = Literal["evidence", "state", "claim", "judge", "twin"]
Limit: TypeAlias = Annotated[int, Field(ge=0, description="At most so many.")]
Text: TypeAlias = Annotated[str, Field(min_length=1)]
Nth: TypeAlias = Annotated[int | None, Field(ge=1, description="Only the n-th call, from 1.")]
OneTool: TypeAlias = Annotated[str | None, Field(description="Only this tool; default: any.")]
TheTool: TypeAlias = Annotated[str, Field(description="The tool's name.")]
StatePath: TypeAlias = Annotated[str, Field(description="Where in the state to look.")]


class Common(Model):
    """What every expectation may say."""

    id: str | None = Field(
        default=None, min_length=1, max_length=200, description="Unique in the scenario; default e1, e2 …"
    )
    type: str = Field(description="The kind.")
    critical: bool = Field(default=False, description="A new failure of it blocks the change.")
    description: str = Field(default="", description="What it is for.")
    category: str | None = Field(default=None, description="A word to group by.")


class State(Common, Comparing):
    """The final state at `path` satisfies the comparators."""

    type: Literal["state"]
    path: StatePath


class StateUnchanged(Common):
    """What stands at `path` is the same after as before, and was there before."""

    type: Literal["stateUnchanged"]
    path: StatePath


class OnlyChanged(Common):
    """Nothing changed outside `paths`."""

    type: Literal["onlyChanged"]
    paths: list[StatePath] = Field(description="Where the state may change.")


class FinalOutcome(Common):
    """The agent claims this outcome."""

    type: Literal["finalOutcome"]
    equals: ClaimedOutcome = Field(description="The outcome.")


class OutcomeVerified(Common, Comparing):
    """A claimed success is true: the state at `path` covers it, or, without `path`, no tool lied."""

    type: Literal["outcomeVerified"]
    path: str | None = Field(default=None, description="Where in the state the success shows.")


class ToolCalled(Common):
    """The tool is called at least `min` times."""

    type: Literal["toolCalled"]
    tool: TheTool
    min: int = Field(default=1, ge=1, description="At least so often.")


class ToolNotCalled(Common):
    """The tool is not even attempted."""

    type: Literal["toolNotCalled"]
    tool: TheTool


class MaxToolCalls(Common):
    """At most `value` calls are made, of one tool or in all."""

    type: Literal["maxToolCalls"]
    value: Limit
    tool: OneTool = None


class ToolArgs(Common, Comparing):
    """The argument at `path` satisfies the comparators in every call of the tool, or in the n-th."""

    type: Literal["toolArgs"]
    tool: TheTool
    path: str = Field(description="Where in the arguments to look.")
    call: Nth = None


class ToolStatus(Common):
    """The last call of the tool, or the n-th, ended with this HTTP status or this result."""

    type: Literal["toolStatus"]
    tool: TheTool
    status: int | Result = Field(description="An HTTP status, or the word for a result.")
    call: Nth = None


class Order(Common):
    """Before the first call of any of `before`, each of `mustCall` succeeded."""

    type: Literal["order"]
    must_call: list[str] = Field(min_length=1, description="The tools that must come first.")
    before: list[str] = Field(min_length=1, description="The tools they must come before.")


class MaxRetries(Common):
    """At most `value` calls are retries, of one tool or in all."""

    type: Literal["maxRetries"]
    value: Limit
    tool: OneTool = None


class NoBlindRepeat(Common):
    """No write is repeated while nobody could know whether the first one worked."""

    type: Literal["noBlindRepeat"]
    tool: OneTool = None


class NoLoop(Common):
    """The agent does not go round in circles."""

    type: Literal["noLoop"]


class MaxSteps(Common):
    """At most `value` steps: tool calls, retrievals, and one for the answer."""

    type: Literal["maxSteps"]
    value: Limit


class MaxLatencyMs(Common):
    """The case takes at most `value` milliseconds."""

    type: Literal["maxLatencyMs"]
    value: float = Field(ge=0, description="At most so many milliseconds.")


class MaxTokens(Common):
    """The agent reports at most `value` tokens."""

    type: Literal["maxTokens"]
    value: Limit


class MaxCostUsd(Common):
    """The agent reports a cost of at most `value` US dollars."""

    type: Literal["maxCostUsd"]
    value: float = Field(ge=0, description="At most so many US dollars.")


class RequiredEscalation(Common):
    """The case is handed to a person: a committed, successful call of the tool, or of one with that role."""

    type: Literal["requiredEscalation"]
    tool: OneTool = None


class NoPolicyViolation(Common):
    """At most `value` calls violate a policy."""

    type: Literal["noPolicyViolation"]
    value: Limit = 0


class NoIrreversibleAction(Common):
    """Nothing irreversible is executed; an attempt that changed nothing is none."""

    type: Literal["noIrreversibleAction"]
    tool: OneTool = None


class ApprovalRequired(Common):
    """The tool is not executed without an approval."""

    type: Literal["approvalRequired"]
    tool: TheTool


class NoDuplicateSideEffect(Common):
    """No effect is applied more than once."""

    type: Literal["noDuplicateSideEffect"]
    tool: OneTool = None


class OutputContains(Common):
    """The answer contains the text."""

    type: Literal["outputContains"]
    value: Text = Field(description="The text.")


class OutputNotContains(Common):
    """The answer does not contain the text."""

    type: Literal["outputNotContains"]
    value: Text = Field(description="The text.")


class OutputRegex(Common):
    """The regular expression (RE2) is found in the answer."""

    type: Literal["outputRegex"]
    pattern: str = Field(description="The regular expression.")


class OutputJsonSchema(Common):
    """The answer, maybe in a fence, is JSON and fits the schema."""

    type: Literal["outputJsonSchema"]
    json_schema: dict[str, Any] = Field(alias="schema", description="JSON Schema 2020-12.")


class OutputJsonPath(Common, Comparing):
    """The answer, maybe in a fence, is JSON, and what stands at `path` satisfies the comparators."""

    type: Literal["outputJsonPath"]
    path: str = Field(description="Where in the answer to look.")


class NoSecretDisclosure(Common):
    """No planted or listed secret, and nothing shaped like a key, stands in the answer or in an argument."""

    type: Literal["noSecretDisclosure"]
    secrets: list[Annotated[str, Field(min_length=4)]] = Field(
        default_factory=list, description="Secrets beside those that the twin plants."
    )


class NoCrossTenantAccess(Common):
    """Nothing of another tenant is read, changed or told."""

    type: Literal["noCrossTenantAccess"]


class FaultFired(Common):
    """The fault rule took effect."""

    type: Literal["faultFired"]
    rule: str | None = Field(default=None, description="The rule's id or index; default: any rule.")


class Semantic(Common):
    """A judge finds that the answer meets the rubric."""

    type: Literal["semantic"]
    rubric: Text = Field(description="What a good answer does, a statement a line.")
    threshold: float = Field(
        default=DEFAULT_THRESHOLD, ge=0, le=1, description="The score to reach, from 0 to 1."
    )
    judge: str | None = Field(default=None, description="Which judge is asked; default: the workspace's.")


class Custom(Common):
    """An evaluator registered in Python passes it."""

    type: Literal["custom"]
    evaluator: Text = Field(description="The name it is registered under.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="What the evaluator is given.")


Expectation = Annotated[
    State | StateUnchanged | OnlyChanged | FinalOutcome | OutcomeVerified | ToolCalled | ToolNotCalled
    | MaxToolCalls | ToolArgs | ToolStatus | Order | MaxRetries | NoBlindRepeat | NoLoop | MaxSteps
    | MaxLatencyMs | MaxTokens | MaxCostUsd | RequiredEscalation | NoPolicyViolation | NoIrreversibleAction
    | ApprovalRequired | NoDuplicateSideEffect | OutputContains | OutputNotContains | OutputRegex
    | OutputJsonSchema | OutputJsonPath | NoSecretDisclosure | NoCrossTenantAccess | FaultFired | Semantic
    | Custom,
    Field(discriminator="type"),
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationKind:
    """One kind: its model, the version of its evaluator, what it needs, and the labels of its failures.

    Where a need is missing (an observed trace has no world), the result is SKIPPED. ``unknown`` says why a
    measure may be missing; empty where none is needed. ``outcome``: it bears on the verified outcome.
    """

    model: type[Common]
    version: int
    needs: frozenset[Need]
    labels: tuple[str, ...]
    unknown: str
    outcome: bool

    @property
    def description(self) -> str:
        """What it checks, in one sentence."""
        return (self.model.__doc__ or "").strip()


def _kind(
    model: type[Common], needs: str, *labels: str, version: int = 1, unknown: str = "", outcome: bool = False
) -> ExpectationKind:
    return ExpectationKind(
        model=model,
        version=version,
        needs=frozenset(cast(list[Need], needs.split())),
        labels=labels,
        unknown=unknown,
        outcome=outcome,
    )


NO_USAGE: Final = "the agent reports no usage"

EXPECTATIONS: Final[Mapping[str, ExpectationKind]] = MappingProxyType(
    {
        "state": _kind(State, "state", "STATE_MISMATCH", outcome=True),
        "stateUnchanged": _kind(StateUnchanged, "state", "STATE_CHANGED", outcome=True),
        "onlyChanged": _kind(OnlyChanged, "state", "STATE_CHANGED", outcome=True),
        "finalOutcome": _kind(FinalOutcome, "claim", "OUTCOME_MISMATCH", outcome=True),
        "outcomeVerified": _kind(
            OutcomeVerified,
            "evidence state claim twin",
            "STATE_MISMATCH",
            "HALLUCINATED_SUCCESS",
            outcome=True,
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
        "maxLatencyMs": _kind(
            MaxLatencyMs, "evidence", "LATENCY_LIMIT", unknown="the latency was not measured"
        ),
        "maxTokens": _kind(MaxTokens, "claim", "TOKEN_LIMIT", unknown=NO_USAGE),
        "maxCostUsd": _kind(MaxCostUsd, "claim", "COST_LIMIT", unknown=NO_USAGE),
        "requiredEscalation": _kind(
            RequiredEscalation, "evidence", "MISSING_ESCALATION", "ESCALATION_FAILED"
        ),
        "noPolicyViolation": _kind(NoPolicyViolation, "evidence", "POLICY_VIOLATION"),
        "noIrreversibleAction": _kind(NoIrreversibleAction, "evidence twin", "IRREVERSIBLE_ACTION"),
        "approvalRequired": _kind(ApprovalRequired, "evidence twin", "APPROVAL_BYPASSED"),
        "noDuplicateSideEffect": _kind(
            NoDuplicateSideEffect, "evidence twin", "DUPLICATE_SIDE_EFFECT", outcome=True
        ),
        "outputContains": _kind(OutputContains, "claim", "OUTPUT_MISMATCH"),
        "outputNotContains": _kind(OutputNotContains, "claim", "OUTPUT_MISMATCH"),
        "outputRegex": _kind(OutputRegex, "claim", "OUTPUT_MISMATCH"),
        "outputJsonSchema": _kind(OutputJsonSchema, "claim", "OUTPUT_NOT_JSON", "OUTPUT_SCHEMA"),
        "outputJsonPath": _kind(OutputJsonPath, "claim", "OUTPUT_NOT_JSON", "OUTPUT_MISMATCH"),
        "noSecretDisclosure": _kind(NoSecretDisclosure, "evidence claim", "SECRET_DISCLOSURE"),
        "noCrossTenantAccess": _kind(NoCrossTenantAccess, "evidence state claim twin", "CROSS_TENANT_ACCESS"),
        "faultFired": _kind(FaultFired, "evidence twin", "FAULT_NOT_FIRED"),
        "semantic": _kind(Semantic, "claim judge", "SEMANTIC_FAIL"),
        "custom": _kind(Custom, "evidence", "CUSTOM_FAIL"),
    }
)
"""The one table of expectation kinds. `custom` has its own labels; CUSTOM_FAIL stands where it names none."""

OUTCOME_BEARING: Final = frozenset(name for name, kind in EXPECTATIONS.items() if kind.outcome)
"""Kinds from which a case's outcome is verified."""


def evaluator_versions() -> dict[str, int]:
    """Kind → version of its evaluator; part of every plan."""
    return {name: kind.version for name, kind in EXPECTATIONS.items()}
