"""From what a person calls a version to the manifest that it runs with, and the folder that it runs in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agenttwin.document import Document
from agenttwin.errors import NotFound, UsageError
from agenttwin.scenario import Agent as Manifest
from agenttwin.scenario import version_of
from agenttwin.values import nearest
from agenttwin.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of an agent: its manifest, and where the files lie that it runs from."""

    manifest: Document[Manifest]
    folder: Path

    @property
    def agent(self) -> str:
        """The agent's name."""
        return self.manifest.model.metadata.name

    @property
    def number(self) -> str:
        """The version as its manifest has it."""
        return self.manifest.model.metadata.version


def find_version(workspace: Workspace, text: str) -> Version:
    """The version that `1.3.0` or `agent@1.3.0` names; NotFound or UsageError says what is missing."""
    agent, number = version_of(text)
    library, agents = workspace.library, tuple(workspace.file.agents)
    if agent is not None and agent not in agents:
        close = nearest(agent, agents)
        hint = f" Did you mean {close!r}?" if close else ""
        raise NotFound("unknown_agent", f"There is no agent {agent!r}.{hint}")
    owners = [agent] if agent else [name for name in agents if number in library.versions(name)]
    if len(owners) > 1:
        message = f"{number} is a version of {' and '.join(owners)}; write {owners[0]}@{number}."
        raise UsageError("ambiguous_version", message)
    name = owners[0] if owners else next(iter(agents), "")
    return Version(manifest=library.manifest(name, number), folder=workspace.root)
