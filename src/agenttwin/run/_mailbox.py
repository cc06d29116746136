"""Events from the threads of the engine to the coroutine that hands them on."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
from typing import Final

from agenttwin.run._values import RunEvent

ROOM: Final = 512
"""Events that wait to be handed on. A slow consumer slows the engine down, and memory stays flat."""


LINGER_SECONDS: Final = 0.005
"""How long events gather before they are handed on: waking the loop costs more than most events do."""


class Mailbox:
    """Filled by threads, emptied by one coroutine. ``close`` lets waiting threads go."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._filled = asyncio.Event()
        self._change = threading.Condition()
        self._events: list[RunEvent] = []
        self._waiting = 0.0
        self._closed = False

    def put(self, event: RunEvent) -> None:
        """Leaves an event; waits while the box is full."""
        with self._change:
            while len(self._events) >= ROOM and not self._closed:
                self._change.wait()
            self._events.append(event)
            self._wake(LINGER_SECONDS)

    def close(self) -> None:
        """Nothing more will come."""
        with self._change:
            self._closed = True
            self._change.notify_all()
            self._wake(0)

    async def take(self) -> list[RunEvent]:
        """All that is there, at least one event; empty when the box is closed and empty."""
        while True:
            with self._change:
                if self._events or self._closed:
                    return self._emptied()
                self._waiting = math.inf
                self._filled.clear()
            await self._filled.wait()

    def rest(self) -> list[RunEvent]:
        """All that is there now."""
        with self._change:
            return self._emptied()

    def _emptied(self) -> list[RunEvent]:
        events, self._events = self._events, []
        self._change.notify_all()
        return events

    def _wake(self, seconds: float) -> None:
        """Wakes who waits within so many seconds, unless that is under way."""
        if seconds < self._waiting:
            self._waiting = seconds
            with contextlib.suppress(RuntimeError):  # the consumer's loop was closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._loop.call_later, seconds, self._filled.set)
