"""Strands Agents: tools of its kind, and a hook that puts them in the place of an agent's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from strands.hooks import BeforeToolCallEvent
from strands.types._events import ToolResultEvent
from strands.types.tools import AgentTool

from agenttwin.frameworks._spec import Given, ToolSpec, failed


def tools(given: Given) -> list[Any]:
    """An `AgentTool` for each. What a tool answers instead of a success is a result of the status error."""
    return [TwinTool(given, spec) for spec in given.specs]


class TwinTool(AgentTool):
    """A tool of the twin. It answers in the turn's own task, so that parallel calls keep their order."""

    def __init__(self, given: Given, spec: ToolSpec) -> None:
        super().__init__()
        self._given = given
        self._spec = spec

    @property
    def tool_name(self) -> str:
        """The tool's name."""
        return self._spec.name

    @property
    def tool_spec(self) -> Any:
        """What the model is told."""
        return {
            "name": self._spec.name,
            "description": self._spec.description or self._spec.name,
            "inputSchema": {"json": dict(self._spec.schema)},
        }

    @property
    def tool_type(self) -> str:
        """What kind of tool this is."""
        return "python"

    async def stream(
        self, tool_use: Any, invocation_state: dict[str, Any], **more: Any
    ) -> AsyncIterator[Any]:
        """The tool's answer, in one piece."""
        given = tool_use["input"]
        reply = self._given.answer(self._spec, given if isinstance(given, dict) else {})
        status = "error" if failed(self._spec.name, reply) else "success"
        content = [{"text": reply.text}]
        yield ToolResultEvent({"toolUseId": tool_use["toolUseId"], "status": status, "content": content})


@contextmanager
def stand_in(given: Given, agent: Any) -> Iterator[Any]:
    """The agent itself: a hook swaps each tool for the twin's just before it is called."""
    made = {tool.tool_name: tool for tool in tools(given)}
    active = True

    def swap(event: BeforeToolCallEvent) -> None:
        if active:  # hooks cannot be taken back
            name = event.tool_use["name"]
            unknown = ToolSpec(name=name, description="", schema={}, risk="")
            event.selected_tool = made.get(name) or TwinTool(given, unknown)

    agent.hooks.add_callback(BeforeToolCallEvent, swap)
    try:
        yield agent
    finally:
        active = False
