"""What a JSON value is here: its type, the absence of one, and when two are equal."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None

MAX_INTEGER: Final = 2**53
"""Integers beyond ±MAX_INTEGER are refused: many readers of JSON would round them. Such ids are text."""

MAX_DEPTH: Final = 254
"""Levels of containers. The encoder goes no deeper, and no recursion here comes near Python's limit."""


class Missing(Enum):
    """The type of MISSING: nothing is there, which is not the same as null. It is false."""

    MISSING = ...  # no JSON encoder takes an ellipsis, so an absence never leaks out as a text

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING


SCALARS: Final = frozenset({bool, int, float, str, type(None), Missing})


def equal(a: object, b: object) -> bool:
    """JSON equality: 1 equals 1.0, a boolean equals no number, the order of keys does not count.

    Overlay nodes count as the object or list they stand for, and MISSING equals only itself.
    """
    if a is b:
        return True
    kind, other = type(a), type(b)
    if kind in SCALARS and other in SCALARS:
        return a == b and (kind is other or not (kind is bool or other is bool))
    if isinstance(a, Mapping):
        if not isinstance(b, Mapping) or len(a) != len(b):
            return False
        return all(equal(value, b.get(key, MISSING)) for key, value in a.items())
    if isinstance(a, str | bool) or isinstance(b, str | bool):
        return kind is other and a == b
    if isinstance(a, Sequence):
        return isinstance(b, Sequence) and len(a) == len(b) and all(map(equal, a, b))
    return a == b
