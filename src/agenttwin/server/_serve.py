"""The process: opening the workspace, listening, and ending without losing anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from agenttwin.errors import UsageError
from agenttwin.surfaces import is_local, serve_asgi

GRACE_SECONDS: Final = 10.0


def serve(root: Path, *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serves a workspace until the process is told to end; ``ready`` gets the address.

    UsageError for an address that others reach; AgentTwinError where it cannot be listened on.
    """
    from agenttwin.server._app import LOCAL, create_app
    from agenttwin.server._desk import Desk

    if not is_local(host):
        message = f"{host} can be reached by other machines, and this server asks nobody who they are."
        raise UsageError("not_local", message)
    desk = Desk(root)
    try:
        app = create_app(desk, hosts=LOCAL | {host})
        serve_asgi(app, host=host, port=port, ready=ready, ending=desk.events.close, lifespan=False)
    finally:
        desk.close(GRACE_SECONDS)
