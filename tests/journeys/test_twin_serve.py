"""`agenttwin twin serve`, started as a person starts it."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from agenttwin.lab import example_folder
from tests.docs import _quick

TWIN = example_folder("support-refund") / "twin.yaml"
AGENTTWIN = [sys.executable, "-m", "agenttwin.cli"]

FAULTS = """
- target: refund_payment
  when: {callNumber: 1}
  behavior: {type: timeout_after_mutation}
"""


@contextmanager
def serving(*options: str, twin: Path = TWIN) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [*AGENTTWIN, "twin", "serve", str(twin), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    try:
        yield process.stdout.readline().strip(), process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=30)


def refused(*options: str, twin: Path = TWIN) -> str:
    """What is told where it cannot serve."""
    done = subprocess.run(
        [_quick.command(), "twin", "serve", str(twin), *options], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def ask(url: str, value: object = None) -> object:
    data = None if value is None else json.dumps(value).encode()
    with urlopen(url, data, timeout=30) as answer:
        return json.load(answer)


def test_it_tells_its_address_and_serves_the_case_dev() -> None:
    with serving() as (line, _):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", line)
        assert ask(f"{line}t/dev/tools/lookup_order", {"order_id": "ORD-1001"})["id"] == "ORD-1001"
        assert [call["tool"] for call in ask(f"{line}t/dev/calls")] == ["lookup_order"]
        assert ask(f"{line}t/dev/state")["policy"]["currency"] == "USD"
        ask(f"{line}t/dev/reset", {})
        assert ask(f"{line}t/dev/calls") == []
        with urlopen(line, timeout=30) as page:
            assert "text/html" in page.headers["content-type"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(number: int) -> None:
    with serving() as (line, process):
        assert line
        process.send_signal(number)
        rest, told = process.communicate(timeout=30)
    assert (process.returncode, rest) == (0, "")
    assert "Traceback" not in told


def test_a_signal_ends_it_while_answers_are_on_their_way() -> None:
    rules = [{"target": "*", "behavior": {"type": "delay", "delayMs": 30_000}}]
    with serving() as (line, process):
        ask(f"{line}t/dev/faults", rules)
        import socket

        parts = urlsplit(line)
        connection = socket.create_connection((parts.hostname, parts.port))
        connection.sendall(
            b"POST /t/dev/tools/lookup_order HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}"
        )
        time.sleep(0.5)
        began = time.monotonic()
        process.terminate()
        process.communicate(timeout=30)
        connection.close()
    assert time.monotonic() - began < 10
    assert process.returncode == 0


def test_tenant_time_token_port_and_faults_are_those_asked_for(tmp_path: Path) -> None:
    (tmp_path / "faults.yaml").write_text(FAULTS)
    options = ("--tenant", "demo-co", "--now", "2030-05-06T07:08:09Z", "--token", "mine")
    with serving(*options, "--faults", str(tmp_path / "faults.yaml")) as (line, _):
        status = ask(f"{line}t/mine/status")
        assert (status["tenant"], status["now"]) == ("demo-co", "2030-05-06T07:08:09Z")
        with pytest.raises(HTTPError) as raised:
            ask(f"{line}t/mine/tools/refund_payment", {"order_id": "ORD-1001", "amount": 40})
        raised.value.close()
        assert raised.value.code == 504
        assert ask(f"{line}t/mine/state?path=orders.ORD-1001.refund_count") == 1


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_mcp_is_served_beside_http(mode: str) -> None:
    async def main(url: str) -> object:
        async with Client(f"{url}t/dev/mcp", mode=mode) as client:
            result = await client.call_tool("lookup_order", {"order_id": "ORD-1001"})
            return result.structured_content["id"]

    with serving() as (line, _):
        assert asyncio.run(main(line)) == "ORD-1001"
        assert len(ask(f"{line}t/dev/calls")) == 1


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_mcp_is_spoken_on_standard_input_and_output(tmp_path: Path, mode: str) -> None:
    (tmp_path / "faults.yaml").write_text(
        FAULTS + "- {target: lookup_order, when: {callNumber: 2}, behavior: {type: dropped_connection}}\n"
        "- {target: lookup_order, when: {callNumber: 3}, behavior: {type: partial_response}}\n"
        "- {target: lookup_order, when: {callNumber: 4}, behavior: {type: http_503}}\n"
    )
    arguments = [
        "-m",
        "agenttwin.cli",
        "twin",
        "serve",
        str(TWIN),
        "--stdio",
        "--faults",
        str(tmp_path / "faults.yaml"),
    ]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))

    async def main() -> list[object]:
        seen: list[object] = []
        async with Client(stdio_client(server), mode=mode) as client:
            seen.append(len((await client.list_tools()).tools) > 3)
            for tool in ("refund_payment", *["lookup_order"] * 4):
                asked = {"order_id": "ORD-1001", **({"amount": 40} if tool == "refund_payment" else {})}
                try:
                    result = await client.call_tool(tool, asked)
                    seen.append(result.structured_content and result.structured_content["refund_count"])
                except MCPError as error:
                    seen.append(error.error.code)
        return seen

    assert asyncio.run(main()) == [True, -32001, 1, -32000, None, -32603]


def test_other_machines_are_let_in_only_when_asked_for() -> None:
    told = refused("--host", "0.0.0.0")
    assert "--allow-remote" in told
    assert "remote_not_allowed" in told


def test_whoever_lets_other_machines_in_gets_a_token_that_nobody_guesses() -> None:
    with serving("--host", "0.0.0.0", "--allow-remote") as (line, _):
        parts = urlsplit(line)
        assert re.fullmatch(r"/t/[0-9a-f]{32}/", parts.path)
        local = f"http://127.0.0.1:{parts.port}"
        assert ask(f"{local}{parts.path}status")["seq"] == 0
        with pytest.raises(HTTPError) as raised:
            ask(f"{local}/t/dev/status")
        raised.value.close()
        assert raised.value.code == 404


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--faults", "nowhere.yaml"), "no file 'nowhere.yaml'"),
        (("--now", "tomorrow"), "tomorrow"),
        (("--port", "70000"), "--port"),
        (("--token", "a b"), "'a b' is no token"),
        (("--host", "no.such.host.invalid", "--allow-remote"), "cannot be listened on"),
    ],
)
def test_what_cannot_be_is_told(options: tuple[str, ...], words: str) -> None:
    assert words in refused(*options)


def test_rules_that_are_none_are_told_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "faults.yaml").write_text("- target: refund_paymnt\n  behavior: {type: dealy}\n")
    assert "faults.yaml:2:" in refused("--faults", str(tmp_path / "faults.yaml"))


def test_a_twin_that_is_none_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "twin.yaml").write_text(
        TWIN.read_text().replace("kind: TwinDefinition", "kind: TwinDefinitoin")
    )
    assert "twin.yaml:" in refused(twin=tmp_path / "twin.yaml")
    assert "no file" in refused(twin=tmp_path / "nowhere.yaml")


def test_adapters_come_from_the_workspace_around_it(tmp_path: Path) -> None:
    (tmp_path / "doubling.py").write_text(
        "from agenttwin.twin import AdapterAnswer\n\n\n"
        "def double(arguments, state, context):\n    return AdapterAnswer(body={'twice': 2})\n"
    )
    (tmp_path / "twin.yaml").write_text(
        "apiVersion: agenttwin.dev/v1\nkind: TwinDefinition\nmetadata: {name: mine}\n"
        "spec: {tools: [{name: twice, handler: {kind: custom, adapter: double}}]}\n"
    )
    assert "unknown_adapter" in refused(twin=tmp_path / "twin.yaml")
    (tmp_path / "scenario.yaml").write_text(
        "apiVersion: agenttwin.dev/v1\nkind: Scenario\nmetadata: {name: twice, severity: low}\n"
        "spec: {twin: mine, input: {message: Hi}, expectations: [{type: noLoop}]}\n"
    )
    (tmp_path / "agenttwin.yaml").write_text(
        "twins: twin.yaml\nscenarios: scenario.yaml\nadapters: {double: 'doubling:double'}\n"
    )
    with serving(twin=tmp_path / "twin.yaml") as (line, _):
        assert ask(f"{line}t/dev/tools/twice", {}) == {"twice": 2}
