"""A consumer of the engine's events: records become bytes at once, and bytes go to the store in batches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from agenttwin.errors import AgentTwinError
from agenttwin.run import CaseFinished, CaseRecord, RunEvent
from agenttwin.storage._cases import to_row
from agenttwin.storage._state import setup_of
from agenttwin.storage._store import Store
from agenttwin.values import Json, Tree, digest_bytes, encode

BATCH: Final = 256
"""Cases in one transaction: what a transaction costs is hidden, and memory stays small."""

BATCH_SECONDS: Final = 0.5
"""How old a record may get before it is written; what a crash can cost."""


Kept: TypeAlias = Callable[[Sequence[CaseRecord]], None]
"""Hears of records that are in the store; raises nothing."""


class Recorder:
    """Keeps the cases of runs, by side. In a `with`, what is left is written at its end, whatever ends it.

    ``kept`` hears of each case once it is in the store: whoever tells others tells them what a crash
    cannot take back.
    """

    def __init__(self, store: Store, runs: Mapping[str, str], *, kept: Kept | None = None) -> None:
        self._store = store
        self._runs = runs
        self._kept = kept
        self._records: list[CaseRecord] = []
        self._rows: list[dict[str, Any]] = []
        self._shared: list[bytes] = []
        self._known: set[str] = set()
        self._bases: dict[int, tuple[Json, str]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()

    async def through(self, events: AsyncIterator[RunEvent]) -> AsyncIterator[RunEvent]:
        """Hands every event on once its record is taken; what is taken is kept within ``BATCH_SECONDS``."""
        loop = asyncio.get_running_loop()
        async for event in events:
            if isinstance(event, CaseFinished):
                self.add(event.record)
                if self._rows and self._timer is None:
                    self._timer = loop.call_later(BATCH_SECONDS, self._flush_later)
            yield event

    def add(self, record: CaseRecord) -> None:
        """Takes a record; writes the batch where it is full."""
        base, setup = self._state(record.transcript.before)
        if self._kept is not None:
            self._records.append(record)
        self._rows.append(to_row(self._runs[record.side], record, base, setup))
        if len(self._rows) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Writes what was taken; when this returns, it is kept. What could not be written stays taken."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._store.append(self._rows, self._shared)
        self._store.opinions.flush()
        self._rows, self._shared = [], []
        records, self._records = self._records, []
        if self._kept is not None and records:
            self._kept(records)

    def _flush_later(self) -> None:
        """From the loop, where nobody would see a failure: the next flush meets it again."""
        with contextlib.suppress(AgentTwinError):
            self.flush()

    def _state(self, before: Tree | None) -> tuple[str | None, str | None]:
        """The digests of the base of a state and of what it has beyond it."""
        if before is None:
            return None, None
        setup = setup_of(before)
        return self._base(before.base), self._share(setup) if setup is not None else None

    def _base(self, base: Json) -> str:
        """Works out a base once for all cases that share it."""
        known = self._bases.get(id(base))
        if known is None:
            known = self._bases[id(base)] = base, self._share(encode(base))
        return known[1]

    def _share(self, content: bytes) -> str:
        digest = digest_bytes(content)
        if digest not in self._known:
            self._known.add(digest)
            self._shared.append(content)
        return digest
