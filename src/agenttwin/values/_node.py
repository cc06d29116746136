"""Overlay nodes: an object or a list that remembers only what differs from the plain value beneath it."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any, Final, TypeAlias, TypeVar, cast, overload

import orjson

from agenttwin.values._json import MAX_DEPTH, MISSING, Json, Missing, equal

T = TypeVar("T")


class Absent(Enum):
    """The type of ABSENT: an overlay says nothing here, ask its base. (MISSING says: deleted.)"""

    ABSENT = ...


ABSENT: Final = Absent.ABSENT


class Obj(Mapping[str, "Value"]):
    """An object as `base` plus `own`: new values by key, MISSING where one was deleted.

    Keys come in the order of the base, then additions as they were made; a key that is deleted and set
    again has its old place. Equal to any mapping of equal JSON. A live view: later writes show in it.
    """

    __slots__ = ("base", "own")

    def __init__(self, base: dict[str, Json]) -> None:
        self.base = base
        self.own: dict[str, Value | Missing] = {}

    def __getitem__(self, key: str) -> "Value":
        value = self.own.get(key, ABSENT)
        if value is ABSENT:
            return self.base[key]
        if value is MISSING:
            raise KeyError(key)
        return value

    @overload
    def get(self, key: str, /) -> "Value": ...
    @overload
    def get(self, key: str, /, default: "Value | T") -> "Value | T": ...
    def get(self, key: str, /, default: object = None) -> object:
        """The value under `key`, or `default`."""
        value = self.find(key)
        return default if value is MISSING else value

    def find(self, segment: Any) -> Any:
        """What stands at one segment of a path, or MISSING."""
        value = self.own.get(segment, ABSENT)
        return self.base.get(segment, MISSING) if value is ABSENT else value

    def under(self, segment: Any) -> Any:
        """What stands there in the base, or MISSING."""
        return self.base.get(segment, MISSING)

    def __contains__(self, key: object) -> bool:
        return self.find(key) is not MISSING

    def __iter__(self) -> Iterator[str]:
        own, base = self.own, self.base
        if not own:
            return iter(base)
        additions = (key for key in own if key not in base)
        return (key for key in chain(base, additions) if own.get(key) is not MISSING)

    def __len__(self) -> int:
        size, base = len(self.base), self.base
        for key, value in self.own.items():
            size += (value is not MISSING) - (key in base)
        return size

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    __hash__ = None  # type: ignore[assignment]  # as of every mutable container

    def __repr__(self) -> str:
        return f"Obj({plain_part(self)!r})"

    def swap(self, key: Any, value: Any) -> Any:
        """Puts `value` into the overlay at `key` (ABSENT takes the entry out); returns what was there."""
        own = self.own
        old = own.get(key, ABSENT)
        if value is ABSENT:
            own.pop(key, None)
        else:
            own[key] = value
        return old


class Arr(Sequence["Value"]):
    """A list as `base` plus `own`, the elements that differ by index, and `tail`, what was appended.

    An append costs nothing of the base. Equal to any sequence of equal JSON. A live view: later writes
    show in it.
    """

    __slots__ = ("base", "own", "tail")

    def __init__(self, base: list[Json]) -> None:
        self.base = base
        self.own: dict[int, Value] = {}
        self.tail: list[Value] = []

    def __len__(self) -> int:
        return len(self.base) + len(self.tail)

    @overload
    def __getitem__(self, index: int) -> "Value": ...
    @overload
    def __getitem__(self, index: slice) -> "list[Value]": ...
    def __getitem__(self, index: int | slice) -> "Value | list[Value]":
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

    def find(self, segment: Any) -> Any:
        """What stands at one segment of a path, or MISSING."""
        if type(segment) is not int:
            return MISSING
        size = len(self.base)
        if segment < 0:
            segment += size + len(self.tail)
        if segment >= size:
            return self.tail[segment - size] if segment - size < len(self.tail) else MISSING
        if segment < 0:
            return MISSING
        return self.own[segment] if segment in self.own else self.base[segment]

    def under(self, index: int) -> Json | Missing:
        """What stands there in the base, or MISSING."""
        return self.base[index] if index < len(self.base) else MISSING

    def __iter__(self) -> "Iterator[Value]":
        own = self.own
        head = (own.get(index, value) for index, value in enumerate(self.base)) if own else self.base
        return chain(head, self.tail)

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    __hash__ = None  # type: ignore[assignment]  # as of every mutable container

    def __repr__(self) -> str:
        return f"Arr({plain_part(self)!r})"

    def swap(self, index: Any, value: Any) -> Any:
        """Puts `value` into the overlay at `index` (ABSENT takes the entry out); returns what was there.

        At the end, a value is appended and ABSENT takes it off again.
        """
        own, tail, beyond = self.own, self.tail, index - len(self.base)
        if beyond < 0:
            old = own.get(index, ABSENT)
            if value is ABSENT:
                own.pop(index, None)
            else:
                own[index] = value
            return old
        if value is ABSENT:
            return tail.pop()
        if beyond == len(tail):
            tail.append(value)
            return ABSENT
        old, tail[beyond] = tail[beyond], value
        return old


Node: TypeAlias = Obj | Arr
Value: TypeAlias = Json | Node
"""A value as it is met while running: plain JSON, or an overlay node over it."""


def walk(value: Any, segments: Sequence[str | int]) -> "Value | Missing":
    """What stands at `segments` of `value`, or MISSING: a text is a key and an integer an index, always."""
    for segment in segments:
        kind = type(value)
        if kind is dict:
            value = value.get(segment, MISSING)
        elif kind is Obj:
            own = value.own.get(segment, ABSENT)
            value = value.base.get(segment, MISSING) if own is ABSENT else own
        elif kind is Arr:
            value = value.find(segment)
        elif kind is list and type(segment) is int and -len(value) <= segment < len(value):
            value = value[segment]
        else:
            return MISSING
    found: Value | Missing = value  # a cast would be a call
    return found


def plain(value: object) -> Json:
    """`value` as plain JSON: nodes become dicts and lists; parts without nodes are shared, not copied.

    So do other mappings, and tuples beside nodes; what is not JSON at all stays as it is.
    ValueError where containers nest deeper than 254 levels.
    """
    return cast(Json, _plain(value, MAX_DEPTH))


def _plain(value: Any, levels: int) -> Any:
    if isinstance(value, Obj | Arr):
        return plain_part(value)
    if refusal(value) is None:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if not levels:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return {_plain(key, 1): _plain(member, levels - 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(element, levels - 1) for element in value]
    return value


def plain_part(value: "Value | Missing") -> Any:
    """As plain, for what a tree holds: a plain value in there holds no nodes, so it is not searched."""
    if type(value) is Obj:
        members: dict[str, Any] = dict(value.base)
        for key, own in value.own.items():
            if own is MISSING:
                members.pop(key, None)
            else:
                members[key] = plain_part(own)
        return members
    if type(value) is Arr:
        return [plain_part(element) for element in value]
    return value


JSON_ONLY: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
"""For the encoder: dataclasses and dates are no JSON here, though it could write them."""


def refusal(value: object) -> str | None:
    """Why `value` is not what a JSON reader would make, or None. Nodes are not; NaN goes unnoticed.

    The encoder is by far the fastest walk through a value, so it is made to look.
    """
    try:
        orjson.dumps(value, option=JSON_ONLY | orjson.OPT_PASSTHROUGH_SUBCLASS)
    except TypeError as error:
        return str(error)
    return None


def encode(value: object) -> bytes:
    """`value`, nodes and all, as compact JSON, keys in their own order; TypeError for what is not JSON.

    A copy, for those who keep it: the encoder hands out the buffer it wrote in, 4 kB at the least.
    """
    return b"".join((orjson.dumps(value, encode_node, JSON_ONLY), b""))


def encode_node(value: object) -> Json:
    """The encoder's hook for what it does not know."""
    if type(value) is Obj or type(value) is Arr:
        return cast(Json, plain_part(value))
    raise TypeError(f"a {type(value).__name__} is not JSON")
