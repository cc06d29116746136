"""The database: opened, brought to the present schema, and used in transactions."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, func, inspect, select
from sqlalchemy.exc import DBAPIError

from agenttwin.errors import AgentTwinError
from agenttwin.storage import _tables as tables
from agenttwin.storage._dialect import connect, spelled, translated, writing
from agenttwin.storage._migrations import STEPS, VERSION
from agenttwin.storage._values import Health


class Database:
    """One database, a file or a PostgreSQL. Any thread may read; one at a time writes.

    ``name`` is its path or address, without a password.
    """

    def __init__(self, where: str | Path) -> None:
        self._engine, self.name = connect(where)
        self._writer = writing(self._engine)
        self._writing = threading.Lock()

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one moment of the database."""
        with self._failures(), self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is kept whole or not at all."""
        with self._failures(), self._writing, self._writer.begin() as connection:
            yield connection

    def migrate(self) -> None:
        """Takes the steps of the schema that are missing, all or none."""
        with self.read() as connection:
            if _version(connection) == VERSION:
                return
        with self.write() as connection:
            version = _version(connection)
            if version > VERSION:
                known = f"its schema is {version}, this one knows {VERSION}"
                raise AgentTwinError("database_newer", f"A newer AgentTwin wrote {self.name}: {known}.")
            if version == 0:
                connection.exec_driver_sql("CREATE TABLE schema_version (version INTEGER NOT NULL)")
                connection.exec_driver_sql("INSERT INTO schema_version VALUES (0)")
            for step in STEPS[version:]:
                for statement in step:
                    connection.exec_driver_sql(spelled(connection, statement))
            connection.exec_driver_sql(f"UPDATE schema_version SET version = {VERSION}")

    def health(self) -> Health:
        """What the whole database holds, over all projects; reads all of a file."""
        with self.read() as connection:
            damage = None
            if connection.dialect.name == "sqlite":
                told = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one())
                damage = None if told == "ok" else told
            counts = {
                table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
                for table in (tables.projects, tables.pairs, tables.runs, tables.keys)
            }
            return Health(name=self.name, schema=_version(connection), damage=damage, **counts)

    def close(self) -> None:
        """Closes every connection."""
        with contextlib.suppress(DBAPIError):
            self._engine.dispose()

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise translated(error, self.name) from error
        except (ValueError, LookupError, TypeError) as error:  # a record that cannot be read
            message = f"{self.name} holds what AgentTwin did not write: {error}."
            raise AgentTwinError("database_corrupt", message) from error


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table("schema_version"):
        return 0
    return int(connection.exec_driver_sql("SELECT version FROM schema_version").scalar_one())
