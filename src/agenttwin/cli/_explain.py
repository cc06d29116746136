"""`agenttwin explain`: the story of one case."""

from __future__ import annotations

import click


@click.command()
@click.argument("case")
@click.pass_obj
def command(directory: str, case: str) -> int:
    """Tell the story of CASE in ten lines: what the agent believed, what the world did.

    CASE is SCENARIO or SCENARIO@VERSION of the latest comparison (default: the candidate's), or ID/SCENARIO.
    """
    from agenttwin.cli._session import emit_lines, report_of, sheet
    from agenttwin.lab import Session, find_case
    from agenttwin.report import explain

    with Session.open(directory) as session:
        found = find_case(session, case)
        report = report_of(session, found.stored)
        told = next(case for case in report["cases"] if case["scenario"] == found.scenario)
        emit_lines(explain(told, report, sheet(), baseline=found.run.side == "baseline"))
        return 0
