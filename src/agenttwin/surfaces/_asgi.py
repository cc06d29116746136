"""Serving an application from this process until it is told to end."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Callable
from typing import Any, Final

from agenttwin.errors import AgentTwinError

GRACE_SECONDS: Final = 10
BACKLOG: Final = 128
KEEP_ALIVE_SECONDS: Final = 30
REQUEST_SECONDS: Final = 60.0
"""How long a caller may take to send a request, from its first byte: 64 MiB over 10 Mbit a second."""


def is_local(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve_asgi(
    app: Any,
    *,
    host: str,
    port: int,
    ready: Callable[[str], None],
    ending: Callable[[], None] = lambda: None,
    lifespan: bool = True,
) -> None:
    """Serves until SIGINT or SIGTERM; ``ready`` gets the address, ``ending`` is called before streams end.

    AgentTwinError where the address cannot be listened on.
    """
    import uvicorn

    from agenttwin.surfaces._http_connection import Connection

    class Patient(Connection):
        """Gives a request as long as a large one takes on a slow line, and no longer."""

        seconds = REQUEST_SECONDS

    class Server(uvicorn.Server):
        """Tells when it is ready, and that it ends."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready(address_of(listening))

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            ending()
            await super().shutdown(sockets)

    listening = listen(host, port)
    # uvicorn raises the signal that ended it once more; whoever called has something to do yet.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            http=Patient,
            ws="none",
            lifespan="on" if lifespan else "off",
        )
        Server(config).run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        listening.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; AgentTwinError where that cannot be."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        message = f"{host}:{port} cannot be listened on: {error.strerror}."
        raise AgentTwinError("address_taken", message) from None
    made.listen(BACKLOG)
    return made


def address_of(listening: socket.socket) -> str:
    """Where a socket listens, as an address."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
