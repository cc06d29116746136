"""What the commands that run or read cases share: the session, the question, the way out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from shlex import quote
from typing import Any

import click

from agenttwin.cli._output import hush, say, show, terminal
from agenttwin.cli._reports import summarise
from agenttwin.compare import Comparison, ComparisonDocument, RunDocument, single_as_json
from agenttwin.compare import as_json as comparison_json
from agenttwin.lab import LAST, Ask, Session, compare_with_stored
from agenttwin.report import PROGRAM, Page, Progress, page, render
from agenttwin.storage import StoredPair, StoredRun
from agenttwin.values import Json


def session_of(directory: str, options: Mapping[str, Any]) -> Session:
    """The workspace here or above, which becomes the current folder; flags that are settings win."""
    flags = {name: options.get(name) for name in ("seed", "concurrency", "isolation", "max_cost")}
    session = Session.open(directory, flags=flags)
    hush()
    os.chdir(session.workspace.root)  # so that an agent does not depend on where we were called
    return session


def ask_of(options: Mapping[str, Any]) -> Ask:
    """What the flags ask for, with live progress for whoever watches."""
    look = terminal()
    progress = Progress(lambda text: say(text, nl=False), live=look.live)
    return Ask(
        suites=options["suites"],
        scenarios=options["scenarios"],
        tags=options["tags"],
        severities=options["severities"],
        failed=options["failed"],
        fail_fast=options.get("fail_fast", False),
        key=options.get("key"),
        listeners=(progress,),
        tell=say,
    )


def compare_and_emit(
    directory: str,
    baseline: str | None,
    candidate: str,
    options: Mapping[str, Any],
    *,
    as_json: bool,
    stored: str | None = None,
) -> ComparisonDocument:
    """Runs a pair and prints its report. ``stored`` is a stored baseline's run."""
    with session_of(directory, options) as session:
        if baseline is None:
            pair, comparison = compare_with_stored(session, stored or LAST, candidate, ask_of(options))
        else:
            pair, comparison = session.compare(baseline, candidate, ask_of(options))
        report = _comparison_report(session, pair, comparison, options["fail_on"])
        deliver(report, options, as_json=as_json)
        return report


def report_of(
    session: Session, stored: StoredPair | StoredRun, *, fail_on: str | None = None
) -> ComparisonDocument | RunDocument:
    """The report of a stored pair or run, as it would be made today."""
    if isinstance(stored, StoredPair):
        return _comparison_report(session, stored, session.comparison(stored), fail_on)
    single, measured = session.store.load_run(stored), measured_of(stored)
    return single_as_json(single, measured=measured, qualified=session.qualified)


def _comparison_report(
    session: Session, pair: StoredPair, comparison: Comparison, fail_on: str | None
) -> ComparisonDocument:
    return comparison_json(
        comparison,
        measured=measured_of(pair),
        fail_on=[fail_on] if fail_on else [],
        qualified=session.qualified,
    )


def measured_of(stored: StoredPair | StoredRun) -> dict[str, Json]:
    """What was assigned to a pair or run, and to the runs whose cases it took over: it differs every time."""
    measured: dict[str, Json] = {"key": stored.key, "id": stored.id, "created_at": stored.created_at}
    candidate = stored.candidate if isinstance(stored, StoredPair) else stored
    if candidate.origin is not None:
        measured["regraded_from"] = candidate.origin
    elif isinstance(stored, StoredPair) and stored.baseline.origin is not None:
        measured["baseline_run"] = stored.baseline.origin
    return measured


def sheet() -> Page:
    """The page of this terminal."""
    look = terminal()
    return page(colour=look.colour, columns=look.width, program=_program())


def _program() -> str:
    """How the program is called again from where the person is."""
    directory = click.get_current_context().find_root().params["directory"]
    return PROGRAM if directory == "." else f"{PROGRAM} -C {quote(directory)}"


def deliver(report: Mapping[str, Any], options: Mapping[str, Any], *, as_json: bool) -> None:
    """What was run just now: its report to the files that --report names, to the CI's page and to stdout."""
    try:
        for target in options["reports"]:
            target.write(report)
        summarise(report)
    finally:
        emit(report, as_json=as_json)
    if terminal().live:
        say(f"Kept as {report['measured']['id']}.")


def emit(report: Mapping[str, Any], *, as_json: bool) -> None:
    """The report to stdout."""
    text = render(report, "json" if as_json else "terminal", sheet())
    show(text, nl=False)


def emit_lines(lines: Any) -> None:
    """Lines to stdout."""
    show("\n".join(line.rstrip() for line in lines))
