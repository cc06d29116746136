"""Lines to paste: how a client of each kind reaches the twin."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from agenttwin.frameworks import arguments_schema
from agenttwin.surfaces._http_server import Address
from agenttwin.twin import CompiledTwin


@dataclass(frozen=True, slots=True)
class Snippet:
    """What a client of one kind needs: its name, the language of the text, and the text with its gaps.

    Gaps: <http> and <mcp>, the addresses; <name>, the twin; <tool>, <json> and <shell>, a call to try.
    """

    title: str
    language: str
    text: str
    over_mcp: bool = True


SNIPPETS: Final = (
    Snippet("curl", "sh", "curl <http>/tools/<tool> --json <shell>", over_mcp=False),
    Snippet(
        "Python", "python",
        'import json\nfrom urllib.request import urlopen\n\nTOOLS = "<http>/tools/"\n\n'
        'def call(tool, **arguments):\n'
        '    with urlopen(TOOLS + tool, json.dumps(arguments).encode()) as answer:\n'
        '        return json.load(answer)\n\nprint(call("<tool>", **<python>))',
        over_mcp=False,
    ),
    Snippet(
        "MCP client", "json",
        '{\n  "mcpServers": {\n    "<name>": { "type": "http", "url": "<mcp>" }\n  }\n}',
    ),
    Snippet(
        "MCP over stdio", "json",
        '{\n  "mcpServers": {\n    "<name>": {\n      "command": "agenttwin",\n'
        '      "args": ["twin", "serve", "twin.yaml", "--stdio"]\n    }\n  }\n}',
    ),
    Snippet("Claude Code", "sh", "claude mcp add --transport http <name> <mcp>"),
    Snippet(
        "MCP in Python", "python",
        'from mcp.client import Client\n\nasync with Client("<mcp>") as client:\n'
        '    print(await client.call_tool("<tool>", <python>))',
    ),
    Snippet(
        "PydanticAI", "python",
        'from pydantic_ai import Agent\nfrom pydantic_ai.mcp import MCPToolset\n\n'
        'agent = Agent(model, toolsets=[MCPToolset("<mcp>")])',
    ),
    Snippet(
        "OpenAI Agents", "python",
        'from agents import Agent\nfrom agents.mcp import MCPServerStreamableHttp\n\n'
        'async with MCPServerStreamableHttp(params={"url": "<mcp>"}) as server:\n'
        '    agent = Agent(name="<name>", mcp_servers=[server])',
    ),
    Snippet(
        "LangChain", "python",
        'from langchain_mcp_adapters.client import MultiServerMCPClient\n\n'
        'client = MultiServerMCPClient({"<name>": {"transport": "streamable_http", "url": "<mcp>"}})\n'
        'tools = await client.get_tools()',
    ),
    Snippet(
        "Google ADK", "python",
        'from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams\n\n'
        'toolset = McpToolset(connection_params=StreamableHTTPConnectionParams(url="<mcp>"))',
    ),
    Snippet(
        "Strands", "python",
        'from mcp.client.streamable_http import streamable_http_client\n'
        'from strands import Agent\nfrom strands.tools.mcp import MCPClient\n\n'
        'agent = Agent(tools=[MCPClient(lambda: streamable_http_client("<mcp>"))])',
    ),
    Snippet(
        "Claude Agent SDK", "python",
        'from claude_agent_sdk import ClaudeAgentOptions\n\n'
        'options = ClaudeAgentOptions(\n    mcp_servers={"<name>": {"type": "http", "url": "<mcp>"}},\n'
        '    allowed_tools=["mcp__<name>__<tool>"],\n)',
    ),
    Snippet(
        "CrewAI", "python",
        '# pip install "crewai-tools[mcp]"\n'
        'from crewai import Agent\nfrom crewai_tools import MCPServerAdapter\n\n'
        'with MCPServerAdapter({"url": "<mcp>", "transport": "streamable-http"}) as tools:\n'
        '    agent = Agent(role="…", goal="…", backstory="…", tools=tools)',
    ),
    Snippet(
        "smolagents", "python",
        '# pip install "smolagents[mcp]" "mcp<2"\nfrom smolagents import CodeAgent, ToolCollection\n\n'
        'server = {"url": "<mcp>", "transport": "streamable-http"}\n'
        'with ToolCollection.from_mcp(server, trust_remote_code=True) as tools:\n'
        '    agent = CodeAgent(tools=[*tools.tools], model=model)',
    ),
    Snippet(
        "Vercel AI SDK", "typescript",
        "import { createMCPClient } from '@ai-sdk/mcp';\n\n"
        "const client = await createMCPClient({ transport: { type: 'http', url: '<mcp>' } });\n"
        "const tools = await client.tools();",
    ),
)  # fmt: skip
"""One row for each kind of client."""


def snippets(twin: CompiledTwin, address: Address) -> list[dict[str, str]]:
    """The rows, filled in; those that speak MCP only where it is spoken."""
    tool = next(iter(twin.tools.values()))
    example = {name: _example(field) for name, field in _required(arguments_schema(tool))}
    written = orjson.dumps(example).decode()
    gaps = {
        "<http>": address.http_url,
        "<mcp>": address.mcp_url or "",
        "<name>": twin.name,
        "<tool>": tool.name,
        "<shell>": shlex.quote(written),
        "<python>": repr(example),
    }
    rows = (row for row in SNIPPETS if address.mcp_url is not None or not row.over_mcp)
    return [{"title": row.title, "language": row.language, "text": _filled(row.text, gaps)} for row in rows]


def _filled(text: str, gaps: Mapping[str, str]) -> str:
    for gap, value in gaps.items():
        text = text.replace(gap, value)
    return text


def _required(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    fields = schema.get("properties")
    names = schema.get("required", ())
    return [(name, fields.get(name)) for name in names] if isinstance(fields, dict) else []


_EXAMPLES: Final[Mapping[str, Any]] = {
    "string": "…", "number": 1, "integer": 1, "boolean": True, "array": [], "object": {},
}  # fmt: skip


def _example(field: Any) -> Any:
    """A value of the right type; better ones where the schema has some."""
    if not isinstance(field, dict):
        return "…"
    for word in ("examples", "enum"):
        if isinstance(field.get(word), list) and field[word]:
            return field[word][0]
    kind = field.get("type")
    return field.get("default", field.get("const", _EXAMPLES.get(kind if isinstance(kind, str) else "", "…")))
