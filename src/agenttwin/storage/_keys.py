"""API keys: a secret shown once, of which only a hash is kept."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Row, select, update

from agenttwin.errors import NotFound, UsageError
from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import StoredKey

SCOPES: Final = ("read", "write", "run", "admin", "owner")
"""What a key may: look; push runs and override; start and cancel runs; settings and keys of its project;
projects, and all that is in them."""

PREFIX: Final = "atk_"
SECRET_BYTES: Final = 32
HINT: Final = len(PREFIX) + 4
MAX_NAME: Final = 100
MAX_KEYS: Final = 1_000
USED_EVERY_MS: Final = 60_000
"""How often the time of a key's last use is written."""


def create(
    scope: Scope, id: str, secret: str, *,
    name: str, scopes: Sequence[str], by: str, now: int, expires_at: int | None,
) -> StoredKey:  # fmt: skip
    """Keeps a key of a secret; UsageError for scopes that are none, an end that is past, too many keys."""
    unknown = [word for word in scopes if word not in SCOPES]
    if unknown or not scopes:
        message = f"A key is for some of {', '.join(SCOPES)}" + (f", not {unknown[0]!r}." if unknown else ".")
        raise UsageError("invalid_scope", message)
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise UsageError("invalid_name", f"A key has a name of one line, at most {MAX_NAME} characters.")
    if expires_at is not None and expires_at <= now:
        raise UsageError("invalid_expiry", "A key ends in the future, or never.")
    if len(every(scope)) >= MAX_KEYS:
        raise UsageError("too_many_keys", f"A project has at most {MAX_KEYS:,} keys, revoked ones included.")
    row = {
        "id": id,
        "name": name,
        "hash": digest(secret),
        "hint": secret[:HINT],
        "scopes": " ".join(word for word in SCOPES if word in scopes),
        "created_at": now,
        "created_by": by,
        "expires_at": expires_at,
        "revoked_at": None,
        "used_at": None,
    }
    scope.insert(tables.keys, [row])
    return one(scope, id)


def digest(secret: str) -> str:
    """What is kept of a secret; it has 256 bits of chance, so nothing slower is needed."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def of_secret(connection: Connection, secret: str, *, now: int) -> StoredKey | None:
    """The key of a secret, of whatever project, where it holds at the moment."""
    wanted = digest(secret)
    row = connection.execute(select(tables.keys).filter_by(hash=wanted)).one_or_none()
    if row is None or not hmac.compare_digest(row.hash, wanted):
        return None
    if row.revoked_at is not None or (row.expires_at is not None and row.expires_at <= now):
        return None
    return _key(row)


def used(connection: Connection, id: str, *, now: int) -> None:
    """Notes that a key was used."""
    connection.execute(update(tables.keys).where(tables.keys.c.id == id).values(used_at=now))


def every(scope: Scope) -> list[StoredKey]:
    """The keys of the project, newest first."""
    return [_key(row) for row in scope.execute(scope.select(tables.keys).order_by(tables.keys.c.id.desc()))]


def one(scope: Scope, id: str) -> StoredKey:
    """A key of the project; NotFound."""
    row = scope.execute(scope.select(tables.keys).where(tables.keys.c.id == id)).one_or_none()
    if row is None:
        raise NotFound("unknown_key", f"There is no key {id!r}.")
    return _key(row)


def revoke(scope: Scope, id: str, *, now: int) -> StoredKey:
    """Ends a key at once; one that was revoked stays as it is. NotFound."""
    there = one(scope, id)
    if there.revoked_at is None:
        scope.execute(scope.update(tables.keys).where(tables.keys.c.id == id).values(revoked_at=now))
    return one(scope, id)


def exist(connection: Connection) -> bool:
    """Whether there is a key anywhere: from then on everybody needs one."""
    return connection.execute(select(tables.keys.c.id).limit(1)).first() is not None


def _key(row: Row[Any]) -> StoredKey:
    return StoredKey(
        id=row.id,
        project=row.project,
        name=row.name,
        hint=row.hint,
        scopes=tuple(row.scopes.split()),
        created_at=row.created_at,
        created_by=row.created_by,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        used_at=row.used_at,
    )
