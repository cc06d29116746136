"""Looking through what is stored: lists in pages, and things by the beginning of their name."""

from __future__ import annotations

from typing import Any

import orjson
from sqlalchemy import ColumnElement, Table, func, or_, select

from agenttwin.errors import Conflict, NotFound
from agenttwin.storage import _pairs as stored_pairs
from agenttwin.storage import _runs as stored_runs
from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import Page, StoredPair, StoredRun, T


def pairs(
    scope: Scope, limit: int, after: str | None, *, agent: str | None = None, version: str | None = None
) -> Page[StoredPair]:
    """Pairs, newest first."""
    table, sides = tables.pairs, tables.runs
    query = scope.select(table).where(_before(table, after)).order_by(table.c.id.desc()).limit(limit + 1)
    if agent is not None or version is not None:
        side = select(sides.c.id).where(sides.c.project == table.c.project, sides.c.pair == table.c.id)
        query = query.where(side.where(_ran(agent, version)).exists())
    return _page(list(stored_pairs.stored(scope, scope.execute(query))), limit)


def runs(
    scope: Scope, limit: int, after: str | None, *,
    alone: bool, agent: str | None = None, version: str | None = None,
) -> Page[StoredRun]:  # fmt: skip
    """Runs, newest first."""
    table = tables.runs
    query = stored_runs.selected(scope).where(_before(table, after), _ran(agent, version))
    if alone:
        query = query.where(table.c.pair.is_(None))
    rows = scope.execute(query.order_by(table.c.id.desc()).limit(limit + 1))
    return _page(list(stored_runs.stored(rows)), limit)


def one(scope: Scope, text: str) -> StoredPair | StoredRun:
    """The pair or run whose id or key is the text, or begins with it."""
    query = scope.select(tables.pairs).where(_named(tables.pairs, text)).limit(3)
    found: list[StoredPair | StoredRun] = list(stored_pairs.stored(scope, scope.execute(query)))
    found += stored_runs.stored(
        scope.execute(stored_runs.selected(scope).where(_named(tables.runs, text)).limit(3))
    )
    exact = [item for item in found if text in (item.id, item.key)]
    matches = exact or found
    if not matches:
        raise NotFound("unknown_run", f"There is no comparison and no run {text!r}.")
    if len(matches) > 1:
        names = ", ".join(item.id for item in matches)
        raise Conflict("ambiguous_run", f"{text!r} begins the names of several: {names}.")
    return matches[0]


def unfinished(scope: Scope, limit: int) -> tuple[StoredPair | StoredRun, ...]:
    """Pairs and runs alone that somebody queued or runs, oldest first."""
    pairs, runs = tables.pairs, tables.runs
    going = ("queued", "running")
    query = scope.select(pairs).where(pairs.c.state.in_(going)).limit(limit)
    found: list[StoredPair | StoredRun] = list(stored_pairs.stored(scope, scope.execute(query)))
    query = stored_runs.selected(scope).where(runs.c.pair.is_(None), runs.c.state.in_(going)).limit(limit)
    found += stored_runs.stored(scope.execute(query))
    return tuple(sorted(found, key=lambda item: item.id))


def last_runs(scope: Scope) -> dict[tuple[str, str], int]:
    """When each version of each agent was run last, in milliseconds since 1970."""
    runs = tables.runs.c
    query = scope.select(tables.runs, runs.agent, runs.version, func.max(runs.created_at).label("at"))
    rows = scope.execute(query.group_by(runs.agent, runs.version))
    return {(str(row.agent), str(row.version)): int(row.at) for row in rows}


def scenario_versions(scope: Scope, name: str, limit: int) -> list[tuple[str, int, int]]:
    """Digests under which a scenario ran in its latest ``limit`` cases, newest first.

    With each go the first and the last time among them, in milliseconds since 1970.
    """
    cases, runs = tables.cases.c, tables.runs.c
    same = (runs.project == cases.project) & (runs.id == cases.run)
    query = scope.select(tables.cases, cases.pins, runs.created_at).join(tables.runs, same)
    rows = scope.execute(query.where(cases.scenario == name).order_by(runs.created_at.desc()).limit(limit))
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        digest = orjson.loads(row.pins)["scenario"]
        first, last = found.get(digest, (row.created_at, row.created_at))
        found[digest] = (min(first, row.created_at), max(last, row.created_at))
    return [(digest, first, last) for digest, (first, last) in found.items()]


def _ran(agent: str | None, version: str | None) -> Any:
    runs = tables.runs.c
    asked = [
        column == value
        for column, value in ((runs.agent, agent), (runs.version, version))
        if value is not None
    ]
    return asked[0] & asked[1] if len(asked) == 2 else asked[0] if asked else True


def _named(table: Table, text: str) -> ColumnElement[bool]:
    return or_(*(func.substr(name, 1, len(text)) == text for name in (table.c.id, table.c.key)))


def _before(table: Table, after: str | None) -> Any:
    return table.c.id < after if after is not None else True


def _page(found: list[T], limit: int) -> Page[T]:
    items: Any = found[:limit]
    return Page(items=tuple(items), after=items[-1].id if len(found) > limit else None)
