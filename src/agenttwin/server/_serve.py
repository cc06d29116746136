"""The process: opening the workspace, listening, and ending without losing anything."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from agenttwin.errors import AgentTwinError, UsageError

GRACE_SECONDS: Final = 10.0
BACKLOG: Final = 128
KEEP_ALIVE_SECONDS: Final = 30
MAX_HEADER_BYTES: Final = 64 * 1024


def is_local(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(root: Path, *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serves a workspace until the process is told to end; ``ready`` gets the address.

    UsageError for an address that others reach; AgentTwinError where it cannot be listened on.
    """
    import uvicorn

    from agenttwin.server._app import LOCAL, create_app
    from agenttwin.server._desk import Desk

    if not is_local(host):
        message = f"{host} can be reached by other machines, and this server asks nobody who they are."
        raise UsageError("not_local", message)
    listening = _listen(host, port)
    desk = Desk(root)
    try:
        app = create_app(desk, hosts=LOCAL | {host})
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=int(GRACE_SECONDS),
            h11_max_incomplete_event_size=MAX_HEADER_BYTES,
            lifespan="off",
        )
        server = _Server(config, lambda: ready(_address(listening)), desk.events.close)
        server.run(sockets=[listening])
    finally:
        desk.close(GRACE_SECONDS)
        listening.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        message = f"{host}:{port} cannot be listened on: {error.strerror}."
        raise AgentTwinError("address_taken", message) from None
    made.listen(BACKLOG)
    return made


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _server_class() -> Any:
    import uvicorn

    class Server(uvicorn.Server):
        """Tells when it is ready, and lets streams end when it is told to."""

        def __init__(
            self, config: uvicorn.Config, ready: Callable[[], None], ending: Callable[[], None]
        ) -> None:
            super().__init__(config)
            self._ready = ready
            self._ending = ending

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            self._ready()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            self._ending()
            await super().shutdown(sockets)

    return Server


def _Server(*args: Any) -> Any:  # noqa: N802 - a class that is made when uvicorn is there
    return _server_class()(*args)
