"""`agenttwin init`: a workspace to start from."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from agenttwin.cli._output import say, show


@click.command()
@click.argument("folder", metavar="DIR", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--example", metavar="NAME", default="starter", help="Write this example: starter, support-refund."
)
@click.pass_obj
def command(directory: str, folder: Path, example: str) -> int:
    """Write a small working workspace into DIR (default: here), with comments that teach.

    Nothing that is already there is overwritten.
    """
    from agenttwin.lab import write_example

    target = Path(directory) / folder
    written = write_example(example, target)
    for path in written:
        say(f"  {path}")
    shown = "" if str(folder) == "." else f" -C {quote(str(folder))}"
    versions = {"starter": "1.0.0 1.1.0", "support-refund": "1.2.4 1.3.0"}[example]
    show(
        f"{len(written)} files written. Next:\n"
        f"  agenttwin{shown} check\n"
        f"  agenttwin{shown} compare {versions}"
    )
    return 0
