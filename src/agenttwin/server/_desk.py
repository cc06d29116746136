"""What the routes need, in one place: the workspace, its store, jobs, events, comparisons at hand."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from agenttwin.compare import CaseDocument, ComparisonDocument, as_json
from agenttwin.errors import NotFound
from agenttwin.lab import Session
from agenttwin.server._events import Events
from agenttwin.server._jobs import Jobs
from agenttwin.storage import StoredPair, StoredRun

AT_HAND: Final = 8
"""Comparisons that are kept worked out."""

SUMMARIES: Final = 2_000


class Desk:
    """An open workspace for routes. ``session`` is read anew when a file of the workspace has changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.events = Events()
        self._lock = threading.RLock()
        self._session = Session.open(root)
        self._session.store  # noqa: B018 - opened here, so that what is wrong with it is told at the start
        self._stamp = self._files()
        self._comparisons: OrderedDict[tuple[Any, ...], ComparisonDocument] = OrderedDict()
        self._summaries: OrderedDict[tuple[Any, ...], Mapping[str, Any]] = OrderedDict()
        self.consoles: OrderedDict[str, Any] = OrderedDict()  # cases that people have in their hands
        self.jobs = Jobs(lambda: Session.open(root), self.events)

    def close(self, seconds: float) -> None:
        """Ends what runs here, and closes the store."""
        self.jobs.close(seconds)
        self.events.close()
        self._session.__exit__(None, None, None)

    @property
    def session(self) -> Session:
        """The workspace as its files are now; as they were, where they cannot be read at the moment."""
        with self._lock:
            stamp = self._files()
            if stamp != self._stamp:
                fresh = Session.open(self.root)
                fresh.adopt(self._session)
                self._session, self._stamp = fresh, stamp
            return self._session

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
        flags = {} if seed is None else {"seed": seed}
        with Session.open(self.root, flags=flags) as session:
            yield session

    # -- what is stored

    def pair(self, id: str) -> StoredPair:
        """A pair by its id; NotFound."""
        found = self._session.store.find(id)
        if not isinstance(found, StoredPair) or found.id != id:
            raise NotFound("unknown_comparison", f"There is no comparison {id!r}.")
        return found

    def run(self, id: str) -> StoredRun:
        """A run by its id, alone or a side of a pair; NotFound."""
        store = self._session.store
        for page in (store.runs(limit=500),):
            for run in page.items:
                if run.id == id:
                    return run
        raise NotFound("unknown_run", f"There is no run {id!r}.")

    def comparison(self, pair: StoredPair) -> ComparisonDocument:
        """The comparison of a pair, worked out once for as long as nothing of it changes."""
        key = self._version_of(pair)
        with self._lock:
            if key in self._comparisons:
                self._comparisons.move_to_end(key)
                return self._comparisons[key]
        session = self._session
        document = as_json(session.comparison(pair), measured={"key": pair.key}, qualified=session.qualified)
        with self._lock:
            self._comparisons[key] = document
            self._summaries[key] = _summary(document)
            _shorten(self._comparisons, AT_HAND)
            _shorten(self._summaries, SUMMARIES)
        return document

    def summary(self, pair: StoredPair) -> Mapping[str, Any]:
        """What a list shows of a comparison."""
        key = self._version_of(pair)
        with self._lock:
            if key in self._summaries:
                return self._summaries[key]
        return _summary(self.comparison(pair))

    def _version_of(self, pair: StoredPair) -> tuple[Any, ...]:
        store = self._session.store
        decided = [sum(map(len, store.overrides(run).values())) for run in pair.runs.values()]
        return (pair.id, pair.baseline.finished, pair.candidate.finished, *decided)

    def case(self, pair: StoredPair, scenario: str, trial: int = 1) -> CaseDocument:
        """One case of a comparison; NotFound."""
        for case in self.comparison(pair)["cases"]:
            if case["scenario"] == scenario and case["trial"] == trial:
                return case
        raise NotFound("unknown_case", f"There is no case {scenario!r} in {pair.id}.")

    def state(self, stored: StoredPair | StoredRun) -> str:
        """Where a pair or run stands."""
        job = self.jobs.find(stored.id)
        if job is not None and job.state != "finished":
            return job.state
        return "finished" if stored.finished_at is not None and stored.complete else "interrupted"


def _summary(document: ComparisonDocument) -> Mapping[str, Any]:
    return {
        "counts": document["counts"],
        "headline": document["headline"],
        "exit_code": document["exit_code"],
        "cases": len(document["cases"]),
    }


def _shorten(kept: OrderedDict[Any, Any], longest: int) -> None:
    while len(kept) > longest:
        kept.popitem(last=False)


def when(milliseconds: int | None) -> str | None:
    """A stored time in ISO 8601, UTC."""
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
