"""Names of the workspace as a shell completes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from agenttwin.workspace import Workspace


def completing(
    names: Callable[[Workspace], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """What click asks for the completions of a word: none where there is no workspace, or it is broken."""

    def complete(ctx: click.Context, _: click.Parameter, word: str) -> list[CompletionItem]:
        from agenttwin.errors import AgentTwinError
        from agenttwin.workspace import open_workspace

        directory = ctx.find_root().params.get("directory") or os.curdir
        try:
            workspace = open_workspace(directory)
        except AgentTwinError:
            return []
        return [CompletionItem(name) for name in sorted(set(names(workspace))) if name.startswith(word)]

    return complete


def versions(workspace: Workspace) -> Iterable[str]:
    """Every version, bare and with its agent."""
    for agent, version in workspace.library.manifests:
        yield from (version, f"{agent}@{version}")


def scenarios(workspace: Workspace) -> Iterable[str]:
    """Every scenario."""
    return workspace.library.scenarios


def suites(workspace: Workspace) -> Iterable[str]:
    """Every suite and dataset."""
    return (*workspace.suites, *workspace.library.datasets)


def tags(workspace: Workspace) -> Iterable[str]:
    """Every tag of a scenario."""
    return (tag for scenario in workspace.library.scenarios.values() for tag in scenario.model.metadata.tags)
