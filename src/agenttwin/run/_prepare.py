"""From a plan to works: everything that the trials need, made ready once and shared by all sides."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import orjson
from pydantic import TypeAdapter

from agenttwin.document import Document
from agenttwin.run._protocols import Agent
from agenttwin.run._work import Turn, Work
from agenttwin.scenario import Agent as Manifest
from agenttwin.scenario import Library, Plan, Scenario, Trial, evaluator_versions
from agenttwin.twin import DEFAULT_CALL_LIMIT, Adapter, CompiledTwin, World, begin, compile
from agenttwin.values import Json, digest

OWN_CONTEXT: Final = ("tenant", "now", "customer_id")
"""What the input's context says to the twin and the request; the rest goes to the agent as it is."""

Key = tuple[str, str, int]
"""One trial of one side: side, scenario, trial."""

_DURATION: Final = TypeAdapter(timedelta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One side of a run: its name (baseline, candidate), its manifest, and how its agent is driven."""

    side: str
    agent: Agent
    manifest: Document[Manifest]


def prepare(
    library: Library,
    plan: Plan,
    contenders: Sequence[Contender],
    *,
    adapters: Mapping[str, Adapter] | None = None,
    call_limit: int = DEFAULT_CALL_LIMIT,
    only: Collection[Key] | None = None,
) -> tuple[Work, ...]:
    """The works of a plan, the sides of a trial next to one another; ``only`` those that are named.

    Both sides of a trial begin with the same world. NotFound for an adapter that is not registered.
    """
    return tuple(_works(library, plan, contenders, adapters or {}, call_limit, only))


def _works(
    library: Library,
    plan: Plan,
    contenders: Sequence[Contender],
    adapters: Mapping[str, Adapter],
    call_limit: int,
    only: Collection[Key] | None,
) -> Iterator[Work]:
    evaluators = digest(evaluator_versions())
    twins: dict[str, tuple[CompiledTwin, str]] = {}
    manifests = {contender.side: orjson.dumps(contender.manifest.source.value) for contender in contenders}
    for trial in plan.cases:
        sides = [
            contender
            for contender in contenders
            if only is None or (contender.side, trial.scenario, trial.trial) in only
        ]
        if not sides:
            continue
        document = library.scenarios[trial.scenario]
        name = document.model.spec.twin
        if name not in twins:
            twins[name] = _compiled(library, name, adapters), library.twin_digest(name)
        twin, twin_digest = twins[name]
        world = begin_world(twin, document.model, trial.seed, call_limit)
        # What a case runs with, read off what it is made of, and not off the plan.
        pins = {
            "scenario": document.digest,
            "twin": twin_digest,
            "evaluators": evaluators,
            "seed": world.seed,
        }
        for contender in sides:
            yield _work(document.model, trial, world, pins, contender, manifests[contender.side])


def _compiled(library: Library, name: str, adapters: Mapping[str, Adapter]) -> CompiledTwin:
    return compile(library.twins[name].model, adapters=adapters, initial_state=library.states.get(name))


def begin_world(
    twin: CompiledTwin, scenario: Scenario, seed: str, call_limit: int = DEFAULT_CALL_LIMIT
) -> World:
    """The world as a scenario's case begins."""
    spec = scenario.spec
    context = spec.input.context
    return begin(
        twin,
        state=spec.state,
        tenant=_text(context.get("tenant")),
        now=_text(context.get("now")),
        faults=spec.faults,
        allowed_tools=spec.allowed_tools,
        seed=seed,
        documents=[document.model_dump() for document in spec.input.documents],
        input_texts=tuple(_texts(scenario)),
        call_limit=call_limit,
    )


def _work(
    scenario: Scenario,
    trial: Trial,
    world: World,
    pins: Mapping[str, str],
    contender: Contender,
    manifest: bytes,
) -> Work:
    context = scenario.spec.input.context
    return Work(
        side=contender.side,
        scenario=scenario,
        trial=trial.trial,
        world=world,
        turns=_turns(scenario),
        context=orjson.dumps({name: value for name, value in context.items() if name not in OWN_CONTEXT}),
        customer_id=_text(context.get("customer_id")),
        timeout_seconds=scenario.spec.timeout_seconds,
        agent=contender.agent,
        version=contender.manifest.model.metadata.version,
        manifest=manifest,
        model_kind=contender.manifest.model.model_kind,
        pins={**pins, "manifest": contender.manifest.digest},
    )


def _turns(scenario: Scenario) -> tuple[Turn, ...]:
    given = scenario.spec.input
    if given.turns is None:
        return (Turn(say=given.message or ""),)
    return tuple(Turn(say=turn.say, after_ms=_milliseconds(turn.after)) for turn in given.turns)


def _milliseconds(after: str | None) -> int:
    return 0 if after is None else round(_DURATION.validate_python(after) / timedelta(milliseconds=1))


def _texts(scenario: Scenario) -> Iterator[str]:
    """Every text that the input hands to the agent."""
    given = scenario.spec.input
    yield from [turn.say for turn in _turns(scenario)]
    yield from _leaves(given.context)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _leaves(member)
    elif isinstance(value, list):
        for element in value:
            yield from _leaves(element)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
