"""The Claude Agent SDK and the program that it brings, with a stand-in for the model's endpoint on loopback."""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, create_sdk_mcp_server, query

from tests.frameworks._shop import (
    CALLED,
    CUT,
    DONE,
    GARBLED,
    LOST,
    PART,
    SLOW,
    TURNS,
    Late,
    begin,
    in_order,
    paid_twice,
    served,
)

USAGE = {"input_tokens": 1, "output_tokens": 1}


class Endpoint(BaseHTTPRequestHandler):
    """Answers as the Messages API does, in a stream, the next turn of the script."""

    protocol_version = "HTTP/1.1"
    read: list[str]

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "count_tokens" in self.path:
            return self._send("application/json", json.dumps({"input_tokens": 1}))
        self.server.read.append(json.dumps(body["messages"]))
        blocks = self._blocks(body)
        events = list(self._events(blocks))
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        return self._send("text/event-stream", text)

    def _blocks(self, body):
        if not any(tool["name"].startswith("mcp__shop__") for tool in body.get("tools", [])):
            return [{"type": "text", "text": "{}"}]
        turn = sum(
            message["role"] == "assistant" and "tool_use" in json.dumps(message["content"])
            for message in body["messages"]
        )
        if turn >= len(TURNS):
            return [{"type": "text", "text": DONE}]
        return [
            {
                "type": "tool_use",
                "id": f"toolu_{uuid.uuid4().hex}",
                "name": f"mcp__shop__{name}",
                "input": given,
            }
            for name, given in TURNS[turn]
        ]

    def _events(self, blocks):
        message = {
            "id": f"msg_{uuid.uuid4().hex}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
        }
        message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": USAGE}
        yield {"type": "message_start", "message": message}
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield {"type": "content_block_start", "index": index, "content_block": start}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        stop = "tool_use" if blocks[0]["type"] == "tool_use" else "end_turn"
        yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": USAGE}
        yield {"type": "message_stop"}

    def _send(self, kind, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@contextmanager
def endpoint() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.read = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


async def converse(server, shop):
    names = {name for turn in TURNS for name, _ in turn}
    options = ClaudeAgentOptions(
        mcp_servers={"shop": shop},
        allowed_tools=[f"mcp__shop__{name}" for name in names],
        setting_sources=[],
        env={
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "ENABLE_TOOL_SEARCH": "false",  # all tools are told at once
        },
    )
    said = None
    async for message in query(prompt="Refund me.", options=options):
        if isinstance(message, ResultMessage):
            said = message.result
    return said


def test_in_process():
    case = begin(LOST)
    shop = create_sdk_mcp_server("shop", tools=case.tools(framework="claude-agent-sdk"))
    with endpoint() as server:
        assert asyncio.run(converse(server, shop)) == DONE
    paid_twice(case)
    assert "TIMEOUT" in server.read[-1]


@pytest.mark.parametrize(
    ("fault", "met"), [(CUT, "connection was lost"), (GARBLED, "is no JSON"), (PART, "is no JSON")]
)
def test_a_wire_fault_reaches_the_frameworks_own_error_handling(fault, met):
    shop = create_sdk_mcp_server("shop", tools=begin(fault).tools(framework="claude-agent-sdk"))
    with endpoint() as server:
        asyncio.run(converse(server, shop))
    assert met in server.read[-1]


def test_parallel_calls_are_recorded_in_order():
    case = begin()
    shop = create_sdk_mcp_server("shop", tools=Late(case)(framework="claude-agent-sdk"))
    with endpoint() as server:
        asyncio.run(converse(server, shop))
    in_order(case)


def test_over_mcp():
    with served(LOST) as twin, endpoint() as server:
        assert asyncio.run(converse(server, {"type": "http", "url": twin.mcp})) == DONE
        twin.paid_twice()


def results(server):
    """What the model was given back."""
    return [
        block
        for message in json.loads(server.read[-1])
        for block in message["content"]
        if isinstance(block, dict) and block["type"] == "tool_result"
    ]


@pytest.mark.parametrize(
    ("fault", "met"), [(CUT, "ECONNRESET"), (GARBLED, "could not be parsed"), (PART, "ECONNRESET")]
)
def test_a_broken_wire_over_mcp_is_read_by_the_model(fault, met):
    with served(fault) as twin, endpoint() as server:
        asyncio.run(converse(server, {"type": "http", "url": twin.mcp}))
        assert twin.called == CALLED
    first = results(server)[0]
    assert first["is_error"]
    assert met in first["content"]


def test_parallel_calls_over_mcp_are_recorded_in_order():
    with served(SLOW) as twin, endpoint() as server:
        asyncio.run(converse(server, {"type": "http", "url": twin.mcp}))
        assert twin.called == CALLED
