"""Everything that depends on which database it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, Insert, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from agenttwin.errors import AgentTwinError, UsageError

BUSY_SECONDS: Final = 10.0
"""How long a transaction waits for another process that writes."""

POOL: Final = 5
MOST: Final = 15
"""Connections to a PostgreSQL that are kept, and that are open at a time."""

WRITES: Final = "agenttwin_writes"
"""The execution option of a transaction that takes the write lock when it begins, not half-way."""

PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}",
)

LOCK: Final = int.from_bytes(hashlib.sha256(b"agenttwin").digest()[:7], "big")
"""Whoever writes to a PostgreSQL holds this lock until the transaction ends, as SQLite has one writer."""

SCHEMES: Final = ("postgresql", "postgresql+psycopg", "postgres")

_SPELLINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "sqlite": {"{bytes}": "BLOB"},
    # Texts in the order of their characters, as SQLite has them, whatever the language of the database.
    "postgresql": {"{bytes}": "BYTEA", " TEXT": ' TEXT COLLATE "C"'},
}
"""What the steps of the schema say otherwise."""

_SQLITE: Final[Mapping[str, str]] = {
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

_POSTGRESQL: Final[Mapping[str, str]] = {
    "08": "database_unreachable",
    "28": "database_unreachable",
    "3D000": "database_unreachable",
    "57P": "database_unreachable",
    "53300": "database_unreachable",
    "53": "disk_full",
    "55P03": "database_locked",
    "40": "database_locked",
    "25006": "database_unwritable",
    "42501": "database_unwritable",
    "42": "database_corrupt",
    "58": "database_unreadable",
    "XX": "database_unreadable",
}
"""The same for the states of PostgreSQL."""

_MESSAGES: Final[Mapping[str, str]] = {
    "database_locked": "Another process holds the database {name} and did not let go of it.",
    "disk_full": "There is no room left to write to {name}.",
    "database_corrupt": "{name} is no database of AgentTwin, or it is damaged.",
    "database_unwritable": "The database {name} cannot be written to.",
    "database_unreadable": "Reading or writing {name} failed.",
    "database_unreachable": "The database {name} cannot be reached.",
}


def is_server(where: str | Path) -> bool:
    """Whether a text names a database of a server, and no file."""
    return isinstance(where, str) and where.partition("://")[0] in SCHEMES and "://" in where


def connect(where: str | Path) -> tuple[Engine, str]:
    """An engine on a file, made where it is not there, or on a PostgreSQL; and its name for messages.

    UsageError for an address that is none, AgentTwinError where the driver is not installed.
    """
    return _server(str(where)) if is_server(where) else (_file(Path(where)), str(where))


def _file(path: Path) -> Engine:
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


def _server(where: str) -> tuple[Engine, str]:
    try:
        url = make_url(where).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        # Not repeated: it may hold a password.
        raise UsageError("invalid_database", "The address of the database is none.") from None
    try:
        engine = create_engine(
            url,
            pool_size=POOL,
            max_overflow=MOST - POOL,
            pool_pre_ping=True,
            isolation_level="REPEATABLE READ",
            connect_args={"connect_timeout": int(BUSY_SECONDS), "application_name": "agenttwin"},
        )
    except ImportError:
        raise AgentTwinError(
            "missing_extra",
            "PostgreSQL needs psycopg, which is not installed.",
            remedy="pip install 'agenttwin[postgres]'",
        ) from None

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get(WRITES):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{int(BUSY_SECONDS)}s'")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")

    return engine, url.set(drivername="postgresql").render_as_string(hide_password=True)


def writing(engine: Engine) -> Engine:
    """The engine for transactions that write: what was committed before they got the lock is seen."""
    if engine.dialect.name == "postgresql":
        return engine.execution_options(isolation_level="READ COMMITTED", **{WRITES: True})
    return engine.execution_options(**{WRITES: True})


def spelled(connection: Connection, statement: str) -> str:
    """A step of the schema as this database wants it."""
    for ours, theirs in _SPELLINGS[connection.dialect.name].items():
        statement = statement.replace(ours, theirs)
    return statement


def insert_new(connection: Connection, table: Table) -> Insert:
    """An INSERT that leaves what is already there."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def translated(error: DBAPIError, name: str) -> Exception:
    """The failure as one of ours, where it is no mistake of ours."""
    code = _code_of(error)
    return error if code is None else AgentTwinError(code, _MESSAGES[code].format(name=name))


def _code_of(error: DBAPIError) -> str | None:
    if said := str(getattr(error.orig, "sqlite_errorname", "")):
        return next((code for start, code in _SQLITE.items() if said.startswith(start)), None)
    if error.orig is not None and hasattr(error.orig, "sqlstate"):
        state = error.orig.sqlstate
        if state is None:  # nobody answered who could have given one
            return "database_unreachable" if isinstance(error, OperationalError) else None
        return next((code for start, code in _POSTGRESQL.items() if state.startswith(start)), None)
    return None
