"""All documents together: twins, scenarios, manifests, datasets by name; and what does not fit between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from agenttwin.document import Document, Finding, located
from agenttwin.errors import NotFound, Problem
from agenttwin.scenario._expectation import Common
from agenttwin.scenario._scenario import Agent, Dataset, Scenario
from agenttwin.transcript import Risk
from agenttwin.twin import TwinDefinition, state_problem
from agenttwin.values import Json, Path, digest, nearest

MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "TwinDefinition": TwinDefinition,
    "Scenario": Scenario,
    "Agent": Agent,
    "Dataset": Dataset,
}
"""Every kind of document, by the word that `kind` says."""

At = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Documents by name. ``manifests`` are by agent and version; ``states`` are initial states kept in files."""

    twins: Mapping[str, Document[TwinDefinition]] = field(default_factory=dict)
    scenarios: Mapping[str, Document[Scenario]] = field(default_factory=dict)
    manifests: Mapping[tuple[str, str], Document[Agent]] = field(default_factory=dict)
    datasets: Mapping[str, Document[Dataset]] = field(default_factory=dict)
    agents: tuple[str, ...] = ()
    states: Mapping[str, Json] = field(default_factory=dict)
    repeated: tuple[tuple[Document[Any], Document[Any]], ...] = ()

    @classmethod
    def of(
        cls, documents: Iterable[Document[Any]], *, agents: Iterable[str] = (), states: Mapping[str, Json] | None = None
    ) -> Library:
        """The documents by name; a name that stands twice is kept once and told by ``check``."""
        kinds: dict[str, dict[Any, Document[Any]]] = {kind: {} for kind in MODELS}
        repeated = []
        for document in documents:
            key = _key(document)
            first = kinds[document.kind].setdefault(key, document)
            if first is not document:
                repeated.append((first, document))
        return cls(
            twins=kinds["TwinDefinition"],
            scenarios=kinds["Scenario"],
            manifests=kinds["Agent"],
            datasets=kinds["Dataset"],
            agents=tuple(agents),
            states=states or {},
            repeated=tuple(repeated),
        )

    def twin_digest(self, name: str) -> str:
        """What the twin is: its document, and the state it keeps in a file."""
        document = self.twins[name].digest
        return digest([document, digest(self.states[name])]) if name in self.states else document

    def versions(self, agent: str) -> tuple[str, ...]:
        """The versions of an agent, lowest first."""
        found = [version for name, version in self.manifests if name == agent]
        return tuple(sorted(found, key=_version_order))

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


def _version_order(version: str) -> tuple[Any, ...]:
    numbers, _, rest = version.partition("-")
    parts = tuple(int(part) for part in numbers.partition("+")[0].split("."))
    return (*parts, rest == "", rest)


def check(library: Library) -> tuple[Problem, ...]:
    """What does not fit between documents: references that lead nowhere, names that stand twice."""
    problems = [*_repeated(library), *_risks(library), *_dataset_cases(library)]
    for document in library.scenarios.values():
        problems += [located(document.source, finding) for finding in _scenario(library, document.model)]
    return tuple(problems)


def _repeated(library: Library) -> Iterator[Problem]:
    for first, second in library.repeated:
        if second.kind == "Agent" and second.digest == first.digest:
            continue
        name = second.model.metadata.name
        where = first.source.file
        what = f"the {second.kind} {name!r} stands in {where} too"
        if second.kind == "Agent":
            what = f"version {second.model.metadata.version} of {name!r} stands in {where} with other content"
        finding = Finding(at=("metadata", "name"), code="duplicate_name", message=what, value=name)
        yield located(second.source, finding)


def _risks(library: Library) -> Iterator[Problem]:
    """A manifest's risk that disagrees with the twin's: told, since one of the two is wrong."""
    twins = _twins_by_agent(library)
    for (agent, _), document in library.manifests.items():
        for index, tool in enumerate(document.model.spec.tools):
            for twin in twins.get(agent, ()):
                real = twin.tool(tool.name)
                if real is not None and tool.level is not None and tool.level is not real.actual_risk:
                    message = f"the twin {twin.metadata.name!r} says {real.actual_risk} of {tool.name!r}"
                    at: At = ("spec", "tools", index, "risk")
                    finding = Finding(at=at, code="risk_mismatch", message=message, warning=True)
                    yield located(document.source, finding)


def _twins_by_agent(library: Library) -> dict[str, list[TwinDefinition]]:
    found: dict[str, dict[str, TwinDefinition]] = {}
    for document in library.scenarios.values():
        spec = document.model.spec
        if spec.agent is not None and spec.twin in library.twins:
            found.setdefault(spec.agent, {})[spec.twin] = library.twins[spec.twin].model
    return {agent: list(twins.values()) for agent, twins in found.items()}


def _dataset_cases(library: Library) -> Iterator[Problem]:
    for document in library.datasets.values():
        for index, case in enumerate(document.model.spec.cases):
            at: At = ("spec", "cases", index)
            scenario = library.scenarios.get(case.scenario)
            if scenario is None:
                known = tuple(library.scenarios)
                yield located(document.source, _unknown("scenario", case.scenario, known, (*at, "scenario")))
            elif scenario.digest.removeprefix("sha256:") != case.digest.removeprefix("sha256:"):
                message = f"the scenario {case.scenario!r} has changed since it was pinned; it is {scenario.digest} now"
                finding = Finding(at=(*at, "digest"), code="digest_mismatch", message=message, value=case.digest)
                yield located(document.source, finding)


def _scenario(library: Library, scenario: Scenario) -> Iterator[Finding]:
    spec = scenario.spec
    if spec.agent is not None and spec.agent not in library.agents:
        yield _unknown("agent", spec.agent, library.agents, ("spec", "agent"))
    document = library.twins.get(spec.twin)
    if document is None:
        yield _unknown("twin", spec.twin, tuple(library.twins), ("spec", "twin"))
        return
    twin = document.model
    tools = tuple(tool.name for tool in twin.spec.tools)
    for at, name in _named_tools(scenario):
        if name not in tools:
            yield _unknown("tool", name, tools, at)
    yield from _fault_targets(scenario, tools)
    yield from _fault_rules(scenario)
    yield from _state_paths(library, scenario, twin)


def _named_tools(scenario: Scenario) -> Iterator[tuple[At, str]]:
    spec = scenario.spec
    for index, name in enumerate(spec.allowed_tools or ()):
        yield ("spec", "allowedTools", index), name
    for index, text in enumerate(spec.covers):
        if text.startswith("tool:"):
            yield ("spec", "covers", index), text.removeprefix("tool:")
    for index, (_, expectation) in enumerate(scenario.expectations):
        at: At = ("spec", "expectations", index)
        tool = getattr(expectation, "tool", None)
        if tool is not None:
            yield (*at, "tool"), tool
        for field_name, alias in (("must_call", "mustCall"), ("before", "before")):
            for place, name in enumerate(getattr(expectation, field_name, ())):
                yield (*at, alias, place), name


def _fault_targets(scenario: Scenario, tools: tuple[str, ...]) -> Iterator[Finding]:
    risks = tuple(f"risk:{risk}" for risk in Risk)
    for index, rule in enumerate(scenario.spec.faults):
        if rule.target not in ("*", *tools, *risks):
            yield _unknown("tool", rule.target, ("*", *tools, *risks), ("spec", "faults", index, "target"))


def _fault_rules(scenario: Scenario) -> Iterator[Finding]:
    rules = tuple(rule.id or str(index) for index, rule in enumerate(scenario.spec.faults))
    for index, (_, expectation) in enumerate(scenario.expectations):
        if getattr(expectation, "type", "") != "faultFired":
            continue
        rule = getattr(expectation, "rule", None)
        at: At = ("spec", "expectations", index)
        if rule is not None and rule not in rules:
            yield _unknown("fault rule", rule, rules, (*at, "rule"))
        if rule is None and not rules:
            yield Finding(at=at, code="unknown_fault_rule", message="the scenario has no fault that could fire")


def _state_paths(library: Library, scenario: Scenario, twin: TwinDefinition) -> Iterator[Finding]:
    state = library.states.get(twin.metadata.name)
    initial = state if isinstance(state, dict) else None
    for index, (_, expectation) in enumerate(scenario.expectations):
        for at, text in _paths_of(expectation):
            try:
                path = Path.parse(text)
            except ValueError:
                continue  # told where the scenario was read
            problem = state_problem(twin, path.segments, state=initial, more=scenario.spec.state or {})
            if problem is not None:
                yield Finding(
                    at=("spec", "expectations", index, *at), value=text, message=problem.message,
                    code="unknown_state_path" if problem.certain else "unlikely_state_path",
                    nearest=problem.nearest, warning=not problem.certain,
                )  # fmt: skip


STATE_KINDS: Final = frozenset({"state", "stateUnchanged", "outcomeVerified", "onlyChanged"})


def _paths_of(expectation: Common) -> Iterator[tuple[At, str]]:
    if getattr(expectation, "type", "") not in STATE_KINDS:
        return
    path = getattr(expectation, "path", None)
    if path is not None:
        yield ("path",), path
    for index, text in enumerate(getattr(expectation, "paths", ())):
        yield ("paths", index), text


def _unknown(what: str, name: str, known: tuple[str, ...], at: At) -> Finding:
    return Finding(
        at=at,
        code=f"unknown_{what.replace(' ', '_')}",
        message=f"there is no {what} {name!r}",
        value=name,
        nearest=nearest(name, known),
        valid=known,
    )


