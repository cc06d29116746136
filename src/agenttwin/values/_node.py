"""Overlay nodes: an object or a list that remembers only what differs from the plain value beneath it."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any, Final, TypeAlias, overload

import orjson

from agenttwin.values._json import MISSING, Json, equal


class Absent(Enum):
    """The type of ABSENT: an overlay says nothing here, ask the base (MISSING in an overlay says: deleted)."""

    ABSENT = ...


ABSENT: Final = Absent.ABSENT


class Obj(Mapping[str, Any]):
    """An object as `base` plus what differs: `own` maps keys to new values, MISSING where one was deleted.

    Keys come in the order of the base, then additions as they were made; a key that is deleted and set
    again takes its old place. Equal to any mapping with equal JSON. A live view: later writes show.
    """

    __slots__ = ("base", "own")

    def __init__(self, base: dict[str, Any]) -> None:
        self.base = base
        self.own: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        value = self.own.get(key, ABSENT)
        if value is ABSENT:
            return self.base[key]
        if value is MISSING:
            raise KeyError(key)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """The value under `key`, or `default`."""
        value = self.own.get(key, ABSENT)
        if value is ABSENT:
            return self.base.get(key, default)
        return default if value is MISSING else value

    def __contains__(self, key: object) -> bool:
        value = self.own.get(key, ABSENT)  # type: ignore[call-overload]
        return key in self.base if value is ABSENT else value is not MISSING

    def __iter__(self) -> Iterator[str]:
        own, base = self.own, self.base
        if not own:
            return iter(base)
        additions = (key for key in own if key not in base)
        return (key for key in chain(base, additions) if own.get(key) is not MISSING)

    def __len__(self) -> int:
        size = len(self.base)
        for key, value in self.own.items():
            if key in self.base:
                size -= value is MISSING
            else:
                size += value is not MISSING
        return size

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Obj({plain(self)!r})"

    def swap(self, key: str, value: Any) -> Any:
        """Put `value` into the overlay (ABSENT takes the entry out); returns what stood there."""
        old = self.own.get(key, ABSENT)
        if value is ABSENT:
            self.own.pop(key, None)
        else:
            self.own[key] = value
        return old


class Arr(Sequence[Any]):
    """A list as `base`, the elements that differ (`own`, by index), and what was appended (`tail`).

    Appending costs nothing of the base; taking an element out copies the list's references once.
    Equal to any sequence with equal JSON. A live view: later writes show.
    """

    __slots__ = ("base", "own", "tail")

    def __init__(self, base: list[Any]) -> None:
        self.base = base
        self.own: dict[int, Any] = {}
        self.tail: list[Any] = []

    def __len__(self) -> int:
        return len(self.base) + len(self.tail)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        size = len(self.base)
        if index < 0:
            index += size + len(self.tail)
            if index < 0:
                raise IndexError("list index out of range")
        if index >= size:
            return self.tail[index - size]
        return self.own[index] if index in self.own else self.base[index]

    def __iter__(self) -> Iterator[Any]:
        own = self.own
        if not own:
            return chain(self.base, self.tail)
        head = (own.get(index, value) for index, value in enumerate(self.base))
        return chain(head, self.tail)

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Arr({plain(self)!r})"

    def swap(self, key: int | None, value: Any) -> Any:
        """Put `value` at index `key` of the overlay; returns what stood there.

        At the end a value is appended, and ABSENT takes the appended one off again. Key None swaps the
        whole content, a (base, own, tail) triple.
        """
        if key is None:
            old = (self.base, self.own, self.tail)
            self.base, self.own, self.tail = value
            return old
        index = key - len(self.base)
        if index < 0:
            old = self.own.get(key, ABSENT)
            if value is ABSENT:
                self.own.pop(key, None)
            else:
                self.own[key] = value
            return old
        if value is ABSENT:
            return self.tail.pop()
        if index == len(self.tail):
            self.tail.append(value)
            return ABSENT
        old = self.tail[index]
        self.tail[index] = value
        return old


Node: TypeAlias = Obj | Arr
Value: TypeAlias = "Json | Node"
"""A value as it is met while running: plain JSON, or an overlay node, with plain JSON or nodes inside."""


def plain(value: Any) -> Any:
    """`value` as plain JSON: nodes become dicts and lists; parts that hold none are shared, not copied."""
    if isinstance(value, Obj | Arr):
        return plain_part(value)
    return value if refusal(value) is None else _rebuilt(value)


def encode(value: Any) -> bytes:
    """`value`, nodes and all, as compact JSON in its own key order; TypeError where it is not JSON."""
    return orjson.dumps(value, encode_node)


def walk(value: Any, segments: Sequence[str | int]) -> Any:
    """What stands at `segments` of `value`, or MISSING. Segments are data: text is a key, an integer an index."""
    for segment in segments:
        kind = type(value)
        if kind is dict:
            value = value.get(segment, MISSING)
        elif kind is Obj:
            own = value.own.get(segment, ABSENT)
            value = value.base.get(segment, MISSING) if own is ABSENT else own
        elif kind is list or kind is Arr:
            if type(segment) is not int or not -len(value) <= segment < len(value):
                return MISSING
            value = value[segment]
        else:
            return MISSING
    return value


def plain_part(value: Any) -> Any:
    """As `plain`, for the content of nodes: a plain value in a node holds no node, so it is not searched."""
    if type(value) is Obj:
        result = dict(value.base)
        for key, own in value.own.items():
            if own is MISSING:
                result.pop(key, None)
            else:
                result[key] = plain_part(own)
        return result
    if type(value) is Arr:
        return [plain_part(element) for element in value]
    return value


def refusal(value: Any) -> str | None:
    """Why `value` is not plain JSON as json.loads would make it, or None; nodes are not plain.

    The encoder is by far the fastest walk through a value.
    """
    try:
        orjson.dumps(value, option=_STRICT)
    except TypeError as error:
        return str(error)
    return None


def _rebuilt(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    return str(value) if isinstance(value, str) else value


_STRICT = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS


def encode_node(value: Any) -> Any:
    """The encoder's hook for what it does not know: nodes become plain, anything else is refused."""
    if isinstance(value, Obj | Arr):
        return plain_part(value)
    raise TypeError(f"a {type(value).__name__} is not JSON")
