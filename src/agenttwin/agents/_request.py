"""What an agent outside Python is told: one JSON object, the same on standard input and in an HTTP body."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import orjson

from agenttwin.run import Lease, Request


def as_body(request: Request, lease: Lease) -> bytes:
    """The request as JSON: what is said and what was said, who asks, and where the tools are.

    `tools_base_url` takes `POST /tools/<tool>` and `GET /kb/search?q=…`; `mcp_url` speaks MCP. The agent
    sends `tool_headers` with each of its calls.
    """
    told: dict[str, Any] = {
        "input": request.message,
        "turns": request.turns,
        "answers": request.answers,
        "agent_version": request.version,
        "session_id": request.session_id,
        "tools_base_url": lease.http_url,
        "mcp_url": lease.mcp_url,
        "tool_headers": {"traceparent": traceparent(request)},
        "tenant": request.tenant,
        "customer_id": request.customer_id,
        "context": request.context,
        "manifest": request.manifest,
    }
    return orjson.dumps(told)


def as_environment(request: Request, lease: Lease) -> dict[str, str]:
    """Where the tools are, and the trace of the case, for programs that read their environment."""
    own = {"AGENTTWIN_AGENT_VERSION": request.version, "TRACEPARENT": traceparent(request)}
    return {**own, **lease.env}


def traceparent(request: Request) -> str:
    """The W3C trace context of a case: its spans, and the calls that carry it, belong to one trace."""
    name = sha256(request.session_id.encode()).hexdigest()
    return f"00-{name[:32]}-{name[32:48]}-01"
