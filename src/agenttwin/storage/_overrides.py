"""Overrides: what people decided over a result, each kept, the last of an expectation holding."""

from __future__ import annotations

from collections.abc import Iterable

from agenttwin.review import Override
from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._shape import read, write

Case = tuple[str, str, int]
"""Run, scenario, trial."""


def add(scope: Scope, id: str, case: Case, override: Override) -> None:
    """Keeps a decision on a case."""
    run, scenario, trial = case
    row = {"id": id, "run": run, "scenario": scenario, "trial": trial, "content": write(override)}
    scope.insert(tables.overrides, [row])
    runs = tables.runs
    scope.execute(scope.update(runs).where(runs.c.id == run).values(decided=runs.c.decided + 1))


def of_runs(scope: Scope, runs: Iterable[str]) -> dict[Case, tuple[Override, ...]]:
    """The decisions on the cases of these runs, in the order of their making."""
    table = tables.overrides
    found: dict[Case, tuple[Override, ...]] = {}
    query = scope.select(table).where(table.c.run.in_(list(runs))).order_by(table.c.id)
    for row in scope.execute(query):
        case = (row.run, row.scenario, row.trial)
        found[case] = (*found.get(case, ()), read(Override, row.content))
    return found
