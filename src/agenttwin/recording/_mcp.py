"""A server of MCP between an agent and a real one: calls are passed on, and answers written down."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import orjson
from mcp import ClientSession, MCPError
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import CallToolResult, ListToolsResult

from agenttwin.errors import AgentTwinError
from agenttwin.imports import tool_exchange
from agenttwin.recording._http import Recorder, Scope, answer, is_ours
from agenttwin.surfaces import mcp_transport, serve_asgi

PATH = "/mcp"


class McpProxy:
    """The application. ``source`` is the address of the real server, or the command that starts it."""

    def __init__(self, source: str, recorder: Recorder) -> None:
        self._source = source
        self._recorder = recorder
        self._session: ClientSession | None = None
        server: Server[Any] = Server(
            "agenttwin-record", on_list_tools=self._list_tools, on_call_tool=self._call_tool
        )
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answers one request of the agent."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["path"].rstrip("/") == PATH and is_ours(scope):
            await self._manager.handle_request(scope, receive, send)
        else:
            await answer(send, 404, [("content-type", "application/json")], b'{"error":"MCP is at /mcp"}')

    async def _live(self, receive: Any, send: Any) -> None:
        """Holds the connection to the real server for as long as this one runs."""
        await receive()
        try:
            async with self._connected():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except BaseException as error:
            if self._session is None:
                await send({"type": "lifespan.startup.failed", "message": f"{error}"})
                return
            raise
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            streams = await stack.enter_async_context(mcp_transport(self._source))
            session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
            await session.initialize()
            await stack.enter_async_context(self._manager.run())
            self._session = session
            yield

    async def _list_tools(self, context: Any, params: Any) -> ListToolsResult:
        assert self._session is not None
        return await self._session.list_tools(params=params)

    async def _call_tool(self, context: Any, params: Any) -> CallToolResult:
        assert self._session is not None
        began, at = time.monotonic(), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        result: CallToolResult | None = None
        error: str | None = None
        try:
            result = await self._session.call_tool(params.name, params.arguments)
            return result
        except MCPError as failed:
            error = str(failed)
            raise
        finally:
            ms = (time.monotonic() - began) * 1000
            told = (200 if not result.is_error else 500) if result is not None else None
            found = tool_exchange(
                params.name, params.arguments, status=told, answer=_content(result), error=error, at=at, ms=ms
            )
            self._recorder.keep(found.encode())


def _content(result: CallToolResult | None) -> Any:
    """What a tool answered as JSON: its structured content, else its text, read where it is JSON."""
    if result is None:
        return None
    if result.structured_content is not None:
        return result.structured_content
    texts = [item.text for item in result.content if item.type == "text"]
    text = "\n".join(texts)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return {"error": {"message": text}} if result.is_error else text


def record_mcp(
    source: str, recorder: Recorder, *, host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Serves the proxy until the process is told to end; ``ready`` gets its address.

    AgentTwinError where the real server cannot be reached.
    """
    begun = False

    def heard(address: str) -> None:
        nonlocal begun
        begun = True
        ready(f"{address}{PATH}")

    with suppress(SystemExit):  # so says uvicorn that an application did not start
        serve_asgi(McpProxy(source, recorder), host=host, port=port, ready=heard)
    if not begun:
        raise AgentTwinError("mcp_unreachable", f"{source} cannot be reached, or is no server of MCP.")
