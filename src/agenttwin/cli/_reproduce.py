"""`agenttwin reproduce`: a version against itself."""

from __future__ import annotations

from typing import Any

import click

from agenttwin.cli._names import completing, versions
from agenttwin.cli._options import json_option, run_options, selection_options
from agenttwin.cli._output import say


@click.command()
@click.argument("version", shell_complete=completing(versions))
@selection_options
@run_options
@json_option
@click.option("--key", metavar="K", help="Finish or return the pair of this key.")
@click.pass_obj
def command(directory: str, /, version: str, as_json: bool, **options: Any) -> int:
    """Compare VERSION with itself: does it do the same thing twice?

    Where the two sides part, the difference is the agent's own noise, and a comparison of two versions would
    show it too. Exit code 0 where both sides did the same in every case, 1 where they did not.
    """
    from agenttwin.cli._session import compare_and_emit
    from agenttwin.report import not_reproduced

    report = compare_and_emit(directory, version, version, options, as_json=as_json)
    if apart := not_reproduced(report):
        say(f"It did not do the same thing twice: {'; '.join(apart)}.")
        return 1
    if not report["exit_code"]:
        say("It did the same thing twice, in every case.")
    return report["exit_code"]
