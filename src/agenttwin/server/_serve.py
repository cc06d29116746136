"""The process: opening the workspace, listening, and ending without losing anything."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agenttwin.errors import UsageError
from agenttwin.surfaces import is_local, serve_asgi

GRACE_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How a workspace is served. ``names`` are further names of this machine; ``database`` as of open_store.

    ``sign_in``: everybody needs a key, on this machine too. ``log`` is "text" or "json": one line for each
    request on standard error; None: warnings alone.
    """

    host: str = "127.0.0.1"
    port: int = 8321
    names: Collection[str] = ()
    database: str | None = None
    sign_in: bool = False
    log: str | None = None


def serve(root: Path, serving: Serving, *, ready: Callable[[str], None]) -> None:
    """Serves a workspace until the process is told to end; ``ready`` gets the address.

    UsageError for an address that others reach while there is no key that lets anybody in; AgentTwinError
    where it cannot be listened on.
    """
    from agenttwin.server._app import LOCAL, create_app
    from agenttwin.server._desk import Desk
    from agenttwin.server._logs import log_to_stderr

    log_to_stderr(serving.log)
    names = LOCAL | _known(serving)
    remote = not is_local(serving.host)
    desk = Desk(root, database=serving.database, sign_in=serving.sign_in or remote, remote=remote)
    try:
        if desk.sign_in and not desk.store.access.has_keys():
            where = "Others reach this address" if remote else "Everybody shall sign in"
            hint = "Make one first: agenttwin keys create NAME --scope owner."
            raise UsageError("no_keys", f"{where}, and there is no key that lets anybody in.", hint)
        app = create_app(desk, hosts=names)
        desk.upkeep.start()
        serve_asgi(
            app,
            host=serving.host,
            port=serving.port,
            ready=ready,
            ending=desk.end_streams,
            lifespan=False,
        )
    finally:
        desk.close(GRACE_SECONDS)


def _known(serving: Serving) -> frozenset[str]:
    """The names that the server is asked by: its address, and those that it was given."""
    names = {name.lower() for name in serving.names}
    try:
        everywhere = ipaddress.ip_address(serving.host).is_unspecified
    except ValueError:
        everywhere = False
    if everywhere and not names:
        message = f"{serving.host} is every address of this machine, and none to ask by."
        raise UsageError("no_name", message, "Say by which name it is reached: --name agenttwin.example.com.")
    return frozenset(names if everywhere else {*names, serving.host.lower()})
