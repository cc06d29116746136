"""The engine: lanes that run whole cases side by side, and a watch that steps in where a deadline passes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from agenttwin.run._capture import capturing
from agenttwin.run._conclude import Grading
from agenttwin.run._lane import Lane
from agenttwin.run._mailbox import Mailbox
from agenttwin.run._protocols import Lend
from agenttwin.run._values import CaseFinished, CaseRecord, CaseStarted, Clock
from agenttwin.run._work import Work

WATCH_SECONDS: Final = 0.02
"""How often deadlines are looked at, and so how exact they are."""

SETTLE_SECONDS: Final = 0.3

BUSY: Final = 0.8
"""The share of one processor beyond which more threads of Python get nothing more done."""

BASELINE: Final = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the engine runs."""

    lend: Lend
    clock: Clock
    grading: Grading
    concurrency: int
    fail_fast: bool


class Engine:
    """Runs works to their end and leaves what happens in a mailbox, from daemon threads of its own.

    It begins with one lane and opens more, up to the concurrency, as long as the processor has time left:
    then cases wait for something. Where they only compute, more lanes would only wait for one another.
    ``stopped`` says why it took no more works before their end, ``error`` what was raised that no case can
    answer for.
    """

    def __init__(self, works: Iterable[Work], options: Options, mailbox: Mailbox) -> None:
        self.options = options
        self.stopped: str | None = None
        self.error: BaseException | None = None
        self.finished = 0
        self._mailbox = mailbox
        self._works = iter(works)
        self._lock = threading.Lock()
        self._lanes: set[Lane] = set()
        self._expected: dict[str, frozenset[str]] = {}
        self._left: list[Callable[[], bool]] = []
        self._over = threading.Event()

    def start(self) -> None:
        """Begins to run."""
        self.open_lane()
        threading.Thread(target=self._watch, name="agenttwin-watch", daemon=True).start()

    def stop(self, reason: str) -> None:
        """Takes no more works; the cases that run come to their end."""
        with self._lock:
            self.stopped = self.stopped or reason
            self._works = iter(())

    def leave(self) -> None:
        """Leaves everything that still runs; nothing of it is recorded."""
        if self._over.is_set():
            return
        self.stop("interrupted")
        self._end()
        for lane in self._open_lanes():
            lane.leave()

    async def settle(self) -> None:
        """Gives agents whose process was ended a moment to be gone, so that only the others count as left."""
        end = time.monotonic() + SETTLE_SECONDS
        while self.abandoned and time.monotonic() < end:
            await asyncio.sleep(WATCH_SECONDS)

    @property
    def abandoned(self) -> int:
        """The agents left behind that are still running."""
        return sum(running() for running in self._left)

    # -- for the lanes

    def take(self) -> Work | None:
        """The next work."""
        with self._lock:
            work = next(self._works, None)
        if work is not None:
            self._expected[work.scenario.name] = work.scenario.known_failures
            self._mailbox.put(CaseStarted(side=work.side, scenario=work.scenario.name, trial=work.trial))
        return work

    def done(self, record: CaseRecord) -> None:
        """Hands a record on."""
        with self._lock:
            self.finished += 1
        self._mailbox.put(CaseFinished(record=record))
        if (
            self.options.fail_fast
            and record.side != BASELINE
            and not record.grade.holds(self._expected[record.scenario])
        ):
            self.stop(f"{record.scenario} did not pass")

    def fail(self, error: BaseException) -> None:
        """Something that no case can answer for: the run stops, what was finished is kept."""
        self.error = self.error or error
        self.stop(type(error).__name__)

    def open_lane(self, rest: Callable[[], CaseRecord] | None = None) -> None:
        """One more lane; ``rest`` gives the record of a case that another lane began."""
        lane = Lane(self, rest)
        with self._lock:
            self._lanes.add(lane)
        threading.Thread(target=self._run, args=(lane,), name="agenttwin-lane", daemon=True).start()

    def close_lane(self, lane: Lane) -> None:
        """A lane runs no more works; with the last one the run is over."""
        with self._lock:
            self._lanes.discard(lane)
            last = not self._lanes
        if last:
            self._end()

    def left_behind(self, running: Callable[[], bool]) -> None:
        """An agent was left behind; ``running`` says whether it still runs."""
        self._left.append(running)

    # -- its threads

    def _run(self, lane: Lane) -> None:
        """The whole life of a lane's thread. It holds the proxies, so that one left behind stays mute."""
        with capturing():
            try:
                lane.run()
            except SystemExit:  # a lane that was left behind is interrupted with it, maybe a moment too late
                pass
            except BaseException as error:
                self.fail(error)
            finally:
                self.close_lane(lane)

    def _watch(self) -> None:
        now, spent = self.options.clock(), time.process_time()
        while not self._over.wait(WATCH_SECONDS):
            before, spent_before = now, spent
            now, spent = self.options.clock(), time.process_time()
            lanes = self._open_lanes()
            for lane in lanes:
                lane.expire(now)
            if spent - spent_before < BUSY * (now - before):
                for _ in range(min(len(lanes), self.options.concurrency - len(lanes))):
                    self.open_lane()

    def _open_lanes(self) -> tuple[Lane, ...]:
        with self._lock:
            return tuple(self._lanes)

    def _end(self) -> None:
        self._over.set()
        self._mailbox.close()
