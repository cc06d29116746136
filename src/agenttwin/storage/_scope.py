"""A transaction within one project: rows of other projects are not there for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, CursorResult, Delete, Executable, Select, Table, Update
from sqlalchemy import delete as delete_
from sqlalchemy import insert as insert_
from sqlalchemy import select as select_
from sqlalchemy import update as update_

from agenttwin.storage._dialect import insert_new


@dataclass(frozen=True, slots=True)
class Scope:
    """What the aggregates work with. Every query of theirs begins here, so each is of one project."""

    connection: Connection
    project: str

    def within(self, table: Table) -> ColumnElement[bool]:
        """That a row of the table is of this project; for joins, where one is not enough."""
        return table.c.project == self.project

    def select(self, table: Table, *columns: Any) -> Select[Any]:
        """A query of a table's rows, or of some columns of it."""
        return select_(*(columns or (table,))).select_from(table).where(self.within(table))

    def update(self, table: Table) -> Update:
        """A change of a table's rows."""
        return update_(table).where(self.within(table))

    def delete(self, table: Table) -> Delete:
        """Taking rows out of a table."""
        return delete_(table).where(self.within(table))

    def execute(self, statement: Executable) -> CursorResult[Any]:
        """What a statement gives."""
        return self.connection.execute(statement)

    def insert(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Rows of this project, whatever they say of it."""
        self._insert(insert_(table), rows)

    def insert_new(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """The same; what is there already stays as it is."""
        self._insert(insert_new(self.connection, table), rows)

    def _insert(self, statement: Executable, rows: Sequence[dict[str, Any]]) -> None:
        if rows:
            self.connection.execute(statement, [{**row, "project": self.project} for row in rows])
