"""Dataclasses ↔ JSON, by their type hints: what is written is what orjson makes of them.

Fields that this version does not know are left out, and those that a value lacks take their defaults, so a
newer or older version can read what the other has written.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar, cast

import orjson

T = TypeVar("T")

Reader = Callable[[Any], Any]


def write(value: object) -> bytes:
    """A dataclass, or a list or mapping of them, as JSON."""
    return orjson.dumps(value, _plain)


def read(kind: type[T], data: bytes) -> T:
    """What `write` wrote of a dataclass. ValueError where it is something else."""
    return from_json(kind, orjson.loads(data))


def from_json(kind: type[T], value: Any) -> T:
    """The dataclass that a JSON object stands for. ValueError where it stands for none."""
    try:
        return cast(T, _dataclass(kind)(value))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"this is no {kind.__name__}: {error}") from None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} is not JSON")


_READERS: dict[Any, Reader] = {}


def _dataclass(kind: Any) -> Reader:
    """How an object of this type is read; worked out once."""
    if kind not in _READERS:
        _READERS[kind] = _object(kind)
    return _READERS[kind]


def _object(kind: Any) -> Reader:
    hints = typing.get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    converted = [(name, reader) for name, reader in readers.items() if reader is not None]
    known = frozenset(readers)

    def read_object(value: dict[str, Any]) -> Any:
        members = value if known.issuperset(value) else {name: value[name] for name in known & value.keys()}
        for name, reader in converted:
            if name in members:
                members[name] = reader(members[name])
        return kind(**members)

    return read_object


def _reader(hint: Any) -> Reader | None:
    """How a value of a type is read; None where JSON gives it as it is."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {member.value: member for member in hint}.__getitem__
    if is_dataclass(hint):
        return _dataclass(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return _tuple(arguments)
    if origin is types.UnionType or origin is typing.Union:
        return _union(arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping) and (inner := _reader(arguments[1])):
        return lambda value: {key: inner(member) for key, member in value.items()}
    return None


def _tuple(arguments: tuple[Any, ...]) -> Reader:
    inner = _reader(arguments[0])
    if inner is None:
        return tuple
    return lambda value: tuple([inner(element) for element in value])


def _union(arguments: tuple[Any, ...]) -> Reader | None:
    """One type or nothing; a union of more is JSON, which is taken as it is."""
    kinds = [argument for argument in arguments if argument is not types.NoneType]
    inner = _reader(kinds[0]) if len(kinds) == 1 else None
    if inner is None:
        return None
    return lambda value: None if value is None else inner(value)
