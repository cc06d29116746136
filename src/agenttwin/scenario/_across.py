"""What does not fit between documents: references that lead nowhere, repeated names, states and risks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from agenttwin.document import Finding, located
from agenttwin.errors import Problem
from agenttwin.scenario._check import paths_of, segments_of
from agenttwin.scenario._expectation import FaultFired, Order, ToolArgs
from agenttwin.scenario._finding import At
from agenttwin.scenario._library import Library
from agenttwin.scenario._scenario import Scenario
from agenttwin.twin import (
    Tool,
    TwinDefinition,
    arguments_of,
    fault_findings,
    schema_validator,
    state_problem,
    targets_of,
)
from agenttwin.values import Json, merge, nearest

STATE_KINDS: Final = frozenset({"state", "stateUnchanged", "onlyChanged", "outcomeVerified"})
"""Expectations whose paths lead into the state."""

MAX_STATE_PROBLEMS: Final = 3
"""Told of one scenario's state: enough to mend it, short enough to read."""


def check(library: Library) -> tuple[Problem, ...]:
    """What does not fit between documents: references that lead nowhere, names that stand twice."""
    problems = [*_repeated(library), *_kept_states(library), *_manifests(library), *_dataset_cases(library)]
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


def _kept_states(library: Library) -> Iterator[Problem]:
    """States in files that the twin's schema refuses."""
    for name, state in library.states.items():
        document = library.twins[name]
        schema = document.model.spec.state_schema
        for message, _ in _misfits(schema, state) if schema is not None else ():
            finding = Finding(at=("spec", "initialStateFrom"), code="state_mismatch", message=message)
            yield located(document.source, finding)


def _misfits(schema: Mapping[str, Any], state: Json) -> Iterator[tuple[str, At]]:
    """What a state has that its schema refuses, and where; the first few."""
    try:
        validator = schema_validator(schema)
    except ValueError:
        return  # told of the twin itself
    for error in islice(validator.iter_errors(state), MAX_STATE_PROBLEMS):
        yield f"the state does not fit the twin's stateSchema: {error.message}", tuple(error.instance_path)


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
    yield from _trials(scenario)
    yield from _faults(scenario, twin, tools)
    yield from _fault_rules(scenario)
    yield from _arguments(scenario, twin)
    yield from _state(library, scenario, twin)
    yield from _state_paths(library, scenario, twin)


def _trials(scenario: Scenario) -> Iterator[Finding]:
    if (scenario.spec.trials or 1) > 1:
        message = "it is run once: repeated trials are not compared yet"
        yield Finding(at=("spec", "trials"), code="not_repeated", message=message, warning=True)


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


def _faults(scenario: Scenario, twin: TwinDefinition, tools: tuple[str, ...]) -> Iterator[Finding]:
    """Targets that are none, and texts that name what the one tool they befall does not have."""
    targets = targets_of(tools)
    for index, rule in enumerate(scenario.spec.faults):
        at: At = ("spec", "faults", index)
        if rule.target not in targets:
            yield _unknown("unknown_tool", rule.target, targets, (*at, "target"))
        tool = twin.tool(rule.target)
        if tool is not None:
            yield from fault_findings(twin, tool, rule.behavior, (*at, "behavior"))
            for name in rule.when.args_match or ():
                yield from _argument(tool, name, (*at, "when", "argsMatch", name), key=True)


def _arguments(scenario: Scenario, twin: TwinDefinition) -> Iterator[Finding]:
    """Arguments that an expectation reads and the tool does not declare: most likely a slip."""
    for index, (_, expectation) in enumerate(scenario.expectations):
        tool = twin.tool(expectation.tool) if isinstance(expectation, ToolArgs) else None
        if isinstance(expectation, ToolArgs) and tool is not None:
            for head in (segments_of(expectation.path) or ())[:1]:
                yield from _argument(tool, str(head), ("spec", "expectations", index, "path"))


def _argument(tool: Tool, name: str, at: At, *, key: bool = False) -> Iterator[Finding]:
    known = arguments_of(tool)
    if known is not None and name not in known:
        yield Finding(
            at=at,
            code="unknown_argument",
            message=f"the inputSchema of {tool.name!r} declares no argument {name!r}",
            value=name,
            nearest=nearest(name, sorted(known)),
            valid=tuple(sorted(known)),
            warning=True,
            key=key,
        )


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
    for message, at in _misfits(schema, merge(_initial_state(library, twin) or {}, given)):
        yield Finding(at=("spec", "state", *at), code="state_mismatch", message=message)


def _state_paths(library: Library, scenario: Scenario, twin: TwinDefinition) -> Iterator[Finding]:
    initial = _initial_state(library, twin)
    state = initial if isinstance(initial, dict) else None
    for index, (_, expectation) in enumerate(scenario.expectations):
        for at, text in paths_of(expectation) if expectation.type in STATE_KINDS else ():
            path = segments_of(text)
            more = scenario.spec.state or ()
            problem = state_problem(twin, path, state=state, more=more) if path is not None else None
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
