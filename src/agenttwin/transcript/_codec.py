"""Events and claims as bytes, for whoever keeps them: JSON, one object a value, without what is default."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
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


def encode_events(events: Iterable[Event]) -> bytes:
    """Events as the text of a JSON list, in their order; bytes of an answer that are no UTF-8 as base64."""
    return orjson.dumps([_members(event) for event in events], _plain)


def decode_events(content: bytes) -> tuple[Event, ...]:
    """What encode_events wrote, equal in every field. Fields that this version does not know are left out.

    ValueError where it is something else, or holds a kind of event or a word that this version lacks.
    """
    return tuple([_event(members) for members in _loaded(content, list)])


def encode_claim(claim: Claim) -> bytes:
    """A claim as the text of a JSON object. What an agent said that JSON cannot hold is kept as text."""
    try:
        return orjson.dumps(_members(claim), _plain)
    except TypeError:
        return orjson.dumps(_writable(_members(claim)))


def decode_claim(content: bytes) -> Claim:
    """What encode_claim wrote; unknown fields are left out. ValueError as decode_events."""
    return cast(Claim, _value(_RECORDS[Claim], _loaded(content, dict)))


@dataclass(frozen=True, slots=True)
class _Form:
    """How a field that JSON has no type for is written and read."""

    write: Callable[[Any], object] | None
    read: Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class _Record:
    """How a type is written: a JSON object of the fields that are not at their default, and maybe a tag."""

    type: Callable[..., object]
    tag: str | None
    names: tuple[str, ...]
    defaults: tuple[object, ...]
    values: Callable[[Any], tuple[object, ...]]
    known: frozenset[str]
    writers: tuple[tuple[str, Callable[[Any], object]], ...]
    readers: tuple[tuple[str, Callable[[Any], object]], ...]


def _record(of: Any, tag: str | None = None, **forms: _Form) -> _Record:
    names = tuple(field.name for field in fields(of))
    return _Record(
        type=of,
        tag=tag,
        names=names,
        defaults=tuple(field.default for field in fields(of)),
        values=attrgetter(*names),
        known=frozenset(names),
        writers=tuple((name, form.write) for name, form in forms.items() if form.write),
        readers=tuple((name, form.read) for name, form in forms.items()),
    )


def _members(value: object) -> dict[str, Any]:
    """The fields of a record that are not at their default; defaults are constants, so identity tells."""
    record = _RECORDS[type(value)]
    fields = zip(record.names, record.values(value), record.defaults, strict=False)
    members = {name: member for name, member, default in fields if member is not default}
    for name, write in record.writers:
        if name in members:
            members[name] = write(members[name])
    if record.tag:
        members["event"] = record.tag
    return members


def _plain(value: object) -> object:
    """The encoder's hook: headers may be any mapping."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} is not JSON")


MAX_LEVELS: Final = 200
"""Of what is kept of a claim; the encoder goes not much deeper."""


def _writable(value: object, levels: int = MAX_LEVELS) -> object:
    """A value with text in place of what JSON cannot hold: objects, huge integers, halves of characters."""
    if isinstance(value, Mapping | list | tuple) and not levels:
        return "…"
    if isinstance(value, Mapping):
        return {_writable(str(key)): _writable(member, levels - 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(element, levels - 1) for element in value]
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    text = value if isinstance(value, str) else str(value)[:MAX_SHOWN]
    return text.encode("utf-8", "replace").decode()


MAX_SHOWN: Final = 1000
"""Characters of what is kept as text."""


def _loaded(content: bytes, kind: type) -> Any:
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
    for name, read in record.readers:
        if name in members:
            members[name] = read(members[name])
    try:
        return record.type(**members)
    except TypeError as error:
        raise ValueError(f"a field is missing: {error}") from None


def _write_bytes(content: bytes) -> object:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}


def _read_bytes(value: Any) -> bytes:
    return b64decode(value["base64"]) if isinstance(value, dict) else cast(str, value).encode()


def _write_change(change: Change) -> dict[str, object]:
    if change.before is MISSING:
        return {"path": change.path, "after": change.after}
    if change.after is MISSING:
        return {"path": change.path, "before": change.before}
    return {"path": change.path, "before": change.before, "after": change.after}


def _read_change(value: dict[str, Any]) -> Change:
    return Change(path=value["path"], before=value.get("before", MISSING), after=value.get("after", MISSING))


def _read_own_call(value: dict[str, Any]) -> object:
    return _value(_RECORDS[OwnCall], value)


def _read_usage(value: dict[str, Any]) -> object:
    return _value(_RECORDS[Usage], value)


def _word(words: type[Enum]) -> _Form:
    members = {word.value: word for word in words}

    def read(value: Any) -> Enum:
        try:
            return members[value]
        except KeyError:
            raise ValueError(f"{value!r} is not a {words.__name__} that this version knows") from None

    return _Form(None, read)


def _several(form: _Form) -> _Form:
    write, read = form.write, form.read
    return _Form(
        write and (lambda values: [write(value) for value in values]),
        lambda values: tuple([read(value) for value in values]),
    )


_CHANGES: Final = _several(_Form(_write_change, _read_change))
_DOCUMENTS: Final = _several(_Form(None, tuple))
_EVENTS: Final = {
    record.tag: record
    for record in (
        _record(
            ToolCall,
            "tool_call",
            risk=_word(Risk),
            result=_word(Result),
            committed=_word(Commit),
            answer=_Form(_write_bytes, _read_bytes),
            changes=_CHANGES,
        ),
        _record(Retrieval, "retrieval", documents=_DOCUMENTS),
        _record(Message, "message"),
        _record(ModelCall, "model_call"),
        _record(PolicyDecision, "policy_decision"),
    )
}
_RECORDS: Final[Mapping[object, _Record]] = {
    record.type: record
    for record in (
        *_EVENTS.values(),
        _record(
            Claim,
            outcome=_word(ClaimedOutcome),
            own_calls=_several(_Form(_members, _read_own_call)),
            usage=_Form(_members, _read_usage),
        ),
        _record(OwnCall),
        _record(Usage),
    )
}
