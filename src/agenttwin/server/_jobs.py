"""Running pairs and runs of the workspace, one after the other, in a thread of the server."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Any, Final

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.lab import Ordered, Session, process_name
from agenttwin.run import CaseRecord, RunEvent
from agenttwin.server._events import Events
from agenttwin.server._metrics import Metrics
from agenttwin.storage import Store, StoredPair

LOG: Final = logging.getLogger("agenttwin.server")
MAX_QUEUED: Final = 100
SERVING: Final = "serve:"
"""Before the name of a process that is a server: the next one goes on with what it began."""


class Cancelled(Exception):  # noqa: N818 - reads as what happened
    """Somebody does not want a run any more."""


@dataclass(slots=True)
class Job:
    """One pair or run on its way. ``done`` counts the cases that were recorded before as well."""

    id: str
    kind: str
    ordered: Ordered
    total: int
    done: int
    state: str = "queued"
    error: str | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)


class Jobs:
    """What runs here. ``open`` gives a session of its own to each job, with the files as they are then."""

    def __init__(self, open: Callable[[], Session], events: Events, store: Store, metrics: Metrics) -> None:
        self._open = open
        self._events = events
        self._store = store
        self._metrics = metrics
        self._jobs: dict[str, Job] = {}
        self._closing = False
        self._lock = threading.Lock()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="agenttwin-jobs", daemon=True)
        self._thread.start()

    def start(self, ordered: Ordered) -> Job:
        """Queues what was ordered; what runs already is the job that it is. LimitExceeded for too many."""
        stored = ordered.stored
        kind = "pair" if isinstance(stored, StoredPair) else "run"
        sides = (stored.baseline, stored.candidate) if isinstance(stored, StoredPair) else (stored,)
        with self._lock:
            there = self._jobs.get(stored.id)
            if there is not None and there.state in ("queued", "running"):
                return there
            if sum(job.state == "queued" for job in self._jobs.values()) >= MAX_QUEUED:
                raise LimitExceeded("too_many_runs", f"{MAX_QUEUED} runs are waiting already.")
            job = Job(stored.id, kind, ordered, sum(s.cases for s in sides), sum(s.finished for s in sides))
            self._jobs[stored.id] = job
        self._store.mark(stored, "queued", owner=SERVING + process_name())
        self._metrics.waiting.inc()
        self._tell(job, "queued")
        self._queue.put(job)
        return job

    def find(self, id: str) -> Job | None:
        """What is known here of a pair or run."""
        return self._jobs.get(id)

    def cancel(self, id: str) -> bool:
        """Stops a job at the next case that ends; what is recorded stays. False where nothing runs."""
        job = self._jobs.get(id)
        if job is None or job.state not in ("queued", "running"):
            return False
        job.cancelled.set()
        return True

    def close(self, seconds: float) -> None:
        """Cancels what runs, and waits for it; what was finished is kept, and the rest can be taken up."""
        self._closing = True  # what is cut off here is not cancelled: the next server goes on with it
        for job in list(self._jobs.values()):
            job.cancelled.set()
        self._queue.put(None)
        self._thread.join(seconds)

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            if job.cancelled.is_set():
                self._metrics.waiting.dec()
                self._end(job, "cancelled")
                continue
            job.state = "running"
            self._metrics.waiting.dec()
            self._tell(job, "started")
            try:
                with self._open() as session:
                    session.carry_out(
                        job.ordered,
                        listeners=(partial(self._heard, job),),
                        kept=partial(self._kept, job),
                        owner=SERVING + process_name(),
                    )
            except Cancelled:
                self._end(job, "cancelled")
            except AgentTwinError as error:
                job.error = str(error)
                self._end(job, "failed")
            except BaseException as error:
                LOG.exception("The %s %s failed", job.kind, job.id)
                job.error = f"{type(error).__name__}: {error}"
                self._end(job, "failed")
            else:
                self._end(job, "finished")

    def _heard(self, job: Job, event: RunEvent) -> None:
        if job.cancelled.is_set():
            raise Cancelled

    def _kept(self, job: Job, records: Sequence[CaseRecord]) -> None:
        """Tells of cases, which are in the store by now: a crash loses nothing that was told."""
        for record in records:
            job.done += 1
            self._metrics.cases.labels(record.grade.verdict.value).inc()
            self._tell(
                job,
                "finished",
                of="case",
                side=record.side,
                scenario=record.scenario,
                verdict=record.grade.verdict.value,
            )

    def _end(self, job: Job, state: str) -> None:
        if state != "finished":
            with suppress(AgentTwinError):  # the state of this process is told all the same
                if self._closing:
                    self._store.mark(job.ordered.stored, "queued", owner=SERVING + process_name())
                else:
                    self._store.mark(job.ordered.stored, state, error=job.error)
        job.state = state
        self._metrics.jobs.labels(state).inc()
        self._tell(job, state)

    def _tell(self, job: Job, what: str, *, of: str | None = None, **more: Any) -> None:
        self._events.tell(f"{of or job.kind}.{what}", id=job.id, done=job.done, total=job.total, **more)
