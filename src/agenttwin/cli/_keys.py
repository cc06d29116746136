"""`agenttwin keys`: who may ask a server for what."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agenttwin.cli._output import say, show

if TYPE_CHECKING:
    from agenttwin.storage import Store, StoredKey

DAY_MS = 86_400_000
SCOPES = ("read", "write", "run", "admin", "owner")

DATABASE = click.option(
    "--database",
    envvar="AGENTTWIN_DATABASE",
    metavar="URL",
    help="Where the server keeps its runs (default: the workspace's own file).",
)
PROJECT = click.option("--project", default="default", show_default=True, help="The project of the key.")


@click.group(name="keys")
def command() -> None:
    """Make, list and revoke the keys of a server.

    A key belongs to a project. What it may: read looks at everything in the project; write pushes runs and
    overrides results; run starts and cancels; admin makes keys and reads the audit log; owner may all of
    that in every project.
    """


@command.command("create")
@click.argument("name")
@click.option(
    "--scope", "scopes", multiple=True, required=True, type=click.Choice(SCOPES), help="What it may."
)
@click.option("--days", type=click.IntRange(1, 3_650), help="How long it holds (default: until revoked).")
@PROJECT
@DATABASE
@click.pass_obj
def create(directory: str, /, name: str, scopes: Sequence[str], days: int | None, **where: Any) -> int:
    """Make a key called NAME, and print its secret: this once, for it is kept nowhere."""
    from agenttwin.lab import reviewer

    with _opened(directory, where["database"]) as store:
        view = _within(store, where["project"])
        expires_at = int(time.time() * 1000) + days * DAY_MS if days is not None else None
        key, secret = view.access.create_key(name, scopes, by=reviewer(), expires_at=expires_at)
        view.access.audit(reviewer(), "key.created", key.id, {"key": None})
    show(secret)
    say(f"The key {key.id} ({name}) of the project {key.project} may {', '.join(key.scopes)}.")
    return 0


@command.command("list")
@PROJECT
@DATABASE
@click.pass_obj
def every(directory: str, /, **where: Any) -> int:
    """List the keys of a project, newest first."""
    with _opened(directory, where["database"]) as store:
        found = _within(store, where["project"]).access.every_key()
    for key in found:
        show(f"{key.id}  {key.hint}…  {key.name}  {','.join(key.scopes)}  {_standing(key)}")
    if not found:
        say("There is no key yet: agenttwin keys create NAME --scope read.")
    return 0


@command.command("revoke")
@click.argument("id")
@PROJECT
@DATABASE
@click.pass_obj
def revoke(directory: str, /, id: str, **where: Any) -> int:
    """End the key with this ID at once."""
    from agenttwin.lab import reviewer

    with _opened(directory, where["database"]) as store:
        view = _within(store, where["project"])
        key = view.access.revoke(id)
        view.access.audit(reviewer(), "key.revoked", key.id, {"key": None})
    show(f"{key.id} ({key.name}) opens nothing any more.")
    return 0


def _opened(directory: str, database: str | None) -> Store:
    from agenttwin.storage import open_store
    from agenttwin.workspace import find_root, open_workspace

    return open_store(database or open_workspace(find_root(Path(directory))).database)


def _within(store: Store, project: str) -> Store:
    store.access.project(project)
    return store.within(project)


def _standing(key: StoredKey) -> str:
    if key.revoked_at is not None:
        return f"revoked {_day(key.revoked_at)}"
    if key.expires_at is not None:
        over = key.expires_at <= time.time() * 1000
        return f"{'over since' if over else 'until'} {_day(key.expires_at)}"
    return "until it is revoked"


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d")
