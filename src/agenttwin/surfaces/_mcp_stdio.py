"""MCP over standard input and output: one case, for clients that start their servers themselves."""

from __future__ import annotations

import mcp.server.stdio

from agenttwin.surfaces._http_route import Route
from agenttwin.surfaces._mcp import Link, link, mcp_server


async def serve_stdio(route: Route) -> None:
    """Serves a case until standard input ends."""
    link.set(Link(route, has_wire=False))
    server = mcp_server()
    async with mcp.server.stdio.stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
