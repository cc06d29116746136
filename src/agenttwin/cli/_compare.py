"""`agenttwin compare`: two versions as one pair."""

from __future__ import annotations

from typing import Any

import click

from agenttwin.cli._options import json_option, run_options, selection_options


@click.command()
@click.argument("baseline")
@click.argument("candidate")
@selection_options
@run_options
@json_option
@click.option("--key", metavar="K", help="Finish or return the pair of this key.")
@click.pass_obj
def command(directory: str, /, baseline: str, candidate: str, as_json: bool, **options: Any) -> int:
    """Run BASELINE and CANDIDATE (1.3.0 or agent@1.3.0) as one pair and say what the change did.

    Exit code 0 where nothing got worse, 1 where something did, 3 where it cannot be told, 5 where nothing was
    selected.
    """
    from agenttwin.cli._session import compare_and_emit

    return compare_and_emit(directory, baseline, candidate, options, as_json=as_json)
