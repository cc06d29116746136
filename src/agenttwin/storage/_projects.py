"""Projects: what everything else belongs to."""

from __future__ import annotations

import re
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, insert, select, update

from agenttwin.errors import Conflict, NotFound, UsageError
from agenttwin.storage import DEFAULT
from agenttwin.storage import _tables as tables
from agenttwin.storage._values import Project

NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
MAX_TITLE: Final = 200
MAX_RETENTION_DAYS: Final = 36_500


def create(connection: Connection, name: str, title: str, *, now: int) -> Project:
    """A new project; UsageError for a name that cannot be, Conflict where it is taken."""
    if not NAME.fullmatch(name):
        message = f"{name!r} is no name of a project: 1 to 63 of a to z, 0 to 9, - and _, no sign first."
        raise UsageError("invalid_name", message)
    check_title(title)
    row = {"name": name, "title": title, "retention_days": None, "created_at": now}
    if connection.execute(select(tables.projects).filter_by(name=name)).first() is not None:
        raise Conflict("project_exists", f"There is a project {name!r} already.")
    connection.execute(insert(tables.projects), row)
    return one(connection, name)


def check_title(title: str) -> None:
    """UsageError for a title that is too long or no line."""
    if len(title) > MAX_TITLE or not title.isprintable():
        message = f"A title is one line of at most {MAX_TITLE} characters."
        raise UsageError("invalid_title", message)


def every(connection: Connection) -> list[Project]:
    """All of them, by name."""
    return [
        _project(row) for row in connection.execute(select(tables.projects).order_by(tables.projects.c.name))
    ]


def one(connection: Connection, name: str) -> Project:
    """A project; NotFound."""
    row = connection.execute(select(tables.projects).filter_by(name=name)).one_or_none()
    if row is None:
        raise NotFound("unknown_project", f"There is no project {name!r}.")
    return _project(row)


def change(connection: Connection, name: str, values: dict[str, Any]) -> Project:
    """Sets the title or how long runs are kept; UsageError for what cannot be, NotFound."""
    if "title" in values:
        check_title(values["title"])
    days = values.get("retention_days")
    if days is not None and not 1 <= days <= MAX_RETENTION_DAYS:
        message = f"Runs are kept for 1 to {MAX_RETENTION_DAYS:,} days, or for good."
        raise UsageError("invalid_retention", message)
    if values:
        connection.execute(update(tables.projects).where(tables.projects.c.name == name).values(values))
    return one(connection, name)


def drop(connection: Connection, name: str) -> None:
    """Deletes a project with everything in it. UsageError for the one that must be there, NotFound."""
    if name == DEFAULT:
        raise UsageError("default_project", f"The project {DEFAULT!r} is the workspace's own and stays.")
    one(connection, name)
    for table in (tables.pairs, tables.runs, tables.documents, tables.contents):
        connection.execute(delete(table).where(table.c.project == name))
    connection.execute(delete(tables.projects).where(tables.projects.c.name == name))


def _project(row: Row[Any]) -> Project:
    return Project(
        name=row.name, title=row.title, retention_days=row.retention_days, created_at=row.created_at
    )
