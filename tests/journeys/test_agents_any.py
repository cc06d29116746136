"""The same agent, reached in every way: the comparison is the same to the last digit of its digest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from agenttwin.errors import AgentTwinError
from tests.journeys._workspace import DemoWorkspace

OVER_MCP = str(Path(__file__).with_name("_over_mcp.py"))

WAYS: dict[str, dict[str, Any]] = {
    "command": {"kind": "command", "argv": ["{python}", "remote.py"]},
    "http": {
        "kind": "http",
        "url": "http://127.0.0.1:{port}",
        "start": ["{python}", "remote.py", "{port}"],
    },
    "mcp": {"kind": "command", "argv": ["{python}", OVER_MCP]},
}


def run_as(demo: DemoWorkspace, run: dict[str, Any], **more: Any) -> None:
    """Changes how the demo's agent is run."""
    file = demo.root / "agenttwin.yaml"
    content = yaml.safe_load(file.read_text())
    content["agents"]["support-refund-agent"] |= {"run": run, **more}
    file.write_text(yaml.safe_dump(content))


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What comes out in this process."""
    demo = DemoWorkspace(tmp_path_factory.mktemp("python") / "demo")
    return str(demo.report("1.2.4", "1.3.0")["report_digest"])


@pytest.mark.parametrize("way", WAYS)
def test_it_makes_no_difference_how_an_agent_is_reached(demo: DemoWorkspace, digest: str, way: str) -> None:
    run_as(demo, WAYS[way])
    assert demo.report("1.2.4", "1.3.0")["report_digest"] == digest


FUNCTIONS = """
import agenttwin

def real(name):
    def function(**arguments):
        raise SystemExit(f"{name} was called for real")
    function.__name__ = name
    return function
"""


@pytest.mark.parametrize("isolation", ["thread", "process"])
@pytest.mark.parametrize("marked", [True, False])
def test_plain_functions_make_no_difference_either(
    demo: DemoWorkspace, digest: str, isolation: str, marked: bool
) -> None:
    names = [tool["name"] for tool in yaml.safe_load((demo.root / "twin.yaml").read_text())["spec"]["tools"]]
    made = "agenttwin.tool(real({0!r}))" if marked else "real({0!r})"
    functions = "".join(f"{name} = {made.format(name)}\n" for name in names)
    (demo.root / "shop_functions.py").write_text(FUNCTIONS + functions)
    (demo.root / "by_functions.py").write_text(Path(__file__).with_name("_by_functions.py").read_text())
    run: dict[str, Any] = {"kind": "python", "target": "by_functions:run"}
    if not marked:
        run["intercept"] = {name: f"shop_functions:{name}" for name in names}
    run_as(demo, run)
    file = demo.root / "agenttwin.yaml"
    file.write_text(file.read_text() + f"isolation: {isolation}\n")
    assert demo.report("1.2.4", "1.3.0")["report_digest"] == digest


LEAKS = {
    "headers": 'import sys; sys.path.insert(0, "."); from leaky import serve; serve(int(sys.argv[1]))',
    "env": 'import os, sys; print(os.environ["TOKEN"], file=sys.stderr); sys.exit(os.environ["TOKEN"])',
}
LEAKY = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        data = f"No access with {self.headers['Authorization']}".encode()
        self.send_response(500); self.send_header("Content-Length", str(len(data))); self.end_headers()
        self.wfile.write(data)
    def log_message(self, *_): pass
def serve(port):
    HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""
TOKEN = "t0ken-of-the-environment"


@pytest.mark.parametrize(
    ("run", "more"),
    [
        (
            {
                "kind": "http",
                "url": "http://127.0.0.1:{port}",
                "headers": {"Authorization": "Bearer ${TOKEN}"},
                "start": ["{python}", "-c", LEAKS["headers"], "{port}"],
            },
            {},
        ),
        ({"kind": "command", "argv": ["{python}", "-c", LEAKS["env"]]}, {"env": {"TOKEN": "${TOKEN}"}}),
    ],
)
def test_what_the_environment_gave_an_agent_is_kept_nowhere(
    demo: DemoWorkspace, monkeypatch: pytest.MonkeyPatch, run: dict[str, Any], more: dict[str, Any]
) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    (demo.root / "leaky.py").write_text(LEAKY)
    run_as(demo, run, **more)
    side = demo.case("1.2.4", "refund-happy-path")
    assert "[masked" in side["measured"]["traceback"]
    assert TOKEN not in str(side)
    kept = [file for file in (demo.root / ".agenttwin").rglob("*") if file.is_file()]
    assert kept
    assert all(TOKEN.encode() not in file.read_bytes() for file in kept)


def test_a_server_that_does_not_start_ends_the_run_with_its_last_words(
    demo: DemoWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    code = "import os, sys; sys.exit('no database for ' + os.environ['TOKEN'])"
    start = ["{python}", "-c", code, "{port}"]
    run_as(
        demo, {"kind": "http", "url": "http://127.0.0.1:{port}", "start": start}, env={"TOKEN": "${TOKEN}"}
    )
    with pytest.raises(AgentTwinError, match="ended") as raised:
        demo.report("1.2.4", "1.3.0")
    assert "no database for [masked" in str(raised.value)


def test_a_conversation_knows_its_answers_in_every_way(demo: DemoWorkspace) -> None:
    def two_turns(spec: dict[str, Any]) -> None:
        spec["input"] = {"turns": [{"say": "Hello"}, {"say": "And now?", "after": "PT24H"}], "context": {}}
        spec["expectations"] = [{"type": "outputContains", "value": "answered ['Hello to you']"}]

    demo.add_scenario("two-turns", two_turns, like="refund-happy-path")
    code = (
        "import json, sys; r = json.load(sys.stdin);"
        "a = f\"answered {r['answers']}\" if r['answers'] else 'Hello to you'; print(json.dumps({'output': a}))"
    )
    run_as(demo, {"kind": "command", "argv": ["{python}", "-c", code]})
    assert demo.case("1.2.4", "two-turns")["verdict"] == "PASSED"
