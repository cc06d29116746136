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
    from agenttwin.cli._session import emit_lines, sheet
    from agenttwin.compare import masked_side
    from agenttwin.lab import Session, find_case
    from agenttwin.report import render_story

    with Session.open(directory) as session:
        found = find_case(session, case)
        side = masked_side(found.side)
        emit_lines(render_story(side, sheet(), scenario=found.scenario, version=found.run.version))
        return 0
