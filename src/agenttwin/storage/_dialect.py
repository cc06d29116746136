"""Everything that depends on which database it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, Executable, Table, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError

from agenttwin.errors import AgentTwinError

BUSY_SECONDS: Final = 10.0
"""How long a transaction waits for another process that writes."""

WRITES: Final = "agenttwin_writes"
"""The execution option of a transaction that takes the write lock when it begins, not half-way."""

BYTES: Final = "BLOB"
"""The type of bytes in the steps of the schema."""

PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}",
)

_FAILURES: Final[Mapping[str, str]] = {
    "SQLITE_BUSY": "database_locked",
    "SQLITE_LOCKED": "database_locked",
    "SQLITE_FULL": "disk_full",
    "SQLITE_CORRUPT": "database_corrupt",
    "SQLITE_ERROR": "database_corrupt",
    "SQLITE_NOTADB": "database_corrupt",
    "SQLITE_READONLY": "database_unwritable",
    "SQLITE_CANTOPEN": "database_unwritable",
    "SQLITE_PERM": "database_unwritable",
    "SQLITE_IOERR": "database_unreadable",
}
"""SQLite's name of a failure, or what it begins with, and our code."""

_MESSAGES: Final[Mapping[str, str]] = {
    "database_locked": "Another process holds the database {path} and did not let go of it.",
    "disk_full": "There is no room left to write to {path}.",
    "database_corrupt": "{path} is no database of AgentTwin, or it is damaged.",
    "database_unwritable": "The database {path} cannot be written to.",
    "database_unreadable": "Reading or writing {path} failed.",
}


def connect(path: Path) -> Engine:
    """An engine on a file, which is made where it is not there."""
    engine = create_engine(URL.create("sqlite", database=str(path)), pool_size=5, max_overflow=-1)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        # Transactions begin where `begin` says, and not where the driver guesses.
        connection.isolation_level = None
        try:
            for pragma in PRAGMAS:
                connection.execute(pragma)
        except BaseException:
            connection.close()  # nobody else knows of it yet
            raise

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def insert_new(table: Table) -> Executable:
    """An INSERT that leaves what is already there."""
    return sqlite.insert(table).on_conflict_do_nothing()


def translated(error: DBAPIError, path: Path) -> Exception:
    """The failure as one of ours, where it is no mistake of ours."""
    name = str(getattr(error.orig, "sqlite_errorname", ""))
    code = next((code for start, code in _FAILURES.items() if name.startswith(start)), None)
    if code is None:
        return error
    return AgentTwinError(code, _MESSAGES[code].format(path=path))
