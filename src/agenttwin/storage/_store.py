"""The store: everything that was run, kept so that whatever is shown or decided can be worked out again."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Table

from agenttwin.compare import Pair, Single, compare
from agenttwin.document import Document
from agenttwin.errors import AgentTwinError, NotFound
from agenttwin.review import Override, effective
from agenttwin.run import CaseRecord
from agenttwin.scenario import Agent, Trial
from agenttwin.storage import DEFAULT
from agenttwin.storage import _bundle as bundle
from agenttwin.storage import _cases as cases
from agenttwin.storage import _contents as contents
from agenttwin.storage import _find as find
from agenttwin.storage import _load as load
from agenttwin.storage import _overrides as overrides
from agenttwin.storage import _pairs as pairs
from agenttwin.storage import _retention as retention
from agenttwin.storage import _runs as runs
from agenttwin.storage import _tables as tables
from agenttwin.storage._access import Access
from agenttwin.storage._comparing import Comparisons
from agenttwin.storage._database import Database
from agenttwin.storage._dialect import is_server
from agenttwin.storage._ids import RANDOM_BYTES, new_id
from agenttwin.storage._opinions import Opinions
from agenttwin.storage._order import Order, version_of
from agenttwin.storage._runs import Ordered
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import BASELINE, CANDIDATE, Key, Page, StoredDocument, StoredPair, StoredRun
from agenttwin.values import Json

PAGE: Final = 50
ORDERS_AT_HAND: Final = 8


class Store:
    """One project of a database, open. Any thread may use it; to be closed, or used in a `with`.

    ``where`` is the path of a file or the address of a PostgreSQL. ``clock`` gives seconds since 1970 and
    ``entropy`` random bytes, for times and ids. Every method is one transaction; AgentTwinError where the
    database is locked, full, damaged or cannot be written to.
    """

    def __init__(
        self,
        where: str | Path,
        *,
        clock: Callable[[], float] = time.time,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        database = Database(where)
        try:
            database.migrate()
        except BaseException:
            database.close()
            raise
        self._begin(database, DEFAULT, clock, entropy)

    def _begin(
        self,
        database: Database,
        project: str,
        clock: Callable[[], float],
        entropy: Callable[[int], bytes],
    ) -> None:
        self.database, self.project = database, project
        self.opinions = Opinions(database, project)
        self.access = Access(database, project, clock, entropy)
        self.comparisons = Comparisons(database, project)
        self._clock, self._entropy = clock, entropy
        self._orders: OrderedDict[str, Ordered] = OrderedDict()

    def within(self, project: str) -> Store:
        """The same database, seen from a project; it needs no closing beside the one that was opened."""
        view = Store.__new__(type(self))
        view._begin(self.database, project, self._clock, self._entropy)
        return view

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Writes what is still in memory and closes the database."""
        self.opinions.flush()
        self.database.close()

    # -- ordering and recording

    def pair(
        self,
        key: str,
        order: Order,
        baseline: Document[Agent],
        candidate: Document[Agent],
        *,
        origins: Mapping[str, str] | None = None,
    ) -> StoredPair:
        """The pair of a key: the one that is there, or a new one with both of its runs.

        ``origins`` names, for a side, the run whose cases it takes over. Conflict where the key stands for
        other versions, another plan or another origin.
        """
        sides, taken = {BASELINE: baseline, CANDIDATE: candidate}, origins or {}
        with self._write() as scope:
            there = pairs.by_key(scope, key)
            if there is None:
                return self._new_pair(scope, key, order, sides, taken)
            for run in (there.baseline, there.candidate):
                runs.check_same(run, order.plan, version_of(sides[run.side]), taken.get(run.side))
            return there

    def run(
        self, key: str, order: Order, manifest: Document[Agent], *, origin: str | None = None
    ) -> StoredRun:
        """The run of a key, of one version alone; as `pair`."""
        with self._write() as scope:
            there = runs.by_key(scope, key)
            if there is None:
                contents.keep_documents(scope, [*order.documents, manifest])
                id = self._new_id()
                version, now = version_of(manifest), self._now()
                runs.add(scope, id, order, version, side=CANDIDATE, now=now, key=key, origin=origin)
                return self._run(scope, id)
            runs.check_same(there, order.plan, version_of(manifest), origin)
            return there

    def missing(self, stored: StoredPair | StoredRun) -> frozenset[Key]:
        """Side, scenario and trial of every case that is not recorded yet."""
        sides = (stored.baseline, stored.candidate) if isinstance(stored, StoredPair) else (stored,)
        with self._read() as scope:
            there = cases.recorded(scope, [run.id for run in sides])
            return frozenset(
                (run.side, trial.scenario, trial.trial)
                for run in sides
                for trial in self._ordered(scope, run.id).trials
                if (run.id, trial.scenario, trial.trial) not in there
            )

    def append(self, rows: list[dict[str, Any]], shared: Collection[bytes] = ()) -> None:
        """Keeps encoded cases and the contents that they share, whole or not at all; see Recorder."""
        with self._write() as scope:
            for content in shared:
                contents.keep(scope, content)
            cases.append(scope, rows)
            runs.count(scope, {row["run"] for row in rows}, now=self._now())

    def take_over(self, source: str, target: StoredRun) -> None:
        """Keeps the cases of a run that the target's plan has, and people's decisions on them, as its own.

        What the target has already stays as it is.
        """
        with self._write() as scope:
            trials = self._ordered(scope, target.id).trials
            there = cases.recorded(scope, [target.id])
            wanted = {(trial.scenario, trial.trial) for trial in trials}
            wanted -= {(scenario, trial) for _, scenario, trial in there}
            cases.copy(scope, source, target.id, wanted)
            runs.count(scope, [target.id], now=self._now())
            for (_, scenario, trial), given in overrides.of_runs(scope, [source]).items():
                if (scenario, trial) in wanted:
                    ids = sorted(self._new_id() for _ in given)  # the last one holds, so their order must too
                    for id, override in zip(ids, given, strict=True):
                        overrides.add(scope, id, (target.id, scenario, trial), override)

    def finish(self, stored: StoredPair | StoredRun, summary: Mapping[str, Json] | None = None) -> None:
        """Marks a pair or a run as ended; ``summary`` is shown in lists."""
        with self._write() as scope:
            if isinstance(stored, StoredPair):
                pairs.finish(scope, stored.id, now=self._now(), summary=summary or {})
            else:
                runs.finish(scope, stored.id, now=self._now(), summary=summary or {})

    def mark(
        self,
        stored: StoredPair | StoredRun,
        state: str,
        *,
        owner: str | None = None,
        error: str | None = None,
    ) -> None:
        """Says where something that is not finished stands: queued, running, cancelled or failed."""
        values = {"state": state, "owner": owner, "error": error, "seen_at": self._now()}
        with self._write() as scope:
            runs.mark(scope, _table(stored), stored.id, values)

    def alive(self, stored: StoredPair | StoredRun) -> None:
        """Says that whoever runs something is still there."""
        with self._write() as scope:
            runs.mark(scope, _table(stored), stored.id, {"seen_at": self._now()})

    def unfinished(self, *, limit: int = 1_000) -> tuple[StoredPair | StoredRun, ...]:
        """What is queued or runs, as far as anybody said; oldest first."""
        with self._read() as scope:
            return find.unfinished(scope, limit)

    def override(self, run: str, scenario: str, override: Override, *, trial: int = 1) -> None:
        """Keeps a person's decision on a recorded case; NotFound for no such case or expectation."""
        with self._write() as scope:
            record = cases.one(scope, run, scenario, trial, CANDIDATE, self._contents(scope))
            effective(record.grade, [override])
            overrides.add(scope, self._new_id(), (run, scenario, trial), override)

    # -- from one store to another, and away

    def bundle(self, stored: StoredPair | StoredRun) -> bytes:
        """A pair or run alone with all that it is made of, for `take_in` of another store."""
        with self._read() as scope:
            return bundle.write(scope, stored)

    def take_in(self, data: bytes) -> tuple[StoredPair | StoredRun, bool]:
        """Keeps a bundle; what it is here, and whether anything of it is new. Raises as bundle.take_in."""
        with self._write() as scope:
            return bundle.take_in(scope, data, check=self._read_through, new_id=self._new_id, now=self._now())

    def expire(self, before: int) -> int:
        """Deletes what ended before a moment, in milliseconds since 1970; how many pairs and runs."""
        with self._write() as scope:
            return retention.expire(scope, before)

    def _read_through(self, scope: Scope, stored: StoredPair | StoredRun) -> None:
        """Reads all that is kept of something, as a comparison would."""
        if isinstance(stored, StoredPair):
            compare(load.pair(scope, stored, self._contents(scope), runs.ordered, None))
        else:
            load.single(scope, stored, self._contents(scope), runs.ordered, None)

    # -- finding and loading

    def find(self, text: str) -> StoredPair | StoredRun:
        """The pair or run whose id or key begins so; NotFound for none, Conflict for several."""
        with self._read() as scope:
            return find.one(scope, text)

    def latest_pair(self, *, apart: bool = False) -> StoredPair:
        """The newest pair that has cases; NotFound where there is none.

        ``apart``: of two versions, and not of one with itself.
        """
        after: str | None = None
        while True:
            page = self.pairs(after=after)
            for pair in page.items:
                same = pair.baseline.digest == pair.candidate.digest
                if pair.candidate.cases and not (apart and same):
                    return pair
            if page.after is None:
                raise NotFound("no_comparison", "There is no comparison yet.")
            after = page.after

    def one_pair(self, id: str) -> StoredPair:
        """The pair of an id; NotFound."""
        with self._read() as scope:
            return self._pair(scope, id)

    def some_pairs(self, ids: Collection[str]) -> Mapping[str, StoredPair]:
        """Pairs by their ids; those that are not there are left out."""
        with self._read() as scope:
            return {pair.id: pair for pair in pairs.by_ids(scope, ids)}

    def one_run(self, id: str) -> StoredRun:
        """The run of an id, alone or a side of a pair; NotFound."""
        with self._read() as scope:
            return self._run(scope, id)

    def pairs(
        self,
        *,
        limit: int = PAGE,
        after: str | None = None,
        agent: str | None = None,
        version: str | None = None,
    ) -> Page[StoredPair]:
        """The pairs, newest first; those of an agent, and of a version on any side."""
        with self._read() as scope:
            return find.pairs(scope, limit, after, agent=agent, version=version)

    def runs(
        self, *, limit: int = PAGE, after: str | None = None, alone: bool = False,
        agent: str | None = None, version: str | None = None,
    ) -> Page[StoredRun]:  # fmt: skip
        """The runs, newest first; ``alone`` those that are no side of a pair."""
        with self._read() as scope:
            return find.runs(scope, limit, after, alone=alone, agent=agent, version=version)

    def last_runs(self) -> Mapping[tuple[str, str], int]:
        """When each version was run last: by agent and version, in milliseconds since 1970."""
        with self._read() as scope:
            return find.last_runs(scope)

    def scenario_versions(self, name: str, *, limit: int = 2000) -> list[tuple[str, int, int]]:
        """Digests under which a scenario ran lately, newest first; with each when it ran first and last."""
        with self._read() as scope:
            return find.scenario_versions(scope, name, limit)

    def load_pair(self, stored: StoredPair, *, scenario: str | None = None) -> Pair:
        """Everything a comparison is made of, people's decisions included; or what one case of it is."""
        with self._read() as scope:
            return load.pair(scope, stored, self._contents(scope), self._ordered, scenario)

    def load_run(self, stored: StoredRun, *, scenario: str | None = None) -> Single:
        """Everything that one version did, people's decisions included; or what it did in one case."""
        with self._read() as scope:
            return load.single(scope, stored, self._contents(scope), self._ordered, scenario)

    def case(self, run: StoredRun, scenario: str, *, trial: int = 1) -> CaseRecord:
        """One case as it was recorded; its grade is the original one."""
        with self._read() as scope:
            return cases.one(scope, run.id, scenario, trial, run.side, self._contents(scope))

    def overrides(self, run: str) -> Mapping[tuple[str, int], tuple[Override, ...]]:
        """People's decisions on the cases of a run, by scenario and trial, oldest first."""
        with self._read() as scope:
            found = overrides.of_runs(scope, [run])
        return {(scenario, trial): decided for (_, scenario, trial), decided in found.items()}

    def trials(self, run: StoredRun) -> tuple[Trial, ...]:
        """What a run was to be, trial by trial."""
        with self._read() as scope:
            return self._ordered(scope, run.id).trials

    def document(self, digest: str) -> StoredDocument:
        """A document as it was when it was run; NotFound."""
        with self._read() as scope:
            return contents.document(scope, digest)

    # -- parts

    @contextmanager
    def _read(self) -> Iterator[Scope]:
        with self.database.read() as connection:
            yield Scope(connection, self.project)

    @contextmanager
    def _write(self) -> Iterator[Scope]:
        with self.database.write() as connection:
            yield Scope(connection, self.project)

    def _pair(self, scope: Scope, id: str) -> StoredPair:
        found = pairs.by_id(scope, id)
        if found is None:
            raise NotFound("unknown_comparison", f"There is no comparison {id!r}.")
        return found

    def _run(self, scope: Scope, id: str) -> StoredRun:
        found = runs.by_id(scope, id)
        if found is None:
            raise NotFound("unknown_run", f"There is no run {id!r}.")
        return found

    def _ordered(self, scope: Scope, id: str) -> Ordered:
        """What a run was to be, which never changes; the last ones stay at hand."""
        found = self._orders.get(id)
        if found is None:
            found = self._orders[id] = runs.ordered(scope, id)
            while len(self._orders) > ORDERS_AT_HAND:
                self._orders.popitem(last=False)
        return found

    def _new_pair(
        self,
        scope: Scope,
        key: str,
        order: Order,
        sides: Mapping[str, Document[Agent]],
        origins: Mapping[str, str],
    ) -> StoredPair:
        contents.keep_documents(scope, [*order.documents, *sides.values()])
        id, now = self._new_id(), self._now()
        pairs.add(scope, id, key, now=now)
        for side, manifest in sides.items():
            version, run, origin = version_of(manifest), self._new_id(), origins.get(side)
            runs.add(scope, run, order, version, side=side, now=now, pair=id, origin=origin)
        return self._pair(scope, id)

    def _contents(self, scope: Scope) -> cases.Contents:
        return cases.Contents(lambda digest: contents.kept(scope, digest))

    def _new_id(self) -> str:
        return new_id(self._now(), self._entropy(RANDOM_BYTES))

    def _now(self) -> int:
        return int(self._clock() * 1000)


def _table(stored: StoredPair | StoredRun) -> Table:
    return tables.pairs if isinstance(stored, StoredPair) else tables.runs


def open_at(where: Path | str) -> Store:
    """The store in a file, which is made with its folder where it is not there, or in a PostgreSQL."""
    if is_server(where):
        return Store(where)
    file = Path(where)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"The folder {file.parent} cannot be made: {error.strerror}."
        raise AgentTwinError("database_unwritable", message) from None
    return Store(file)
