"""A proxy for one API: requests are passed on, and written down before they are answered."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from agenttwin.errors import AgentTwinError, UsageError
from agenttwin.imports import exchange
from agenttwin.surfaces import is_local

MAX_REQUEST: Final = 20 * 1024 * 1024
MAX_ANSWER: Final = 64 * 1024 * 1024
SECONDS: Final = 120.0

HOP_BY_HOP: Final = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "host", "content-length", "accept-encoding", "content-encoding",
    }
)  # fmt: skip
"""Headers that are of one connection, or that change with how a body travels."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Recorder:
    """A recording that is being made: a line for each exchange, written before the agent is answered."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        try:
            self._file: IO[bytes] = path.open("ab", buffering=0)
        except OSError as error:
            raise AgentTwinError("unwritable_file", f"{path} cannot be written: {error.strerror}.") from None

    def keep(self, line: bytes) -> None:
        """Writes one exchange down."""
        self._file.write(line)
        self.count += 1

    def close(self) -> None:
        """Ends the recording."""
        self._file.close()


class Proxy:
    """The application. ``upstream`` is the address of the real API."""

    def __init__(self, upstream: str, recorder: Recorder) -> None:
        import httpx

        self._upstream = upstream.rstrip("/")
        self._recorder = recorder
        self._client = httpx.AsyncClient(timeout=SECONDS, follow_redirects=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes one request on."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send, self._client.aclose)
            return
        body = await _body(receive)
        query = scope["query_string"].decode("latin-1")
        target = scope["raw_path"].decode("latin-1") + (f"?{query}" if query else "")  # as it came, unread
        given = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        if not is_ours(scope):
            await answer(send, 421, [], b'{"error":"this is not the host that is recorded"}')
            return
        if body is None:
            lost = exchange(
                scope["method"], target, given, b"",
                status=None, answer=b"", error=f"the request has more than {MAX_REQUEST:,} bytes",
            )  # fmt: skip
            self._recorder.keep(lost.encode())
            await answer(send, 413, [], b'{"error":"the request is too large to be recorded"}')
            return
        began, at = time.monotonic(), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        status, headers, came, error = await self._ask(scope["method"], target, given, body)
        ms = (time.monotonic() - began) * 1000
        found = exchange(
            scope["method"], target, [*given, *headers], body,
            status=status, answer=came, error=error, at=at, ms=ms,
        )  # fmt: skip
        self._recorder.keep(found.encode())
        if status is None:
            told = b'{"error":"the real API did not answer"}'
            await answer(send, 502, [("content-type", "application/json")], told)
        else:
            await answer(send, status, headers, came)

    async def _ask(
        self, method: str, target: str, given: list[tuple[str, str]], body: bytes
    ) -> tuple[int | None, list[tuple[str, str]], bytes, str | None]:
        """What the real API answers; no status, and why, where it does not."""
        import httpx

        sent = [(name, value) for name, value in given if name.lower() not in HOP_BY_HOP]
        try:
            async with self._client.stream(
                method, f"{self._upstream}{target}", headers=sent, content=body
            ) as response:
                parts, size = [], 0
                async for part in response.aiter_bytes():
                    size += len(part)
                    if size > MAX_ANSWER:
                        return None, [], b"", f"the answer has more than {MAX_ANSWER:,} bytes"
                    parts.append(part)
                kept = [(name, value) for name, value in response.headers.multi_items()]
                headers = [(name, value) for name, value in kept if name.lower() not in HOP_BY_HOP]
                return response.status_code, headers, b"".join(parts), None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            return None, [], b"", f"{type(error).__name__}: {error}"


def record_http(
    upstream: str, recorder: Recorder, *, host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Serves the proxy until the process is told to end; ``ready`` gets its address.

    UsageError for an address that is none.
    """
    from agenttwin.surfaces import serve_asgi

    url = urlsplit(upstream)
    if url.scheme not in ("http", "https") or not url.netloc:
        raise UsageError("invalid_upstream", f"{upstream!r} is no address of an API.")
    serve_asgi(Proxy(upstream, recorder), host=host, port=port, ready=ready)


def is_ours(scope: Scope) -> bool:
    """Whether a request names this machine: a page that was led here by its name in the DNS does not."""
    host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
    return is_local(host.rsplit(":", 1)[0].strip("[]"))


async def _body(receive: Receive) -> bytes | None:
    """The body of a request; None where it is too large."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        size += len(message.get("body", b""))
        if size <= MAX_REQUEST:
            parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts) if size <= MAX_REQUEST else None


async def answer(send: Send, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
    """Sends a whole answer."""
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    encoded.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


async def _lifespan(receive: Receive, send: Send, close: Callable[[], Awaitable[None]]) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await close()
            await send({"type": "lifespan.shutdown.complete"})
            return
