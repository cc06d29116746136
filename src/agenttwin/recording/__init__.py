"""Between an agent and its real tools: every call is passed on, and written down as it was answered.

The proxy for MCP, `_mcp`, is imported where it is used: it needs the extra `mcp`.
"""

from __future__ import annotations

from collections.abc import Callable

from agenttwin.recording._http import Recorder, record_http

__all__ = ["Recorder", "record_http", "record_mcp"]


def record_mcp(
    source: str, recorder: Recorder, *, host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Records a server of MCP; see `record_http`. It needs the extra `mcp`."""
    from agenttwin.recording._mcp import record_mcp as record

    record(source, recorder, host=host, port=port, ready=ready)
