"""MCP over standard input and output: one case, for clients that start their servers themselves."""

from __future__ import annotations

from io import TextIOWrapper
from typing import TextIO

import anyio
import mcp.server.stdio

from agenttwin.surfaces._http_route import Route
from agenttwin.surfaces._mcp import Link, link, mcp_server


async def serve_stdio(route: Route, output: TextIO | None = None) -> None:
    """Serves a case until standard input ends; answers go to standard output, or to ``output``."""
    link.set(Link(route, has_wire=False))
    server = mcp_server()
    if isinstance(output, TextIOWrapper):
        output.reconfigure(encoding="utf-8", errors="strict")
    stdout = anyio.wrap_file(output) if output is not None else None
    async with mcp.server.stdio.stdio_server(stdout=stdout) as (read, write):
        await server.run(read, write, server.create_initialization_options())
