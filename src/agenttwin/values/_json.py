"""What a JSON value is here: its type, the absence of one, and when two are equal."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_INTEGER: Final = 2**53
"""Integers beyond ±MAX_INTEGER are refused: many readers of JSON would round them. Such ids are text."""

MAX_DEPTH: Final = 254
"""Containers within containers; the encoder goes no deeper, and no recursion here comes near Python's limit."""


class Missing(Enum):
    """The type of MISSING: nothing is there, which is not the same as null. It is false."""

    MISSING = ...  # no JSON encoder takes an ellipsis, so an absence never leaks out as a text

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING


def equal(a: Any, b: Any) -> bool:
    """JSON equality: 1 equals 1.0, a boolean equals no number, the order of keys does not count."""
    if a is b:
        return True
    kind, other = type(a), type(b)
    if kind is bool or other is bool:
        return False
    if kind is str or other is str:
        return bool(a == b)
    if isinstance(a, Mapping):
        return isinstance(b, Mapping) and len(a) == len(b) and _same_members(a, b)
    if isinstance(a, Sequence):
        return isinstance(b, Sequence) and len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)


def _same_members(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    for key, value in a.items():
        other = b.get(key, MISSING)
        if other is MISSING or not equal(value, other):
            return False
    return True
