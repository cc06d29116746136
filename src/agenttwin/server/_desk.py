"""What there is once for the whole server: the workspace, its store, jobs, events, open consoles."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from starlette.concurrency import run_in_threadpool

from agenttwin.errors import AgentTwinError
from agenttwin.lab import Session
from agenttwin.server._access import SCOPES, Identity, key_of
from agenttwin.server._events import Events
from agenttwin.server._jobs import SERVING, Jobs
from agenttwin.server._metrics import Metrics
from agenttwin.server._shown import FORMAT
from agenttwin.server._upkeep import Upkeep
from agenttwin.server._view import REST_SECONDS, View
from agenttwin.storage import DEFAULT, Store

LOG: Final = logging.getLogger("agenttwin.server")


class Desk:
    """An open workspace for routes. ``session`` is read anew when a file of the workspace has changed.

    ``database`` is where runs are kept, by default the workspace's own file. ``sign_in``: everybody needs a
    key. ``remote``: others than this machine reach the server, so that it only drives agents that run
    elsewhere.
    """

    def __init__(
        self,
        root: Path,
        *,
        database: str | Path | None = None,
        sign_in: bool = False,
        remote: bool = False,
    ) -> None:
        self.root, self.sign_in, self.remote = root, sign_in, remote
        self.log = LOG
        self.metrics = Metrics()
        self._database = database
        self._lock = threading.RLock()
        self._session = self._opened()
        self.store: Store = self._session.store  # opened here, so that what is wrong is told at the start
        self._stamp = self._files()
        self._events: dict[str, Events] = {}
        self._consoles: dict[str, OrderedDict[str, Any]] = {}
        self._worked_out: OrderedDict[tuple[str, str], tuple[threading.Lock, list[float]]] = OrderedDict()
        self.jobs = Jobs(self._opened, self.events_of(DEFAULT), self.store, self.metrics)
        self.upkeep = Upkeep(self)

    def close(self, seconds: float) -> None:
        """Ends what runs here, and closes the store."""
        self.upkeep.close(seconds)
        self.jobs.close(seconds)
        self.end_streams()
        self._session.__exit__(None, None, None)

    def end_streams(self) -> None:
        """Ends every stream of events."""
        with self._lock:
            for events in self._events.values():
                events.close()

    @property
    def session(self) -> Session:
        """The workspace as its files are now; as they were, where they cannot be read at the moment."""
        with self._lock:
            stamp = self._files()
            if stamp != self._stamp:
                fresh = self._opened()
                fresh.adopt(self._session)
                self._session, self._stamp = fresh, stamp
            return self._session

    @property
    def qualified(self) -> bool:
        """Whether a version alone does not name the agent."""
        return self._session.qualified

    @property
    def format(self) -> str:
        """How kept comparisons are written."""
        return f"{FORMAT}q" if self.qualified else FORMAT

    def _opened(self, flags: dict[str, Any] | None = None) -> Session:
        return Session.open(self.root, flags=flags, database=self._database)

    def _files(self) -> tuple[tuple[str, int], ...]:
        """When the workspace's files were changed last, those of its own folder aside."""
        found = []
        for path in sorted(self.root.rglob("*.y*ml")) + sorted(self.root.rglob("*.json")):
            inside = path.relative_to(self.root).parts
            if not inside[0].startswith(".") and path.is_file():
                found.append((str(path), path.stat().st_mtime_ns))
        return tuple(found)

    @contextmanager
    def planning(self, seed: int | None) -> Iterator[Session]:
        """A session to order with, of the files as they are now; ``seed`` wins over the workspace's."""
        with self._opened({} if seed is None else {"seed": seed}) as session:
            yield session

    def take_up(self) -> None:
        """Goes on with what a server that is gone has begun in this workspace."""
        from agenttwin.server._running import again

        view = self.own_view()
        for stored in self.store.unfinished():
            said = stored.progress
            if said.owner is None or not said.owner.startswith(SERVING):
                continue  # the command line's own, which whoever began it takes up
            if self.jobs.find(stored.id) is None and view.state(stored) == "interrupted":
                try:
                    again(view, stored)
                except AgentTwinError as error:
                    self.store.mark(stored, "failed", error=str(error))

    # -- by project

    def seen_by(self, identity: Identity) -> View:
        """What somebody sees."""
        return View(self, identity)

    def open_view(self) -> View:
        """What anybody may see: that the server is there."""
        return View(self, Identity(actor="", project=DEFAULT, scopes=()))

    def own_view(self, project: str = DEFAULT) -> View:
        """A project as the server itself sees it."""
        return View(self, Identity(actor="agenttwin", project=project, scopes=SCOPES))

    def events_of(self, project: str) -> Events:
        """What happens in a project."""
        with self._lock:
            return self._events.setdefault(project, Events(project))

    def consoles_of(self, project: str) -> OrderedDict[str, Any]:
        """The consoles of a project."""
        with self._lock:
            return self._consoles.setdefault(project, OrderedDict())

    async def counted(self, stream: AsyncIterator[bytes], header: str | None) -> AsyncIterator[bytes]:
        """A stream of events, counted while it is open; it ends with the key that it was asked with."""
        with self.metrics.streams.track_inprogress():
            async for part in stream:
                if header is not None and await run_in_threadpool(key_of, self.store, header) is None:
                    return
                yield part

    @contextmanager
    def working_out(self, key: tuple[str, str]) -> Iterator[bool]:
        """While a comparison is worked out, once at a time; False where that was done a moment ago."""
        with self._lock:
            lock, last = self._worked_out.setdefault(key, (threading.Lock(), [0.0, 0.0]))
            self._worked_out.move_to_end(key)
            while len(self._worked_out) > 1_000:
                self._worked_out.popitem(last=False)
        with lock:
            ended, took = last
            began = time.monotonic()
            yield began - ended > max(REST_SECONDS, 5 * took)
            now = time.monotonic()
            if now - began > took / 10:  # it was worked out, and not found done
                last[:] = [now, now - began]
