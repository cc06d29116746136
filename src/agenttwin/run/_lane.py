"""A lane: one thread that runs whole cases, one after the other, from the first word to the record."""

from __future__ import annotations

import ctypes
import secrets
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Final

from agenttwin.run._capture import capture_here
from agenttwin.run._case import Case
from agenttwin.run._claim import joined
from agenttwin.run._conclude import conclude
from agenttwin.run._drive import DeadlinePassed, Drive, drive
from agenttwin.run._loop import Starved, begin_agent
from agenttwin.run._trace import stack_of_thread
from agenttwin.run._values import CaseRecord
from agenttwin.run._work import Work
from agenttwin.transcript import Claim, Ending

if TYPE_CHECKING:
    from agenttwin.run._engine import Engine

MAX_ATTEMPTS: Final = 3
"""Of one trial, where the coroutine of another case blocked the event loop."""

TOKEN_BYTES: Final = 16
TOKENS_AT_ONCE: Final = 64


class Lane:
    """Runs cases in its thread. At a deadline another thread takes the case over and the lane is left behind.

    Nothing but `Case.end` decides who brings a case to its end; whoever does not get it has no more to say.
    """

    def __init__(self, engine: Engine, rest: Callable[[], CaseRecord] | None) -> None:
        self._engine = engine
        self._rest = rest
        self._current: tuple[Work, Case] | None = None
        self._awaiting = False
        self._thread: threading.Thread | None = None
        self._alive = threading.Lock()
        self._tokens = tokens()

    def run(self) -> None:
        """Runs works until there are no more, or until the lane is left behind."""
        self._thread = threading.current_thread()
        try:
            if self._rest is not None:
                self._engine.done(self._rest())
            while (work := self._engine.take()) is not None:
                record = self._record(work)
                if record is None:
                    return
                self._engine.done(record)
        finally:
            with self._alive:  # not while a case is taken over or the thread is interrupted
                self._thread = None

    def _record(self, work: Work) -> CaseRecord | None:
        """Runs one work; None where the case was taken over meanwhile."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            case = self._open(work)
            try:
                driven = self._drive(work, case)
            except DeadlinePassed as passed:
                driven = timed_out(work, case, str(passed))
            except Starved:
                if attempt < MAX_ATTEMPTS and case.end():
                    case.let_go(running=True)
                    continue
                driven = timed_out(work, case, "")
            if not case.end():
                return None
            case.let_go(running=False)
            return self._conclude(work, case, driven)
        return None

    def _open(self, work: Work) -> Case:
        now = self._engine.options.clock()
        return Case(
            work.begin(),
            token=next(self._tokens),
            started=now,
            seconds=work.scenario.spec.timeout_seconds,
        )

    def _drive(self, work: Work, case: Case) -> Drive:
        lease = self._engine.options.lend(case)
        capture_here(case.sinks)
        self._current = work, case
        try:
            return drive(work, lease, lambda claim: self._await(case, claim))
        finally:
            self._current = None
            self._awaiting = False
            capture_here(None)

    def _await(self, case: Case, claim: Awaitable[Claim]) -> Claim:
        """Waits for a coroutine of the agent, which runs on the loop; the lane watches its deadline."""
        self._awaiting = True  # until it gives something: what it raises ends the case here
        running = begin_agent(claim)
        case.at_end(lambda still: running.cancel_soon() if still else None)
        if running.wait(case.deadline - self._engine.options.clock()):
            given = running.result()
            self._awaiting = False
            return given
        case.closed = True
        stack = running.stack()
        if not running.cancel():
            self._engine.left_behind(running.is_running)
        raise DeadlinePassed(stack)

    def _conclude(self, work: Work, case: Case, driven: Drive) -> CaseRecord:
        options = self._engine.options
        return conclude(work, case, driven, now=options.clock(), grading=options.grading)

    # -- called from other threads

    def expire(self, now: float) -> None:
        """Takes the case over if its deadline has passed: a new lane brings it to its end and goes on."""
        current = self._current
        if current is None or self._awaiting or now < current[1].deadline:
            return
        work, case = current
        with self._alive:  # so that this lane cannot be gone before the new one is there
            if not case.end():
                return
            driven = timed_out(work, case, stack_of_thread(self._thread.ident if self._thread else None))
            self._engine.open_lane(lambda: self._conclude(work, case, driven))
        self._engine.close_lane(self)
        self._engine.left_behind(self._is_running)
        self._interrupt(case)

    def leave(self) -> None:
        """Leaves the case, which gets no record."""
        current = self._current
        if current is not None and current[1].end():
            self._interrupt(current[1])

    def _interrupt(self, case: Case) -> None:
        """Makes the agent stop where it can be made to: a loop ends at its next step, a sleep does not."""
        case.let_go(running=True)
        with self._alive:
            if self._thread is not None and not self._awaiting:
                thread = ctypes.c_ulong(self._thread.ident or 0)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(SystemExit))

    def _is_running(self) -> bool:
        return self._thread is not None


def tokens() -> Iterator[str]:
    """Names that nobody can guess. Chance is fetched for many at a time: each time lets other threads run."""
    while True:
        chance = secrets.token_bytes(TOKEN_BYTES * TOKENS_AT_ONCE)
        for start in range(0, len(chance), TOKEN_BYTES):
            yield chance[start : start + TOKEN_BYTES].hex()


def timed_out(work: Work, case: Case, stack: str) -> Drive:
    """How driving ends at the deadline; what was said in earlier turns stays said."""
    return Drive(
        claim=joined(tuple(case.claims)),
        ending=Ending.AGENT_TIMEOUT,
        message=f"It had {work.scenario.spec.timeout_seconds:g} seconds.",
        traceback=stack,
    )
