"""`agenttwin reproduce`: a version against itself."""

from __future__ import annotations

from typing import Any

import click

from agenttwin.cli._options import json_option, run_options, selection_options


@click.command()
@click.argument("version")
@selection_options
@run_options
@json_option
@click.option("--key", metavar="K", help="Finish or return the pair of this key.")
@click.pass_obj
def command(directory: str, /, version: str, as_json: bool, **options: Any) -> int:
    """Compare VERSION with itself: does it do the same thing twice?

    Where the two sides part, the difference is the agent's own noise, and a comparison of two versions would
    show it too.
    """
    from agenttwin.cli._session import compare_and_emit

    return compare_and_emit(directory, version, version, options, as_json=as_json)
