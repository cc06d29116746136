"""What a request sees: one project of the server, and in the workspace's own project its files."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson

from agenttwin.compare import CaseDocument, ComparisonDocument, as_json, compare
from agenttwin.errors import AgentTwinError, NotFound
from agenttwin.lab import Session, is_gone
from agenttwin.server._access import Identity
from agenttwin.server._jobs import SERVING
from agenttwin.server._shown import FORMAT, case_rows, comparison_row, when
from agenttwin.storage import DEFAULT, StoredPair, StoredRun
from agenttwin.workspace import Workspace

if TYPE_CHECKING:
    from agenttwin.server._desk import Desk
    from agenttwin.server._events import Events

AT_ONCE: Final = 200
PATIENCE_SECONDS: Final = 2.0
"""Comparisons that a list works out before it answers, and for how long; the rest follows by itself."""

REST_SECONDS: Final = 2.0
"""How long a comparison of something that still runs is not worked out again."""


class View:
    """The server as one identity sees it. Everything that a route gives comes from here."""

    def __init__(self, desk: Desk, identity: Identity) -> None:
        self.desk = desk
        self.identity = identity
        self.store = desk.store if identity.project == DEFAULT else desk.store.within(identity.project)

    @property
    def project(self) -> str:
        """The name of the project."""
        return self.identity.project

    @property
    def has_workspace(self) -> bool:
        """Whether it is the project of the workspace that the server was started in."""
        return self.project == DEFAULT

    @property
    def session(self) -> Session:
        """The workspace's session; NotFound in a project that only keeps what is pushed."""
        if not self.has_workspace:
            message = f"The project {self.project!r} has no workspace here: its runs are pushed."
            raise NotFound("project_without_workspace", message)
        return self.desk.session

    @property
    def workspace(self) -> Workspace:
        """The workspace; NotFound as `session`."""
        return self.session.workspace

    @property
    def events(self) -> Events:
        """What happens in the project."""
        return self.desk.events_of(self.project)

    @property
    def consoles(self) -> OrderedDict[str, Any]:
        """The consoles of the project."""
        return self.desk.consoles_of(self.project)

    # -- pairs and runs

    def state(self, stored: StoredPair | StoredRun) -> str:
        """Where a pair or run stands."""
        if stored.finished_at is not None and stored.complete:
            return "finished"
        job = self.desk.jobs.find(stored.id) if self.has_workspace else None
        if job is not None:  # it knows more than a row that was read a moment ago
            return job.state
        said = stored.progress
        if said.state in ("cancelled", "failed"):
            return said.state
        if said.state is not None and said.owner is not None:
            owner = said.owner.removeprefix(SERVING)
            gone = is_gone(owner, said.seen_at, int(time.time() * 1000))
            return "interrupted" if gone else said.state
        return "interrupted"

    def place(self, pair: StoredPair) -> dict[str, Any]:
        """What is known of a comparison beside its report."""
        return {
            "id": pair.id,
            "state": self.state(pair),
            "created_at": when(pair.created_at),
            "finished_at": when(pair.finished_at),
        }

    # -- comparisons

    def head(self, pair: StoredPair) -> bytes:
        """The JSON of a comparison without its cases, and where it stands.

        It is put together as text: with ten thousand cases it has some megabytes.
        """
        self.work_out(pair)
        found = self.store.comparisons.head(pair, self.desk.format, old=True)
        if found is None:
            raise NotFound("unknown_comparison", f"There is no comparison {pair.id!r}.")
        return found.removesuffix(b"}") + b"," + orjson.dumps(self.place(pair)).removeprefix(b"{")

    def work_out(self, pair: StoredPair) -> None:
        """Has the comparison kept as the pair stands; one that still runs may be a little behind."""
        if self.store.comparisons.has(pair, self.desk.format):
            return
        key = (self.project, pair.id)
        with self.desk.working_out(key) as rested:
            if self.store.comparisons.has(pair, self.desk.format):
                return
            behind = not rested and not pair.complete
            if behind and self.store.comparisons.head(pair, self.desk.format, old=True) is not None:
                return
            document = self.whole(pair)
            self.store.comparisons.keep(
                pair, self.desk.format, comparison_row(pair, document), case_rows(document)
            )

    def work_out_all(
        self,
        limit: int = AT_ONCE,
        seconds: float = PATIENCE_SECONDS,
        until: Callable[[], bool] = lambda: False,
    ) -> None:
        """Works out what is missing or old, newest first, for so long; the rest is left to the upkeep."""
        over = time.monotonic() + seconds
        found = self.store.comparisons.stale(self.desk.format, limit=limit)
        for pair in sorted(self.store.some_pairs(found).values(), key=lambda pair: pair.id, reverse=True):
            if time.monotonic() > over or until():
                return
            try:
                self.work_out(pair)
            except AgentTwinError as error:
                self.desk.log.warning("The comparison %s cannot be worked out: %s", pair.id, error)

    def whole(self, pair: StoredPair) -> ComparisonDocument:
        """The comparison with its cases."""
        compared = compare(self.store.load_pair(pair))
        return as_json(compared, measured={"key": pair.key}, qualified=self.desk.qualified)

    def case(self, pair: StoredPair, scenario: str, trial: int = 1) -> CaseDocument:
        """One case of a comparison, of which nothing else is read; NotFound."""
        compared = compare(self.store.load_pair(pair, scenario=scenario))
        document = as_json(compared, measured={"key": pair.key}, qualified=self.desk.qualified)
        for case in document["cases"]:
            if case["trial"] == trial:
                return case
        raise NotFound("unknown_case", f"There is no case {scenario!r} (trial {trial}) in {pair.id}.")

    def placed(self, found: Iterable[tuple[str, bytes]]) -> list[dict[str, Any]]:
        """What lists show of comparisons, with where each stands now."""
        found = list(found)
        pairs = self.store.some_pairs([id for id, _ in found])
        return [{**orjson.loads(item), **self.place(pairs[id])} for id, item in found if id in pairs]

    @staticmethod
    def named_in(body: bytes) -> str:
        """What an answer is about: its id, or its name."""
        try:
            told = orjson.loads(body)
        except orjson.JSONDecodeError:
            return ""
        inner: Mapping[str, Any] = told.get("key", told) if isinstance(told, dict) else {}
        inner = inner if isinstance(inner, dict) else told
        return str(inner.get("id") or inner.get("name") or "")


__all__ = ["FORMAT", "View"]
