"""All documents together, by name; and what does not fit between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel

from agenttwin.document import Document, Finding, located
from agenttwin.errors import NotFound, Problem
from agenttwin.scenario._agent import Agent
from agenttwin.scenario._check import paths_of
from agenttwin.scenario._dataset import Dataset
from agenttwin.scenario._expectation import FaultFired, Order
from agenttwin.scenario._finding import At
from agenttwin.scenario._scenario import Scenario
from agenttwin.transcript import Risk
from agenttwin.twin import TwinDefinition, schema_validator, state_problem
from agenttwin.values import Json, Path, digest, merge, nearest

MODELS: Final[Mapping[str, type[BaseModel]]] = {
    "TwinDefinition": TwinDefinition,
    "Scenario": Scenario,
    "Agent": Agent,
    "Dataset": Dataset,
}
"""Every kind of document, by the word that `kind` says."""

STATE_KINDS: Final = frozenset({"state", "stateUnchanged", "onlyChanged", "outcomeVerified"})
"""Expectations whose paths lead into the state."""

MAX_STATE_PROBLEMS: Final = 3
"""Told of one scenario's state: enough to mend it, short enough to read."""


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


def check(library: Library) -> tuple[Problem, ...]:
    """What does not fit between documents: references that lead nowhere, names that stand twice."""
    problems = [*_repeated(library), *_manifests(library), *_dataset_cases(library)]
    for document in library.scenarios.values():
        problems += [located(document.source, finding) for finding in _scenario(library, document.model)]
    return tuple(problems)


def _repeated(library: Library) -> Iterator[Problem]:
    for first, second in library.repeated:
        metadata, where = second.model.metadata, first.source.file
        if second.kind != "Agent":
            message = f"the {second.kind} {metadata.name!r} stands in {where} too"
        elif second.digest != first.digest:
            message = f"version {metadata.version} of {metadata.name!r} stands in {where} with other content"
        else:
            continue
        at: At = ("metadata", "version" if second.kind == "Agent" else "name")
        yield located(
            second.source, Finding(at=at, code="duplicate_name", message=message, value=metadata.name)
        )


def _manifests(library: Library) -> Iterator[Problem]:
    """An agent that nobody runs, and a risk that disagrees with the twin's: one of the two is wrong."""
    twins = _twins_by_agent(library)
    for (agent, _), document in library.manifests.items():
        if agent not in library.agents:
            yield located(
                document.source, _unknown("unknown_agent", agent, library.agents, ("metadata", "name"))
            )
        for index, tool in enumerate(document.model.spec.tools):
            for twin in twins.get(agent, ()):
                real = twin.tool(tool.name)
                if real is not None and tool.level not in (None, real.actual_risk):
                    at: At = ("spec", "tools", index, "risk")
                    message = f"the twin {twin.metadata.name!r} says {real.actual_risk} of {tool.name!r}"
                    finding = Finding(
                        at=at, code="risk_mismatch", message=message, value=tool.level, warning=True
                    )
                    yield located(document.source, finding)


def _twins_by_agent(library: Library) -> dict[str, list[TwinDefinition]]:
    """The twins that answer each agent in some scenario."""
    found: dict[str, dict[str, TwinDefinition]] = {}
    for document in library.scenarios.values():
        spec = document.model.spec
        if spec.twin in library.twins:
            for agent in library.agents if spec.agent is None else (spec.agent,):
                found.setdefault(agent, {})[spec.twin] = library.twins[spec.twin].model
    return {agent: list(twins.values()) for agent, twins in found.items()}


def _dataset_cases(library: Library) -> Iterator[Problem]:
    for document in library.datasets.values():
        for index, case in enumerate(document.model.spec.cases):
            at: At = ("spec", "cases", index)
            scenario = library.scenarios.get(case.scenario)
            if scenario is None:
                finding = _unknown("unknown_scenario", case.scenario, library.scenarios, (*at, "scenario"))
                yield located(document.source, finding)
            elif scenario.digest.removeprefix("sha256:") != case.digest.removeprefix("sha256:"):
                message = f"{case.scenario!r} has changed since it was pinned; it is {scenario.digest} now"
                finding = Finding(
                    at=(*at, "digest"), code="digest_mismatch", message=message, value=case.digest
                )
                yield located(document.source, finding)


def _scenario(library: Library, scenario: Scenario) -> Iterator[Finding]:
    spec = scenario.spec
    if spec.agent is not None and spec.agent not in library.agents:
        yield _unknown("unknown_agent", spec.agent, library.agents, ("spec", "agent"))
    if spec.twin not in library.twins:
        yield _unknown("unknown_twin", spec.twin, library.twins, ("spec", "twin"))
        return
    twin = library.twins[spec.twin].model
    tools = tuple(tool.name for tool in twin.spec.tools)
    for at, name in _named_tools(scenario):
        if name not in tools:
            yield _unknown("unknown_tool", name, tools, at)
    targets = ("*", *tools, *(f"risk:{risk}" for risk in Risk))
    for index, rule in enumerate(spec.faults):
        if rule.target not in targets:
            yield _unknown("unknown_tool", rule.target, targets, ("spec", "faults", index, "target"))
    yield from _fault_rules(scenario)
    yield from _state(library, scenario, twin)
    yield from _state_paths(library, scenario, twin)


def _named_tools(scenario: Scenario) -> Iterator[tuple[At, str]]:
    """Each tool that a scenario names, with its place."""
    for index, name in enumerate(scenario.spec.allowed_tools or ()):
        yield ("spec", "allowedTools", index), name
    for index, text in enumerate(scenario.spec.covers):
        if text.startswith("tool:"):
            yield ("spec", "covers", index), text.removeprefix("tool:")
    for index, (_, expectation) in enumerate(scenario.expectations):
        at: At = ("spec", "expectations", index)
        tool: str | None = getattr(expectation, "tool", None)
        if tool is not None:
            yield (*at, "tool"), tool
        if isinstance(expectation, Order):
            yield from (((*at, "mustCall", n), name) for n, name in enumerate(expectation.must_call))
            yield from (((*at, "before", n), name) for n, name in enumerate(expectation.before))


def _fault_rules(scenario: Scenario) -> Iterator[Finding]:
    rules = tuple(rule.id or str(index) for index, rule in enumerate(scenario.spec.faults))
    for index, (_, expectation) in enumerate(scenario.expectations):
        if not isinstance(expectation, FaultFired):
            continue
        at: At = ("spec", "expectations", index)
        if expectation.rule is not None and expectation.rule not in rules:
            yield _unknown("unknown_fault_rule", expectation.rule, rules, (*at, "rule"))
        elif not rules:
            yield Finding(at=at, code="unknown_fault_rule", message="the scenario has no fault")


def _initial_state(library: Library, twin: TwinDefinition) -> Json:
    own = twin.spec.initial_state
    return own if own is not None else library.states.get(twin.metadata.name)


def _state(library: Library, scenario: Scenario, twin: TwinDefinition) -> Iterator[Finding]:
    """A state that the twin's schema refuses."""
    given, schema = scenario.spec.state, twin.spec.state_schema
    if given is None or schema is None:
        return
    state = merge(_initial_state(library, twin) or {}, given)
    for number, error in enumerate(schema_validator(schema).iter_errors(state)):
        if number == MAX_STATE_PROBLEMS:
            return
        message = f"the state does not fit the twin's stateSchema: {error.message}"
        yield Finding(at=("spec", "state", *error.instance_path), code="state_mismatch", message=message)


def _state_paths(library: Library, scenario: Scenario, twin: TwinDefinition) -> Iterator[Finding]:
    initial = _initial_state(library, twin)
    state = initial if isinstance(initial, dict) else None
    for index, (_, expectation) in enumerate(scenario.expectations):
        for at, text in paths_of(expectation) if expectation.type in STATE_KINDS else ():
            path = Path.parse(text).segments
            problem = state_problem(twin, path, state=state, more=scenario.spec.state or ())
            if problem is not None:
                yield Finding(
                    at=("spec", "expectations", index, *at),
                    code="unknown_state_path" if problem.certain else "unlikely_state_path",
                    message=problem.message,
                    value=text,
                    nearest=problem.nearest,
                    warning=not problem.certain,
                )


def _unknown(code: str, name: str, known: Iterable[str], at: At) -> Finding:
    """A reference that leads nowhere; its code says to what."""
    valid = tuple(known)
    what = code.removeprefix("unknown_").replace("_", " ")
    return Finding(
        at=at,
        code=code,
        message=f"there is no {what} {name!r}",
        value=name,
        nearest=nearest(name, valid),
        valid=valid,
    )
