"""Looking through what is stored: lists in pages, and things by the beginning of their name."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, or_, select

from agenttwin.errors import Conflict, NotFound
from agenttwin.storage import _pairs as stored_pairs
from agenttwin.storage import _runs as stored_runs
from agenttwin.storage import _tables as tables
from agenttwin.storage._values import Page, StoredPair, StoredRun, T


def pairs(connection: Connection, limit: int, after: str | None) -> Page[StoredPair]:
    """Pairs, newest first."""
    table = tables.pairs
    query = select(table).where(_before(table, after)).order_by(table.c.id.desc()).limit(limit + 1)
    found = list(stored_pairs.stored(connection, connection.execute(query)))
    return _page(found, limit)


def runs(connection: Connection, limit: int, after: str | None, *, alone: bool) -> Page[StoredRun]:
    """Runs, newest first."""
    table = tables.runs
    query = stored_runs.selected().where(_before(table, after))
    if alone:
        query = query.where(table.c.pair.is_(None))
    rows = connection.execute(query.order_by(table.c.id.desc()).limit(limit + 1))
    return _page(list(stored_runs.stored(connection, rows)), limit)


def one(connection: Connection, text: str) -> StoredPair | StoredRun:
    """The pair or run whose id or key is the text, or begins with it."""
    query = select(tables.pairs).where(_named(tables.pairs, text)).limit(3)
    found: list[StoredPair | StoredRun] = list(stored_pairs.stored(connection, connection.execute(query)))
    rows = connection.execute(stored_runs.selected().where(_named(tables.runs, text)).limit(3))
    found += stored_runs.stored(connection, rows)
    exact = [item for item in found if text in (item.id, item.key)]
    matches = exact or found
    if not matches:
        raise NotFound("unknown_run", f"There is no comparison and no run {text!r}.")
    if len(matches) > 1:
        names = ", ".join(item.id for item in matches)
        raise Conflict("ambiguous_run", f"{text!r} begins the names of several: {names}.")
    return matches[0]


def _named(table: Table, text: str) -> ColumnElement[bool]:
    start = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return or_(table.c.id.like(start, escape="\\"), table.c.key.like(start, escape="\\"))


def _before(table: Table, after: str | None) -> Any:
    return table.c.id < after if after is not None else True


def _page(found: list[T], limit: int) -> Page[T]:
    items: Any = found[:limit]
    return Page(items=tuple(items), after=items[-1].id if len(found) > limit else None)
