"""The transcript: the one evidence type, simulated or observed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from agenttwin.transcript._event import Event, ModelKind, Retrieval, ToolCall
from agenttwin.values import Change, Tree


class Ending(StrEnum):
    """How the agent's run ended; everything but FINISHED is a label of ``agent-finished``."""

    FINISHED = "FINISHED"
    AGENT_TIMEOUT = "AGENT_TIMEOUT"
    AGENT_CRASHED = "AGENT_CRASHED"
    AGENT_ERROR = "AGENT_ERROR"
    CALL_LIMIT_EXCEEDED = "CALL_LIMIT_EXCEEDED"
    AGENT_UNREACHABLE = "AGENT_UNREACHABLE"
    AGENT_AUTH = "AGENT_AUTH"
    AGENT_REJECTED = "AGENT_REJECTED"
    TWIN_ERROR = "TWIN_ERROR"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultUse:
    """One fault rule of the case: whether it was chosen, and whether it made a difference."""

    rule: str
    type: str
    target: str
    fired: bool
    took_effect: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the case was, from the twin's side: facts an evaluator may need.

    ``masked``: values that the environment gave the agent were let out by it, and are masked in what is kept.
    """

    tenant: str | None = None
    tenant_key: str | None = None
    secrets: tuple[str, ...] = ()
    policy_attached: bool = False
    input_texts: tuple[str, ...] = ()
    masked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What happened in one trial. ``before`` and ``after`` are the world's state, None where none was held.

    ``events`` are in the order of arrival; ``changes`` is the net difference between the two states.
    Neither state may be written to.
    """

    events: tuple[Event, ...]
    before: Tree | None = None
    after: Tree | None = None
    changes: tuple[Change, ...] = ()
    faults: tuple[FaultUse, ...] = ()
    setting: Setting = field(default_factory=Setting)
    ending: Ending = Ending.FINISHED
    ending_message: str = ""
    model_kind: ModelKind = ModelKind.UNKNOWN
    latency_ms: float | None = None

    @property
    def deliveries(self) -> tuple[ToolCall, ...]:
        """Every record of a call, redeliveries included."""
        return tuple(event for event in self.events if isinstance(event, ToolCall))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls the agent made, refused ones included, redeliveries not."""
        return tuple(call for call in self.deliveries if not call.redelivered)

    @property
    def retrievals(self) -> tuple[Retrieval, ...]:
        """The searches of the knowledge base."""
        return tuple(event for event in self.events if isinstance(event, Retrieval))
