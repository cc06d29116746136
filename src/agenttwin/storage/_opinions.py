"""Opinions: kept under the question's digest and the judge's identity."""

from __future__ import annotations

import threading

from agenttwin.evaluate import JudgeIdentity, Opinion
from agenttwin.storage import _tables as tables
from agenttwin.storage._database import Database
from agenttwin.storage._scope import Scope
from agenttwin.storage._shape import read, write
from agenttwin.values import digest_bytes


class Opinions:
    """The store as a cache of opinions (run.OpinionCache), for any thread; what is new comes in batches."""

    def __init__(self, database: Database, project: str) -> None:
        self._database = database
        self._project = project
        self._lock = threading.Lock()
        self._fresh: dict[tuple[str, str], Opinion] = {}

    def get(self, question: str, judge: JudgeIdentity) -> Opinion | None:
        """The opinion of a judge on a question, where it was asked before."""
        name = _name(judge)
        with self._lock:
            fresh = self._fresh.get((question, name))
        return fresh or self._stored(question, name)

    def put(self, question: str, opinion: Opinion) -> None:
        """Keeps an opinion, in memory until the next `flush`."""
        with self._lock:
            self._fresh[question, _name(opinion.judge)] = opinion

    def flush(self) -> None:
        """Writes what is new; where there is an opinion already, that one stays."""
        with self._lock:
            fresh, self._fresh = self._fresh, {}
        rows = [
            {"question": question, "judge": judge, "content": write(opinion)}
            for (question, judge), opinion in fresh.items()
        ]
        if rows:
            with self._database.write() as connection:
                Scope(connection, self._project).insert_new(tables.opinions, rows)

    def _stored(self, question: str, judge: str) -> Opinion | None:
        table = tables.opinions
        with self._database.read() as connection:
            scope = Scope(connection, self._project)
            query = scope.select(table, table.c.content)
            query = query.where(table.c.question == question, table.c.judge == judge)
            content = scope.execute(query).scalar_one_or_none()
        return read(Opinion, content) if content is not None else None


def _name(judge: JudgeIdentity) -> str:
    """One word for all that tells two judges apart."""
    return digest_bytes(write(judge))
