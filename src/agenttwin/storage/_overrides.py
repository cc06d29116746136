"""Overrides: what people decided over a result, each kept, the last of an expectation holding."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, insert, select

from agenttwin.review import Override
from agenttwin.storage import _tables as tables
from agenttwin.storage._shape import read, write

Case = tuple[str, str, int]
"""Run, scenario, trial."""


def add(connection: Connection, id: str, case: Case, override: Override) -> None:
    """Keeps a decision on a case."""
    run, scenario, trial = case
    row = {"id": id, "run": run, "scenario": scenario, "trial": trial, "content": write(override)}
    connection.execute(insert(tables.overrides), row)


def of_runs(connection: Connection, runs: Iterable[str]) -> dict[Case, tuple[Override, ...]]:
    """The decisions on the cases of these runs, in the order of their making."""
    table = tables.overrides
    found: dict[Case, tuple[Override, ...]] = {}
    for row in connection.execute(select(table).where(table.c.run.in_(list(runs))).order_by(table.c.id)):
        case = (row.run, row.scenario, row.trial)
        found[case] = (*found.get(case, ()), read(Override, row.content))
    return found
