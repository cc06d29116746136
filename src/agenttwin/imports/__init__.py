"""Twins drafted from what others have written down: OpenAPI documents, tool lists of MCP, recordings."""

from agenttwin.imports._draft import ORDER, Draft, DraftTool, write
from agenttwin.imports._exchange import Exchange, exchange, read_har, read_recording, tool_exchange
from agenttwin.imports._mcp import from_mcp
from agenttwin.imports._openapi import MAX_OPERATIONS, from_openapi
from agenttwin.imports._recording import call_of, from_recording
from agenttwin.imports._text import MAX_BYTES, read_loose

__all__ = [
    "MAX_BYTES",
    "MAX_OPERATIONS",
    "ORDER",
    "Draft",
    "DraftTool",
    "Exchange",
    "call_of",
    "exchange",
    "from_mcp",
    "from_openapi",
    "from_recording",
    "read_har",
    "read_loose",
    "read_recording",
    "tool_exchange",
    "write",
]
