"""What the commands that run or read cases share: the session, the question, the way out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from agenttwin.cli._options import terminal
from agenttwin.cli._reports import summarise
from agenttwin.compare import ComparisonDocument, RunDocument, single_as_json
from agenttwin.compare import as_json as comparison_json
from agenttwin.lab import Ask, Session
from agenttwin.report import Page, Progress, page, render
from agenttwin.storage import StoredPair, StoredRun
from agenttwin.values import Json


def session_of(directory: str, options: Mapping[str, Any]) -> Session:
    """The workspace of -C with its store; flags that are settings win over all others."""
    flags = {name: options.get(name) for name in ("seed", "concurrency", "isolation")}
    return Session.open(directory, flags=flags)


def ask_of(options: Mapping[str, Any]) -> Ask:
    """What the flags ask for, with live progress for whoever watches."""
    look = terminal()
    progress = Progress(lambda text: click.echo(text, err=True, nl=False), live=look.live)
    return Ask(
        suites=options["suites"],
        scenarios=options["scenarios"],
        tags=options["tags"],
        severities=options["severities"],
        failed=options["failed"],
        fail_fast=options["fail_fast"],
        key=options.get("key"),
        listeners=(progress,),
    )


def compare_and_emit(
    directory: str, baseline: str, candidate: str, options: Mapping[str, Any], *, as_json: bool
) -> int:
    """Runs a pair, prints its report, gives its exit code."""
    with session_of(directory, options) as session:
        pair, comparison = session.compare(baseline, candidate, ask_of(options))
        fail_on = [options["fail_on"]] if options["fail_on"] else []
        report = comparison_json(
            comparison, measured=measured_of(pair), fail_on=fail_on, qualified=session.qualified
        )
        deliver(report, options, as_json=as_json)
        return int(str(report["exit_code"]))


def report_of(session: Session, stored: StoredPair | StoredRun) -> ComparisonDocument | RunDocument:
    """The report of a stored pair or run, as it would be made today."""
    measured, qualified = measured_of(stored), session.qualified
    if isinstance(stored, StoredPair):
        return comparison_json(session.comparison(stored), measured=measured, qualified=qualified)
    return single_as_json(session.store.load_run(stored), measured=measured, qualified=qualified)


def measured_of(stored: StoredPair | StoredRun) -> dict[str, Json]:
    """What was assigned to a pair or run: it differs every time."""
    return {"key": stored.key, "id": stored.id, "created_at": stored.created_at}


def sheet() -> Page:
    """The page of this terminal."""
    look = terminal()
    return page(colour=look.colour, columns=look.width)


def deliver(report: Mapping[str, Any], options: Mapping[str, Any], *, as_json: bool) -> None:
    """What was run just now: its report to the files that --report names, to the CI's page and to stdout."""
    try:
        for target in options["reports"]:
            target.write(report)
        summarise(report)
    finally:
        emit(report, as_json=as_json)


def emit(report: Mapping[str, Any], *, as_json: bool) -> None:
    """The report to stdout."""
    text = render(report, "json" if as_json else "terminal", sheet())
    click.echo(text, nl=False, color=terminal().colour)


def emit_lines(lines: Any) -> None:
    """Lines to stdout."""
    click.echo("\n".join(line.rstrip() for line in lines), color=terminal().colour)
