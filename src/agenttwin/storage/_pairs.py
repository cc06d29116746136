"""Pairs: two runs under one plan, found again by their key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson
from sqlalchemy import Connection, Row, insert, select, update

from agenttwin.storage import _runs as runs
from agenttwin.storage import _tables as tables
from agenttwin.storage._values import BASELINE, CANDIDATE, StoredPair, StoredRun


def add(connection: Connection, id: str, key: str, *, now: int) -> None:
    """Keeps a pair; its runs come after it."""
    connection.execute(insert(tables.pairs), {"id": id, "key": key, "created_at": now})


def by_key(connection: Connection, key: str) -> StoredPair | None:
    """The pair of a key."""
    return next(stored(connection, connection.execute(select(tables.pairs).filter_by(key=key))), None)


def one(connection: Connection, id: str) -> StoredPair:
    """The pair of an id, which is there."""
    return next(stored(connection, connection.execute(select(tables.pairs).filter_by(id=id))))


def stored(connection: Connection, rows: Iterable[Row[Any]]) -> Iterator[StoredPair]:
    """Rows of pairs as values."""
    rows = list(rows)
    query = runs.selected().where(tables.runs.c.pair.in_([row.id for row in rows]))
    sides: dict[tuple[str | None, str], StoredRun] = {
        (run.pair, run.side): run for run in runs.stored(connection, connection.execute(query))
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
        )


def finish(connection: Connection, id: str, *, now: int, summary: Mapping[str, Any]) -> None:
    """Marks a pair and its runs as ended."""
    values = {"finished_at": now, "summary": orjson.dumps(dict(summary))}
    connection.execute(update(tables.pairs).filter_by(id=id).values(values))
    connection.execute(update(tables.runs).filter_by(pair=id).values(finished_at=now))
