"""What is turned away before a route is asked: names of other hosts, pages of other sites, large bodies."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from agenttwin.server._errors import answer
from agenttwin.server._metrics import Metrics
from agenttwin.storage import MAX_BUNDLE

MAX_BODY: Final = 20 * 1024 * 1024
MAX_HEADERS: Final = 200
MAX_HEADER_BYTES: Final = 64 * 1024
IMPORTS: Final = "/api/v1/imports"
REQUESTS: Final = logging.getLogger("agenttwin.server.requests")
METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

SECURITY: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class TooLarge(Exception):  # noqa: N818 - reads as what happened
    """A body that goes on beyond its limit."""


class Guard:
    """The application around the routes. ``hosts`` are the names that this server is known by."""

    def __init__(self, app: Any, hosts: frozenset[str], metrics: Metrics) -> None:
        self._app = app
        self._hosts = hosts
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, or hands it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        began = time.perf_counter()

        async def watched(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *SECURITY]
                self._told(scope, message["status"], time.perf_counter() - began)
            await send(message)

        await self._guarded(scope, receive, watched, headers)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send, headers: dict[str, str]) -> None:
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        limit = MAX_BUNDLE if scope["path"] == IMPORTS else MAX_BODY
        read = 0

        async def limited() -> MutableMapping[str, Any]:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise TooLarge  # whoever reads makes some answer of it: the one that is sent is ours
            return message

        async def secured(message: MutableMapping[str, Any]) -> None:
            if read <= limit:
                await send(message)

        with suppress(TooLarge):
            await self._app(scope, limited, secured)
        if read > limit:
            await _too_large(limit)(scope, receive, send)

    def _told(self, scope: Scope, status: int, seconds: float) -> None:
        """Counts an answer, and writes it down where requests are logged."""
        route = getattr(scope.get("route"), "path_format", "other")
        self._metrics.requests.labels(_word(scope), route, status).inc()
        self._metrics.seconds.labels(_word(scope), route).observe(seconds)
        identity = scope.get("state", {}).get("identity")
        REQUESTS.info(
            "%s %s %d",
            _word(scope),
            route,
            status,
            extra={
                "method": _word(scope),
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 1),
                "actor": identity.actor if identity else None,
                "project": identity.project if identity else None,
            },
        )

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> Any:
        if len(scope["headers"]) > MAX_HEADERS:
            return answer(431, "too_many_headers", f"The request has more than {MAX_HEADERS} headers.")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
            return answer(431, "too_many_headers", f"The headers have more than {MAX_HEADER_BYTES:,} bytes.")
        host = _name(headers.get("host", ""))
        if host not in self._hosts:
            hint = "Use the address that agenttwin serve printed."
            return answer(421, "unknown_host", f"This server is not called {host!r}.", hint=hint)
        if scope["method"] not in SAFE and not _same_site(headers, host):
            return answer(403, "other_origin", "A page of another site may not change anything here.")
        length = headers.get("content-length", "0")
        limit = MAX_BUNDLE if scope["path"] == IMPORTS else MAX_BODY
        if length.isdigit() and int(length) > limit:
            return _too_large(limit)
        return None


def _word(scope: Scope) -> str:
    """The method, where it is one: whoever asks could think up any number of them."""
    return scope["method"] if scope["method"] in METHODS else "other"


def _too_large(limit: int) -> Any:
    return answer(413, "body_too_large", f"The body has more than {limit:,} bytes.")


def _name(host: str) -> str:
    """The host without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "") if host else ""
    except ValueError:  # a bracket that is not closed
        return ""


def _same_site(headers: dict[str, str], host: str) -> bool:
    """Whether a request comes from this server's own pages, or from no page at all."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site not in (None, "same-origin", "none"):
        return False
    if origin is not None:
        try:
            return urlsplit(origin).netloc == headers.get("host")
        except ValueError:  # a bracket that is not closed
            return False
    return "cookie" not in headers or site is not None
