"""What the server does by itself: takes up what was interrupted, works comparisons out, lets old runs go."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from agenttwin.errors import AgentTwinError
from agenttwin.storage import DEFAULT

if TYPE_CHECKING:
    from agenttwin.server._desk import Desk

EVERY_SECONDS: Final = 3_600.0
DAY_MS: Final = 86_400_000


class Upkeep:
    """A thread of the server; `start` begins it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="agenttwin-upkeep", daemon=True)

    def start(self) -> None:
        """Begins: what was interrupted first."""
        self._thread.start()

    def close(self, seconds: float) -> None:
        """Ends after the comparison that is being worked out, which is waited for no longer than this."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _work(self) -> None:
        self._guarded(self._desk.take_up)
        while True:
            self._guarded(self._work_out)
            self._guarded(self._let_go)
            if self._over.wait(EVERY_SECONDS):
                return

    def _guarded(self, act: object) -> None:
        try:
            act()  # type: ignore[operator]
        except AgentTwinError as error:
            self._desk.log.warning("%s", error)
        except Exception:
            self._desk.log.exception("What the server does by itself failed")

    def _work_out(self) -> None:
        for project in self._desk.store.access.projects():
            view = self._desk.own_view(project.name)
            before = None
            while not self._over.is_set():
                left = view.store.comparisons.stale(self._desk.format, limit=20)
                if not left or left == before:  # what cannot be worked out stays
                    break
                view.work_out_all(20, seconds=EVERY_SECONDS, until=self._over.is_set)
                before = left

    def _let_go(self) -> None:
        now = int(time.time() * 1000)
        for project in self._desk.store.access.projects():
            if project.retention_days is not None and not self._over.is_set():
                store = self._desk.store if project.name == DEFAULT else self._desk.store.within(project.name)
                gone = store.expire(now - project.retention_days * DAY_MS)
                if gone:
                    store.access.audit("agenttwin", "runs.expired", project.name, {"runs": gone})
