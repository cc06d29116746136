"""Times and spans of time as JSON numbers: seconds, which compare, add and subtract like any number."""

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Final

from agenttwin.expression._errors import EvaluationError
from agenttwin.expression._numbers import Number, from_float
from agenttwin.values import describe

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TIMESTAMP = re.compile(
    r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)?)?", re.ASCII
)
_SPANS = re.compile(r"(-?)((?:\d{1,15}(?:\.\d{1,15})?(?:h|ms|m|s|us|ns))+)", re.ASCII)
_SPAN = re.compile(r"([\d.]+)([a-z]+)", re.ASCII)
_ISO_SPANS = re.compile(r"(-?)P(?=.)((?:\d{1,15}[WD])*)(?:T((?:\d{1,15}(?:\.\d{1,15})?[HMS])+))?", re.ASCII)
_ISO_SPAN = re.compile(r"([\d.]+)([A-Z])", re.ASCII)
_SECONDS: Final[dict[str, int | Fraction]] = {
    "h": 3600, "m": 60, "s": 1, "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9),
    "W": 7 * 86400, "D": 86400, "H": 3600, "M": 60, "S": 1,
}  # fmt: skip


def timestamp(text: str) -> Number:
    """Seconds since 1970 of an RFC 3339 text; a date alone is its midnight, no offset means UTC."""
    if not _TIMESTAMP.fullmatch(text):
        raise _no("a point in time such as 2026-01-31T12:00:00Z", text)
    try:
        point = datetime.fromisoformat(text.upper())
        point = point if point.tzinfo else point.replace(tzinfo=UTC)
        return from_float((point - _EPOCH).total_seconds())
    except ValueError as error:
        raise EvaluationError(f"{describe(text)} is no point in time: {error}") from None


def iso_time(seconds: Number) -> str:
    """The RFC 3339 text in UTC of a number of seconds since 1970, to the microsecond."""
    try:
        point = _EPOCH + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        raise EvaluationError(f"{describe(seconds)} is beyond the years 1 to 9999") from None
    return point.isoformat().replace("+00:00", "Z")


def duration(text: str) -> Number:
    """Seconds of a span of time: 1h30m, 1.5s, 250ms, or in ISO 8601 P1D, PT24H."""
    if found := _SPANS.fullmatch(text):
        parts = _SPAN.findall(found[2])
    elif (found := _ISO_SPANS.fullmatch(text)) and (found[2] or found[3]):
        parts = _ISO_SPAN.findall(found[2] + (found[3] or ""))
    else:
        raise _no("a span of time such as 1h30m or PT24H", text)
    seconds = sum((Fraction(count) * _SECONDS[unit] for count, unit in parts), Fraction())
    return from_float(float(-seconds if found[1] else seconds))


def _no(wanted: str, text: str) -> EvaluationError:
    return EvaluationError(f"{describe(text)} is not {wanted}")
