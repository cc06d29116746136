"""Idempotency keys: what a service keeps of a call under its key, and what the same key gets again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from agenttwin.expression import Scope
from agenttwin.twin._answer import Sent
from agenttwin.twin._clock import milliseconds
from agenttwin.twin._fault import Wire
from agenttwin.twin._handler import Refuse, refusal
from agenttwin.twin._model import ErrorAnswer, Idempotency, Keep, Tool
from agenttwin.twin._names import refused_key_names
from agenttwin.values import Json

Slot: TypeAlias = tuple[str, str | None, str]
"""Where an answer is kept: the tool, or a word for all tools; the tenant, where there is one; the key."""

ANY_TOOL: Final = "*"
ANYBODY: Final = "**"
"""No names of tools: so a key that holds for all never meets one that holds for a tool."""

MISMATCH: Final = ErrorAnswer(
    status=409, code="IDEMPOTENCY_CONFLICT", message="This idempotency key was used with other arguments."
)
IN_FLIGHT: Final = ErrorAnswer(
    status=409, code="IDEMPOTENCY_IN_FLIGHT", message="A call with this idempotency key is not done yet."
)
MISSING_KEY: Final = ErrorAnswer(
    status=400, code="IDEMPOTENCY_KEY_MISSING", message="This call needs an idempotency key."
)
INVALID_KEY: Final = ErrorAnswer(
    status=400, code="INVALID_IDEMPOTENCY_KEY", message="This idempotency key is too short or too long."
)

GATEWAY_TIMEOUT: Final = 504
"""Nobody's answer: the service has answered, or will, and it did not come."""


@dataclass(slots=True)  # not frozen: one is made in every call with a key
class Stored:
    """What is kept under a key: which call it was, what it was answered, and when.

    ``late`` is the index of its record, where it was accepted and is executed later.
    """

    tool: str
    arguments: dict[str, Json]
    sent: Sent
    at: datetime
    late: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRules:
    """A tool's rules, ready to be asked.

    ``place`` is the first part of a slot. ``picky``: not every key will do, nor none. ``mismatch`` and
    ``in_flight`` refuse; None where the kept answer is given.
    """

    place: str
    keep: Keep
    lifetime: timedelta | None
    picky: bool
    required: bool
    shortest: int
    longest: int | None
    missing: Refuse
    invalid: Refuse
    mismatch: Refuse | None
    in_flight: Refuse | None

    def slot(self, tenant: str | None, key: str) -> Slot:
        """Where the answer to a call with this key is kept."""
        return self.place, None if self.place == ANYBODY else tenant, key

    def refuse_key(self, key: str | None, scope: Scope) -> Sent | None:
        """Why a call cannot be taken with this key, or without one."""
        if key is None:
            return self.missing(scope) if self.required else None
        fits = self.shortest <= len(key) and (self.longest is None or len(key) <= self.longest)
        return None if fits else self.invalid(scope)

    def is_expired(self, stored: Stored, now: datetime) -> bool:
        """Whether what is kept is no longer known."""
        return self.lifetime is not None and now - stored.at >= self.lifetime

    def kept(self, computed: Sent, sent: Sent, *, whole: bool) -> Sent | None:
        """What is kept of a call that was executed, if anything.

        ``computed`` is the handler's answer, ``sent`` what a fault made of it; ``whole``: all that the call
        does was done, or is going to be.
        """
        if self.keep == "success":
            return computed if whole and computed.success else None
        answered = sent if _is_of_the_service(computed, sent) else computed
        if self.keep == "final" and (answered.status == 429 or (answered.status or 500) >= 500):
            return None
        return answered


def _is_of_the_service(computed: Sent, sent: Sent) -> bool:
    """Whether the service itself answered with the error that the caller sees."""
    return (
        computed.success
        and sent.wire is Wire.WHOLE
        and sent.status is not None
        and sent.status >= 400
        and sent.status != GATEWAY_TIMEOUT
    )


_PLACES: Final[dict[str, Callable[[Tool], str]]] = {
    "tool": lambda tool: tool.name,
    "tenant": lambda tool: ANY_TOOL,
    "twin": lambda tool: ANYBODY,
}


def compile_keys(tool: Tool, declared: Idempotency) -> KeyRules:
    """The rules of a tool; TemplateError where a message cannot be compiled."""
    names = refused_key_names(tool)

    def refuses(error: ErrorAnswer | None, default: ErrorAnswer) -> Refuse:
        return refusal(error or default, default, names)

    span = milliseconds(declared.expires_after) if declared.expires_after is not None else None
    return KeyRules(
        place=_PLACES[declared.scope](tool),
        keep=declared.keep,
        lifetime=timedelta(milliseconds=span) if span is not None else None,
        picky=declared.required or declared.min_length > 0 or declared.max_length is not None,
        required=declared.required,
        shortest=declared.min_length,
        longest=declared.max_length,
        missing=refuses(declared.key_error, MISSING_KEY),
        invalid=refuses(declared.key_error, INVALID_KEY),
        mismatch=refuses(declared.mismatch_error, MISMATCH) if declared.mismatch == "error" else None,
        in_flight=refuses(declared.in_flight_error, IN_FLIGHT) if declared.in_flight == "error" else None,
    )
