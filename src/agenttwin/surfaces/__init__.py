"""Ways to lend a twin to an agent."""

from agenttwin.surfaces._asgi import is_local, serve_asgi
from agenttwin.surfaces._http_route import SurfaceEvent
from agenttwin.surfaces._http_server import Address, TwinServer, lend_http, require
from agenttwin.surfaces._mcp_client import listed_tools, mcp_transport
from agenttwin.surfaces._python import PythonTools, lend_python, seen
from agenttwin.surfaces._serve import (
    CALL_LIMIT,
    DEV_TOKEN,
    StandAlone,
    calm_collector,
    is_loopback,
    serve_standard_io,
)
from agenttwin.surfaces._serve_faults import read_faults

__all__ = [
    "CALL_LIMIT",
    "DEV_TOKEN",
    "Address",
    "PythonTools",
    "StandAlone",
    "SurfaceEvent",
    "TwinServer",
    "calm_collector",
    "is_local",
    "is_loopback",
    "lend_http",
    "lend_python",
    "listed_tools",
    "mcp_transport",
    "read_faults",
    "require",
    "seen",
    "serve_asgi",
    "serve_standard_io",
]
