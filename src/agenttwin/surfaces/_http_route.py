"""Tokens and what they stand for: the cases that a server hosts, and what came for those that are over."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from agenttwin.errors import Conflict, LimitExceeded
from agenttwin.run import Case, Clock
from agenttwin.twin import CompiledTool, Reply
from agenttwin.values import Json

T = TypeVar("T")

MAX_CASES: Final = 4_096
"""Cases side by side on one server; far beyond what one process can run at a time."""

MAX_REMEMBERED: Final = 100_000
"""Revoked tokens that are still told from unknown ones."""

MAX_EVENTS: Final = 1_000
"""Events of the surface that are kept; all are counted."""

MAX_TRACES: Final = 10_000
"""Calls of a case whose trace is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceEvent:
    """Something that reached the surface and no case. ``at`` is on the server's clock, in seconds.

    ``kind``: call_after_end, unknown_token, not_found, wrong_method, foreign_host, overload, slow_request.
    """

    at: float
    kind: str
    detail: str


class Route:
    """A case as it is reached from outside: its calls one after the other, its delays real."""

    __slots__ = ("_clock", "_ended", "_lock", "_loop", "_waiting", "case", "traces")

    def __init__(self, case: Case, *, clock: Clock) -> None:
        self.case = case
        self.traces: dict[int, str] = {}
        self._clock = clock
        self._lock = asyncio.Lock()
        self._ended = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting = 0

    async def call(
        self, tool: str, arguments: Json, headers: Mapping[str, str], trace: str | None = None
    ) -> Reply:
        """One call, after those that came before it; raises as Case.call.

        Code from outside may take its time, or hang: it gets a thread, and the calls after it wait for it.
        """
        known = self.case.world.twin.tools.get(tool)
        if not self._lock.locked() and (known is None or not known.handler.foreign):
            return self.call_now(tool, arguments, headers, trace)
        async with self._lock:
            return await in_thread(lambda: self.call_now(tool, arguments, headers, trace))

    def is_quick(self, tool: CompiledTool | None) -> bool:
        """Whether a call would be answered at once, and its answer travel undisturbed."""
        return (
            tool is not None
            and not tool.handler.foreign
            and not self.case.world.rules
            and not self._lock.locked()
        )

    def call_now(
        self, tool: str, arguments: Json, headers: Mapping[str, str], trace: str | None = None
    ) -> Reply:
        """One call, at once; raises as Case.call."""
        reply = self.case.call(tool, arguments, headers)
        if trace is not None and len(self.traces) < MAX_TRACES:
            self.traces[self.case.world.seq] = trace
        return reply

    async def alone(self, act: Callable[[], T]) -> T:
        """Does something between two calls."""
        async with self._lock:
            return act()

    async def search(self, query: str) -> list[Json]:
        """One search of the knowledge base, as a call."""
        return await self.alone(lambda: self.case.search(query))

    async def pause(self, seconds: float) -> bool:
        """Waits, at most to the case's deadline; whether the case still goes on then."""
        seconds = min(seconds, max(self.case.deadline - self._clock(), 0.0))
        self._loop = asyncio.get_running_loop()
        self._waiting += 1
        try:
            if not self.case.closed:  # asked after it is known that somebody waits: `end` asks in turn
                async with asyncio.timeout(seconds):
                    await self._ended.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting -= 1
        return not self.case.closed

    def end(self) -> None:
        """Lets whoever waits go; from any thread, after the case was closed."""
        if self._waiting and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, and with it every connection
                self._loop.call_soon_threadsafe(self._ended.set)


async def in_thread(act: Callable[[], T]) -> T:
    """Does something in a thread of its own, which nobody waits for at the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_: Callable[[], None]) -> None:
        if not future.done():
            set_()

    def work() -> None:
        try:
            value = act()
            done: Callable[[], None] = lambda: future.set_result(value)  # noqa: E731
        except BaseException as error:
            raised = error
            done = lambda: future.set_exception(raised)  # noqa: E731
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, done)

    threading.Thread(target=work, name="agenttwin-adapter", daemon=True).start()
    return await future


class Routes:
    """The cases of a server by their tokens. Any thread may register and revoke."""

    def __init__(self, *, clock: Clock = time.monotonic, max_cases: int = MAX_CASES) -> None:
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._max_cases = max_cases
        self._routes: dict[bytes, Route] = {}
        self._revoked: dict[bytes, int] = {}
        self._events: deque[SurfaceEvent] = deque(maxlen=MAX_EVENTS)
        self._lock = threading.Lock()

    @property
    def events(self) -> tuple[SurfaceEvent, ...]:
        """The latest events, oldest first; ``counts`` has how many there were of each kind."""
        return tuple(self._events)

    def register(self, case: Case) -> Route:
        """Gives a case its address. Conflict where its token is taken, LimitExceeded beyond the limit."""
        token = case.token.encode()
        with self._lock:
            if token in self._routes:
                raise Conflict("token_taken", "Two cases have the same token.")
            if len(self._routes) >= self._max_cases:
                message = f"A server hosts at most {self._max_cases:,} cases at a time."
                raise LimitExceeded("too_many_cases", message)
            route = self._routes[token] = Route(case, clock=self._clock)
            self._revoked.pop(token, None)
        return route

    def revoke(self, token: str) -> None:
        """Takes the address away; calls that come later are refused and counted."""
        with self._lock:
            route = self._routes.pop(token.encode(), None)
            if route is None:
                return
            while len(self._revoked) >= MAX_REMEMBERED:
                self._revoked.pop(next(iter(self._revoked)))
            self._revoked[token.encode()] = 0
        route.end()

    def revoke_all(self) -> None:
        """Takes every address away."""
        for token in tuple(self._routes):
            self.revoke(token.decode())

    def find(self, token: bytes) -> Route | None:
        """The route of a token that holds."""
        return self._routes.get(token)

    def is_revoked(self, token: bytes) -> bool:
        """Whether the token stood for a case that is over."""
        return token in self._revoked

    def late(self, token: bytes, detail: str) -> None:
        """Counts a call that came after the end of its case."""
        with self._lock:
            if token in self._revoked:
                self._revoked[token] += 1
        self.note("call_after_end", detail)

    def late_calls(self, token: str) -> int:
        """How many calls came after the end of a case."""
        return self._revoked.get(token.encode(), 0)

    def note(self, kind: str, detail: str) -> None:
        """Counts and keeps an event."""
        self.counts[kind] += 1
        self._events.append(SurfaceEvent(at=self._clock(), kind=kind, detail=detail[:200]))
