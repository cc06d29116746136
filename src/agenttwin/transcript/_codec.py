"""Events and claims as bytes, for whoever keeps them: JSON, one object a value, without what is default."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final, cast

import orjson

from agenttwin.transcript._claim import Claim, ClaimedOutcome, OwnCall, Usage
from agenttwin.transcript._event import (
    Commit,
    Event,
    Message,
    ModelCall,
    PolicyDecision,
    Result,
    Retrieval,
    Risk,
    ToolCall,
)
from agenttwin.values import MISSING, Change

_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATACLASS


def encode_events(events: Iterable[Event]) -> bytes:
    """Events as the text of a JSON list, in their order; bytes of an answer that are no UTF-8 as base64."""
    return orjson.dumps([_members(event) for event in events], _plain, _OPTIONS)


def decode_events(content: bytes) -> tuple[Event, ...]:
    """What encode_events wrote, equal in every field. Fields that this version does not know are left out.

    ValueError where it is something else, or holds a kind of event or a word that this version lacks.
    """
    return tuple(_event(members) for members in _loaded(content, list))


def encode_claim(claim: Claim) -> bytes:
    """A claim as the text of a JSON object."""
    return orjson.dumps(_members(claim), _plain, _OPTIONS)


def decode_claim(content: bytes) -> Claim:
    """What encode_claim wrote; unknown fields are left out. ValueError as decode_events."""
    return cast(Claim, _value(_RECORDS[Claim], _loaded(content, dict)))


@dataclass(frozen=True, slots=True)
class _Record:
    """How one type is written: its fields, their defaults, and how to read what JSON has no type for."""

    type: Callable[..., object]
    names: tuple[str, ...]
    defaults: tuple[object, ...]
    get: Callable[[Any], tuple[object, ...]]
    readers: tuple[tuple[str, Callable[[Any], object]], ...]
    known: frozenset[str]
    tag: dict[str, str]


def _record(of: Any, tag: str | None = None, **readers: Callable[[Any], object]) -> _Record:  # noqa: ANN401
    names = tuple(field.name for field in fields(of))
    return _Record(
        type=of,
        names=names,
        defaults=tuple(field.default for field in fields(of)),
        get=attrgetter(*names),
        readers=tuple(readers.items()),
        known=frozenset(names),
        tag={"event": tag} if tag else {},
    )


def _members(value: object) -> dict[str, object]:
    """The fields of a record that are not at their default; every default is a constant, so `is` tells."""
    record = _RECORDS[type(value)]
    members: dict[str, object] = {
        name: member
        for name, member, default in zip(record.names, record.get(value), record.defaults, strict=True)
        if member is not default
    }
    return record.tag | members


def _plain(value: object) -> object:
    """The encoder's hook."""
    if isinstance(value, Change):
        return _written_change(value)
    if isinstance(value, bytes):
        return _written_bytes(value)
    if type(value) in _RECORDS:
        return _members(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} is not JSON")


def _written_change(change: Change) -> dict[str, object]:
    sides = {"before": change.before, "after": change.after}
    return {"path": change.path} | {side: value for side, value in sides.items() if value is not MISSING}


def _written_bytes(content: bytes) -> object:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}


def _loaded(content: bytes, kind: type) -> Any:  # noqa: ANN401 - what the JSON holds
    value = orjson.loads(content)
    if not isinstance(value, kind):
        raise ValueError(f"expected a JSON {kind.__name__}, got {type(value).__name__}")
    return value


def _event(members: dict[str, Any]) -> Event:
    tag = members.pop("event", None)
    if tag not in _EVENTS:
        raise ValueError(f"{tag!r} is not a kind of event that this version knows")
    return cast(Event, _value(_EVENTS[tag], members))


def _value(record: _Record, members: dict[str, Any]) -> object:
    if not record.known.issuperset(members):
        members = {name: member for name, member in members.items() if name in record.known}
    for name, reader in record.readers:
        if name in members:
            members[name] = reader(members[name])
    try:
        return record.type(**members)
    except TypeError as error:
        raise ValueError(f"a field is missing: {error}") from None


def _read_bytes(value: Any) -> bytes | None:  # noqa: ANN401
    if isinstance(value, dict):
        return b64decode(value["base64"])
    return None if value is None else str(value).encode()


def _read_changes(value: list[dict[str, Any]]) -> tuple[Change, ...]:
    return tuple(
        Change(path=change["path"], before=change.get("before", MISSING), after=change.get("after", MISSING))
        for change in value
    )


def _read_documents(value: list[list[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, value))


def _read_own_calls(value: list[dict[str, Any]] | None) -> tuple[object, ...] | None:
    return None if value is None else tuple(_value(_RECORDS[OwnCall], call) for call in value)


def _read_usage(value: dict[str, Any] | None) -> object:
    return None if value is None else _value(_RECORDS[Usage], value)


_EVENTS: Final = {
    record.tag["event"]: record
    for record in (
        _record(
            ToolCall,
            "tool_call",
            risk=Risk,
            result=Result,
            committed=Commit,
            answer=_read_bytes,
            changes=_read_changes,
        ),
        _record(Retrieval, "retrieval", documents=_read_documents),
        _record(Message, "message"),
        _record(ModelCall, "model_call"),
        _record(PolicyDecision, "policy_decision"),
    )
}
_RECORDS: Final[dict[object, _Record]] = {
    record.type: record
    for record in (
        *_EVENTS.values(),
        _record(Claim, outcome=ClaimedOutcome, own_calls=_read_own_calls, usage=_read_usage),
        _record(OwnCall),
        _record(Usage),
    )
}
