"""The time of a world: it stands still but for what data declare."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from agenttwin.errors import UsageError

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
