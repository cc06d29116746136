"""`agenttwin run`: one version, graded."""

from __future__ import annotations

from typing import Any

import click

from agenttwin.cli._names import completing, versions
from agenttwin.cli._options import json_option, run_options, selection_options, watch_option


@click.command()
@click.argument("version", shell_complete=completing(versions))
@selection_options
@run_options
@watch_option
@json_option
@click.option("--key", metavar="K", help="Finish or return the run of this key.")
@click.pass_obj
def command(directory: str, /, version: str, as_json: bool, watch: bool, **options: Any) -> int:
    """Run VERSION (1.3.0 or agent@1.3.0) and grade it.

    Exit code 0 where everything passed, 1 where something failed, 3 where it cannot be told, 5 where nothing
    was selected.
    """
    from agenttwin.cli._session import ask_of, deliver, measured_of, session_of
    from agenttwin.compare import single_as_json

    if watch:
        from agenttwin.cli._watch import watch as keep_watching

        return keep_watching(directory, options, version)
    with session_of(directory, options) as session:
        stored, single = session.run(version, ask_of(options))
        report = single_as_json(single, measured=measured_of(stored), qualified=session.qualified)
        deliver(report, options, as_json=as_json)
        return int(str(report["exit_code"]))
