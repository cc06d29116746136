"""The Claude Agent SDK: an MCP server in the process, of tools of its kind."""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import SdkMcpTool

from agenttwin.frameworks._spec import Given, ToolSpec, failed


def tools(given: Given) -> list[Any]:
    """An `SdkMcpTool` for each, for `create_sdk_mcp_server`. What is no success is marked `is_error`."""
    return [_tool(given, spec) for spec in given.specs]


def _tool(given: Given, spec: ToolSpec) -> Any:
    async def call(arguments: dict[str, Any]) -> dict[str, Any]:
        reply = given.answer(spec, arguments)
        wrong = failed(spec.name, reply)
        return {"content": [{"type": "text", "text": reply.text}], "is_error": wrong}

    return SdkMcpTool(
        name=spec.name, description=spec.description, input_schema=dict(spec.schema), handler=call
    )
