"""Events: what provably happened while an agent ran, as recorded on the tool's side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import orjson

from agenttwin.values import Change, Json


class Risk(StrEnum):
    """How much a tool can do that cannot be taken back."""

    READ = "READ"
    WRITE_REVERSIBLE = "WRITE_REVERSIBLE"
    WRITE_IRREVERSIBLE = "WRITE_IRREVERSIBLE"
    EXECUTE = "EXECUTE"
    ADMIN = "ADMIN"


class Result(StrEnum):
    """What the caller of a tool saw."""

    OK = "ok"
    RATE_LIMITED = "rate_limited"
    DENIED = "denied"
    NOT_FOUND = "not_found"
    UNKNOWN_TOOL = "unknown_tool"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    DROPPED = "dropped"
    PARTIAL = "partial"
    MALFORMED = "malformed"
    ERROR = "error"


class Commit(StrEnum):
    """How much of a call's computed changes the world kept."""

    NONE = "none"
    FIRST = "first"
    ALL = "all"
    TWICE = "twice"
    LATE = "late"


class ModelKind(StrEnum):
    """What stood behind the agent: a language model, a deterministic program, or nobody said."""

    LLM = "llm"
    DETERMINISTIC_FAKE = "deterministic-fake"
    UNKNOWN = "unknown"


@dataclass(slots=True, kw_only=True)  # not frozen: that takes 8 of the 10 µs of making one, on every call
class ToolCall:
    """One call of a tool, as the twin saw and answered it. Never written to once it is recorded.

    ``seq`` counts every call of the case from 1; ``number`` counts the accepted calls of this tool from 1
    and is None for a refused call. ``answer`` is the body as sent, byte for byte (None when nothing
    arrived). ``record`` is the path of the record the tool's handler names, where it names one.
    ``key_argument`` is the argument that holds the idempotency key, where the tool names one.
    ``knowable`` is False where the caller could not learn from the answer whether the call took effect.
    ``landed`` is, for a late commit, the seq of the call before which it was executed (0: at the end).
    """

    seq: int
    number: int | None
    tool: str
    arguments: Json
    status: int | None
    result: Result
    code: str | None = None
    answer: bytes | None = None
    headers: Mapping[str, str]
    risk: Risk
    role: str | None = None
    fault: str | None = None
    rule: str | None = None
    took_effect: bool = False
    knowable: bool = True
    idempotency_key: str | None = None
    key_argument: str | None = None
    declares_idempotency: bool = False
    effect_key: str | None = None
    record: str | None = None
    computed_changes: int = 0
    committed: Commit | None = None
    landed: int | None = None
    replayed: bool = False
    redelivered: bool = False
    changes: tuple[Change, ...] = ()
    refusal: str | None = None
    cross_tenant: str | None = None
    approved: bool = False
    delay_ms: int = 0
    attempt: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the caller saw a complete success."""
        return self.result is Result.OK

    @property
    def keyless_arguments(self) -> Json:
        """The arguments without the idempotency key."""
        return without_key(self.arguments, self.key_argument)

    @property
    def body(self) -> Json:
        """The answer as JSON; None where nothing came or what came is no JSON."""
        if self.answer is None:
            return None
        try:
            value: Json = orjson.loads(self.answer)
        except orjson.JSONDecodeError:
            return None
        return value


def without_key(arguments: Json, key_argument: str | None) -> Json:
    """What a call asks for, whatever key it has: its arguments without the one that holds the key."""
    if key_argument is None or not isinstance(arguments, dict):
        return arguments
    return {name: value for name, value in arguments.items() if name != key_argument}


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """A search of the knowledge base: the query, and the documents found with their trust."""

    seq: int
    query: str
    documents: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Something said to or by the agent."""

    seq: int
    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A request to a language model, seen by instrumentation."""

    seq: int
    model: str | None
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision:
    """What a policy said of the call with the same ``call`` seq."""

    seq: int
    call: int
    policy: str
    decision: str
    reason: str = ""


Event: TypeAlias = ToolCall | Retrieval | Message | ModelCall | PolicyDecision
