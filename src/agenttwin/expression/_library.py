"""What the functions of CEL do: plain Python on arguments whose kinds the caller has checked."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from agenttwin.expression._errors import EvaluationError
from agenttwin.expression._numbers import NUMERIC, Number, add, from_float, from_integer
from agenttwin.expression._scope import Dynamic
from agenttwin.expression._text import check_elements, check_text, spelling
from agenttwin.values import MAX_INTEGER, Arr, describe, equal, search_pattern

List: TypeAlias = Sequence[Dynamic]

LISTS: Final = frozenset({list, Arr})
MAX_DIGITS: Final = 15  # of a rounded number: a double holds no more


def _refusal(value: Dynamic, wanted: str) -> EvaluationError:
    return EvaluationError(f"{describe(value)} is not {wanted}")


def _whole(value: Number, least: int, most: int) -> int:
    """An integer argument within bounds."""
    if not least <= value <= most or value != int(value):
        raise _refusal(value, f"an integer from {least} to {most}")
    return int(value)


# conversions

_INTEGER = re.compile(r"[+-]?[0-9]{1,17}")
_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BOOLEANS: Final = {
    **dict.fromkeys(("true", "True", "TRUE", "t", "1"), True),
    **dict.fromkeys(("false", "False", "FALSE", "f", "0"), False),
}


def to_int(value: Dynamic) -> int:
    """A number cut towards zero, or a text of digits."""
    if type(value) not in NUMERIC and not (isinstance(value, str) and _INTEGER.fullmatch(value)):
        raise _refusal(value, "an integer")
    number = int(value)
    if abs(number) > MAX_INTEGER:
        raise _refusal(value, "an integer within 2^53")
    return number


def to_double(value: Dynamic) -> Number:
    """A number as it is, or a text that is one."""
    if type(value) in NUMERIC:
        return from_float(value) if isinstance(value, float) else from_integer(value)
    if isinstance(value, str) and _DOUBLE.fullmatch(value):
        return from_float(float(value))
    raise _refusal(value, "a number")


def to_bool(value: Dynamic) -> bool:
    """A boolean as it is, or one of the texts that CEL reads as one."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _BOOLEANS:
        return _BOOLEANS[value]
    raise _refusal(value, "a boolean")


def or_fallback(read: Callable[[Dynamic], Dynamic]) -> Callable[..., Dynamic]:
    """`read`, which refuses some values, with a second argument to give for these."""

    def apply(value: Dynamic, *fallback: Dynamic) -> Dynamic:
        try:
            return read(value)
        except EvaluationError:
            if fallback:
                return fallback[0]
            raise

    return apply


# numbers


def rounded(value: Number, digits: Number = 0) -> Number:
    """To the nearest number with so many decimals, half to even on the double itself."""
    places = _whole(digits, -MAX_DIGITS, MAX_DIGITS)
    if isinstance(value, int):
        return from_integer(round(value, places))
    return from_float(round(value, places))


def fixed(value: Number, digits: Number) -> str:
    """The number with exactly so many decimals, rounded as `rounded`; zero has no sign."""
    text = f"{to_double(value):.{_whole(digits, 0, MAX_DIGITS)}f}"
    return text if float(text) else text.removeprefix("-")


def total(values: List) -> Number:
    """The sum, element by element from the left."""
    result: Number = 0
    for value in values:
        if type(value) not in NUMERIC:
            raise EvaluationError(f"sum takes a list of numbers, and one element is {describe(value)}")
        result = add(result, value)
    return result


def alike(values: List) -> List:
    """`values`, which can be ordered: all numbers, all texts or all booleans; else an EvaluationError."""
    kinds = set(map(type, values))
    if kinds <= NUMERIC or kinds == {str} or kinds == {bool}:
        return values
    raise EvaluationError("only numbers, only texts or only booleans have an order")


def extreme(pick: Callable[[List], Dynamic]) -> Callable[..., Dynamic]:
    """`pick` (min or max) of the elements of one list, or of the arguments."""

    def apply(*values: Dynamic) -> Dynamic:
        candidates = list(values[0]) if len(values) == 1 and type(values[0]) in LISTS else values
        if not candidates:
            raise EvaluationError("an empty list has neither a least nor a greatest element")
        return pick(alike(candidates))

    return apply


# lists


def contains(whole: Dynamic, part: Dynamic) -> bool:
    """Whether the text holds the text, or the list an equal element."""
    if not isinstance(whole, str):
        return any(equal(element, part) for element in whole)
    if not isinstance(part, str):
        raise EvaluationError(f"a text contains text, not {describe(part)}")
    return part in whole


def count(values: List, *value: Dynamic) -> int:
    """How many elements there are, or how many equal `value`."""
    return sum(equal(element, value[0]) for element in values) if value else len(values)


def distinct(values: List) -> list[Dynamic]:
    """The first of each group of equal elements."""
    first: dict[bytes, Dynamic] = {}
    for value in values:
        first.setdefault(spelling(value), value)
    return list(first.values())


def part(values: List, start: Number, end: Number = MAX_INTEGER) -> list[Dynamic]:
    """The elements from index `start` to before `end`, as far as there are any."""
    return list(values)[_whole(start, 0, MAX_INTEGER) : _whole(end, 0, MAX_INTEGER)]


def flatten(values: List) -> list[Dynamic]:
    """The list with each element that is a list replaced by that list's elements."""
    flat: list[Dynamic] = []
    for value in values:
        flat.extend(value if type(value) in LISTS else [value])
        check_elements(len(flat))
    return flat


def members(value: Mapping[str, Dynamic]) -> list[Dynamic]:
    """The values of an object, in its order."""
    return list(value.values())


# text


def split(text: str, separator: str, limit: Number = -1) -> list[str]:
    """The pieces between separators, at most `limit` (the last holds the rest); no separator: characters."""
    most = _whole(limit, -1, MAX_INTEGER)
    pieces = text.count(separator) + 1 if separator else len(text)
    check_elements(pieces if most < 0 else min(pieces, most))
    if most == 0:
        return []
    if separator:
        return text.split(separator, most - 1 if most > 0 else -1)
    return list(text) if most < 0 or most >= len(text) else [*text[: most - 1], text[most - 1 :]]


def join(values: List, separator: str = "") -> str:
    """The texts, one after the other."""
    for value in values:
        if type(value) is not str:
            raise EvaluationError(f"join takes a list of texts, and one element is {describe(value)}")
    check_text(sum(map(len, values)) + len(separator) * len(values))
    return separator.join(values)


def replace(text: str, old: str, new: str, limit: Number = -1) -> str:
    """The text with the first `limit` (or all) occurrences of `old` replaced."""
    most = _whole(limit, -1, MAX_INTEGER)
    found = text.count(old)
    check_text(len(text) + (found if most < 0 else min(found, most)) * max(len(new) - len(old), 0))
    return text.replace(old, new, most)


def substring(text: str, start: Number, end: Number | None = None) -> str:
    """The characters from `start` to before `end`, both within the text."""
    last = len(text) if end is None else _whole(end, 0, len(text))
    return text[_whole(start, 0, last) : last]


def index_of(text: str, part: str, start: Number = 0) -> int:
    """Where `part` stands first, from `start` on, or -1."""
    return text.find(part, _whole(start, 0, len(text)))


def matches(text: str, pattern: str) -> bool:
    """Whether the pattern occurs anywhere in the text."""
    try:
        return search_pattern(pattern, text)
    except ValueError as error:
        raise EvaluationError(str(error)) from None


def check_pattern(pattern: str) -> None:
    """ValueError where `pattern` is none."""
    search_pattern(pattern, "")
