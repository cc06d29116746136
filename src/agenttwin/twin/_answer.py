"""What the caller sees: the answer a fault makes of the computed one, and how it travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from agenttwin.expression import Scope
from agenttwin.transcript import Result
from agenttwin.twin._fault import Answer, Wire
from agenttwin.values import MISSING, Json, encode

if TYPE_CHECKING:
    from agenttwin.twin._choice import CompiledRule


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer as it is sent; everything is None or empty where nothing is."""

    status: int | None
    headers: dict[str, str]
    body: bytes | None
    wire: Wire
    code: str | None


_BY_STATUS: Final[dict[int, Result]] = {
    400: Result.INVALID,
    401: Result.DENIED,
    403: Result.DENIED,
    404: Result.NOT_FOUND,
    408: Result.TIMEOUT,
    409: Result.INVALID,
    413: Result.INVALID,
    422: Result.INVALID,
    429: Result.RATE_LIMITED,
    504: Result.TIMEOUT,
}

_BY_WIRE: Final[dict[Wire, Result]] = {
    Wire.NOTHING: Result.DROPPED,
    Wire.TRUNCATED: Result.PARTIAL,
    Wire.GARBLED: Result.MALFORMED,
}


def read_result(status: int | None, wire: Wire) -> Result:
    """What an answer of this status, sent this way, is to its caller."""
    if status is None or wire in _BY_WIRE:
        return _BY_WIRE.get(wire, Result.DROPPED)
    if 200 <= status < 300:
        return Result.OK
    return _BY_STATUS.get(status, Result.ERROR)


def send(
    rule: CompiledRule,
    computed: Sent | None,
    scope: Scope,
    *,
    previous: tuple[int, bytes] | None,
    stale: Sent | None,
    keep_computed: bool = False,
) -> Sent:
    """The answer under a fault. ``computed`` is None where the dependency was never reached.

    ``keep_computed``: there was no success to falsify, so the true refusal travels.
    """
    kind = rule.kind
    if kind.wire is Wire.NOTHING:
        return Sent(None, {}, None, Wire.NOTHING, None)
    if kind.answer is Answer.ERROR or computed is None:
        return _error(rule, computed, scope)
    answer = computed if keep_computed else _falsified(rule, computed, scope, previous, stale)
    return _travelling(Sent(answer.status, answer.headers, answer.body, kind.wire, answer.code))


def _error(rule: CompiledRule, computed: Sent | None, scope: Scope) -> Sent:
    kind = rule.kind
    seen = scope.child(result=_value(computed))
    status = kind.status or 500
    headers = {"Retry-After": str(rule.behavior.retry_after_seconds)} if kind.retry_after else {}
    body: Any
    if rule.body is not None:
        body = rule.body.render(seen)
    else:
        body = {"error": {"code": kind.code, "message": rule.message.render(seen)}}
    return _travelling(Sent(status, headers, encode(body), kind.wire, kind.code))


def _travelling(sent: Sent) -> Sent:
    if sent.wire is Wire.TRUNCATED and sent.body is not None:
        return Sent(sent.status, sent.headers, sent.body[: len(sent.body) // 2], sent.wire, sent.code)
    if sent.wire is Wire.GARBLED and sent.body is not None:
        return Sent(sent.status, sent.headers, _garbled(sent.body), sent.wire, sent.code)
    return sent


def _garbled(body: bytes) -> bytes:
    """The answer as no JSON reader takes it, and no caller mistakes it for a part."""
    return body[:-1] + b",}<"


def _value(sent: Sent | None) -> Json:
    if sent is None or not sent.body:
        return None
    value: Json = orjson.loads(sent.body)
    return value


def _falsified(
    rule: CompiledRule, computed: Sent, scope: Scope, previous: tuple[int, bytes] | None, stale: Sent | None
) -> Sent:
    """A success that says something else than what happened."""
    match rule.kind.answer:
        case Answer.STALE:
            return stale or computed
        case Answer.PREVIOUS:
            return Sent(previous[0], {}, previous[1], Wire.WHOLE, None) if previous else computed
        case Answer.SUBSTITUTE:
            body = rule.body.render(scope.child(result=_value(computed))) if rule.body else None
            return Sent(rule.kind.status or computed.status, {}, encode(body), Wire.WHOLE, None)
        case Answer.DRIFTED:
            return _with_body(computed, _drifted(_value(computed), rule.behavior.field, rule.behavior.rename_to))
        case Answer.PADDED:
            return _with_body(computed, _padded(_value(computed), rule.behavior.bytes))
        case _:
            return computed


def _with_body(sent: Sent, body: Json) -> Sent:
    return Sent(sent.status, sent.headers, encode(body), sent.wire, sent.code)


def _drifted(body: Json, field: str | None, rename_to: str | None) -> Json:
    """The answer with one field renamed or gone; one that has no such field stays as it is."""
    if not isinstance(body, dict) or not body:
        return body
    name = field if field is not None else next(iter(body))
    value = body.get(name, MISSING)
    if value is MISSING:
        return body
    rest = {key: item for key, item in body.items() if key != name}
    return {**rest, rename_to: value} if rename_to is not None else rest


def _padded(body: Json, size: int) -> Json:
    whole: dict[str, Json] = body if isinstance(body, dict) else {"value": body}
    return {**whole, "padding": "x" * max(size - len(encode(whole)), 0)}
