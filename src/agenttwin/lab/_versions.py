"""From what a person calls a version to the manifest that it runs with, and the folder that it runs in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any

import orjson

from agenttwin.agents import Repository, Revision, Setup
from agenttwin.document import API_VERSION, Document, read
from agenttwin.errors import NotFound, UsageError
from agenttwin.lab._editor import hide
from agenttwin.lab._environment import Given
from agenttwin.lab._words import words
from agenttwin.scenario import Agent as Manifest
from agenttwin.scenario import Library, version_of
from agenttwin.values import Json, nearest
from agenttwin.workspace import FOLDER, GitRun, Workspace

UNNUMBERED = "0.0.0"
"""The number of a git ref whose files hold no manifest."""


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
    """The version that a text names: `1.3.0` or `agent@1.3.0`; for an agent in git a ref, `main` or `HEAD`.

    NotFound or UsageError says what is missing.
    """
    name, number = _named(workspace, text)
    run = workspace.agent(name).run if name else None
    if isinstance(run, GitRun):
        return _of_ref(workspace, name, run, number)
    return Version(manifest=workspace.library.manifest(name, number), folder=workspace.root)


def _named(workspace: Workspace, text: str) -> tuple[str, str]:
    """The agent that a text means, and how the text names the version."""
    agents, library = workspace.file.agents, workspace.library
    in_git = [name for name, entry in agents.items() if isinstance(entry.run, GitRun)]
    agent, number = version_of(text)
    if agent is not None and agent not in agents:
        if in_git:
            return in_git[0], text  # `HEAD@{1}`
        close = nearest(agent, agents)
        hint = f" Did you mean {close!r}?" if close else ""
        raise NotFound("unknown_agent", f"There is no agent {agent!r}.{hint}")
    if agent is not None:
        return agent, number
    owners = [name for name in agents if name not in in_git and number in library.versions(name)]
    if len(owners) > 1 or (not owners and len(in_git) > 1):
        several = owners or in_git
        message = f"{number} is a version of {' and '.join(several)}; write {several[0]}@{number}."
        raise UsageError("ambiguous_version", message)
    return next(iter([*owners, *in_git, *agents]), ""), number


def checkouts(workspace: Workspace) -> Path:
    """Where the files of git refs are kept."""
    return workspace.root / FOLDER / "worktrees"


def _of_ref(workspace: Workspace, name: str, run: GitRun, ref: str) -> Version:
    """A version out of git, in a checkout of its own."""
    hide(workspace.root / FOLDER)
    repository = Repository(workspace.root, checkouts(workspace))
    revision = repository.revision(ref)
    setup = None
    if run.setup is not None:
        env = Given.to(name, workspace).expand(workspace.agent(name).env, "env")
        setup = Setup(argv=words(run.setup), env=env, seconds=run.setup_seconds)
    top = repository.checkout(revision, setup)
    own = top / repository.prefix
    folder = own if run.folder is None else top / run.folder
    if not folder.is_dir():
        where = repository.prefix.as_posix() if run.folder is None else run.folder
        raise NotFound("no_such_folder", f"{ref} has no folder {where!r}, in which {name} is run.")
    return Version(manifest=_manifest(workspace, name, own, revision), folder=folder)


def _manifest(workspace: Workspace, name: str, own: Path, revision: Revision) -> Document[Manifest]:
    """The highest version among the ref's own manifests, or one that is made; with the tree that it pins."""
    patterns = workspace.agent(name).manifests
    found = Library.of(_manifests([patterns] if isinstance(patterns, str) else patterns, own, revision))
    versions = found.versions(name)
    value: Any = found.manifest(name, versions[-1]).source.value if versions else _made(name)
    metadata = value["metadata"]
    number, labels = metadata["version"], metadata.get("labels", {})
    pinned = {
        **value,
        "metadata": {
            **metadata,
            "version": f"{number}{'.' if '+' in number else '+'}{revision.short}",
            "labels": {**labels, "git_tree": revision.tree},
        },
    }
    return read(orjson.dumps(pinned), file=f"{revision.short}.json", models={"Agent": Manifest})


def _made(name: str) -> Json:
    return {
        "apiVersion": API_VERSION,
        "kind": "Agent",
        "metadata": {"name": name, "version": UNNUMBERED},
        "spec": {},
    }


def _manifests(patterns: list[str], folder: Path, revision: Revision) -> Iterator[Document[Manifest]]:
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            if isfile(path):
                name = f"{revision.ref}:{path.relative_to(folder).as_posix()}"
                yield read(path.read_bytes(), file=name, models={"Agent": Manifest})
