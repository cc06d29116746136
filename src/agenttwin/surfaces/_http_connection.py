"""A connection of uvicorn's server, with the limits that it leaves to a proxy in front of it.

Only this module, `_asgi` and `_http_server` import uvicorn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from agenttwin.surfaces._http_exchange import TRANSPORT, Exchange, fields
from agenttwin.twin import Reply

MAX_HEAD_BYTES: Final = 32 * 1024
"""Of a request's path and headers: tokens, trace contexts and cookies of any honest client fit in."""

REQUEST_SECONDS: Final = 20.0
"""How long a caller may take to send a request, from its first byte."""

QUICK_BYTES: Final = 64 * 1024
"""Of a body that is held back for an answer at once."""

AtOnce: TypeAlias = Callable[[bytes, Mapping[bytes, bytes], bytes], Reply | None]

_SILENT: Final = logging.Logger("agenttwin.surfaces", level=logging.CRITICAL + 1)
"""What callers do wrong is counted by the surface; nothing goes to anybody's terminal."""


_OPEN_FILES: Final = 1_024
"""What a process may open where the system does not say."""

_RESERVED_FILES: Final = 128
"""Files that the rest of the process may need while every connection is taken."""


def most_connections() -> int:
    """How many connections this process can hold and still open a file."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return _OPEN_FILES
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return max(min(allowed, 8 * _OPEN_FILES) - _RESERVED_FILES, 16)


class Connection(HttpToolsProtocol):
    """Refuses heads that are too large with 431, requests that take too long with 408, crowds with 503."""

    seconds = REQUEST_SECONDS
    most = most_connections()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.logger = self.access_logger = _SILENT
        self.access_log = False
        self._crowded = False
        self._complete: bool | None = None
        self._in_head = True
        self._head = 0
        self._timer: asyncio.TimerHandle | None = None
        self._at_once: AtOnce | None = getattr(self.config.loaded_app, "at_once", None)
        self._body: bytearray | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to count the time: a connection without a request is not kept."""
        super().connection_made(transport)
        self._crowded = len(self.connections) > self.most
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more to watch."""
        self._at_rest()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes what came; whoever has sent a part of a request is watched."""
        super().data_received(data)
        if self._complete:
            self._at_rest()
        elif not self.transport.is_closing():
            self._watch()
            self._head += len(data)
            if self._in_head and self._head > MAX_HEAD_BYTES:
                self._close(431, b"Request Header Fields Too Large")

    def on_message_begin(self) -> None:
        """A request begins; its scope also holds the transport, for answers that break."""
        self._complete, self._in_head, self._head = False, True, 0
        super().on_message_begin()
        self.scope["extensions"] = {TRANSPORT: self.transport}  # type: ignore[dict-item]

    def on_url(self, url: bytes) -> None:
        """Counts the path."""
        self._head += len(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Counts a header."""
        self._head += len(name) + len(value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there; one that came at once may still be too large."""
        self._in_head = False
        if self._crowded:
            self.app = _overloaded
        elif self._head > MAX_HEAD_BYTES:
            self.app = _too_large
        if self._may_be_quick():
            self._body = bytearray()
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body: of a short one that is answered at once, or handed on."""
        if self._body is None:
            super().on_body(body)
        else:
            self._body += body
            if len(self._body) > QUICK_BYTES:
                self._take_the_long_way()

    def on_message_complete(self) -> None:
        """The request is there."""
        self._complete = True
        if self._body is not None and self._answer_at_once(bytes(self._body)):
            self._body = None
            return
        self._take_the_long_way()
        super().on_message_complete()

    def _may_be_quick(self) -> bool:
        """Whether it may be answered as soon as it is there: a call, and no answer before it is due."""
        return (
            self._at_once is not None
            and self.app is self.config.loaded_app
            and (self.cycle is None or self.cycle.response_complete)
            and not self.pipeline
            and not self.flow.write_paused
            and not self.expect_100_continue
            and self.parser.get_method() == b"POST"
            and b"/tools/" in self.url
            and b"?" not in self.url
            and b"#" not in self.url
        )

    def _answer_at_once(self, body: bytes) -> bool:
        assert self._at_once is not None
        reply = self._at_once(self.url, dict(self.headers), body)
        if reply is None:
            return False
        last = not self.parser.should_keep_alive()
        self.transport.write(_written(reply, last=last))
        if last:
            self.transport.close()
        self.on_response_complete()
        return True

    def _take_the_long_way(self) -> None:
        """Hands on what was held back."""
        if self._body is not None:
            body, self._body = bytes(self._body), None
            super().on_headers_complete()
            super().on_body(body)

    def _watch(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.seconds, self._too_slow)

    def _at_rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        cycle = self.cycle
        if self._complete is None or (
            cycle is not None and _is_answering(cycle, before=self._in_head or self._body is not None)
        ):
            self.transport.abort()  # nothing was asked, or the answer is on its way before the question is
        else:
            self._close(408, b"Request Timeout")

    def _close(self, status: int, phrase: bytes) -> None:
        """Says why and hangs up."""
        code = phrase.upper().replace(b" ", b"_")
        body = b'{"error":{"code":"%s","message":"%s."}}' % (code, phrase)
        self.transport.write(_ANSWER % (status, phrase, len(body), body))
        self.transport.close()


def _written(reply: Reply, *, last: bool) -> bytes:
    """A whole answer as it is on the socket."""
    body = reply.body or b""
    more = b"".join(b"%s: %s\r\n" % field for field in fields(reply.headers)) if reply.headers else b""
    end = b"connection: close\r\n\r\n" if last else b"\r\n"
    head = b"content-type: application/json\r\ncontent-length: %d\r\n" % len(body)
    return b"".join((STATUS_LINE[reply.status or 500], head, more, end, body))


_ANSWER: Final = (
    b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s"
)


def _is_answering(cycle: Any, *, before: bool) -> bool:
    """Whether an answer has begun; ``before``: the cycle is that of the request before this one."""
    return bool(cycle.response_started and not (before and cycle.response_complete))


async def _overloaded(scope: Any, receive: Any, send: Any) -> None:
    headers = {"retry-after": "1", "connection": "close"}
    await Exchange(scope, receive, send).refuse(503, "OVERLOADED", "Too many connections at a time.", headers)


async def _too_large(scope: Any, receive: Any, send: Any) -> None:
    message = f"A request's head may have {MAX_HEAD_BYTES:,} bytes."
    await Exchange(scope, receive, send).refuse(431, "HEAD_TOO_LARGE", message, {"connection": "close"})
