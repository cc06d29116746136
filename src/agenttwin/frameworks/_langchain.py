"""LangChain and LangGraph: structured tools, and a middleware that answers in the place of an agent's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool, ToolException

from agenttwin.frameworks._spec import Given, ToolSpec, failed


def tools(given: Given) -> list[Any]:
    """A `StructuredTool` for each. What is no success is a message of the status error."""
    return [_tool(given, spec) for spec in given.specs]


def _tool(given: Given, spec: ToolSpec) -> Any:
    def call(**arguments: Any) -> str:
        reply = given.answer(spec, arguments)
        if failed(spec.name, reply):
            raise ToolException(reply.text)
        return reply.text

    async def acall(**arguments: Any) -> str:
        return call(**arguments)

    return StructuredTool(
        name=spec.name,
        description=spec.description or spec.name,
        args_schema=dict(spec.schema),
        func=call,
        coroutine=acall,
        handle_tool_error=True,
        metadata={"agenttwin/risk": spec.risk},
    )


def middleware(given: Given) -> Any:
    """For `create_agent(…, middleware=[…])`: every call of a tool goes to the twin, declared or not."""
    return TwinMiddleware(given)


class TwinMiddleware(AgentMiddleware[Any, Any]):
    """Answers each call of a tool in its place. The tools stay declared, so that the model sees them."""

    def __init__(self, given: Given) -> None:
        super().__init__()
        self._given = given
        self._specs = {spec.name: spec for spec in given.specs}

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """The twin's answer; the tool itself, which ``handler`` would run, is not reached."""
        call = request.tool_call
        name = call["name"]
        spec = self._specs.get(name) or ToolSpec(name=name, description="", schema={}, risk="")
        reply = self._given.answer(spec, call["args"])
        status = "error" if failed(name, reply) else "success"
        return ToolMessage(content=reply.text, name=name, tool_call_id=call["id"], status=status)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """As `wrap_tool_call`."""
        return self.wrap_tool_call(request, lambda _: None)
