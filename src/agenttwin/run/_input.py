"""What a scenario's input says: to the agent, and to the world in which it acts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from agenttwin.scenario import Scenario
from agenttwin.twin import DEFAULT_CALL_LIMIT, CompiledTwin, World, begin, milliseconds
from agenttwin.values import Json

OWN_CONTEXT: Final = ("tenant", "now", "customer_id")
"""What the context says to the twin and in fields of the request; the rest goes to the agent as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something the customer says, after the world's clock went on by so much."""

    say: str
    after_ms: int = 0


def turns_of(scenario: Scenario) -> tuple[Turn, ...]:
    """What is said to the agent, one after the other."""
    given = scenario.spec.input
    if given.turns is None:
        return (Turn(say=given.message or ""),)
    return tuple(Turn(say=turn.say, after_ms=milliseconds(turn.after or "") or 0) for turn in given.turns)


def context_of(scenario: Scenario) -> dict[str, Json]:
    """What else the agent is told, as a copy that it may change."""
    context = scenario.spec.input.context
    copy: dict[str, Json] = orjson.loads(
        orjson.dumps({name: value for name, value in context.items() if name not in OWN_CONTEXT})
    )
    return copy


def context_text(scenario: Scenario, name: str) -> str | None:
    """A field of the context that has a meaning; None where it is not there or no text."""
    value = scenario.spec.input.context.get(name)
    return value if isinstance(value, str) else None


def begin_world(
    twin: CompiledTwin, scenario: Scenario, seed: str, *, call_limit: int = DEFAULT_CALL_LIMIT
) -> World:
    """The world as a case of the scenario begins."""
    spec = scenario.spec
    return begin(
        twin,
        state=spec.state,
        tenant=context_text(scenario, "tenant"),
        now=context_text(scenario, "now"),
        faults=spec.faults,
        allowed_tools=spec.allowed_tools,
        seed=seed,
        documents=[document.model_dump() for document in spec.input.documents],
        input_texts=tuple(_texts(scenario)),
        call_limit=call_limit,
    )


def _texts(scenario: Scenario) -> Iterator[str]:
    """Every text that the input hands to the agent."""
    yield from (turn.say for turn in turns_of(scenario))
    yield from _leaves(scenario.spec.input.context)
    yield from (document.content for document in scenario.spec.input.documents)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _leaves(member)
    elif isinstance(value, list):
        for element in value:
            yield from _leaves(element)
