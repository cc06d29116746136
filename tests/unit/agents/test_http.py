"""An agent behind HTTP: how its requests look, and how each way of failing ends."""

import json
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from agenttwin.agents import AgentServer, HttpAgent
from agenttwin.errors import AgentTwinError
from agenttwin.run import CaseRecord
from agenttwin.transcript import ClaimedOutcome, Ending
from tests.unit.agents._web import replies, serving, talking
from tests.unit.run._scene import record, records, scenario, works

HERE = Path(__file__).parent
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def asked(url: str, **changes: Any) -> CaseRecord:
    return record(HttpAgent(url), **changes)


def ending(found: CaseRecord) -> tuple[Ending, str]:
    return found.transcript.ending, found.transcript.ending_message


def test_a_reply_is_read_whole() -> None:
    reply = {
        "output": "Paid.",
        "claimed_outcome": "SUCCESS",
        "business_outcome": "paid",
        "steps": ["a", "b"],
        "tool_calls": [{"tool": "pay", "arguments": {"amount": 10}}],
        "trace_id": "7",
        "usage": {"input_tokens": 7, "output_tokens": 3, "cost_usd": 0.5},
    }
    with serving(replies(json.dumps(reply).encode())) as url:
        claim = asked(url).claim
    assert (claim.answer, claim.outcome, claim.business_outcome) == ("Paid.", ClaimedOutcome.SUCCESS, "paid")
    assert claim.steps == 2
    assert claim.own_calls is not None
    assert claim.own_calls[0].arguments == {"amount": 10}
    assert claim.usage is not None
    assert (claim.usage.tokens, claim.usage.cost_usd, claim.trace_id) == (10, 0.5, "7")


def test_the_request_goes_to_run_with_its_headers() -> None:
    seen: list[Any] = []

    def answer(handler: Any, body: bytes) -> None:
        seen.extend((handler.path, dict(handler.headers), json.loads(body)))
        replies(b'{"output": "Hi."}')(handler, body)

    with serving(answer) as url:
        record(HttpAgent(url + "/agents/payer/", headers={"Authorization": "Bearer s3cret"}))
    path, headers, body = seen
    assert path == "/agents/payer/run"
    assert headers["Authorization"] == "Bearer s3cret"
    assert headers["traceparent"] == body["tool_headers"]["traceparent"]
    assert body["input"] == "Pay 10 from A-1."
    assert body["manifest"]["metadata"]["version"] == body["agent_version"] == "1.0.0"


def test_turns_are_requests_of_one_session() -> None:
    bodies: list[Any] = []

    def answer(handler: Any, body: bytes) -> None:
        bodies.append(json.loads(body))
        replies(json.dumps({"output": f"Answer {len(bodies)}."}).encode())(handler, body)

    with serving(answer) as url:
        found = asked(url, input="{turns: [{say: Hi.}, {say: And now?}]}")
    assert found.claim.answer == "Answer 1.\n\nAnswer 2."
    assert bodies[0]["session_id"] == bodies[1]["session_id"]
    assert bodies[1]["turns"] == ["Hi.", "And now?"]
    assert bodies[1]["answers"] == ["Answer 1."]


def test_nobody_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kind, message = ending(asked(f"http://127.0.0.1:{port}"))
    assert kind is Ending.AGENT_UNREACHABLE
    assert message == f"There is no connection to 127.0.0.1:{port}: Connection refused."


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (302, Ending.AGENT_REJECTED),
        (400, Ending.AGENT_REJECTED),
        (401, Ending.AGENT_AUTH),
        (403, Ending.AGENT_AUTH),
        (404, Ending.AGENT_REJECTED),
        (429, Ending.AGENT_REJECTED),
        (500, Ending.AGENT_ERROR),
        (503, Ending.AGENT_UNREACHABLE),
    ],
)
def test_a_status_that_is_no_success(status: int, expected: Ending) -> None:
    with serving(replies(b"why", status, Location="http://elsewhere.example")) as url:
        found = asked(url)
    kind, message = ending(found)
    assert kind is expected
    assert message.startswith(f"It answered with HTTP status {status}.")
    assert found.measured["traceback"] == "why"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"Hello.", "Its reply is no JSON: "),
        (b'{"output": "a"', "Its reply is no JSON: "),
        (b"", "Its reply is no JSON: "),
        (b"[1]", "An agent gives back text or a mapping, not list."),
        (b"[" * 100 + b"]" * 100, "Its reply is no JSON: "),
        (b'{"answer": "a"}', "The mapping that the agent gave back has no 'output'."),
    ],
)
def test_a_reply_that_is_none(data: bytes, message: str) -> None:
    with serving(replies(data)) as url:
        kind, told = ending(asked(url))
    assert kind is Ending.AGENT_ERROR
    assert told.startswith(message)


def test_a_reply_has_a_limit_and_is_not_read_beyond_it() -> None:
    sent = [0]

    def pours(wire: Any) -> None:
        wire.sendall(HEAD + b"\r\n")
        while sent[0] < 1 << 30:
            wire.sendall(b"x" * 65_536)
            sent[0] += 65_536

    with talking(pours) as url:
        kind, message = ending(asked(url))
    assert (kind, message) == (Ending.AGENT_ERROR, "Its reply has more than 8,388,608 bytes.")
    assert sent[0] < 64 << 20


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"", "It closed the connection before its answer was complete."),
        (
            HEAD + b'Content-Length: 100\r\n\r\n{"output',
            "It closed the connection before its answer was complete.",
        ),
        (
            HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\n{",
            "It closed the connection before its answer was complete.",
        ),
        (b"Hello, who is there?\r\n\r\n", "Its answer is no HTTP."),
    ],
)
def test_an_answer_that_breaks_off(sent: bytes, message: str) -> None:
    with talking(lambda wire: wire.sendall(sent)) as url:
        assert ending(asked(url)) == (Ending.AGENT_CRASHED, message)


def test_the_deadline_is_total_however_it_drips() -> None:
    def drips(wire: Any) -> None:
        wire.sendall(HEAD + b"\r\n")
        for _ in range(500):
            wire.sendall(b" ")
            time.sleep(0.02)

    started = time.monotonic()
    with talking(drips) as url:
        kind, _ = ending(asked(url, timeoutSeconds=0.5))
    assert kind is Ending.AGENT_TIMEOUT
    assert time.monotonic() - started < 3


def test_a_silent_agent_is_left_at_the_deadline() -> None:
    hold = threading.Event()
    with talking(lambda wire: hold.wait(5) and None) as url:
        kind, _ = ending(asked(url, timeoutSeconds=0.3))
        hold.set()
    assert kind is Ending.AGENT_TIMEOUT


SERVER = """
import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if len(sys.argv) > 2:
            os._exit(1)
        data = b'{"output": "Served."}'
        self.send_response(200); self.send_header("Content-Length", str(len(data))); self.end_headers()
        self.wfile.write(data)
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404); self.end_headers()
    def log_message(self, *_): pass
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def server(*more: str, **options: Any) -> AgentServer:
    argv = [sys.executable, "-c", SERVER, "{port}", *more]
    return AgentServer(argv, "http://127.0.0.1:{port}", folder=HERE, **options)


def test_a_server_is_started_waited_for_and_ended() -> None:
    with server(ready="/health") as started:
        started.start()
        assert record(HttpAgent(started)).claim.answer == "Served."
        url = started.url
    assert not started.running
    assert ending(asked(url))[0] is Ending.AGENT_UNREACHABLE


def test_a_server_that_dies_costs_its_case_and_is_started_again() -> None:
    with server("dies") as started:
        found = records(works(HttpAgent(started), scenario("one"), scenario("two")), concurrency=1)
    first, second = (ending(one)[0] for one in found)
    assert first is Ending.AGENT_CRASHED
    # A server that is just dying refuses the connection before anybody can know that it has to be started again.
    assert second in (Ending.AGENT_CRASHED, Ending.AGENT_UNREACHABLE)


def test_a_server_that_does_not_start_says_why() -> None:
    argv = [sys.executable, "-c", "import sys; sys.exit('no database')", "{port}"]
    broken = AgentServer(argv, "http://127.0.0.1:{port}", folder=HERE)
    with pytest.raises(AgentTwinError, match="ended") as raised:
        broken.start()
    assert raised.value.code == "agent_not_started"
    assert "no database" in str(raised.value)


def test_a_server_that_never_gets_ready_is_not_waited_for_for_ever() -> None:
    with (
        server(ready="/nowhere", start_seconds=0.5) as started,
        pytest.raises(AgentTwinError, match="not ready"),
    ):
        started.start()
    assert not started.running
