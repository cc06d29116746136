"""What a plain YAML scalar means: the core schema of YAML 1.2, so that `yes`, `no` and dates stay text."""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Final

from agenttwin.errors import Problem, quote
from agenttwin.values import MAX_INTEGER, Json

_WORDS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER: Final = re.compile(
    r"(?P<integer>[-+]?[0-9]+)"
    r"|(?P<octal>0o[0-7]+)"
    r"|(?P<hex>0x[0-9a-fA-F]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<special>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_DIGITS: Final = 20  # more digits than 2^53 or 64 bits have, and few enough for int() to be quick
_BASES: Final[Mapping[str, int]] = {"integer": 10, "octal": 0, "hex": 0}

SUSPECTS: Final = frozenset({word[:1] for word in _WORDS} | set("+-.0123456789"))
"""How a plain scalar begins that may be something else than text."""


class ScalarError(ValueError):
    """A scalar that is no value here; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def plain(text: str) -> Json:
    """The value of a plain scalar; ScalarError for a number that no JSON reader holds exactly."""
    if text in _WORDS:
        return _WORDS[text]
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text
    kind = found.lastgroup or ""
    return _integer(text, _BASES[kind]) if kind in _BASES else _float(text)


def _integer(text: str, base: int) -> int:
    digits = text.lstrip("+-").removeprefix("0o").removeprefix("0x").lstrip("0")
    if len(digits) > _DIGITS or abs(value := int(text, base)) > MAX_INTEGER:
        raise _refusal(
            "integer_too_large", text, "is beyond ±2^53, where integers are not exact; ids are text"
        )
    return value


def _float(text: str) -> int | float:
    value = float(text.replace(".", "", 1) if text.lstrip("+-")[1:2].isalpha() else text)
    if not isfinite(value):
        raise _refusal("number_not_finite", text, "is no finite number")
    return int(value) if value.is_integer() and abs(value) <= MAX_INTEGER else value


def _refusal(code: str, text: str, reason: str) -> ScalarError:
    return ScalarError(Problem(code=code, message=f"{quote(text)} {reason}", value=text[:60]))
