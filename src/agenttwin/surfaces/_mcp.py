"""The twin as an MCP server: its tools, and what a call of one comes to in the protocol's own terms.

The only state is the case, and a context variable says which one a message is for: there are no sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import mcp_types as types
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from agenttwin.errors import AgentTwinError
from agenttwin.frameworks import SEARCH, SEARCH_SPEC, arguments_schema, searches
from agenttwin.surfaces._http_route import Route
from agenttwin.transcript import Result, Risk
from agenttwin.twin import CompiledTool, CompiledTwin, Reply
from agenttwin.values import encode

RISK: Final = "agenttwin/risk"
"""The key of a tool's exact risk in its `_meta`: the protocol's own hints are coarser."""

TRACE: Final = "traceparent"

Context: TypeAlias = ServerRequestContext[Any, Any]


class Link:
    """One message's way to its case. ``heard`` says that a tool was reached, ``reply`` what it answered.

    ``has_wire``: somebody down the line makes delays and broken wires real.
    """

    __slots__ = ("has_wire", "heard", "reply", "route")

    def __init__(self, route: Route, *, has_wire: bool) -> None:
        self.route = route
        self.has_wire = has_wire
        self.heard = False
        self.reply: Reply | None = None


link: Final[ContextVar[Link]] = ContextVar("agenttwin_link")


def mcp_server() -> Server[Any]:
    """A server for whichever case `link` holds."""
    return Server(
        "agenttwin",
        version=version("agenttwin"),
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        get_tool_input_schema=_schema_of,
    )


# -- what tools there are


async def _list_tools(context: Context, params: object) -> types.ListToolsResult:
    del context, params
    world = link.get().route.case.world
    tools = [_described(tool) for tool in world.twin.tools.values()]
    return types.ListToolsResult(tools=[*tools, *([_SEARCH_TOOL] if searches(world) else [])])


def _schema_of(name: str) -> Mapping[str, Any] | None:
    tool = link.get().route.case.world.twin.tools.get(name)
    return arguments_schema(tool) if tool is not None else None


def _described(tool: CompiledTool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description or None,
        input_schema=arguments_schema(tool),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.risk is Risk.READ,
            destructive_hint=tool.risk not in _HARMLESS,
            idempotent_hint=tool.risk is Risk.READ,
            open_world_hint=False,
        ),
        _meta={RISK: tool.risk.value},
    )


_HARMLESS: Final = frozenset((Risk.READ, Risk.WRITE_REVERSIBLE))

_SEARCH_TOOL: Final = types.Tool(
    name=SEARCH,
    description=SEARCH_SPEC.description,
    input_schema=dict(SEARCH_SPEC.schema),
    annotations=types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    ),
    _meta={RISK: Risk.READ.value},
)


# -- calls


async def _call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    here = link.get()
    here.heard = True
    arguments = params.arguments if params.arguments is not None else {}
    try:
        if params.name == SEARCH and searches(here.route.case.world):
            return await _search(here.route, arguments)
        reply = await here.route.call(
            params.name,
            arguments,
            _headers(context, here.route.case.world.twin, params.name),
            _trace(context),
        )
    except AgentTwinError as error:  # the case is over, or full: nothing was recorded
        raise MCPError(types.INVALID_REQUEST, error.message, {"code": error.code.upper()}) from None
    here.reply = reply
    if reply.delay_ms and not here.has_wire:
        await here.route.pause(reply.delay_ms / 1000)
    return _LEVELS[reply.result](reply, here.has_wire)


async def _search(route: Route, arguments: Mapping[str, Any]) -> types.CallToolResult:
    query = arguments.get("query")
    if not isinstance(query, str):
        return _told({"error": {"code": "INVALID_ARGUMENTS", "message": "query is a text."}}, failed=True)
    return _told({"documents": await route.search(query)})


def _told(value: Any, *, failed: bool = False) -> types.CallToolResult:
    text = encode(value).decode()
    return types.CallToolResult(
        content=[types.TextContent(text=text)], structured_content=orjson.loads(text), is_error=failed
    )


def _headers(context: Context, twin: CompiledTwin, name: str) -> Mapping[str, str]:
    """The header that a tool reads its key from, off the message's `_meta` or the HTTP request."""
    tool = twin.tools.get(name)
    if tool is None or tool.key_header is None:
        return {}
    value = _given(context, tool.key_header)
    return {tool.key_header: value} if value is not None else {}


def _trace(context: Context) -> str | None:
    return _given(context, TRACE)


def _given(context: Context, name: str) -> str | None:
    """What a message says under a name: in its `_meta`, else in the header of its request."""
    meta: Mapping[str, Any] = dict(context.meta or {})
    value = next((value for key, value in meta.items() if key.lower() == name), None)
    if value is None and context.request is not None:
        value = context.request.headers.get(name)
    return value if isinstance(value, str) else None


# -- what an answer comes to


_Level: TypeAlias = Callable[[Reply, bool], types.CallToolResult]


def _result(reply: Reply, has_wire: bool) -> types.CallToolResult:
    """A result, whatever it says; a structured one too where it is a JSON object."""
    del has_wire
    return _as_result(reply, failed=False)


def _tool_error(reply: Reply, has_wire: bool) -> types.CallToolResult:
    """A result that says that it is an error: the model sees its text."""
    del has_wire
    return _as_result(reply, failed=True)


def _unavailable(reply: Reply, has_wire: bool) -> types.CallToolResult:
    """The server turns the request away: an HTTP status with Retry-After where there is HTTP."""
    if has_wire:
        return _as_result(reply, failed=True)
    raise _error(types.INTERNAL_ERROR, reply)


def _timeout(reply: Reply, has_wire: bool) -> types.CallToolResult:
    del has_wire
    raise _error(types.REQUEST_TIMEOUT, reply)


def _crash(reply: Reply, has_wire: bool) -> types.CallToolResult:
    if reply.status == UNAVAILABLE:
        return _unavailable(reply, has_wire)
    raise _error(types.INTERNAL_ERROR, reply)


def _unknown(reply: Reply, has_wire: bool) -> types.CallToolResult:
    del has_wire
    raise _error(types.INVALID_PARAMS, reply)


def _dropped(reply: Reply, has_wire: bool) -> types.CallToolResult:
    """The connection breaks; over pipes it cannot, and the error is the one that clients make of that."""
    if has_wire:
        return _as_result(reply, failed=True)
    raise MCPError(types.CONNECTION_CLOSED, "Connection closed")


UNAVAILABLE: Final = 503

TURNED_AWAY: Final = frozenset((429, UNAVAILABLE))
"""Statuses that the HTTP request itself is answered with."""

_LEVELS: Final[Mapping[Result, _Level]] = MappingProxyType(
    {
        Result.OK: _result,
        Result.PARTIAL: _result,
        Result.MALFORMED: _result,
        Result.NOT_FOUND: _tool_error,
        Result.DENIED: _tool_error,
        Result.INVALID: _tool_error,
        Result.RATE_LIMITED: _unavailable,
        Result.TIMEOUT: _timeout,
        Result.ERROR: _crash,
        Result.UNKNOWN_TOOL: _unknown,
        Result.DROPPED: _dropped,
    }
)
"""What a caller sees of each result, as the protocol has it."""


def _as_result(reply: Reply, *, failed: bool) -> types.CallToolResult:
    text = (reply.body or b"").decode("utf-8", "replace")
    value = _json(text)
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        structured_content=value if isinstance(value, dict) else None,
        is_error=failed,
    )


def _error(code: int, reply: Reply) -> MCPError:
    """A JSON-RPC error: the message that the tool gave, and beside it what HTTP would have said."""
    body = _json((reply.body or b"").decode("utf-8", "replace"))
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    data = {"status": reply.status, "headers": dict(reply.headers), "body": body}
    return MCPError(code, message if isinstance(message, str) else "The call failed.", data)


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
