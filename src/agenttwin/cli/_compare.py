"""`agenttwin compare`: two versions as one pair."""

from __future__ import annotations

from typing import Any

import click

from agenttwin.cli._names import completing
from agenttwin.cli._names import versions as names
from agenttwin.cli._options import json_option, run_options, selection_options, watch_option


@click.command()
@click.argument(
    "versions", metavar="[BASELINE] CANDIDATE", nargs=-1, required=True, shell_complete=completing(names)
)
@click.option(
    "--baseline-run",
    metavar="ID|last",
    help="Take the baseline from a stored run; last is the newest of another version.",
)
@selection_options
@run_options
@watch_option
@json_option
@click.option("--key", metavar="K", help="Finish or return the pair of this key.")
@click.pass_obj
def command(
    directory: str,
    /,
    versions: tuple[str, ...],
    baseline_run: str | None,
    as_json: bool,
    watch: bool,
    **options: Any,
) -> int:
    """Run BASELINE and CANDIDATE (1.3.0 or agent@1.3.0) as one pair and say what the change did.

    Exit code 0 where nothing got worse, 1 where something did, 3 where it cannot be told, 5 where nothing was
    selected.
    """
    from agenttwin.cli._session import compare_and_emit

    if len(versions) != (2 if baseline_run is None else 1):
        wanted = (
            "BASELINE and CANDIDATE" if baseline_run is None else "CANDIDATE alone: the run is the baseline"
        )
        raise click.UsageError(f"Name {wanted}.")
    if watch:
        from agenttwin.cli._watch import watch as keep_watching

        return keep_watching(directory, options, versions[-1])
    baseline = versions[0] if baseline_run is None else None
    report = compare_and_emit(
        directory, baseline, versions[-1], options, as_json=as_json, stored=baseline_run
    )
    return report["exit_code"]
