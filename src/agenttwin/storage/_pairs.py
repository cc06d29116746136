"""Pairs: two runs under one plan, found again by their key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson
from sqlalchemy import Row

from agenttwin.storage import _runs as runs
from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import BASELINE, CANDIDATE, StoredPair, StoredRun


def add(scope: Scope, id: str, key: str, *, now: int) -> None:
    """Keeps a pair; its runs come after it."""
    scope.insert(tables.pairs, [{"id": id, "key": key, "created_at": now}])


def by_key(scope: Scope, key: str) -> StoredPair | None:
    """The pair of a key."""
    return next(stored(scope, scope.execute(scope.select(tables.pairs).filter_by(key=key))), None)


def by_id(scope: Scope, id: str) -> StoredPair | None:
    """The pair of an id."""
    return next(stored(scope, scope.execute(scope.select(tables.pairs).filter_by(id=id))), None)


def by_ids(scope: Scope, ids: Iterable[str]) -> list[StoredPair]:
    """The pairs of these ids that are there."""
    table = tables.pairs
    return list(stored(scope, scope.execute(scope.select(table).where(table.c.id.in_(list(ids))))))


def stored(scope: Scope, rows: Iterable[Row[Any]]) -> Iterator[StoredPair]:
    """Rows of pairs as values."""
    rows = list(rows)
    query = runs.selected(scope).where(tables.runs.c.pair.in_([row.id for row in rows]))
    sides: dict[tuple[str | None, str], StoredRun] = {
        (run.pair, run.side): run for run in runs.stored(scope.execute(query))
    }
    for row in rows:
        yield StoredPair(
            id=row.id,
            key=row.key,
            baseline=sides[row.id, BASELINE],
            candidate=sides[row.id, CANDIDATE],
            created_at=row.created_at,
            finished_at=row.finished_at,
            summary=orjson.loads(row.summary) if row.summary is not None else {},
            progress=runs.progress(row),
        )


def finish(scope: Scope, id: str, *, now: int, summary: Mapping[str, Any]) -> None:
    """Marks a pair and its runs as ended."""
    pairs, sides = tables.pairs, tables.runs
    values = {"finished_at": now, "summary": orjson.dumps(dict(summary)), "state": None, "error": None}
    scope.execute(scope.update(pairs).where(pairs.c.id == id).values(values))
    scope.execute(scope.update(sides).where(sides.c.pair == id).values(finished_at=now))
