"""What a plain YAML scalar means: the core schema of YAML 1.2, so that `yes`, `no` and dates stay text."""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Final

from agenttwin.errors import quote
from agenttwin.values import MAX_INTEGER, Json

WORDS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""The plain scalars that are neither text nor number."""

NUMBER_STARTS: Final = frozenset("+-.0123456789")
"""How a plain scalar begins that may be a number."""

_NUMBER: Final = re.compile(
    r"(?P<integer>[-+]?[0-9]+)"
    r"|(?P<based>0o[0-7]+|0x[0-9a-fA-F]+)"
    r"|(?P<fraction>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<special>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_MAX_DIGITS: Final = 18  # of 2^53 in octal; what is longer never reaches int(), whose time is quadratic


class NumberError(ValueError):
    """A number that no JSON reader holds exactly. `code` is its row of the codes, `str()` the reason."""

    def __init__(self, code: str, text: str, reason: str) -> None:
        super().__init__(f"{quote(text)} {reason}")
        self.code = code


def resolve(text: str) -> Json:
    """The value of a plain scalar; NumberError for a number that is not exact or not finite."""
    if text in WORDS:
        return WORDS[text]
    found = _NUMBER.fullmatch(text)
    match found and found.lastgroup:
        case "integer":
            return integer(text)
        case "based":
            return integer(text, base=0)
        case "fraction":
            return fraction(text)
        case "special":
            raise _not_finite(text)
        case _:
            return text


def integer(text: str, *, base: int = 10) -> int:
    """An integer; base 0 reads the prefixes 0o and 0x."""
    digits = text.lstrip("+-").lstrip("0ox")
    if len(digits) > _MAX_DIGITS or abs(value := int(text, base)) > MAX_INTEGER:
        reason = "is beyond ±2^53, where integers are not exact; ids are text"
        raise NumberError("integer_too_large", text, reason)
    return value


def fraction(text: str) -> int | float:
    """A number with a fraction or an exponent. 1.0 is 1, so that it is an integer wherever one is wanted."""
    value = float(text)
    if not isfinite(value):
        raise _not_finite(text)
    return int(value) if value.is_integer() and abs(value) <= MAX_INTEGER else value


def _not_finite(text: str) -> NumberError:
    return NumberError("number_not_finite", text, "is no finite number")
