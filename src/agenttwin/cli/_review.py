"""`agenttwin review`: a person's word over a result."""

from __future__ import annotations

from datetime import UTC, datetime

import click


@click.command()
@click.argument("case")
@click.argument("expectation")
@click.argument("verdict", type=click.Choice(["PASS", "FAIL"], case_sensitive=False))
@click.option("--note", required=True, help="Why; it stands beside the result from then on.")
@click.option("--by", help="Who decides (default: the user at this terminal).")
@click.pass_obj
def command(directory: str, case: str, expectation: str, verdict: str, note: str, by: str | None) -> int:
    """Set the result of EXPECTATION in CASE to PASS or FAIL, with a note.

    The original result is kept beside it. CASE is as for `show`. The comparison is printed anew.
    """
    from agenttwin.cli._session import emit, report_of
    from agenttwin.evaluate import Verdict
    from agenttwin.lab import Session, find_case, reviewer
    from agenttwin.review import Override

    with Session.open(directory) as session:
        found = find_case(session, case)
        override = Override(
            expectation=expectation,
            verdict=Verdict(verdict.upper()),
            note=note,
            by=by or reviewer(),
            at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        session.store.override(found.run.id, found.scenario, override, trial=found.trial)
        emit(report_of(session, found.stored), as_json=False)
        return 0
