"""Letting go of what is older than a project wants to keep, and of whatever nothing else is made of."""

from __future__ import annotations

from sqlalchemy import Table, or_, select

from agenttwin.storage import _tables as tables
from agenttwin.storage._bundle import pinned
from agenttwin.storage._scope import Scope


def expire(scope: Scope, before: int) -> int:
    """Deletes pairs and runs alone that ended, or were last heard of, before a moment; how many."""
    gone = 0
    for table in (tables.pairs, tables.runs):
        ended = or_(
            table.c.finished_at < before,
            table.c.finished_at.is_(None)
            & (table.c.created_at < before)
            & or_(table.c.seen_at.is_(None), table.c.seen_at < before),
        )
        alone = table.c.pair.is_(None) if table is tables.runs else table.c.id.is_not(None)
        gone += scope.execute(scope.delete(table).where(ended, alone)).rowcount
    if gone:
        _sweep(scope)
    return gone


def _sweep(scope: Scope) -> None:
    """Deletes documents and contents that no run is made of any more."""
    runs, cases = tables.runs, tables.cases
    used = [
        select(column).where(table.c.project == scope.project, column.is_not(None))
        for table, column in (
            (runs, runs.c.plan),
            (runs, runs.c.infos),
            (cases, cases.c.base),
            (cases, cases.c.setup),
        )
    ]
    table = tables.contents
    scope.execute(scope.delete(table).where(*(table.c.digest.not_in(query) for query in used)))
    kept = set(scope.execute(scope.select(runs, runs.c.digest).distinct()).scalars())
    plans = scope.select(table, table.c.content).where(table.c.digest.in_(used[0]))
    for plan in scope.execute(plans).scalars():
        kept |= pinned(bytes(plan))
    _delete_others(scope, tables.documents, kept)


def _delete_others(scope: Scope, table: Table, kept: set[str]) -> None:
    there = set(scope.execute(scope.select(table, table.c.digest)).scalars())
    for digest in there - kept:
        scope.execute(scope.delete(table).where(table.c.digest == digest))
