"""A case: one attempt at a trial, with its world, its token, its lock, its deadline and its records."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import Final

from agenttwin.errors import LimitExceeded
from agenttwin.run._capture import Sink, Sinks
from agenttwin.run._tools import CaseClosed
from agenttwin.transcript import Claim
from agenttwin.twin import Call, Reply, World, finish, search, step
from agenttwin.values import Json

STEP_GRACE_SECONDS: Final = 2.0
"""How long the end of a case waits for a call on its way: a custom adapter may hang in it."""

MAX_EVENTS: Final = 10_000
"""What a case records, or twice its call limit where that is more: a loop must not fill the memory."""


class Case:
    """One attempt at a trial. Any thread may call its tools, one at a time, until it is closed.

    ``token`` stands for the case where it is reached from outside. ``delayed_ms`` is the time that passed
    only in the twin: surfaces without a wire add the delays of replies there. ``claims`` are what the agent
    said in each of its turns so far.
    """

    __slots__ = (
        "_at_end",
        "_ended",
        "_lock",
        "_seconds",
        "claims",
        "closed",
        "deadline",
        "delayed_ms",
        "sinks",
        "started",
        "token",
        "world",
    )

    def __init__(self, world: World, *, token: str, started: float, seconds: float) -> None:
        self.world = world
        self.token = token
        self.started = started
        self.deadline = started + seconds
        self._seconds = seconds
        self.delayed_ms = 0
        self.closed = False
        self.claims: list[Claim] = []
        self.sinks: Sinks = (Sink(), Sink())
        self._lock = threading.Lock()
        self._ended = threading.Lock()
        self._at_end: list[Callable[[bool], None]] = []

    def call(self, tool: str, arguments: Json, headers: Mapping[str, str]) -> Reply:
        """One call, in the caller's thread, after those that arrived before it.

        CaseClosed after the end, LimitExceeded where the case cannot record any more.
        """
        with self._lock:
            self._check_open()
            return step(self.world.twin, self.world, Call(tool, arguments, headers)).reply

    def search(self, query: str) -> list[Json]:
        """One search of the knowledge base; raises as `call` does."""
        with self._lock:
            self._check_open()
            return search(self.world.twin, self.world, query)[0]

    def _check_open(self) -> None:
        if self.closed:
            raise CaseClosed
        if self.world.seq >= max(MAX_EVENTS, 2 * self.world.call_limit):
            raise LimitExceeded(
                "too_many_events", f"The case has recorded {self.world.seq:,} calls and searches."
            )

    def advance(self, milliseconds: int) -> None:
        """Moves the clock of the world forward."""
        with self._lock:
            self.world.advance(milliseconds)

    def start_clock(self, now: float, *, seconds: float | None = None) -> None:
        """Counts the time from now on: ``seconds``, or as much as the scenario gives.

        For adapters that must first make an agent ready, which has a limit of its own and is not the agent's
        time.
        """
        self.started = now
        self.deadline = now + (self._seconds if seconds is None else seconds)

    def at_end(self, act: Callable[[bool], None]) -> None:
        """Leaves something to do when the case ends, in any thread; told whether the agent still runs."""
        self._at_end.append(act)

    def end(self) -> bool:
        """Whether the caller is the one who ends the case: true exactly once, for whoever asks first."""
        if not self._ended.acquire(blocking=False):
            return False
        self.closed = True
        return True

    def let_go(self, *, running: bool) -> None:
        """Does what was left to do at the end; ``running`` says that the agent still runs."""
        for act in self._at_end:
            with contextlib.suppress(Exception):  # an adapter's last way must not fail the run
                act(running)

    def close(self) -> bool:
        """Refuses further calls and lands what is late. False where a call hangs: the world is in use."""
        self.closed = True
        if not self._lock.acquire(timeout=STEP_GRACE_SECONDS):
            return False
        try:
            finish(self.world)
        finally:
            self._lock.release()
        return True
