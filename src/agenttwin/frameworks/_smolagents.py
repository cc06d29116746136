"""smolagents: tools of its kind, and an agent whose tools are exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from smolagents import Tool

from agenttwin.frameworks._spec import Given, ToolSpec, failed
from agenttwin.interception import failure_of

KNOWN: Final = frozenset(
    {"string", "boolean", "integer", "number", "image", "audio", "array", "object", "null"}
)
"""The types that this framework takes; what has another one, or none, is `any`."""


def tools(given: Given) -> list[Any]:
    """A `Tool` for each. What is no success raises: the framework shows that to the model."""
    return [TwinTool(given, spec) for spec in given.specs]


class TwinTool(Tool):  # type: ignore[misc]
    """A tool of the twin."""

    skip_forward_signature_validation = True
    output_type = "string"

    def __init__(self, given: Given, spec: ToolSpec) -> None:
        self.name = spec.name
        self.description = spec.description or spec.name
        self.inputs = _inputs(spec.schema)
        self._given = given
        self._spec = spec
        super().__init__()
        self.is_initialized = True

    def forward(self, **arguments: Any) -> str:
        """The tool's answer."""
        reply = self._given.answer(self._spec, arguments)
        if failed(self._spec.name, reply):
            raise failure_of(self._spec.name, reply)
        return reply.text


def _inputs(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    required = schema.get("required", ())
    return {
        name: {
            "type": field.get("type") if field.get("type") in KNOWN else "any",
            "description": str(field.get("description") or name),
            **({} if name in required else {"nullable": True}),
        }
        for name, field in schema.get("properties", {}).items()
        if isinstance(field, dict)
    }


@contextmanager
def stand_in(given: Given, agent: Any) -> Iterator[Any]:
    """The agent itself: its tools are the twin's while this lasts; its final answer stays its own."""
    before = dict(agent.tools)
    agent.tools = {tool.name: tool for tool in tools(given)} | {
        name: tool for name, tool in before.items() if name == "final_answer"
    }
    try:
        yield agent
    finally:
        agent.tools = before
