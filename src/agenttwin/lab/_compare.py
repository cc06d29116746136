"""The verbs of the Python front door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agenttwin.compare import Comparison, comparison_schema, run_schema
from agenttwin.lab._session import Ask, Session
from agenttwin.run import Judge
from agenttwin.values import Json
from agenttwin.workspace import Workspace, document_schemas, open_workspace


def compare(
    workspace: str | Path | Workspace,
    baseline: str,
    candidate: str,
    *,
    suites: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    tags: Sequence[str] = (),
    severities: Sequence[str] = (),
    seed: int | None = None,
    concurrency: int | None = None,
    key: str | None = None,
    judge: Judge | None = None,
) -> Comparison:
    """Runs two versions as one pinned pair and compares them. Everything is kept in the workspace's store.

    A version is `1.3.0` or `agent@1.3.0`. The selection is as on the command line: with nothing named the
    default suite, else every scenario of the agent. The same ``key`` finishes or returns the same pair.
    """
    flags: Mapping[str, Any] = {"seed": seed, "concurrency": concurrency}
    opened = workspace if isinstance(workspace, Workspace) else open_workspace(workspace, flags=flags)
    ask = Ask(
        suites=tuple(suites),
        scenarios=tuple(scenarios),
        tags=tuple(tags),
        severities=tuple(severities),
        key=key,
    )
    with Session(opened, judge=judge) as session:
        return session.compare(baseline, candidate, ask)[1]


def schemas() -> dict[str, dict[str, Json]]:
    """The JSON Schema of everything that is read or written, by name."""
    return {**document_schemas(), "Comparison": comparison_schema(), "Run": run_schema()}
