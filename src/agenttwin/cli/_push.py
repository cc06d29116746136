"""`agenttwin push`: what was run here, for a team's server."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agenttwin.cli._output import say, show

if TYPE_CHECKING:
    from agenttwin.storage import Store, StoredPair, StoredRun

KEY_VARIABLE = "AGENTTWIN_KEY"
SECONDS = 120.0
TRIES = 3


@click.command()
@click.argument("name", metavar="[ID]", required=False)
@click.option(
    "--server",
    envvar="AGENTTWIN_SERVER",
    required=True,
    metavar="URL",
    help="The address of the server, such as https://agenttwin.example.com.",
)
@click.option("--project", metavar="NAME", help="The project on the server (default: that of the key).")
@click.pass_obj
def command(directory: str, name: str | None, server: str, project: str | None) -> int:
    """Send a comparison or a run to a team's server: the one with this ID or key, or the latest comparison.

    The server's key is taken from AGENTTWIN_KEY. Sending the same twice is sending it once.
    """
    from agenttwin.storage import open_store
    from agenttwin.surfaces import require
    from agenttwin.workspace import find_root, open_workspace

    require("server", "httpx")
    with open_store(open_workspace(find_root(Path(directory))).database) as store:
        stored = _named(store, name)
        told = _send(server, project, store.bundle(stored), stored.key)
    verb = "is now" if told["new"] else "was already"
    show(f"{server.rstrip('/')}/comparisons/{told['id']}" if told["comparison"] else told["id"])
    say(f"The {told['kind']} {told['key']} {verb} on {server}.")
    return 0


def _named(store: Store, name: str | None) -> StoredPair | StoredRun:
    from agenttwin.errors import UsageError
    from agenttwin.storage import StoredRun

    found = store.find(name) if name is not None else store.latest_pair()
    if isinstance(found, StoredRun) and found.pair is not None:
        message = f"{found.id} is one side of the comparison {found.pair}."
        raise UsageError("side_of_a_pair", message, "Push the comparison.")
    return found


def _send(server: str, project: str | None, data: bytes, key: str) -> Any:
    """What the server says; AgentTwinError in its words where it refuses, or does not answer."""
    import httpx

    from agenttwin.errors import AgentTwinError

    headers = {"Content-Type": "application/gzip", "Idempotency-Key": hashlib.sha256(data).hexdigest()}
    if secret := os.environ.get(KEY_VARIABLE):
        headers["Authorization"] = f"Bearer {secret}"
    address, query = f"{server.rstrip('/')}/api/v1/imports", {"project": project} if project else {}
    transport = httpx.HTTPTransport(retries=TRIES - 1)
    try:
        with httpx.Client(transport=transport, timeout=SECONDS) as client:
            answer = client.post(address, content=data, headers=headers, params=query)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        message = f"{server} does not take {key}: {error or type(error).__name__}."
        raise AgentTwinError("server_unreachable", message) from None
    try:
        told = answer.json()
    except ValueError:
        told = None
    told = told if isinstance(told, dict) else {}
    if answer.status_code not in (200, 201) or "id" not in told:
        message = told.get("message") or f"it answers {answer.status_code}, as no AgentTwin does."
        raise AgentTwinError(
            told.get("code", "server_unreachable"), f"{server}: {message}", told.get("hint") or ""
        )
    return told
