"""Comparators with a reason: does a value satisfy them, and if not, what was expected and what was there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import Any, Final

from agenttwin.values._describe import describe
from agenttwin.values._json import MISSING, equal
from agenttwin.values._pattern import compile_pattern, search_pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Whether a value satisfied its comparators; `reason` is a phrase: "expected 1, got 2"."""

    ok: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparator:
    """`holds(operand, value)` says whether a value (maybe MISSING) satisfies it.

    `phrase` tells what was expected, `{}` being the operand; `operand` names what it must be compared with.
    """

    holds: Callable[[Any, Any], bool]
    phrase: Callable[[Any], str]
    accepts: Callable[[Any], bool] = lambda operand: True
    operand: str = "any value"


def match(comparators: Mapping[str, Any], value: Any) -> Match:
    """Whether `value` (MISSING where nothing is there) satisfies all of `comparators`; none means: exists.

    The reason names the first that does not hold, in the order given, or all where they hold.
    ValueError for an unknown comparator or an operand that it cannot compare with. Values of another
    type never satisfy and never raise.
    """
    expected = []
    for name, operand in comparators.items() or (("exists", True),):
        comparator = comparator_for(name, operand)
        phrase = comparator.phrase(operand)
        if not comparator.holds(operand, value):
            return Match(ok=False, reason=f"expected {phrase}, got {describe(value)}")
        expected.append(phrase)
    return Match(ok=True, reason=f"expected {' and '.join(expected)}, got {describe(value)}")


def comparator_for(name: str, operand: Any) -> Comparator:
    """The row of COMPARATORS, once the operand was checked; ValueError as match."""
    comparator = COMPARATORS.get(name)
    if comparator is None:
        raise ValueError(f"{name!r} is not a comparator; one of: {', '.join(COMPARATORS)}")
    if not comparator.accepts(operand):
        raise ValueError(f"{name} needs {comparator.operand}, not {describe(operand)}")
    return comparator


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_pattern(value: Any) -> bool:
    return isinstance(value, str) and bool(compile_pattern(value))


def _contains(operand: Any, value: Any) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    if isinstance(value, Mapping):
        return isinstance(operand, str) and operand in value
    return _is_list(value) and any(equal(operand, element) for element in value)


def _ordered(name: str, compare: Callable[[Any, Any], bool], phrase: str) -> Comparator:
    def holds(operand: Any, value: Any) -> bool:
        alike = (_is_number(operand) and _is_number(value)) or (_is_text(operand) and _is_text(value))
        return alike and compare(value, operand)

    return Comparator(
        holds=holds,
        phrase=lambda operand: f"{phrase} {describe(operand)}",
        accepts=lambda operand: _is_number(operand) or _is_text(operand),
        operand="a number or a text",
    )


COMPARATORS: Final[Mapping[str, Comparator]] = MappingProxyType(
    {
        "equals": Comparator(
            holds=lambda operand, value: equal(operand, value),
            phrase=describe,
        ),
        "notEquals": Comparator(
            holds=lambda operand, value: not equal(operand, value),
            phrase=lambda operand: f"anything but {describe(operand)}",
        ),
        "in": Comparator(
            holds=lambda operand, value: any(equal(choice, value) for choice in operand),
            phrase=lambda operand: f"one of {', '.join(map(describe, operand))}",
            accepts=_is_list,
            operand="a list",
        ),
        "exists": Comparator(
            holds=lambda operand, value: operand is (value is not MISSING),
            phrase=lambda operand: "a value" if operand else "nothing",
            accepts=lambda operand: isinstance(operand, bool),
            operand="true or false",
        ),
        "gte": _ordered("gte", ge, "at least"),
        "lte": _ordered("lte", le, "at most"),
        "gt": _ordered("gt", gt, "more than"),
        "lt": _ordered("lt", lt, "less than"),
        "matches": Comparator(
            holds=lambda operand, value: isinstance(value, str) and search_pattern(operand, value),
            phrase=lambda operand: f"text matching {describe(operand)}",
            accepts=_is_pattern,
            operand="a pattern",
        ),
        "contains": Comparator(
            holds=_contains,
            phrase=lambda operand: f"something containing {describe(operand)}",
        ),
    }
)
