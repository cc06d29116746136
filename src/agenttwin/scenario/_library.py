"""All documents together, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel

from agenttwin.document import Document
from agenttwin.errors import NotFound
from agenttwin.scenario._agent import Agent
from agenttwin.scenario._dataset import Dataset
from agenttwin.scenario._scenario import Scenario
from agenttwin.twin import TwinDefinition
from agenttwin.values import Json, digest, nearest

MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "TwinDefinition": TwinDefinition,
    "Scenario": Scenario,
    "Agent": Agent,
    "Dataset": Dataset,
}
"""Every kind of document, by the word that `kind` says."""


@dataclass(frozen=True, kw_only=True)
class Library:
    """Documents by name; ``manifests`` by agent and version.

    ``states`` are the initial states that twins keep in files, ``agents`` those that can be run, ``repeated``
    the documents whose name was taken, each behind the one that took it.
    """

    twins: Mapping[str, Document[TwinDefinition]] = field(default_factory=dict)
    scenarios: Mapping[str, Document[Scenario]] = field(default_factory=dict)
    manifests: Mapping[tuple[str, str], Document[Agent]] = field(default_factory=dict)
    datasets: Mapping[str, Document[Dataset]] = field(default_factory=dict)
    agents: tuple[str, ...] = ()
    states: Mapping[str, Json] = field(default_factory=dict)
    repeated: tuple[tuple[Document[Any], Document[Any]], ...] = ()

    @classmethod
    def of(
        cls,
        documents: Iterable[Document[Any]],
        *,
        agents: Iterable[str] = (),
        states: Mapping[str, Json] | None = None,
    ) -> Library:
        """The documents by name; a name that stands twice is kept once and told by ``check``.

        ``agents`` are those that can be run; where none is given, those with a manifest.
        """
        kinds: dict[str, dict[Any, Document[Any]]] = {kind: {} for kind in MODELS}
        repeated = []
        for document in documents:
            first = kinds[document.kind].setdefault(_key(document), document)
            if first is not document:
                repeated.append((first, document))
        return cls(
            twins=kinds["TwinDefinition"],
            scenarios=kinds["Scenario"],
            manifests=kinds["Agent"],
            datasets=kinds["Dataset"],
            agents=tuple(agents) or tuple(dict.fromkeys(agent for agent, _ in kinds["Agent"])),
            states=states or {},
            repeated=tuple(repeated),
        )

    def twin_digest(self, name: str) -> str:
        """What the twin is: its document, and the state it keeps in a file."""
        return self._twin_digests[name]

    @cached_property
    def _twin_digests(self) -> dict[str, str]:
        own = {name: document.digest for name, document in self.twins.items()}
        return own | {name: digest([own[name], digest(state)]) for name, state in self.states.items()}

    def versions(self, agent: str) -> tuple[str, ...]:
        """The versions of an agent, lowest first."""
        found = [version for name, version in self.manifests if name == agent]
        return tuple(sorted(found, key=_precedence))

    def manifest(self, agent: str, version: str) -> Document[Agent]:
        """The manifest of one version; NotFound names the nearest."""
        document = self.manifests.get((agent, version))
        if document is not None:
            return document
        versions = self.versions(agent)
        close = nearest(version, versions)
        hint = f" Did you mean {close}?" if close else ""
        known = f" There are: {', '.join(versions)}." if versions else ""
        raise NotFound("unknown_version", f"There is no version {version} of {agent}.{hint}{known}")


def _key(document: Document[Any]) -> Any:
    metadata = document.model.metadata
    return (metadata.name, metadata.version) if document.kind == "Agent" else metadata.name


def _precedence(version: str) -> tuple[object, ...]:
    """The order of SemVer: a pre-release before its release, numbers as numbers."""
    release, _, suffix = version.partition("+")[0].partition("-")
    numbers = tuple(int(part) for part in release.split("."))
    parts = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in suffix.split("."))
    return (*numbers, not suffix, parts if suffix else ())
