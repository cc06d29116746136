"""The twin over HTTP, as a bare ASGI application: a case for each token, its tools below it.

POST /t/<token>/tools/<tool>     the arguments as JSON; the tool's answer, as it travels
GET  /t/<token>/tools            what tools there are
GET  /t/<token>/kb/search?q=…    the knowledge base
     /t/<token>/mcp              the same tools over MCP
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, unquote_to_bytes

import orjson

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.frameworks import arguments_schema
from agenttwin.run import CaseClosed
from agenttwin.surfaces._http_exchange import Exchange, Gone, Receive, Scope, Send
from agenttwin.surfaces._http_guard import Guard
from agenttwin.surfaces._http_route import Route, Routes
from agenttwin.surfaces._http_wire import deliver
from agenttwin.twin import CompiledTool, Reply

MAX_IN_FLIGHT: Final = 2_048
"""Requests answered at a time; more are asked to come again in a second."""

MAX_ARGUMENT_TEXT: Final = 256 * 1024 + 1
"""Bytes kept of a body that is too large or no JSON: as much as tells the gate that it is."""

Handler: TypeAlias = Callable[[Exchange, Route, str], Awaitable[None]]
"""Answers a request; the text is what stands in the path below the resource."""

Resource: TypeAlias = Mapping[str, Handler]
"""What may be asked at one place: a handler for each method; `*` takes every other one."""


class HttpSurface:
    """The application. ``resources`` are further places below a token, by their first path segment.

    ``root`` answers what lies outside of `/t/`, where there is something.
    """

    def __init__(
        self,
        routes: Routes,
        *,
        guard: Guard | None = None,
        resources: Mapping[str, Resource] | None = None,
        root: Callable[[Exchange], Awaitable[None]] | None = None,
        max_in_flight: int = MAX_IN_FLIGHT,
    ) -> None:
        self._routes = routes
        self._guard = guard or Guard()
        self._resources = {**_RESOURCES, **(resources or {})}
        self._root = root
        self._max_in_flight = max_in_flight
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; anything but HTTP is none of ours."""
        if scope["type"] != "http":
            return
        exchange = Exchange(scope, receive, send)
        self._in_flight += 1
        try:
            if not self._guard.admits(exchange.headers):
                await self._foreign(exchange)
            elif self._in_flight > self._max_in_flight:
                await self._overload(exchange)
            else:
                await self._answer(exchange)
        except Gone:
            self._routes.note("slow_request", _path(exchange))
        finally:
            self._in_flight -= 1

    def at_once(self, path: bytes, headers: Mapping[bytes, bytes], body: bytes) -> Reply | None:
        """The answer to a POST whose body is there; None where it takes the long way, and nothing was done.

        Most calls are of this kind, and cost half as much without a task and messages of their own.
        """
        parts = path.split(b"/", 4)
        if len(parts) != 5 or parts[1] != b"t" or parts[3] != b"tools":
            return None
        route, name = self._routes.find(parts[2]), _text(parts[4])
        if route is None or self._in_flight >= self._max_in_flight or not self._guard.admits(headers):
            return None
        tool = route.case.world.twin.tools.get(name)
        if not route.is_quick(tool):
            return None
        try:
            return route.call_now(name, _arguments(body), _key_header(headers, tool), _trace(headers))
        except AgentTwinError:  # the case is over, or full: nothing was recorded
            return None

    async def _answer(self, exchange: Exchange) -> None:
        parts = exchange.scope["raw_path"].split(b"/", 4)
        if len(parts) < 4 or parts[1] != b"t":
            await (self._not_found(exchange) if self._root is None else self._root(exchange))
            return
        route = self._routes.find(parts[2])
        if route is None or route.case.closed:
            await self._no_route(exchange, parts[2])
            return
        resource = self._resources.get(_text(parts[3]))
        if resource is None:
            await self._not_found(exchange)
            return
        handler = resource.get(exchange.method) or resource.get("*")
        if handler is None:
            await self._wrong_method(exchange, resource)
            return
        try:
            await handler(exchange, route, _text(parts[4]) if len(parts) == 5 else "")
        except CaseClosed:
            await self._no_route(exchange, parts[2])
        except LimitExceeded as error:
            await exchange.refuse(429, error.code.upper(), error.message)

    async def _no_route(self, exchange: Exchange, token: bytes) -> None:
        if self._routes.find(token) is not None or self._routes.is_revoked(token):
            self._routes.late(token, _path(exchange))
            await exchange.refuse(410, "CASE_CLOSED", "This address is no longer in use.")
            return
        self._routes.note("unknown_token", _path(exchange))
        await exchange.refuse(404, "UNKNOWN_ADDRESS", "There is nothing at this address.")

    async def _not_found(self, exchange: Exchange) -> None:
        self._routes.note("not_found", _path(exchange))
        await exchange.refuse(
            404, "NOT_FOUND", "There is nothing here. Tools are called with POST at tools/<name>."
        )

    async def _wrong_method(self, exchange: Exchange, resource: Resource) -> None:
        self._routes.note("wrong_method", _path(exchange))
        allowed = ", ".join(resource)
        message = f"{exchange.method} is not understood here; use {allowed}."
        await exchange.refuse(405, "METHOD_NOT_ALLOWED", message, {"allow": allowed})

    async def _foreign(self, exchange: Exchange) -> None:
        self._routes.note("foreign_host", _text(exchange.headers.get(b"host", b"")))
        message = "Requests come to this address by its IP or as localhost, and not from another site's page."
        await exchange.refuse(403, "FOREIGN_HOST", message)

    async def _overload(self, exchange: Exchange) -> None:
        self._routes.note("overload", _path(exchange))
        await exchange.refuse(503, "OVERLOADED", "Too many requests at a time.", {"retry-after": "1"})


async def _call_tool(exchange: Exchange, route: Route, name: str) -> None:
    """One call. What is no JSON is handed on as the text that it is, so that it is refused and recorded."""
    if not name:
        await exchange.refuse(404, "NOT_FOUND", "Name a tool: tools/<name>.")
        return
    body, whole = await exchange.body()
    reply = await route.call(
        name,
        _arguments(body) if whole else {"…": body[:MAX_ARGUMENT_TEXT].decode("utf-8", "replace")},
        _key_header(exchange.headers, route.case.world.twin.tools.get(name)),
        _trace(exchange.headers),
    )
    await deliver(exchange, route, reply)


def _arguments(body: bytes) -> Any:
    """The arguments; none are no arguments."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return body[:MAX_ARGUMENT_TEXT].decode("utf-8", "replace") if body.strip() else {}


def _key_header(headers: Mapping[bytes, bytes], tool: CompiledTool | None) -> Mapping[str, str]:
    """The one header that a tool reads."""
    if tool is None or tool.key_header is None:
        return _NO_HEADERS
    value = headers.get(tool.key_header.encode("latin-1", "replace"))
    return {tool.key_header: _text(value)} if value is not None else _NO_HEADERS


def _trace(headers: Mapping[bytes, bytes]) -> str | None:
    value = headers.get(b"traceparent")
    return value.decode("latin-1") if value is not None else None


_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


async def _list_tools(exchange: Exchange, route: Route, rest: str) -> None:
    if rest:
        await exchange.refuse(405, "METHOD_NOT_ALLOWED", "A tool is called with POST.", {"allow": "POST"})
        return
    await exchange.json(200, {"tools": [shown(tool) for tool in route.case.world.twin.tools.values()]})


def shown(tool: CompiledTool) -> dict[str, Any]:
    """A tool as its callers see it."""
    key = {"argument": tool.key_argument, "header": tool.key_header} if tool.declares_idempotency else None
    return {
        "name": tool.name,
        "description": tool.description,
        "risk": tool.risk,
        "inputSchema": arguments_schema(tool),
        "idempotency": key,
    }


async def _search(exchange: Exchange, route: Route, rest: str) -> None:
    if rest != "search":
        await exchange.refuse(404, "NOT_FOUND", "The knowledge base is searched at kb/search?q=….")
        return
    query = asked(exchange, "q")
    if not query:
        await exchange.refuse(400, "INVALID_ARGUMENTS", "Say what is looked for: kb/search?q=….")
        return
    await exchange.json(200, {"documents": await route.search(query)})


def asked(exchange: Exchange, name: str) -> str | None:
    """What the query of a request says under a name."""
    fields = dict(parse_qsl(exchange.query.decode("latin-1"), keep_blank_values=True, max_num_fields=64))
    return fields.get(name)


_RESOURCES: Final[Mapping[str, Resource]] = MappingProxyType(
    {"tools": {"POST": _call_tool, "GET": _list_tools}, "kb": {"GET": _search}}
)


def _text(segment: bytes) -> str:
    """A part of a path as text, whatever it contains."""
    raw = unquote_to_bytes(segment) if b"%" in segment else segment
    return raw.decode("utf-8", "replace")


def _path(exchange: Exchange) -> str:
    """The path for an event; a token is a secret while its case runs, and is cut."""
    parts = exchange.scope["raw_path"].decode("latin-1").split("/", 3)
    if len(parts) > 2 and parts[1] == "t":
        parts[2] = f"{parts[2][:4]}…"
    return f"{exchange.method} {'/'.join(parts)}"
