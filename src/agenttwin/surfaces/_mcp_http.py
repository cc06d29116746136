"""MCP over HTTP, one message a request: what befalls an answer on its way befalls the HTTP response."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from agenttwin.errors import AgentTwinError
from agenttwin.run import CaseClosed
from agenttwin.surfaces._http_exchange import MAX_BODY_BYTES, Exchange, Message
from agenttwin.surfaces._http_route import Route
from agenttwin.surfaces._http_wire import Parcel, travel
from agenttwin.surfaces._mcp import TURNED_AWAY, Link, link, mcp_server
from agenttwin.twin import Reply, Wire

_KEPT_HEADERS: Final = frozenset((b"content-type", b"allow"))


@dataclass(slots=True)
class _Captured:
    """A response that was not sent yet."""

    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
        else:
            self.body += message.get("body", b"")

    @property
    def kept(self) -> dict[str, str]:
        return {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in self.headers
            if name.lower() in _KEPT_HEADERS
        }


class McpSurface:
    """Answers MCP messages of any case while `run` runs. ``ready`` is set when it does."""

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self._manager = StreamableHTTPSessionManager(
            mcp_server(), json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
        )

    async def run(self) -> None:
        """Serves until it is cancelled."""
        async with self._manager.run():
            self.ready.set()
            await asyncio.Event().wait()

    async def answer(self, exchange: Exchange, route: Route) -> None:
        """Answers one message."""
        body, whole = await exchange.body()
        if not whole:
            await exchange.refuse(413, "MESSAGE_TOO_LARGE", f"A message may have {MAX_BODY_BYTES:,} bytes.")
            return
        here, captured = Link(route, has_wire=True), _Captured()
        before = link.set(here)
        try:
            await self._manager.handle_request(exchange.scope, _replay(body), captured.send)
        finally:
            link.reset(before)
        if not here.heard:
            await _record_unheard(route, body)
        if route.case.closed and here.reply is None:
            raise CaseClosed
        await travel(exchange, route, _parcel(here.reply, captured))


def _replay(body: bytes) -> Any:
    """A request's body for the second time; then nothing, until whoever waits for more is cancelled."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if parts:
            return parts.pop()
        await asyncio.Event().wait()
        raise AssertionError

    return receive


async def _record_unheard(route: Route, body: bytes) -> None:
    """A call whose arguments are no object never reaches a tool: it is refused, and recorded as that."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        return
    match message:
        case {"method": "tools/call", "params": {"name": str() as name, "arguments": arguments}}:
            if arguments is not None and not isinstance(arguments, dict):
                with suppress(AgentTwinError):
                    await route.call(name, arguments, {})


def _parcel(reply: Reply | None, captured: _Captured) -> Parcel:
    """The response, and how it travels."""
    body, headers = bytes(captured.body), captured.kept
    if reply is None:
        return Parcel(status=captured.status, headers=headers, body=body, wire=Wire.WHOLE, delay_ms=0)
    if reply.wire is Wire.WHOLE and reply.status in TURNED_AWAY:
        turned: Mapping[str, str] = reply.headers
        return Parcel(
            status=reply.status or 503,
            headers=turned,
            body=reply.body or b"",
            wire=Wire.WHOLE,
            delay_ms=reply.delay_ms,
        )
    return Parcel(
        status=captured.status,
        headers=headers,
        body=_DAMAGE.get(reply.wire, bytes)(body),
        wire=reply.wire,
        delay_ms=reply.delay_ms,
    )


def _half(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _garbled(body: bytes) -> bytes:
    return body[:-1] + b",}<"


_DAMAGE: Final = {Wire.TRUNCATED: _half, Wire.GARBLED: _garbled}
