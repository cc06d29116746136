"""The OpenAI Agents SDK: function tools, and a clone of an agent that has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents import Agent, FunctionTool

from agenttwin.errors import UsageError
from agenttwin.frameworks._spec import NO_JSON, Given, ToolSpec, failed


def tools(given: Given) -> list[Any]:
    """A `FunctionTool` for each. What is no success is its output too: the model reads it."""
    return [_tool(given, spec) for spec in given.specs]


def _tool(given: Given, spec: ToolSpec) -> Any:
    async def invoke(_: Any, text: str) -> str:
        reply = given.answer(spec, _arguments(text))
        failed(spec.name, reply)
        return reply.text

    return FunctionTool(
        name=spec.name,
        description=spec.description,
        params_json_schema=dict(spec.schema),
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )


def _arguments(text: str) -> Any:
    """What the model wrote; what is no JSON object reaches the tool as that, and is refused there."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return NO_JSON
    return value if isinstance(value, dict) else NO_JSON


@contextmanager
def stand_in(given: Given, agent: Agent[Any]) -> Iterator[Agent[Any]]:
    """A copy of the agent with the twin's tools, and of those that it hands over to.

    UsageError for a handover that is no agent: what stands behind it cannot be seen.
    """
    yield _copied(given, agent, {})


def _copied(given: Given, agent: Agent[Any], done: dict[int, Agent[Any]]) -> Agent[Any]:
    if id(agent) not in done:
        copy = agent.clone(tools=tools(given), mcp_servers=[], handoffs=[])
        done[id(agent)] = copy  # before those it hands over to: they may hand back
        for other in agent.handoffs:
            if not isinstance(other, Agent):
                message = f"The agent {agent.name!r} hands over to something that is no Agent."
                raise UsageError("no_stand_in", message)
            copy.handoffs.append(_copied(given, other, done))
    return done[id(agent)]
