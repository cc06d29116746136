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
    if a is MISSING or b is MISSING:
        return False
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and a == b
    if isinstance(a, dict | Mapping) and isinstance(b, dict | Mapping):
        return a.keys() == b.keys() and all(map(equal, a.values(), map(b.get, a)))
    if isinstance(a, list | Sequence) and isinstance(b, list | Sequence):
        return len(a) == len(b) and all(map(equal, a, b))
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return numbers and a == b and kind is not bool and other is not bool
