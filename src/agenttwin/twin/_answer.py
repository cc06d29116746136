"""What the caller sees: the answer a fault makes of the computed one, and how it travels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import orjson

from agenttwin.expression import Scope
from agenttwin.transcript import Result
from agenttwin.twin._fault import Answer, Wire
from agenttwin.values import MISSING, Json, encode

if TYPE_CHECKING:
    from agenttwin.twin._choice import CompiledRule


@dataclass(slots=True)  # not frozen: one is made in every call
class Sent:
    """An answer as it is sent; all None or empty where nothing is. ``code`` is that of a refusal."""

    status: int | None
    headers: dict[str, str]
    body: bytes | None
    code: str | None = None
    wire: Wire = Wire.WHOLE

    @property
    def success(self) -> bool:
        """Whether it says that all went well."""
        return self.status is not None and 200 <= self.status < 300


_WHOLE, _OK = Wire.WHOLE, Result.OK  # members of an enumeration are slow to look up

_RESULTS: Final[dict[int, Result]] = {
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

_BROKEN: Final[dict[Wire, Result]] = {
    Wire.NOTHING: Result.DROPPED,
    Wire.TRUNCATED: Result.PARTIAL,
    Wire.GARBLED: Result.MALFORMED,
}


def read_result(status: int | None, wire: Wire) -> Result:
    """What an answer of this status, sent this way, is to its caller."""
    if status == 200 and wire is _WHOLE:
        return _OK
    if status is None or wire in _BROKEN:
        return _BROKEN.get(wire, Result.DROPPED)
    return _OK if 200 <= status < 300 else _RESULTS.get(status, Result.ERROR)


def send(
    rule: CompiledRule,
    computed: Sent | None,
    scope: Scope,
    *,
    success: bool = False,
    other: Sent | None = None,
) -> Sent:
    """The answer under a fault.

    ``computed`` is the true answer, None where the dependency was never reached; where it is no ``success``
    there is nothing to falsify. ``other`` is the stale or previous answer, where there is one.
    """
    kind = rule.kind
    if kind.wire is Wire.NOTHING:
        return Sent(None, {}, None, wire=Wire.NOTHING)
    if kind.answer is Answer.ERROR or computed is None:
        sent = _error(rule, computed, scope)
    else:
        sent = _falsified(rule, computed, other, scope) if success else computed
    return replace(sent, body=_damaged(sent.body or b"", kind.wire), wire=kind.wire)


def _error(rule: CompiledRule, computed: Sent | None, scope: Scope) -> Sent:
    kind = rule.kind
    seen = scope.child(result=_value(computed))
    if rule.body is not None:
        body = rule.body.render(seen)
    else:
        body = {"error": {"code": kind.code, "message": rule.message.render(seen)}}
    return replace(answer(body, kind.status or 500, kind.code), headers=dict(rule.headers))


def _falsified(rule: CompiledRule, computed: Sent, other: Sent | None, scope: Scope) -> Sent:
    """A success that says something else than what happened."""
    sent, behavior = computed, rule.behavior
    match rule.kind.answer:
        case Answer.STALE | Answer.PREVIOUS:
            sent = other or computed
        case Answer.SUBSTITUTE if rule.body is not None:
            sent = answer(rule.body.render(scope.child(result=_value(computed))), computed.status or 200)
        case Answer.DRIFTED:
            sent = replace(
                computed, body=encode(_drifted(_value(computed), behavior.field, behavior.rename_to))
            )
        case Answer.PADDED:
            sent = replace(computed, body=_padded(_value(computed), behavior.bytes))
    return sent if rule.kind.status is None else replace(sent, status=rule.kind.status)


def answer(body: object, status: int = 200, code: str | None = None) -> Sent:
    """An answer to send; one that an optional placeholder leaves out is null. TypeError as encode."""
    return Sent(status, {}, encode(None if body is MISSING else body), code)


def refuse(status: int, code: str, message: str) -> Sent:
    """The one form of a refusal: `{"error": {"code", "message"}}`."""
    return answer({"error": {"code": code, "message": message}}, status, code)


def _value(sent: Sent | None) -> Json:
    value: Json = orjson.loads(sent.body) if sent is not None and sent.body else None
    return value


def _damaged(body: bytes, wire: Wire) -> bytes:
    if wire is Wire.TRUNCATED:
        return body[: len(body) // 2]
    if wire is Wire.GARBLED:  # as no JSON reader takes it, and no caller mistakes it for a part
        return body[:-1] + b",}<"
    return body


def _drifted(body: Json, field: str | None, rename_to: str | None) -> Json:
    """The answer with one field renamed or gone; one that has no such field stays as it is."""
    if not isinstance(body, dict) or not body:
        return body
    name = field if field is not None else next(iter(body))
    renamed = {(rename_to if key == name else key): value for key, value in body.items()}
    return {key: value for key, value in renamed.items() if key is not None}


PADDING: Final = "padding"
"""The field that makes an answer large; an answer that is no object becomes its neighbour `value`."""


def _padded(body: Json, size: int) -> bytes:
    whole: dict[str, Json] = {**(body if isinstance(body, dict) else {"value": body}), PADDING: ""}
    return encode(whole | {PADDING: "x" * (size - len(encode(whole)))})


def differs(sent: Sent, computed: Sent) -> bool:
    """Whether a caller could tell one answer from the other, but for the time it takes."""
    return (
        sent.status != computed.status
        or sent.body != computed.body
        or sent.headers != computed.headers
        or sent.wire in _BROKEN
    )
