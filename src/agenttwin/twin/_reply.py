"""What one call gives: what its caller sees, and what was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agenttwin.transcript import Result, ToolCall
from agenttwin.twin._fault import Wire


@dataclass(slots=True)  # not frozen, and made by position: one is made in every call
class Reply:
    """What the caller sees. ``status`` and ``body`` are None where nothing came; ``body`` is as sent.

    ``wire`` and ``delay_ms`` say how it travels; a surface with a real wire makes them so.
    """

    status: int | None
    headers: Mapping[str, str]
    body: bytes | None
    wire: Wire
    delay_ms: int
    result: Result

    @property
    def ok(self) -> bool:
        """Whether a complete success came."""
        return self.result is Result.OK


@dataclass(slots=True)  # not frozen, and made by position: one is made in every call
class Step:
    """One call done: what the caller sees, and what was recorded (the call, and its redelivery if any)."""

    reply: Reply
    records: tuple[ToolCall, ...]
