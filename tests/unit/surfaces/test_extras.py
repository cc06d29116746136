"""The base installation: what it leaves out, and how that is told."""

import subprocess
import sys

import pytest

from agenttwin.errors import AgentTwinError
from agenttwin.surfaces import TwinServer, require, serve_standard_io
from agenttwin.twin import begin
from tests.unit.surfaces._scene import open_case, shop


def _missing(monkeypatch, *names):
    from importlib.util import find_spec

    found = lambda name: None if name in names else find_spec(name)  # noqa: E731
    monkeypatch.setattr("agenttwin.surfaces._http_server.find_spec", found)


def test_importing_the_surfaces_imports_no_extra():
    script = "import sys, agenttwin.surfaces, agenttwin.cli._twin; print([m for m in ('uvicorn', 'httptools', 'starlette', 'mcp', 'anyio', 'httpx') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "[]\n"


def test_a_server_without_its_extra_says_what_to_install(monkeypatch):
    _missing(monkeypatch, "uvicorn")
    with pytest.raises(AgentTwinError, match=r"pip install 'agenttwin\[server\]'"):
        TwinServer()


def test_standard_io_without_its_extra_says_what_to_install(monkeypatch):
    _missing(monkeypatch, "mcp")
    with pytest.raises(AgentTwinError, match=r"pip install 'agenttwin\[mcp\]'"):
        serve_standard_io(begin(shop()))


def test_what_is_there_needs_no_extra():
    require("server", "uvicorn")


def test_without_mcp_http_is_served_and_mcp_says_what_is_missing(monkeypatch):
    _missing(monkeypatch, "mcp")
    with TwinServer() as server:
        client = open_case(server)
        assert server.address("x").mcp_url is None
        assert "AGENTTWIN_MCP_URL" not in server.address("x").env
        assert client.call("note").status == 200
        answer = client.ask("POST", "/mcp", b"{}")
        assert (answer.status, "agenttwin[mcp]" in answer.json["error"]["message"]) == (501, True)
