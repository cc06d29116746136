"""MCP messages as they are on the socket: what a client of our own would never send."""

import json

import pytest

from tests.unit.surfaces._scene import fault, open_case

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def post(client, message, **headers):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return client.ask("POST", "/mcp", body, {**ACCEPT, **headers})


def tool_call(arguments, name="note"):
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def test_a_call_needs_no_session(client):
    answer = post(client, tool_call({"a": 1}))
    assert answer.json["result"]["structuredContent"]["arguments"] == {"a": 1}
    assert answer.getheader("mcp-session-id") is None


@pytest.mark.parametrize("arguments", [[1], "text", 7])
def test_arguments_that_are_no_object_are_refused_and_recorded(client, arguments):
    answer = post(client, tool_call(arguments))
    assert answer.json["error"]["code"] == -32602
    assert client.statuses == [400]
    assert client.case.world.calls[0].arguments == arguments


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 50_000, b"[]", b"7"])
def test_what_is_no_message_is_refused(client, body):
    assert post(client, body).status == 400
    assert client.case.world.records == []


def test_a_message_that_is_too_large_is_refused(client):
    assert post(client, tool_call({"text": "x" * 3_000_000})).status == 413


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_and_no_session_to_end(client, method):
    answer = client.ask(method, "/mcp", None, ACCEPT)
    assert (answer.status, answer.getheader("allow")) == (405, "POST")


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_a_page_from_elsewhere_is_not_answered(client, headers):
    assert post(client, tool_call({}), **headers).status == 403
    assert client.case.world.records == []


def test_who_is_turned_away_is_told_when_to_come_again(server):
    client = open_case(server, fault("http_503", retryAfterSeconds=5), fault("http_429"))
    assert post(client, tool_call({})).status == 503
    client.case.world.arm([fault("http_429", retryAfterSeconds=5)])
    answer = post(client, tool_call({}))
    assert (answer.status, answer.getheader("retry-after")) == (429, "5")


@pytest.mark.parametrize("version", ["2026-07-28", "2031-01-01"])
def test_a_modern_call_without_what_it_must_say_is_refused(client, version):
    assert post(client, tool_call({}), **{"MCP-Protocol-Version": version}).status == 400
    assert client.case.world.records == []


def test_nothing_tells_the_agent_what_it_is_tested_with(server):
    client = open_case(server, fault("timeout_after_mutation"))
    answer = post(client, tool_call({}))
    told = str(answer.getheaders()).lower() + answer.data.decode().lower()
    assert not any(word in told for word in ("after_mutation", "fault", "uvicorn", "scenario"))
