"""`agenttwin doctor`: what is here, and where each setting comes from."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from agenttwin.cli._output import show

PACKAGES = ("pydantic", "PyYAML", "orjson", "jsonschema-rs", "google-re2", "click", "SQLAlchemy")


EXTRAS = {
    "server": ("fastapi", "uvicorn", "httpx"),
    "mcp": ("mcp",),
    "postgres": ("psycopg",),
    "model": ("anthropic", "openai"),
    "watch": ("watchfiles",),
}
"""Parts that are installed apart, and what each of them needs."""


@click.command()
@click.option(
    "--database",
    envvar="AGENTTWIN_DATABASE",
    metavar="URL",
    help="The database to look at (default: the workspace's own file).",
)
@click.pass_obj
def command(directory: str, /, database: str | None) -> int:
    """Say what AgentTwin finds here, and where each setting comes from.

    Exit code 0, or 2 where the workspace or its database cannot be used.
    """
    from agenttwin.errors import AgentTwinError
    from agenttwin.workspace import open_workspace

    show(f"agenttwin {version('agenttwin')} on Python {sys.version.split()[0]}, {platform.system()}")
    show("  " + ", ".join(f"{name} {_installed(name)}" for name in PACKAGES))
    for extra, needed in EXTRAS.items():
        missing = [name for name in needed if _installed(name) == "missing"]
        found = ", ".join(f"{name} {_installed(name)}" for name in needed)
        show(f"  {extra:9} {found if not missing else f'not installed: pip install {_quoted(extra)}'}")
    try:
        workspace = open_workspace(directory)
    except AgentTwinError as error:
        show(f"workspace: {error}")
        return 2
    show(f"workspace: {workspace.root}")
    library = workspace.library
    show(
        f"  {len(library.twins)} twins, {len(library.scenarios)} scenarios, {len(library.manifests)} versions"
    )
    for name, entry in workspace.file.agents.items():
        versions = ", ".join(library.versions(name)) or "none"
        show(f"  agent {name}: {entry.run.kind} {entry.run.what}, versions {versions}")
    sound = _show_database(database or workspace.database)
    show("settings:")
    for name, origin in workspace.settings.origins.items():
        value = getattr(workspace.settings, name)
        show(f"  {name:14} {'-' if value is None else value!s:24} {origin}")
    for warning in workspace.warnings:
        show(str(warning))
    return 0 if sound else 2


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _quoted(extra: str) -> str:
    return f"'agenttwin[{extra}]'"


def _show_database(where: Path | str) -> bool:
    """Says what is kept where, and whether it is sound; False where it cannot be used."""
    from agenttwin.errors import AgentTwinError
    from agenttwin.storage import open_store

    if isinstance(where, Path) and not where.exists():
        show(f"database: {where} (not written yet)")
        return True
    try:
        with open_store(where) as store:
            health = store.database.health()
            waiting = len(store.unfinished())
    except AgentTwinError as error:
        show(f"database: {error}")
        return False
    size = f" ({where.stat().st_size:,} bytes)" if isinstance(where, Path) else ""
    show(f"database: {health.name}{size}")
    held = f"{health.pairs} comparisons, {health.runs} runs, {health.keys} keys"
    show(f"  schema {health.schema}, {health.projects} projects, {held}; {health.damage or 'sound'}")
    if waiting:
        show(f"  {waiting} queued or running: agenttwin serve goes on with what a server began")
    return health.damage is None
