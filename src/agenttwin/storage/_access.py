"""Who may do what, and who did what: projects, keys, the audit log, answers to requests that come twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from agenttwin.storage import _answers as answers
from agenttwin.storage import _audit as audit
from agenttwin.storage import _keys as keys
from agenttwin.storage import _projects as projects
from agenttwin.storage._database import Database
from agenttwin.storage._ids import RANDOM_BYTES, new_id
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import Answer, Audited, Page, Project, StoredKey
from agenttwin.values import Json

PAGE = 50


class Access:
    """Projects and keys of a database; keys, audit log and answers of the project it is seen from."""

    def __init__(
        self,
        database: Database,
        project: str,
        clock: Callable[[], float],
        entropy: Callable[[int], bytes],
    ) -> None:
        self._database, self._project = database, project
        self._clock, self._entropy = clock, entropy

    # -- projects

    def projects(self) -> list[Project]:
        """All of them, by name."""
        with self._database.read() as connection:
            return projects.every(connection)

    def project(self, name: str | None = None) -> Project:
        """A project, by default the one it is seen from; NotFound."""
        with self._database.read() as connection:
            return projects.one(connection, name or self._project)

    def create_project(self, name: str, title: str = "") -> Project:
        """A new project; UsageError, Conflict where the name is taken."""
        with self._database.write() as connection:
            return projects.create(connection, name, title, now=self._now())

    def change_project(self, name: str, **values: Any) -> Project:
        """Sets `title` or `retention_days` of a project; UsageError, NotFound."""
        with self._database.write() as connection:
            return projects.change(connection, name, values)

    def delete_project(self, name: str) -> None:
        """Deletes a project with everything in it; UsageError for `default`, NotFound."""
        with self._database.write() as connection:
            projects.drop(connection, name)

    # -- keys

    def create_key(
        self, name: str, scopes: Sequence[str], *, by: str, expires_at: int | None = None
    ) -> tuple[StoredKey, str]:
        """A new key and its secret, which is told this once. UsageError for what cannot be."""
        secret = keys.PREFIX + self._entropy(keys.SECRET_BYTES).hex()
        now = self._now()
        with self._write() as scope:
            made = keys.create(
                scope, self._id(now), secret, name=name, scopes=scopes, by=by, now=now, expires_at=expires_at
            )
        return made, secret

    def verify(self, secret: str) -> StoredKey | None:
        """The key of a secret, of whatever project; None for none, one that is over, or one revoked."""
        now = self._now()
        with self._database.read() as connection:
            found = keys.of_secret(connection, secret, now=now)
        if found is not None and (found.used_at is None or found.used_at < now - keys.USED_EVERY_MS):
            with self._database.write() as connection:
                keys.used(connection, found.id, now=now)
        return found

    def every_key(self) -> list[StoredKey]:
        """The keys of the project, newest first."""
        with self._read() as scope:
            return keys.every(scope)

    def revoke(self, id: str) -> StoredKey:
        """Ends a key at once; NotFound."""
        with self._write() as scope:
            return keys.revoke(scope, id, now=self._now())

    def has_keys(self) -> bool:
        """Whether there is a key in any project, revoked ones included."""
        with self._database.read() as connection:
            return keys.exist(connection)

    # -- the audit log

    def audit(self, actor: str, action: str, target: str, detail: Mapping[str, Json] | None = None) -> None:
        """Keeps that somebody did something."""
        now = self._now()
        with self._write() as scope:
            audit.append(
                scope,
                self._id(now),
                at=now,
                actor=actor,
                action=action,
                target=target,
                detail=detail or {},
            )

    def audited(self, *, limit: int = PAGE, after: str | None = None) -> Page[Audited]:
        """What was done, newest first."""
        with self._read() as scope:
            return audit.page(scope, limit, after)

    # -- requests that come twice

    def begin(self, actor: str, key: str, request: str) -> Answer | None:
        """What a request was answered before; None for the first time. Conflict as of `answers.begin`."""
        with self._write() as scope:
            return answers.begin(scope, actor, key, request, now=self._now())

    def answered(self, actor: str, key: str, answer: Answer | None) -> None:
        """Keeps the answer to a request; None forgets the request."""
        with self._write() as scope:
            answers.finish(scope, actor, key, answer)

    # -- parts

    @contextmanager
    def _read(self) -> Iterator[Scope]:
        with self._database.read() as connection:
            yield Scope(connection, self._project)

    @contextmanager
    def _write(self) -> Iterator[Scope]:
        with self._database.write() as connection:
            yield Scope(connection, self._project)

    def _id(self, now: int) -> str:
        return new_id(now, self._entropy(RANDOM_BYTES))

    def _now(self) -> int:
        return int(self._clock() * 1000)
