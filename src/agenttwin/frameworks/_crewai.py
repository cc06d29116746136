"""CrewAI: tools of its kind, with the models that it makes of a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from crewai.tools import BaseTool
from pydantic import Field, PrivateAttr, create_model

from agenttwin.frameworks._spec import Given, ToolSpec, failed
from agenttwin.interception import failure_of

TYPES: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
}


def tools(given: Given) -> list[Any]:
    """A `BaseTool` for each. What a tool answers instead of a success raises: the framework shows it."""
    return [_tool(given, spec) for spec in given.specs]


class TwinTool(BaseTool):  # type: ignore[misc]
    """A tool of the twin."""

    _given: Any = PrivateAttr()
    _spec: ToolSpec = PrivateAttr()

    def _run(self, **arguments: Any) -> str:
        sent = {name: value for name, value in arguments.items() if value is not None}
        reply = self._given.answer(self._spec, sent)
        if failed(self._spec.name, reply):
            raise failure_of(self._spec.name, reply)
        return str(reply.text)


def _tool(given: Given, spec: ToolSpec) -> Any:
    made = TwinTool(name=spec.name, description=spec.description or spec.name, args_schema=_model(spec))
    made._given = given
    made._spec = spec
    return made


def _model(spec: ToolSpec) -> Any:
    """The arguments as a model: this framework takes no JSON Schema. The twin checks the schema itself."""
    required = spec.schema.get("required", ())
    fields: dict[str, Any] = {}
    for name, field in spec.schema.get("properties", {}).items():
        kind = TYPES.get(field.get("type", ""), Any) if isinstance(field, dict) else Any
        told = field.get("description", "") if isinstance(field, dict) else ""
        optional = name not in required
        fields[name] = (kind | None if optional else kind, Field(None if optional else ..., description=told))
    return create_model(f"{spec.name}_arguments", **fields)


@contextmanager
def stand_in(given: Given, agent: Any) -> Iterator[Any]:
    """The agent itself: its tools are the twin's while this lasts."""
    before = agent.tools
    agent.tools = tools(given)
    try:
        yield agent
    finally:
        agent.tools = before
