"""`agenttwin show`: a comparison, a run, or one case."""

from __future__ import annotations

import click

from agenttwin.cli._options import json_option, report_option
from agenttwin.cli._reports import Target


@click.command()
@click.argument("what", metavar="[ID|CASE]", required=False)
@click.option("--state", is_flag=True, help="With a case: also its whole final state.")
@json_option
@report_option
@click.pass_obj
def command(
    directory: str, /, what: str | None, state: bool, as_json: bool, reports: tuple[Target, ...]
) -> int:
    """Show the latest comparison, the comparison or run of an id, or one case with every step of both sides.

    CASE is SCENARIO or SCENARIO@VERSION of the latest comparison, or ID/SCENARIO.
    """
    from agenttwin.cli._session import emit, emit_lines, report_of, sheet
    from agenttwin.errors import NotFound
    from agenttwin.lab import Session, find_case
    from agenttwin.report import render_case

    with Session.open(directory) as session:
        try:
            stored = session.store.find(what) if what else session.store.latest_pair()
        except NotFound:
            if what is None:
                raise
            found = find_case(session, what)
            if reports:
                raise click.UsageError("--report writes comparisons and runs, not single cases.") from None
            report = report_of(session, found.stored)
            case = next(case for case in report["cases"] if case["scenario"] == found.scenario)
            if as_json:
                emit({"format": "case/1", **case}, as_json=True)
            else:
                emit_lines(render_case(case, report, sheet(), state=state))
            return 0
        report = report_of(session, stored)
        for target in reports:
            target.write(report)
        emit(report, as_json=as_json)
        return 0
