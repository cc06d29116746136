"""`agenttwin check`: read everything, list every problem."""

from __future__ import annotations

import click

from agenttwin.cli._output import hush, say, show


@click.command()
@click.option("--strict", is_flag=True, help="Treat warnings as problems.")
@click.pass_obj
def command(directory: str, strict: bool) -> int:
    """Read every document of the workspace and list every problem.

    Also loads the agents, adapters and evaluators that it names. Exit code 0, or 2 where something is wrong.
    """
    from agenttwin.lab import load_code
    from agenttwin.workspace import open_workspace

    workspace = open_workspace(directory, strict=strict)
    hush()
    load_code(workspace)
    for warning in workspace.warnings:
        say(str(warning))
    library = workspace.library
    counts = (
        (len(library.twins), "twin"),
        (sum(len(twin.model.spec.tools) for twin in library.twins.values()), "tool"),
        (len(library.scenarios), "scenario"),
        (len(library.manifests), "version"),
    )
    found = ", ".join(f"{count} {noun}" + ("" if count == 1 else "s") for count, noun in counts)
    warned = f", {len(workspace.warnings)} warning" + ("" if len(workspace.warnings) == 1 else "s")
    show(f"Everything is in order: {found}{warned if workspace.warnings else ''}.")
    return 0
