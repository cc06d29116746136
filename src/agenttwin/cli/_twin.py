"""`agenttwin twin …`: what is done with one twin on its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import click

from agenttwin.cli._lazy import Lazy, Row

COMMANDS: Final[Mapping[str, Row]] = {
    "new": Row("_twin_new", "Draft a twin from an OpenAPI document or the tools of an MCP server."),
    "record": Row("_twin_record", "Write down what an agent and its real tools say to each other."),
    "check": Row("_twin_check", "Hold a twin against the real API, and say where they disagree."),
    "try": Row("_twin_try", "Call a twin's tools by hand, at a prompt."),
    "serve": Row("_twin_serve", "Serve a twin over HTTP and MCP, with a console page to try it by hand."),
}
"""The commands of this group, in the order of `--help`."""


@click.group(cls=Lazy, commands_table=COMMANDS)
def command() -> None:
    """Use a twin on its own."""
