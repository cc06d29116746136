"""An agent behind HTTP: `POST {url}/run` with the request as JSON, and the reply as JSON."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from typing import Final
from urllib.parse import SplitResult, urlsplit

from agenttwin.agents._claim import claim_from
from agenttwin.agents._output import MAX_REPLY_BYTES, read_json, too_large
from agenttwin.agents._request import as_body, traceparent
from agenttwin.agents._server import AgentServer
from agenttwin.errors import AgentTwinError, DocumentError
from agenttwin.run import AgentFailed, Case, Lease, Request, capped
from agenttwin.transcript import Claim, Ending

PATH: Final = "/run"

SLACK_SECONDS: Final = 1.0
"""The engine ends a turn at its deadline; the socket's own limit is only for an engine that does not."""

_CONNECTIONS: Final[Mapping[str, type[HTTPConnection]]] = {"http": HTTPConnection, "https": HTTPSConnection}

_ENDINGS: Final[Mapping[int, tuple[Ending, str]]] = {
    401: (Ending.AGENT_AUTH, ""),
    403: (Ending.AGENT_AUTH, ""),
    502: (Ending.AGENT_UNREACHABLE, ""),
    503: (Ending.AGENT_UNREACHABLE, ""),
    504: (Ending.AGENT_UNREACHABLE, ""),
    300: (Ending.AGENT_REJECTED, " Redirects are not followed."),
    400: (Ending.AGENT_REJECTED, ""),
    500: (Ending.AGENT_ERROR, ""),
}
"""What a status that is no success means; a status that is not listed counts as its hundred."""


class HttpAgent:
    """Posts each turn to ``url`` + `/run`. ``headers`` go with it and are kept nowhere.

    With a ``server`` the address is that of a server of our own, which is started again where it has ended.
    """

    def __init__(
        self,
        url: str | AgentServer,
        *,
        headers: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._headers = dict(headers or {})
        self._clock = clock

    def act(self, request: Request, lease: Lease) -> Claim:
        """One turn."""
        url = self._url if isinstance(self._url, str) else self._ready(self._url, lease.case)
        address = urlsplit(url)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "traceparent": traceparent(request),
            **self._headers,
        }
        connection = self._connected(address, lease.case)
        try:
            path = address.path.rstrip("/") + PATH
            connection.request("POST", path, body=as_body(request, lease), headers=headers)
            response = connection.getresponse()
            data = response.read(MAX_REPLY_BYTES + 1)
            if len(data) <= MAX_REPLY_BYTES and response.length:
                raise IncompleteRead(data, response.length)
        except (OSError, HTTPException) as error:
            raise _broke_off(error) from None
        finally:
            connection.close()
        return _claim(response.status, data)

    def _ready(self, server: AgentServer, case: Case) -> str:
        """The address of the server; the time that it takes to start does not count as the agent's."""
        if not server.running:
            case.start_clock(self._clock(), seconds=server.start_seconds + SLACK_SECONDS)
            try:
                server.start()
            except AgentTwinError as error:
                raise AgentFailed(Ending.AGENT_UNREACHABLE, error.message, traceback=error.remedy) from None
            case.start_clock(self._clock())
        return server.url

    def _connected(self, address: SplitResult, case: Case) -> HTTPConnection:
        """A connection that the end of the case cuts, whatever is on its way."""
        seconds = max(case.deadline - self._clock(), 0) + SLACK_SECONDS
        connection = _CONNECTIONS[address.scheme](address.hostname or "", address.port, timeout=seconds)
        try:
            connection.connect()
        except OSError as error:
            reason = error.strerror or "no answer in time"
            message = f"There is no connection to {address.netloc.rpartition('@')[2]}: {reason}."
            raise AgentFailed(Ending.AGENT_UNREACHABLE, message) from None
        wire = connection.sock
        case.at_end(lambda running: _cut(wire))
        return connection


def _broke_off(error: Exception) -> AgentFailed:
    """An answer that did not come, or not whole, or in no form that HTTP has."""
    broken = isinstance(error, OSError | IncompleteRead)
    what = "It closed the connection before its answer was complete." if broken else "Its answer is no HTTP."
    return AgentFailed(Ending.AGENT_CRASHED, what)


def _cut(wire: socket.socket) -> None:
    with contextlib.suppress(OSError):
        socket.socket.shutdown(wire, socket.SHUT_RDWR)  # past TLS, which would say goodbye first


def _claim(status: int, data: bytes) -> Claim:
    if not 200 <= status < 300:
        ending, more = _ENDINGS.get(status) or _ENDINGS.get(status // 100 * 100, _ENDINGS[500])
        text = capped(data.decode("utf-8", "replace"))
        raise AgentFailed(ending, f"It answered with HTTP status {status}.{more}", traceback=text)
    if len(data) > MAX_REPLY_BYTES:
        raise too_large()
    try:
        return claim_from(read_json(data))
    except DocumentError as error:
        message = f"Its reply is no JSON: {error.problems[0].message}."
        raise AgentFailed(
            Ending.AGENT_ERROR, message, traceback=capped(data.decode("utf-8", "replace"))
        ) from None
