"""`agenttwin serve`: the workspace in a browser."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from agenttwin.cli._output import say, show

PORT = 8321


@click.command()
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on: this machine's."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="Where to listen; 0: anywhere.",
)
@click.option("--openapi", is_flag=True, help="Print the API's OpenAPI document, and serve nothing.")
@click.pass_obj
def command(directory: str, host: str, port: int, openapi: bool) -> int:
    """Show the workspace in a browser: comparisons, cases, runs as they go; and run versions from there.

    Prints one line with the address when it is ready. Only this machine can reach it.
    """
    from agenttwin.surfaces import require
    from agenttwin.workspace import find_root

    require("server", "uvicorn", "fastapi")
    from agenttwin.server import openapi_document, serve

    if openapi:
        show(orjson.dumps(openapi_document(), option=orjson.OPT_INDENT_2).decode())
        return 0

    def ready(address: str) -> None:
        show(f"AgentTwin serves {address}")
        say("Ctrl+C ends it.")

    serve(find_root(Path(directory)), host=host, port=port, ready=ready)
    return 0
