"""The twin over MCP, with the official client, in both eras of the protocol."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.client import Client as McpClient
from mcp.shared.exceptions import MCPError

from agenttwin.transcript import Result, Retrieval
from tests.unit.surfaces._scene import fault, open_case

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}

pytestmark = pytest.mark.parametrize("era", ERAS)


def over(client: Any, era: str, act: Callable[[McpClient], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with McpClient(f"{client.url}/mcp", mode=era) as mcp:
            return await act(mcp)

    return asyncio.run(main())


def call(client: Any, era: str, tool: str, arguments: Any = None, **more: Any) -> Any:
    return over(client, era, lambda mcp: mcp.call_tool(tool, arguments or {}, **more))


def failure(client: Any, era: str, tool: str, arguments: Any = None) -> BaseException:
    """What is raised in the end: a broken transport ends the client's task group around it."""
    with pytest.raises(BaseException) as raised:  # noqa: PT011
        call(client, era, tool, arguments)
    error = raised.value
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def test_the_protocol_is_that_of_the_era(client, era):
    assert over(client, era, _version) == ERAS[era]


async def _version(mcp):
    return mcp.protocol_version


def test_tools_have_schema_hints_and_the_exact_risk(client, era):
    tools = {tool.name: tool for tool in over(client, era, lambda mcp: mcp.list_tools()).tools}
    read, pay, note = tools["read_order"], tools["pay"], tools["note"]
    assert read.input_schema["required"] == ["id"]
    assert read.description == "Read an order."
    assert note.input_schema == {"type": "object"}
    assert [tool.meta["agenttwin/risk"] for tool in (read, pay, note)] == [
        "READ",
        "WRITE_IRREVERSIBLE",
        "WRITE_REVERSIBLE",
    ]
    hints = [
        (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for tool in (read, pay, note)
    ]
    assert hints == [(True, False), (False, True), (False, False)]


def test_a_call_answers_text_and_structure_and_is_recorded(client, era):
    result = call(client, era, "pay", {"id": "A-1"})
    assert json.loads(result.content[0].text) == result.structured_content == {"paid": 1, "call": 1}
    assert not result.is_error
    assert [(each.tool, each.arguments) for each in client.case.world.calls] == [("pay", {"id": "A-1"})]


def test_calls_over_http_and_mcp_meet_in_one_world(client, era):
    client.call("pay", id="A-1")
    assert call(client, era, "pay", {"id": "A-1"}).structured_content == {"paid": 2, "call": 2}


def test_a_search_is_a_tool_and_recorded_as_a_retrieval(client, era):
    result = call(client, era, "search_knowledge_base", {"query": "how to pay"})
    assert result.structured_content["documents"][0]["id"] == "kb-1"
    assert isinstance(client.case.world.records[0], Retrieval)
    assert call(client, era, "search_knowledge_base", {"question": "?"}).is_error


def test_without_documents_there_is_no_search(server, era):
    client = open_case(server, state={"kb": []})
    tools = over(client, era, lambda mcp: mcp.list_tools()).tools
    assert "search_knowledge_base" not in [tool.name for tool in tools]
    assert failure(client, era, "search_knowledge_base", {"query": "x"}).error.code == -32602
    assert client.case.world.calls[0].result is Result.UNKNOWN_TOOL


@pytest.mark.parametrize(
    ("tool", "arguments", "status"), [("read_order", {"id": 7}, 422), ("read_order", {"id": "Z"}, 404)]
)
def test_a_refusal_is_a_result_that_says_it_is_an_error(client, era, tool, arguments, status):
    assert call(client, era, tool, arguments).is_error
    assert client.statuses == [status]


def test_an_unknown_tool_is_an_error_of_the_protocol_and_recorded(client, era):
    error = failure(client, era, "raed_order")
    assert (error.error.code, "read_order" in error.error.message) == (-32602, True)
    assert client.statuses == [404]


def test_the_key_of_a_call_stands_in_its_meta(client, era):
    for _ in range(2):
        result = call(client, era, "pay", {"id": "A-1"}, meta={"Idempotency-Key": "k"})
        assert result.structured_content["paid"] == 1


def test_the_trace_of_the_agent_stands_beside_its_call(client, era):
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    call(client, era, "note", {}, meta={"traceparent": trace})
    assert client.server.routes.find(client.case.token.encode()).traces == {1: trace}


# -- each level at which a fault is seen


@pytest.mark.parametrize("type", ["auth_denied", "non_retryable_error"])
def test_a_denial_is_a_result_that_says_it_is_an_error(server, era, type):
    result = call(open_case(server, fault(type)), era, "note")
    assert result.is_error
    assert "error" in json.loads(result.content[0].text)


@pytest.mark.parametrize(
    ("type", "code"),
    [
        ("timeout_before_mutation", -32001),
        ("timeout_after_mutation", -32001),
        ("late_mutation", -32001),
        ("http_500", -32603),
        ("http_500_after_mutation", -32603),
        ("inconsistent_state", -32603),
    ],
)
def test_a_failure_is_an_error_of_the_protocol(server, era, type, code):
    error = failure(open_case(server, fault(type)), era, "pay", {"id": "A-1"})
    assert isinstance(error, MCPError)
    assert error.error.code == code
    assert error.error.data["body"]["error"]["message"] == error.error.message


@pytest.mark.parametrize(
    "type", ["http_503", "http_429", "rate_limit", "transient_unavailable", "permanent_unavailable"]
)
def test_who_is_turned_away_sees_the_http_request_fail(server, era, type):
    client = open_case(server, fault(type, "note", retryAfterSeconds=3))
    error = failure(client, era, "note")
    assert "Server returned an error response" in str(error)
    assert client.statuses == [429 if type in ("http_429", "rate_limit") else 503]


def test_garbled_json_cannot_be_parsed(server, era):
    client = open_case(server, fault("malformed_json"))
    assert "parse" in str(failure(client, era, "note")).lower()
    assert client.case.world.calls[0].result is Result.MALFORMED


@pytest.mark.parametrize("type", ["partial_response", "dropped_connection", "dropped_after_mutation"])
def test_a_broken_connection_ends_the_client(server, era, type):
    client = open_case(server, fault(type))
    assert "Protocol" in type_name(failure(client, era, "pay", {"id": "A-1"}))
    assert client.case.world.calls[0].result in (Result.PARTIAL, Result.DROPPED)


def type_name(error):
    return type(error).__name__


@pytest.mark.parametrize("type", ["delay", "slow_response"])
def test_a_delay_is_real(server, era, type):
    began = time.monotonic()
    assert not call(open_case(server, fault(type, "note", delayMs=400)), era, "note").is_error
    assert time.monotonic() - began > 0.38


@pytest.mark.parametrize(
    ("type", "fields", "seen"),
    [
        ("success_without_mutation", {}, {"paid": 1, "call": 1}),
        ("message_duplication", {}, {"paid": 1, "call": 1}),
        ("stale_response", {}, {"paid": 1, "call": 1}),
        ("semantic_bad_response", {"body": {"paid": 99}}, {"paid": 99}),
        ("schema_drift", {"field": "paid", "renameTo": "total"}, {"total": 1, "call": 1}),
        ("duplicate_response", {}, {"paid": 1, "call": 1}),
    ],
)
def test_a_lie_is_a_result_like_any_other(server, era, type, fields, seen):
    result = call(open_case(server, fault(type, "pay", **fields)), era, "pay", {"id": "A-1"})
    assert (result.structured_content, result.is_error) == (seen, False)


def test_a_huge_answer_comes_whole(server, era):
    result = call(open_case(server, fault("oversized_response", bytes=500_000)), era, "note")
    assert len(result.content[0].text) == 500_000


def test_after_the_end_nothing_is_called(client, era):
    client.end()
    assert isinstance(failure(client, era, "note"), MCPError)
    assert client.case.world.records == []
    assert client.server.late_calls(client.case) >= 1
