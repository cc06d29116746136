"""The time of a world: it stands still but for what data declare."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from agenttwin.errors import UsageError

_DURATION: Final = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.ASCII)
_MAX_DURATION: Final = 100 * 366 * 24 * 3600 * 1000  # a hundred years: no clock runs out of its calendar

END_OF_TIME: Final = datetime.max.replace(microsecond=999_000, tzinfo=UTC)


def clock_text(clock: datetime) -> str:
    """The world's time as text, in UTC: seconds, and milliseconds where there are any."""
    text = clock.isoformat(timespec="milliseconds" if clock.microsecond else "seconds")
    return text.removesuffix("+00:00") + "Z"


def read_clock(text: str) -> datetime:
    """A time in UTC, in whole milliseconds; UsageError where the text is none."""
    try:
        clock = datetime.fromisoformat(text)
        clock = clock.astimezone(UTC) if clock.tzinfo else clock.replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError):
        raise UsageError("invalid_time", f"{text!r} is no time such as 2026-01-01T00:00:00Z.") from None
    return clock.replace(microsecond=clock.microsecond // 1000 * 1000)


def milliseconds(duration: str) -> int | None:
    """An ISO 8601 duration in days, hours, minutes, seconds, such as PT24H; None where the text is none."""
    found = _DURATION.fullmatch(duration)
    if found is None or duration.endswith("T") or not any(found.groups()) or len(duration) > 40:
        return None
    days, hours, minutes, seconds = (int(group or 0) for group in found.groups())
    total = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
    return total if total <= _MAX_DURATION else None
