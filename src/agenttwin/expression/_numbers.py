"""The number rule: JSON numbers, exact as integers within ±2^53, else one double operation at a time."""

import operator
from collections.abc import Callable
from math import fmod, isfinite
from typing import Final, TypeAlias

from agenttwin.expression._errors import EvaluationError
from agenttwin.expression._scope import Dynamic
from agenttwin.expression._text import check_elements, check_text
from agenttwin.values import MAX_INTEGER, Arr, describe

Number: TypeAlias = int | float
Operation: TypeAlias = Callable[[Dynamic, Dynamic], Dynamic]

NUMERIC: Final = frozenset({int, float})


def from_float(value: float) -> Number:
    """A double as a number: an integer where it is one within ±2^53; EvaluationError where not finite."""
    if value.is_integer():
        return int(value) if -MAX_INTEGER <= value <= MAX_INTEGER else value
    if isfinite(value):
        return value
    raise EvaluationError("the result is beyond the largest number")


def from_integer(value: int) -> Number:
    """An exact result as a number: the nearest double where it is beyond ±2^53."""
    if -MAX_INTEGER <= value <= MAX_INTEGER:
        return value
    try:
        return from_float(float(value))
    except OverflowError:
        raise EvaluationError("the result is beyond the largest number") from None


def _arithmetic(symbol: str, exact: Callable[[Dynamic, Dynamic], Dynamic]) -> Operation:
    """+ − * on two numbers: exact on two integers, else in doubles."""

    def apply(left: Dynamic, right: Dynamic) -> Dynamic:
        if type(left) is int and type(right) is int:
            result = exact(left, right)
            return result if -MAX_INTEGER <= result <= MAX_INTEGER else from_integer(result)
        if type(left) in NUMERIC and type(right) in NUMERIC:
            return _in_doubles(exact, left, right)
        if symbol == "+":
            return _join(left, right)
        raise _no_numbers(symbol, left, right)

    return apply


def _join(left: Dynamic, right: Dynamic) -> Dynamic:
    if type(left) is str and type(right) is str:
        check_text(len(left) + len(right))
        return left + right
    if isinstance(left, list | Arr) and isinstance(right, list | Arr):
        check_elements(len(left) + len(right))
        return [*left, *right]
    raise EvaluationError(
        f"+ takes two numbers, two texts or two lists, not {describe(left)} and {describe(right)}"
    )


def _no_numbers(symbol: str, left: Dynamic, right: Dynamic) -> EvaluationError:
    return EvaluationError(f"{symbol} takes two numbers, not {describe(left)} and {describe(right)}")


def _in_doubles(operation: Operation, left: Number, right: Number) -> Number:
    try:
        return from_float(operation(left, right))
    except OverflowError:  # an integer beyond all doubles
        raise EvaluationError("a number is beyond the largest number") from None


def _quotient(symbol: str, operation: Operation) -> Operation:
    """/ and % on two numbers, in doubles, which are exact for what is."""

    def apply(left: Dynamic, right: Dynamic) -> Dynamic:
        if type(left) not in NUMERIC or type(right) not in NUMERIC:
            raise _no_numbers(symbol, left, right)
        if right == 0:
            raise EvaluationError("division by zero")
        return _in_doubles(operation, left, right)

    return apply


def negate(value: Dynamic) -> Number:
    """The number with the other sign."""
    if type(value) not in NUMERIC:
        raise EvaluationError(f"- takes a number, not {describe(value)}")
    return from_float(-value) if isinstance(value, float) else from_integer(-value)


add = _arithmetic("+", operator.add)

ARITHMETIC: Final[dict[str, Operation]] = {
    "+": add,
    "-": _arithmetic("-", operator.sub),
    "*": _arithmetic("*", operator.mul),
    "/": _quotient("/", operator.truediv),
    "%": _quotient("%", fmod),  # towards zero: it has the sign of the left
}
