"""`agenttwin regrade`: what was recorded, graded by what is expected today."""

from __future__ import annotations

from typing import Any

import click

from agenttwin.cli._options import fail_on_option, json_option, report_option, selection_options


@click.command()
@click.argument("what", metavar="[ID]", required=False)
@selection_options
@fail_on_option
@report_option
@json_option
@click.option("--key", metavar="K", help="Return what was graded under this key, or keep it there.")
@click.pass_obj
def command(directory: str, /, what: str | None, as_json: bool, **options: Any) -> int:
    """Grade a stored comparison or run again by today's expectations; no agent is run.

    Default: the latest comparison. The old grades stay as they are: what comes of it has an id of its own.
    Exit codes as of `compare` and `run`.
    """
    from agenttwin.cli._session import ask_of, deliver, report_of, session_of
    from agenttwin.lab import regrade

    with session_of(directory, options) as session:
        stored = regrade(session, what, ask_of(options))
        report = report_of(session, stored, fail_on=options["fail_on"])
        deliver(report, options, as_json=as_json)
        return int(str(report["exit_code"]))
