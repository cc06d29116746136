"""Asking somebody else's MCP server which tools it has."""

from __future__ import annotations

import shlex
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from agenttwin.errors import AgentTwinError

MAX_PAGES: Final = 1_000
SECONDS: Final = 60.0


def listed_tools(source: str) -> list[Any]:
    """The tools of the server at an address (`http…`), or of the one that a command line starts, as JSON.

    AgentTwinError where it cannot be reached, or does not answer within `SECONDS`.
    """
    from agenttwin.surfaces._http_server import require

    require("mcp", "mcp")
    import anyio

    async def asked() -> list[Any]:
        with anyio.fail_after(SECONDS):
            return await _listed(source)

    try:
        return anyio.run(asked)
    except AgentTwinError:
        raise
    except BaseException as error:
        told = _told(error)
        raise AgentTwinError("mcp_unreachable", f"{source} gave no list of tools: {told}.") from None


async def _listed(source: str) -> list[Any]:
    from mcp import ClientSession
    from mcp_types import PaginatedRequestParams

    found: list[Any] = []
    async with mcp_transport(source) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            found += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
    return found


def mcp_transport(source: str) -> AbstractAsyncContextManager[Any]:
    """The way to a server: at an address (`http…`), or started by a command line."""
    if source.startswith(("http://", "https://")):
        from mcp.client.streamable_http import streamable_http_client

        return streamable_http_client(source)
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    program, *arguments = shlex.split(source)
    return stdio_client(StdioServerParameters(command=program, args=arguments))


def _told(error: BaseException) -> str:
    """What went wrong first, out of what a group of tasks raised."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
