"""The audit log: who did what, kept for as long as the project is."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import Audited, Page
from agenttwin.values import Json


def append(
    scope: Scope, id: str, *, at: int, actor: str, action: str, target: str, detail: Mapping[str, Json]
) -> None:
    """Keeps that somebody did something."""
    row = {
        "id": id,
        "at": at,
        "actor": actor,
        "action": action,
        "target": target,
        "detail": orjson.dumps(dict(detail)),
    }
    scope.insert(tables.audit, [row])


def page(scope: Scope, limit: int, after: str | None) -> Page[Audited]:
    """What was done, newest first."""
    table = tables.audit
    query = scope.select(table).order_by(table.c.id.desc()).limit(limit + 1)
    if after is not None:
        query = query.where(table.c.id < after)
    found = [
        Audited(
            id=row.id,
            at=row.at,
            actor=row.actor,
            action=row.action,
            target=row.target,
            detail=orjson.loads(row.detail),
        )
        for row in scope.execute(query)
    ]
    return Page(items=tuple(found[:limit]), after=found[limit - 1].id if len(found) > limit else None)
