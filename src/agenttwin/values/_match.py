"""Comparators with a reason: does a value satisfy them, and if not, what was expected and what was there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
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


def _anything(operand: object) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparator:
    """A row of COMPARATORS: what one comparator means.

    `holds(operand, value)` says whether a value, maybe MISSING, satisfies it; `phrase(operand)` what it
    expects; `accepts(operand)` whether it can be compared with that, `operand` naming what it can.
    """

    holds: Callable[[object, object], bool]
    phrase: Callable[[object], str]
    accepts: Callable[[object], bool] = _anything
    operand: str = "any value"


def match(comparators: Mapping[str, object], value: object) -> Match:
    """Whether `value` (MISSING where nothing is there) satisfies all of `comparators`; none means: exists.

    The reason tells the first that does not hold, in the order given, or all of them where all hold.
    ValueError for an unknown comparator or an operand it cannot compare with; a value of another type
    does not satisfy, and raises nothing.
    """
    expected = []
    for name, operand in comparators.items() or (("exists", True),):
        comparator = comparator_for(name, operand)
        phrase = comparator.phrase(operand)
        if not comparator.holds(operand, value):
            return Match(ok=False, reason=f"expected {phrase}, got {describe(value)}")
        expected.append(phrase)
    return Match(ok=True, reason=f"expected {' and '.join(expected)}, got {describe(value)}")


def comparator_for(name: str, operand: object) -> Comparator:
    """The row of COMPARATORS for `name`; ValueError where there is none or it does not accept `operand`."""
    comparator = COMPARATORS.get(name)
    if comparator is None:
        raise ValueError(f"{name!r} is not a comparator; one of: {', '.join(COMPARATORS)}")
    if not comparator.accepts(operand):
        raise ValueError(f"{name} needs {comparator.operand}, not {describe(operand)}")
    return comparator


_CHOICES_SHOWN: Final = 8


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _elements(value: object) -> Sequence[object] | None:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else None


def _in(operand: object, value: object) -> bool:
    return any(equal(choice, value) for choice in _elements(operand) or ())


def _one_of(operand: object) -> str:
    choices = _elements(operand) or ()
    shown = [describe(choice) for choice in islice(choices, _CHOICES_SHOWN)]
    more = ["…"] if len(choices) > _CHOICES_SHOWN else []
    return f"one of {', '.join([*shown, *more]) or 'no values'}"


def _contains(operand: object, value: object) -> bool:
    if isinstance(value, str | Mapping):
        return isinstance(operand, str) and operand in value
    return any(equal(operand, element) for element in _elements(value) or ())


def _matches(operand: object, value: object) -> bool:
    return isinstance(operand, str) and isinstance(value, str) and search_pattern(operand, value)


def _accepts_pattern(operand: object) -> bool:
    return isinstance(operand, str) and compile_pattern(operand) is not None


def _ordered(compare: Callable[[Any, Any], bool], phrase: str) -> Comparator:
    """Numbers compare with numbers and texts with texts, by code point; nothing else has an order."""

    def holds(operand: object, value: object) -> bool:
        if isinstance(operand, str):
            return isinstance(value, str) and compare(value, operand)
        return _number(value) and compare(value, operand)

    return Comparator(
        holds=holds,
        phrase=lambda operand: f"{phrase} {describe(operand)}",
        accepts=lambda operand: isinstance(operand, str) or _number(operand),
        operand="a number or a text",
    )


COMPARATORS: Final[Mapping[str, Comparator]] = MappingProxyType(
    {
        "equals": Comparator(holds=equal, phrase=describe),
        "notEquals": Comparator(
            holds=lambda operand, value: not equal(operand, value),
            phrase=lambda operand: f"anything but {describe(operand)}",
        ),
        "in": Comparator(
            holds=_in, phrase=_one_of, accepts=lambda it: _elements(it) is not None, operand="a list"
        ),
        "exists": Comparator(
            holds=lambda operand, value: operand is (value is not MISSING),
            phrase=lambda operand: "a value" if operand else "nothing",
            accepts=lambda operand: isinstance(operand, bool),
            operand="true or false",
        ),
        "gte": _ordered(ge, "at least"),
        "lte": _ordered(le, "at most"),
        "gt": _ordered(gt, "more than"),
        "lt": _ordered(lt, "less than"),
        "matches": Comparator(
            holds=_matches,
            phrase=lambda operand: f"text matching {describe(operand)}",
            accepts=_accepts_pattern,
            operand="a pattern",
        ),
        "contains": Comparator(
            holds=_contains,
            phrase=lambda operand: f"something that contains {describe(operand)}",
        ),
    }
)
"""What each comparator means. `contains` finds a text in a text, an element in a list, a key in an object.

`notEquals` is exactly the opposite of `equals`, so it holds where nothing is there.
"""
