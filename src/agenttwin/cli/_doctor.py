"""`agenttwin doctor`: what is here, and where each setting comes from."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from agenttwin.cli._output import show

PACKAGES = ("pydantic", "PyYAML", "orjson", "jsonschema-rs", "google-re2", "click", "SQLAlchemy")


@click.command()
@click.pass_obj
def command(directory: str) -> int:
    """Say what AgentTwin finds here, and where each setting comes from.

    Exit code 0, or 2 where the workspace cannot be used.
    """
    from agenttwin.errors import AgentTwinError
    from agenttwin.workspace import open_workspace

    show(f"agenttwin {version('agenttwin')} on Python {sys.version.split()[0]}, {platform.system()}")
    show("  " + ", ".join(f"{name} {_installed(name)}" for name in PACKAGES))
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
    show(f"database: {_database(workspace.database)}")
    show("settings:")
    for name, origin in workspace.settings.origins.items():
        value = getattr(workspace.settings, name)
        show(f"  {name:14} {'-' if value is None else value!s:24} {origin}")
    for warning in workspace.warnings:
        show(str(warning))
    return 0


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _database(path: Path) -> str:
    if not path.exists():
        return f"{path} (not written yet)"
    return f"{path} ({path.stat().st_size:,} bytes)"
