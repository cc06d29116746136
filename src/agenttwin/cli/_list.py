"""`agenttwin list`: what there is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
import orjson

from agenttwin.cli._options import json_option
from agenttwin.cli._output import show

if TYPE_CHECKING:
    from agenttwin.lab import Session

Row = dict[str, object]

KINDS = ("comparisons", "runs", "scenarios", "suites", "versions", "twins")


@click.command()
@click.argument("kind", type=click.Choice(KINDS), default="comparisons")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, help="Of comparisons and runs: at most so many."
)
@json_option
@click.pass_obj
def command(directory: str, kind: str, limit: int, as_json: bool) -> int:
    """List comparisons (default), runs, scenarios, suites, versions or twins; the newest first."""
    from agenttwin.lab import Session
    from agenttwin.report import clean

    with Session.open(directory) as session:
        rows = list(_ROWS[kind](session, limit))
    if as_json:
        show(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return 0
    if not rows:
        show(f"There are no {kind} yet.")
        return 0
    columns = list(rows[0])
    widths = [max(len(column), *(len(str(row[column])) for row in rows)) for column in columns]
    for cells in (columns, *([str(row[column]) for column in columns] for row in rows)):
        line = "  ".join(clean(cell).ljust(size) for cell, size in zip(cells, widths, strict=True))
        show(line.rstrip())
    return 0


def _comparisons(session: Session, limit: int) -> Iterator[Row]:
    for pair in session.store.pairs(limit=limit).items:
        yield {
            "id": pair.id,
            "agent": pair.candidate.agent,
            "baseline": pair.baseline.version,
            "candidate": pair.candidate.version,
            "cases": pair.candidate.cases,
            "finished": f"{pair.baseline.finished + pair.candidate.finished}/{pair.baseline.cases * 2}",
            "created": _time(pair.created_at),
        }


def _runs(session: Session, limit: int) -> Iterator[Row]:
    for run in session.store.runs(limit=limit).items:
        yield {
            "id": run.id,
            "agent": run.agent,
            "version": run.version,
            "side": run.side if run.pair else "alone",
            "finished": f"{run.finished}/{run.cases}",
            "created": _time(run.created_at),
        }


def _scenarios(session: Session, limit: int) -> Iterator[Row]:
    for name, document in sorted(session.workspace.library.scenarios.items()):
        model = document.model
        yield {
            "scenario": name,
            "severity": model.metadata.severity,
            "agent": model.spec.agent or "any",
            "tags": ", ".join(model.metadata.tags) or "-",
            "faults": ", ".join(rule.behavior.type for rule in model.spec.faults) or "-",
            "file": document.source.file,
        }


def _suites(session: Session, limit: int) -> Iterator[Row]:
    for name, suite in session.workspace.file.suites.items():
        default = name == session.workspace.settings.default_suite
        yield {
            "suite": name,
            "scenarios": ", ".join(suite.scenarios) or "-",
            "tags": ", ".join(suite.tags) or "-",
            "default": "yes" if default else "no",
        }


def _versions(session: Session, limit: int) -> Iterator[Row]:
    library = session.workspace.library
    for agent in session.workspace.file.agents:
        for version in library.versions(agent):
            document = library.manifest(agent, version)
            model = document.model.spec.model
            yield {
                "agent": agent,
                "version": version,
                "model": "/".join(filter(None, (model.provider, model.name))) if model is not None else "-",
                "kind": document.model.model_kind.value,
                "file": document.source.file,
            }


def _twins(session: Session, limit: int) -> Iterator[Row]:
    for name, document in sorted(session.workspace.library.twins.items()):
        tools = document.model.spec.tools
        yield {"twin": name, "tools": ", ".join(tool.name for tool in tools), "file": document.source.file}


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


_ROWS = {
    "comparisons": _comparisons,
    "runs": _runs,
    "scenarios": _scenarios,
    "suites": _suites,
    "versions": _versions,
    "twins": _twins,
}
