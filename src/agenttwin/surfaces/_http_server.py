"""A server in a thread of its own that hosts cases, each at an address that nobody can guess."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import socket
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from agenttwin.errors import AgentTwinError, UsageError
from agenttwin.run import Case, Clock, Lease, Lend
from agenttwin.surfaces._http import HttpSurface, Resource
from agenttwin.surfaces._http_exchange import Exchange
from agenttwin.surfaces._http_guard import Guard
from agenttwin.surfaces._http_route import MAX_CASES, Route, Routes, SurfaceEvent
from agenttwin.surfaces._python import PythonTools

if TYPE_CHECKING:
    import uvicorn

LOOPBACK: Final = "127.0.0.1"
BACKLOG: Final = 2_048
KEEP_ALIVE_SECONDS: Final = 75
"""Longer than clients keep idle connections, so that they close them: a close of ours looks like a fault."""

GRACE_SECONDS: Final = 1
"""For answers on their way when the server stops."""

_STARTED_SECONDS: Final = 30.0

TOOLS_VARIABLE: Final = "AGENTTWIN_TOOLS_URL"
MCP_VARIABLE: Final = "AGENTTWIN_MCP_URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a case is reached. Below ``http_url`` lie `tools/<tool>` and `kb/search`."""

    http_url: str
    mcp_url: str | None

    @property
    def env(self) -> Mapping[str, str]:
        """The same for a process."""
        named = {TOOLS_VARIABLE: self.http_url, MCP_VARIABLE: self.mcp_url}
        return {name: url for name, url in named.items() if url is not None}


def require(extra: str, *modules: str) -> None:
    """AgentTwinError where a part of the product is used that was not installed; it names the extra."""
    missing = next((module for module in modules if find_spec(module) is None), None)
    if missing is not None:
        raise AgentTwinError(
            "missing_extra",
            f"This needs {missing}, which is not installed.",
            remedy=f"pip install 'agenttwin[{extra}]'",
        )


class TwinServer:
    """Serves cases over HTTP and, where `mcp` is installed, over MCP. To be used in a `with`, or stopped.

    On a free port of 127.0.0.1 unless told otherwise. ``names`` are further names of this machine by which
    it may be asked; ``resources`` and ``root`` are as of HttpSurface. AgentTwinError where the extra `server`
    is missing, UsageError where the address is taken.
    """

    def __init__(
        self,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        names: Iterable[str] = (),
        clock: Clock = time.monotonic,
        max_cases: int = MAX_CASES,
        resources: Mapping[str, Resource] | None = None,
        root: Any = None,
    ) -> None:
        require("server", "uvicorn", "httptools")
        self.routes = Routes(clock=clock, max_cases=max_cases)
        self.has_mcp = find_spec("mcp") is not None
        self._socket = _bound(host, port)
        self._surface = HttpSurface(
            self.routes,
            guard=Guard((*names, host)),
            resources={"mcp": {"POST": self._mcp, "*": _only_post}, **(resources or {})},
            root=root,
        )
        self._mcp_app: Any = None
        self._mcp_starting: asyncio.Task[Any] | None = None
        self._stack = contextlib.AsyncExitStack()
        self._server: uvicorn.Server | None = None
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="agenttwin-server", daemon=True)

    # -- its life

    def start(self) -> TwinServer:
        """Begins to serve; returns when the first request can be answered."""
        self._thread.start()
        if not self._ready.wait(_STARTED_SECONDS) or self._failed is not None:
            message = f"The server could not start: {self._failed or 'it took too long'}."
            raise AgentTwinError("server_failed", message)
        return self

    def stop(self) -> None:
        """Takes every address away and ends; answers on their way get a moment."""
        self.routes.revoke_all()
        if self._server is not None:
            self._server.should_exit = True
            self._thread.join()
        self._socket.close()

    def __enter__(self) -> TwinServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where it listens, such as http://127.0.0.1:40123."""
        host, port = self._socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    # -- its cases

    def register(self, case: Case) -> Address:
        """Gives a case its address; raises as Routes.register."""
        self.routes.register(case)
        return self.address(case.token)

    def unregister(self, case: Case) -> None:
        """Takes the address away: whoever calls there now is told that it is no longer in use."""
        self.routes.revoke(case.token)

    def address(self, token: str) -> Address:
        """Where a token leads."""
        base = f"{self.url}/t/{token}"
        return Address(http_url=base, mcp_url=f"{base}/mcp" if self.has_mcp else None)

    @property
    def events(self) -> tuple[SurfaceEvent, ...]:
        """What reached the server and no case: calls after the end, unknown tokens, overload …"""
        return self.routes.events

    def late_calls(self, case: Case) -> int:
        """How many calls came after the end of a case."""
        return self.routes.late_calls(case.token)

    # -- its thread

    def _run(self) -> None:
        try:
            server = self._server = self._made()
            with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
                runner.run(self._serve(server))
        except BaseException as error:
            self._failed = error
        finally:
            self._ready.set()

    def _made(self) -> uvicorn.Server:
        import uvicorn

        from agenttwin.surfaces._http_connection import Connection

        config = uvicorn.Config(
            self._surface,
            http=Connection,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        return uvicorn.Server(config)

    async def _serve(self, server: uvicorn.Server) -> None:
        watch = asyncio.create_task(self._told(server))
        await server.serve(sockets=[self._socket])
        watch.cancel()
        if self._mcp_starting is not None:
            self._mcp_starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._mcp_starting

    async def _told(self, server: uvicorn.Server) -> None:
        while not server.started:
            await asyncio.sleep(0.001)
        self._ready.set()

    # -- MCP, made when it is first asked for: importing it takes a second

    async def _mcp(self, exchange: Exchange, route: Route, rest: str) -> None:
        if rest:
            await exchange.refuse(404, "NOT_FOUND", "MCP is spoken at mcp.")
        elif not self.has_mcp:
            message = "MCP is not installed on this side: pip install 'agenttwin[mcp]'."
            await exchange.refuse(501, "NOT_IMPLEMENTED", message)
        else:
            await (await self._mcp_surface()).answer(exchange, route)

    async def _mcp_surface(self) -> Any:
        if self._mcp_app is None:
            module = await asyncio.to_thread(importlib.import_module, "agenttwin.surfaces._mcp_http")
            if self._mcp_app is None:
                self._mcp_app = module.McpSurface()
                self._mcp_starting = asyncio.create_task(self._mcp_app.run())
        await self._mcp_app.ready.wait()
        return self._mcp_app


async def _only_post(exchange: Exchange, route: Route, rest: str) -> None:
    """There is no session to end and no stream to listen to."""
    del route, rest
    await exchange.refuse(405, "METHOD_NOT_ALLOWED", "MCP is spoken with POST here.", {"allow": "POST"})


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(BACKLOG)
        except BaseException:
            bound.close()
            raise
    except OSError as error:
        message = f"Port {port} of {host} cannot be listened on: {error.strerror or error}."
        raise UsageError("address_unavailable", message) from None
    bound.setblocking(False)
    return bound


def lend_http(server: TwinServer) -> Lend:
    """Lends cases over a server, and as Python functions too; the address ends with the case."""

    def lend(case: Case) -> Lease:
        address = server.register(case)
        case.at_end(lambda running: server.unregister(case))
        return Lease(
            case=case,
            tools=PythonTools(case),
            http_url=address.http_url,
            mcp_url=address.mcp_url,
            env=address.env,
        )

    return lend
