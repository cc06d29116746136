"""What requests were answered with, under the key that their sender gave them (`Idempotency-Key`)."""

from __future__ import annotations

from typing import Final

import orjson

from agenttwin.errors import Conflict
from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import Answer

KEPT_MS: Final = 24 * 3_600_000
"""How long a key is remembered."""

PENDING_MS: Final = 120_000
"""After this, a request that was never answered counts as lost, and may be sent again."""


def begin(scope: Scope, actor: str, key: str, request: str, *, now: int) -> Answer | None:
    """The answer that stands under a key; None where the request is the first, and is noted.

    Conflict `key_reused` where another request stands there, `in_progress` where it is not answered yet.
    """
    table = tables.answers
    scope.execute(scope.delete(table).where(table.c.at < now - KEPT_MS))
    of_it = (table.c.actor == actor, table.c.key == key)
    row = scope.execute(scope.select(table).where(*of_it)).one_or_none()
    if row is not None and row.status is None and row.at < now - PENDING_MS:
        scope.execute(scope.delete(table).where(*of_it))
        row = None
    if row is None:
        scope.insert(
            table,
            [
                {"actor": actor, "key": key, "request": request, "at": now}
                | {"status": None, "headers": None, "body": None}
            ],
        )
        return None
    if row.request != request:
        raise Conflict("key_reused", f"The Idempotency-Key {key!r} was sent with another request.")
    if row.status is None:
        raise Conflict("in_progress", f"The request under {key!r} is still being answered.")
    return Answer(status=row.status, headers=orjson.loads(row.headers), body=bytes(row.body))


def finish(scope: Scope, actor: str, key: str, answer: Answer | None) -> None:
    """Keeps the answer; None forgets the request, which may then be sent again."""
    table = tables.answers
    of_it = (table.c.actor == actor, table.c.key == key)
    if answer is None:
        scope.execute(scope.delete(table).where(*of_it))
        return
    values = {
        "status": answer.status,
        "headers": orjson.dumps(dict(answer.headers)),
        "body": answer.body,
    }
    scope.execute(scope.update(table).where(*of_it).values(values))
