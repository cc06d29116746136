"""Pydantic AI: tools from their JSON Schemas, and `agent.override` for an agent as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic_ai import Agent, FunctionToolset, Tool
from pydantic_ai.exceptions import ToolFailed

from agenttwin.frameworks._spec import Given, ToolSpec, failed


def tools(given: Given) -> list[Any]:
    """A `Tool` for each. What a tool answers instead of a success raises ToolFailed: the model reads it."""
    return [_tool(given, spec) for spec in given.specs]


def _tool(given: Given, spec: ToolSpec) -> Any:
    async def call(**arguments: Any) -> Any:
        reply = given.answer(spec, arguments)
        if failed(spec.name, reply):
            raise ToolFailed(reply.text)
        return reply.body

    return Tool.from_schema(call, spec.name, spec.description or None, dict(spec.schema))


@contextmanager
def stand_in(given: Given, agent: Agent[Any, Any]) -> Iterator[Agent[Any, Any]]:
    """The agent itself: its tools and toolsets are the twin's while this lasts."""
    with agent.override(tools=[], toolsets=[FunctionToolset(tools(given))], native_tools=[]):
        yield agent
