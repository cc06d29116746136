"""What happens on the server, told to whoever listens; who was away for a while hears what was missed."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson

KEPT: Final = 2_000
"""Events that can be heard again."""

WAITING: Final = 1_000
"""Events that one listener may be behind; one that is slower is let go, and comes again."""

PING_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `id` grows."""

    id: int
    kind: str
    data: dict[str, Any]

    def encode(self) -> bytes:
        """As an event of a stream."""
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (self.id, self.kind.encode(), orjson.dumps(self.data))


class Events:
    """The events of a project. Any thread may tell one; listeners are coroutines of one loop."""

    def __init__(self, project: str) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._kept: deque[Event] = deque(maxlen=KEPT)
        self._next = 1
        self._listeners: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Queue[Event | None]]] = {}

    def tell(self, kind: str, **data: Any) -> None:
        """Tells that something happened."""
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        with self._lock:
            event = Event(self._next, kind, {"project": self._project, **data, "at": at})
            self._next += 1
            self._kept.append(event)
            listeners = list(self._listeners.values())
        for loop, queue in listeners:
            loop.call_soon_threadsafe(_put, queue, event)

    def close(self) -> None:
        """Ends every stream."""
        with self._lock:
            listeners = list(self._listeners.values())
        for loop, queue in listeners:
            loop.call_soon_threadsafe(_put, queue, None)

    async def stream(self, after: int | None) -> AsyncIterator[bytes]:
        """Events as they happen, those after ``after`` first; a comment now and then keeps the line open."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue(WAITING)
        with self._lock:
            missed = [event for event in self._kept if after is not None and event.id > after]
            self._listeners[id(queue)] = (asyncio.get_running_loop(), queue)
        try:
            yield b": listening\n\n"
            for event in missed:
                yield event.encode()
            while True:
                try:
                    found = await asyncio.wait_for(queue.get(), PING_SECONDS)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if found is None:
                    return
                yield found.encode()
        finally:
            with self._lock:
                self._listeners.pop(id(queue), None)


def _put(queue: asyncio.Queue[Event | None], event: Event | None) -> None:
    if queue.full():
        queue.get_nowait()
        event = None  # too far behind: the stream ends, and is begun again from the last that was heard
    queue.put_nowait(event)
