"""Google's Agent Development Kit: tools of its kind, and a callback that answers before an agent's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from google.adk.tools import BaseTool
from google.genai import types

from agenttwin.frameworks._spec import Given, ToolSpec, failed


def tools(given: Given) -> list[Any]:
    """A `BaseTool` for each. What a tool answers instead of a success is its response: {"error": …}."""
    return [TwinTool(given, spec) for spec in given.specs]


class TwinTool(BaseTool):
    """A tool of the twin."""

    def __init__(self, given: Given, spec: ToolSpec) -> None:
        super().__init__(name=spec.name, description=spec.description)
        self._given = given
        self._spec = spec

    def _get_declaration(self) -> Any:
        return types.FunctionDeclaration(
            name=self._spec.name,
            description=self._spec.description,
            parameters_json_schema=dict(self._spec.schema),
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        """The tool's answer."""
        return _response(self._given, self._spec, args)


def _response(given: Given, spec: ToolSpec, arguments: dict[str, Any]) -> dict[str, Any]:
    reply = given.answer(spec, arguments)
    if failed(spec.name, reply) and not isinstance(reply.body, dict):
        return {"error": reply.text}
    return reply.body if isinstance(reply.body, dict) else {"result": reply.body}


@contextmanager
def stand_in(given: Given, agent: Any) -> Iterator[Any]:
    """The agent itself, and its sub-agents: a callback answers each call before a tool of theirs can."""
    specs = {spec.name: spec for spec in given.specs}

    async def answered(tool: Any, args: dict[str, Any], tool_context: Any) -> dict[str, Any]:
        spec = specs.get(tool.name) or ToolSpec(name=tool.name, description="", schema={}, risk="")
        return _response(given, spec, args)

    agents = [found for found in _family(agent) if hasattr(found, "before_tool_callback")]
    before = [found.before_tool_callback for found in agents]
    for found in agents:
        found.before_tool_callback = answered
    try:
        yield agent
    finally:
        for found, callback in zip(agents, before, strict=True):
            found.before_tool_callback = callback


def _family(agent: Any) -> Iterator[Any]:
    yield agent
    for child in getattr(agent, "sub_agents", ()):
        yield from _family(child)
