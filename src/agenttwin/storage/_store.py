"""The store: everything that was run, kept so that whatever is shown or decided can be worked out again."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from agenttwin.compare import Pair, Single
from agenttwin.document import Document
from agenttwin.errors import AgentTwinError, NotFound
from agenttwin.review import Override, effective
from agenttwin.run import CaseRecord
from agenttwin.scenario import Agent, Trial
from agenttwin.storage import _cases as cases
from agenttwin.storage import _contents as contents
from agenttwin.storage import _find as find
from agenttwin.storage import _load as load
from agenttwin.storage import _overrides as overrides
from agenttwin.storage import _pairs as pairs
from agenttwin.storage import _runs as runs
from agenttwin.storage._database import Database
from agenttwin.storage._ids import RANDOM_BYTES, new_id
from agenttwin.storage._opinions import Opinions
from agenttwin.storage._order import Order, version_of
from agenttwin.storage._values import BASELINE, CANDIDATE, Key, Page, StoredDocument, StoredPair, StoredRun
from agenttwin.values import Json

PAGE: Final = 50


class Store:
    """One database file, open. Any thread may use it; to be closed, or used in a `with`.

    ``clock`` gives seconds since 1970 and ``entropy`` random bytes, for times and ids. Every method is one
    transaction; AgentTwinError where the database is locked, full, damaged or cannot be written to.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self.database = Database(path)
        self.opinions = Opinions(self.database)
        self._clock = clock
        self._entropy = entropy
        try:
            self.database.migrate()
        except BaseException:
            self.database.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Writes what is still in memory and closes the file."""
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
        with self.database.write() as connection:
            there = pairs.by_key(connection, key)
            if there is None:
                return self._new_pair(connection, key, order, sides, taken)
            for run in (there.baseline, there.candidate):
                runs.check_same(run, order.plan, version_of(sides[run.side]), taken.get(run.side))
            return there

    def run(
        self, key: str, order: Order, manifest: Document[Agent], *, origin: str | None = None
    ) -> StoredRun:
        """The run of a key, of one version alone; as `pair`."""
        with self.database.write() as connection:
            there = runs.by_key(connection, key)
            if there is None:
                contents.keep_documents(connection, [*order.documents, manifest])
                id = self._new_id()
                version, now = version_of(manifest), self._now()
                runs.add(connection, id, order, version, side=CANDIDATE, now=now, key=key, origin=origin)
                return runs.one(connection, id)
            runs.check_same(there, order.plan, version_of(manifest), origin)
            return there

    def missing(self, stored: StoredPair | StoredRun) -> frozenset[Key]:
        """Side, scenario and trial of every case that is not recorded yet."""
        sides = (stored.baseline, stored.candidate) if isinstance(stored, StoredPair) else (stored,)
        with self.database.read() as connection:
            there = cases.recorded(connection, [run.id for run in sides])
            return frozenset(
                (run.side, trial.scenario, trial.trial)
                for run in sides
                for trial in runs.ordered(connection, run.id).trials
                if (run.id, trial.scenario, trial.trial) not in there
            )

    def append(self, rows: list[dict[str, Any]], shared: Collection[bytes] = ()) -> None:
        """Keeps encoded cases and the contents that they share, whole or not at all; see Recorder."""
        with self.database.write() as connection:
            for content in shared:
                contents.keep(connection, content)
            cases.append(connection, rows)

    def take_over(self, source: str, target: StoredRun) -> None:
        """Keeps the cases of a run that the target's plan has, and people's decisions on them, as its own.

        What the target has already stays as it is.
        """
        with self.database.write() as connection:
            trials = runs.ordered(connection, target.id).trials
            there = cases.recorded(connection, [target.id])
            wanted = {(trial.scenario, trial.trial) for trial in trials}
            wanted -= {(scenario, trial) for _, scenario, trial in there}
            cases.copy(connection, source, target.id, wanted)
            for (_, scenario, trial), given in overrides.of_runs(connection, [source]).items():
                if (scenario, trial) in wanted:
                    ids = sorted(self._new_id() for _ in given)  # the last one holds, so their order must too
                    for id, override in zip(ids, given, strict=True):
                        overrides.add(connection, id, (target.id, scenario, trial), override)

    def finish(self, stored: StoredPair | StoredRun, summary: Mapping[str, Json] | None = None) -> None:
        """Marks a pair or a run as ended; ``summary`` is shown in lists."""
        with self.database.write() as connection:
            if isinstance(stored, StoredPair):
                pairs.finish(connection, stored.id, now=self._now(), summary=summary or {})
            else:
                runs.finish(connection, stored.id, now=self._now(), summary=summary or {})

    def override(self, run: str, scenario: str, override: Override, *, trial: int = 1) -> None:
        """Keeps a person's decision on a recorded case; NotFound for no such case or expectation."""
        with self.database.write() as connection:
            record = cases.one(connection, run, scenario, trial, CANDIDATE, self._contents(connection))
            effective(record.grade, [override])
            overrides.add(connection, self._new_id(), (run, scenario, trial), override)

    # -- finding and loading

    def find(self, text: str) -> StoredPair | StoredRun:
        """The pair or run whose id or key begins so; NotFound for none, Conflict for several."""
        with self.database.read() as connection:
            return find.one(connection, text)

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

    def pairs(self, *, limit: int = PAGE, after: str | None = None) -> Page[StoredPair]:
        """The pairs, newest first."""
        with self.database.read() as connection:
            return find.pairs(connection, limit, after)

    def runs(self, *, limit: int = PAGE, after: str | None = None, alone: bool = False) -> Page[StoredRun]:
        """The runs, newest first; ``alone`` those that are no side of a pair."""
        with self.database.read() as connection:
            return find.runs(connection, limit, after, alone=alone)

    def load_pair(self, stored: StoredPair) -> Pair:
        """Everything a comparison is made of, people's decisions included."""
        with self.database.read() as connection:
            return load.pair(connection, stored, self._contents(connection))

    def load_run(self, stored: StoredRun) -> Single:
        """Everything that one version did, people's decisions included."""
        with self.database.read() as connection:
            return load.single(connection, stored, self._contents(connection))

    def case(self, run: StoredRun, scenario: str, *, trial: int = 1) -> CaseRecord:
        """One case as it was recorded; its grade is the original one."""
        with self.database.read() as connection:
            return cases.one(connection, run.id, scenario, trial, run.side, self._contents(connection))

    def overrides(self, run: str) -> Mapping[tuple[str, int], tuple[Override, ...]]:
        """People's decisions on the cases of a run, by scenario and trial, oldest first."""
        with self.database.read() as connection:
            found = overrides.of_runs(connection, [run])
        return {(scenario, trial): decided for (_, scenario, trial), decided in found.items()}

    def trials(self, run: StoredRun) -> tuple[Trial, ...]:
        """What a run was to be, trial by trial."""
        with self.database.read() as connection:
            return runs.ordered(connection, run.id).trials

    def document(self, digest: str) -> StoredDocument:
        """A document as it was when it was run; NotFound."""
        with self.database.read() as connection:
            return contents.document(connection, digest)

    # -- parts

    def _new_pair(
        self,
        connection: Connection,
        key: str,
        order: Order,
        sides: Mapping[str, Document[Agent]],
        origins: Mapping[str, str],
    ) -> StoredPair:
        contents.keep_documents(connection, [*order.documents, *sides.values()])
        id, now = self._new_id(), self._now()
        pairs.add(connection, id, key, now=now)
        for side, manifest in sides.items():
            version, run, origin = version_of(manifest), self._new_id(), origins.get(side)
            runs.add(connection, run, order, version, side=side, now=now, pair=id, origin=origin)
        return pairs.one(connection, id)

    def _contents(self, connection: Connection) -> cases.Contents:
        return cases.Contents(lambda digest: contents.kept(connection, digest))

    def _new_id(self) -> str:
        return new_id(self._now(), self._entropy(RANDOM_BYTES))

    def _now(self) -> int:
        return int(self._clock() * 1000)


def open_file(path: Path | str) -> Store:
    """The store in a file, which is made with its folder where it is not there."""
    file = Path(path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"The folder {file.parent} cannot be made: {error.strerror}."
        raise AgentTwinError("database_unwritable", message) from None
    return Store(file)
