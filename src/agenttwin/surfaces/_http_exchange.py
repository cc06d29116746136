"""One request and its answer, over ASGI: what is read, what is sent back, and how a socket is broken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final, TypeAlias

import orjson

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

MAX_BODY_BYTES: Final = 2 * 1024 * 1024
"""Of a request. Arguments are refused beyond 256 KiB; spelled with escapes and spaces they are longer."""

MAX_DISCARDED_BYTES: Final = 32 * 1024 * 1024
"""Read beyond that and thrown away: who has sent its whole request hears the answer, who has not may not."""

TRANSPORT: Final = "agenttwin.transport"
"""The extension of a scope that holds the transport, where the server is ours."""

_JSON: Final = (b"content-type", b"application/json")


class Gone(Exception):  # noqa: N818 - reads as what happened
    """The caller went away before its request was there, or was too slow for the server."""


class Exchange:
    """One request being answered."""

    __slots__ = ("_last", "_receive", "_send", "headers", "method", "query", "scope")

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.method: str = scope["method"]
        self.query: bytes = scope["query_string"]
        self._receive = receive
        self._send = send
        self._last = False

    async def body(self) -> tuple[bytes, bool]:
        """The body, and whether that is all of it: no more than MAX_BODY_BYTES are kept. Gone as it says."""
        message = await self._receive()
        if message["type"] == "http.request" and not message.get("more_body", False):
            data: bytes = message.get("body", b"")
            return data[:MAX_BODY_BYTES], len(data) <= MAX_BODY_BYTES
        return await self._rest(message)

    async def _rest(self, message: Message) -> tuple[bytes, bool]:
        kept, size = bytearray(), 0
        while True:
            if message["type"] == "http.disconnect":
                raise Gone
            part = message.get("body", b"")
            kept += part[: MAX_BODY_BYTES - len(kept)]
            size += len(part)
            self._last = size > MAX_BODY_BYTES + MAX_DISCARDED_BYTES
            if self._last or not message.get("more_body", False):
                return bytes(kept), size <= MAX_BODY_BYTES
            message = await self._receive()

    async def answer(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, *, length: int | None = None
    ) -> None:
        """Sends a whole answer; ``length`` is what its header claims, where that is another than is sent."""
        await self.start(status, headers, length=len(body) if length is None else length)
        await self._send({"type": "http.response.body", "body": body, "more_body": length is not None})

    async def start(self, status: int, headers: Mapping[str, str] | None, *, length: int | None) -> None:
        """Sends the head of an answer; JSON unless its headers say otherwise, in chunks without a length."""
        head = [_JSON]
        if length is not None:
            head.append((b"content-length", b"%d" % length))
        if self._last:
            head.append((b"connection", b"close"))
        if headers:
            given = fields(headers)
            replaced = {name for name, _ in given}
            head = [*(each for each in head if each[0] not in replaced), *given]
        await self._send({"type": "http.response.start", "status": status, "headers": head})

    async def more(self, body: bytes, *, last: bool = False) -> None:
        """Sends a part of the body."""
        await self._send({"type": "http.response.body", "body": body, "more_body": not last})

    async def json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        """Answers a value."""
        await self.answer(status, orjson.dumps(value), headers)

    async def refuse(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Answers an error, in the one form that tools have too."""
        await self.json(status, {"error": {"code": code, "message": message}}, headers)

    async def abort(self) -> None:
        """Breaks the connection at once, and lets what was not sent yet go."""
        if (transport := self._transport()) is not None:
            transport.abort()
            await self._left()

    async def hang_up(self) -> None:
        """Closes the connection after what was sent, however much the answer still owes."""
        if (transport := self._transport()) is not None:
            transport.close()
            await self._left()

    def _transport(self) -> Any:
        return self.scope.get("extensions", {}).get(TRANSPORT)

    async def _left(self) -> None:
        """Until the server knows that the connection is closed: it expects no answer then."""
        while (await self._receive())["type"] != "http.disconnect":
            pass


def fields(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Headers as they are on the socket."""
    return [(name.lower().encode("latin-1"), _line(value)) for name, value in headers.items()]


def _line(value: str) -> bytes:
    """A header's value; it must not be able to end its line."""
    return value.replace("\r", " ").replace("\n", " ").encode("latin-1", "replace")
