"""An agent that is a Python function, called in processes of its own, which a deadline can end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from agenttwin.agents._worker import Worker
from agenttwin.run import Lease, Request
from agenttwin.transcript import Claim

START_SECONDS: Final = 60.0
"""For a process to start and to import the agent, which may bring a large framework with it."""


class ProcessAgent:
    """`module:function`, found with ``folder`` first on the import path, in warm processes.

    ``intercepted`` are functions that are tools there, as of `intercept`.

    A process runs one turn at a time and stays for later ones; one that a deadline ended is replaced at once.
    To be closed, or used in a `with`.
    """

    def __init__(
        self,
        target: str,
        *,
        folder: str,
        env: Mapping[str, str] | None = None,
        intercepted: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._target = target
        self._folder = folder
        self._env = env or {}
        self._intercepted = intercepted or {}
        self._clock = clock
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._homes: dict[str, Worker] = {}

    def warm(self, workers: int) -> None:
        """Starts processes ahead of the first case."""
        for _ in range(workers):
            self._give_back(self._started())

    def act(self, request: Request, lease: Lease) -> Claim:
        """One turn. The time until the process has loaded the agent does not count as the agent's."""
        worker = self._homes.get(request.session_id) or self._settle(request.session_id, lease)
        if not worker.ready:
            lease.case.start_clock(self._clock(), seconds=START_SECONDS)
            worker.get_ready(lease)
            lease.case.start_clock(self._clock())
        return worker.turn(request, lease)

    def _settle(self, session: str, lease: Lease) -> Worker:
        """Gives a case a process for all its turns."""
        worker = self._homes[session] = self._taken()

        def leave(running: bool) -> None:
            if running:
                worker.kill()
            del self._homes[session]
            self._give_back(worker)

        lease.case.at_end(leave)
        return worker

    def close(self) -> None:
        """Ends every process."""
        with self._lock:
            workers, self._idle = tuple(self._all), []
            self._all.clear()
        for worker in workers:
            worker.close()

    def __enter__(self) -> ProcessAgent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _taken(self) -> Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._started()

    def _give_back(self, worker: Worker) -> None:
        """Keeps a process for later; in the place of one that was of use, a new one starts to get ready."""
        if not worker.usable:
            worker.close()
            with self._lock:
                self._all.discard(worker)
            if not worker.ready:
                return
            worker = self._started()
        with self._lock:
            self._idle.append(worker)

    def _started(self) -> Worker:
        worker = Worker(self._target, self._folder, self._env, self._intercepted)
        with self._lock:
            self._all.add(worker)
        return worker
