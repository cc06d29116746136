"""`agenttwin serve`: the workspace in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import orjson

from agenttwin.cli._output import say, show

PORT = 8321


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="Where to listen; 0: anywhere.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name by which others reach it, such as agenttwin.example.com.",
)
@click.option(
    "--database",
    envvar="AGENTTWIN_DATABASE",
    metavar="URL",
    help="Where runs are kept: postgresql://…, or a file (default: the workspace's own).",
)
@click.option("--sign-in", is_flag=True, help="Ask everybody for a key, on this machine too.")
@click.option("--log", type=click.Choice(["text", "json"]), help="Write a line for each request.")
@click.option("--openapi", is_flag=True, help="Print the API's OpenAPI document, and serve nothing.")
@click.pass_obj
def command(directory: str, /, openapi: bool, **options: Any) -> int:
    """Show the workspace in a browser: comparisons, cases, runs as they go; and run versions from there.

    Prints one line with the address when it is ready. On this machine nobody needs a key; an address that
    others reach needs one (`agenttwin keys create`), and only drives agents of the kinds http and model.
    """
    from agenttwin.surfaces import require
    from agenttwin.workspace import find_root

    require("server", "uvicorn", "fastapi")
    from agenttwin.server import Serving, openapi_document, serve

    if openapi:
        show(orjson.dumps(openapi_document(), option=orjson.OPT_INDENT_2).decode())
        return 0

    def ready(address: str) -> None:
        show(f"AgentTwin serves {address}")
        say("Ctrl+C ends it.")

    serve(find_root(Path(directory)), Serving(**options), ready=ready)
    return 0
