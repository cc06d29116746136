"""Calling tools over HTTP: what is answered, and what is recorded."""

import json

import pytest

from agenttwin.run import CaseClosed
from agenttwin.transcript import Result, Retrieval
from tests.unit.surfaces._scene import open_case


def test_a_call_answers_as_the_tool_and_is_recorded(client):
    answer = client.call("pay", id="A-1")
    assert (answer.status, answer.json) == (200, {"paid": 1, "call": 1})
    assert [(call.tool, call.arguments) for call in client.case.world.calls] == [("pay", {"id": "A-1"})]


def test_an_answer_is_json_with_its_length(client):
    answer = client.call("read_order", id="A-1")
    assert answer.getheader("content-type") == "application/json"
    assert int(answer.getheader("content-length")) == len(answer.data)


def test_nothing_tells_the_agent_what_it_is_tested_with(server):
    from tests.unit.surfaces._scene import fault

    client = open_case(server, fault("timeout_after_mutation"))
    answer = client.call("pay", id="A-1")
    told = str(answer.getheaders()).lower() + answer.data.decode().lower()
    assert answer.status == 504
    assert not any(word in told for word in ("timeout_after", "mutation", "fault", "uvicorn", "scenario"))


def test_tools_are_listed_with_their_schemas(client):
    tools = {tool["name"]: tool for tool in client.ask("GET", "/tools").json["tools"]}
    assert tools["read_order"]["inputSchema"]["required"] == ["id"]
    assert tools["note"]["inputSchema"] == {"type": "object"}
    assert tools["pay"]["idempotency"] == {"argument": None, "header": "idempotency-key"}
    assert tools["read_order"]["risk"] == "READ"


def test_a_search_is_a_retrieval_and_no_call(client):
    answer = client.ask("GET", "/kb/search?q=how+to+pay")
    assert answer.json["documents"][0]["id"] == "kb-1"
    assert isinstance(client.case.world.records[0], Retrieval)
    assert client.case.world.calls == ()


@pytest.mark.parametrize("path", ["/kb/search", "/kb/search?q=", "/kb/search?query=x"])
def test_a_search_for_nothing_is_refused(client, path):
    assert client.ask("GET", path).status == 400
    assert client.case.world.records == []


def test_a_key_in_a_header_makes_a_repeat_a_replay(client):
    for _ in range(2):
        answer = client.call("pay", {"IDEMPOTENCY-KEY": "k1"}, id="A-1")
        assert answer.json["paid"] == 1
    assert answer.getheader("idempotent-replayed") is not None
    assert [call.replayed for call in client.case.world.calls] == [False, True]


def test_other_headers_are_no_key(client):
    client.call("pay", {"X-Request-Id": "k1"}, id="A-1")
    assert client.case.world.calls[0].idempotency_key is None


def test_an_empty_body_is_no_arguments(client):
    assert client.ask("POST", "/tools/note").json["arguments"] == {}


@pytest.mark.parametrize(
    "body", [b'{"id": "A-1"', b"{'id': 'A-1'}", b"\xff\xfe", b"[1]", b'"text"', b"{}" * 2, b"[" * 100_000]
)
def test_a_body_that_is_no_object_is_refused_and_recorded(client, body):
    answer = client.ask("POST", "/tools/read_order", body)
    assert (answer.status, answer.json["error"]["code"]) == (400, "INVALID_ARGUMENTS")
    assert [call.result for call in client.case.world.calls] == [Result.INVALID]


def test_what_was_sent_in_place_of_json_is_evidence(client):
    client.ask("POST", "/tools/read_order", b'{"id": ')
    assert client.case.world.calls[0].arguments == '{"id": '


def test_arguments_that_nest_too_deep_are_refused_and_recorded(client):
    answer = client.ask("POST", "/tools/note", b'{"a":' * 100 + b"1" + b"}" * 100)
    assert answer.status == 400
    assert client.statuses == [400]


def test_an_integer_that_cannot_be_held_is_refused(client):
    assert client.ask("POST", "/tools/note", b'{"a": 9007199254740993}').status == 400


def test_arguments_against_the_schema_are_refused_and_recorded(client):
    assert client.call("read_order", id=7).status == 422
    assert client.statuses == [422]


@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_arguments_that_are_too_large_are_refused_and_recorded(client, size):
    answer = client.ask("POST", "/tools/note", {"text": "x" * size})
    assert (answer.status, answer.json["error"]["code"]) == (413, "ARGUMENTS_TOO_LARGE")
    assert client.statuses == [413]


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("read%5Forder", "read_order"),
        ("r%C3%A9ad", "réad"),
        ("a%2Fb", "a/b"),
        ("..%2F..%2Fstate", "../../state"),
        ("%FF%00", "\ufffd\x00"),
        ("%zz", "%zz"),
        ("read_order%20", "read_order "),
        ("a/b/../c", "a/b/../c"),
        ("__class__", "__class__"),
    ],
)
def test_a_name_is_data_whatever_it_contains(client, segment, name):
    answer = client.ask("POST", f"/tools/{segment}", {"id": "A-1"})
    assert answer.status == (200 if name == "read_order" else 404)
    assert [call.tool for call in client.case.world.calls] == [name]


def test_a_name_of_any_length_is_cut_in_the_record(client):
    assert client.ask("POST", "/tools/" + "x" * 10_000, {}).status == 404
    assert len(client.case.world.calls[0].tool) == 200


def test_arguments_are_text_of_any_language(client):
    assert client.call("read_order", id="Zoë").json["id"] == "Zoë"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"])
def test_another_method_is_told_which_there_are(client, method):
    answer = client.ask(method, "/tools/pay") if method != "HEAD" else _head(client)
    assert answer.status == 405
    assert "POST" in answer.getheader("allow")
    assert client.case.world.records == []


def _head(client):
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    parts = urlsplit(client.url)
    connection = HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.request("HEAD", parts.path + "/tools/pay")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


@pytest.mark.parametrize(
    "path", ["/tools/", "/state", "/", "", "/tools/../../x", "/mcp/x", "/kb", "/toolsx/pay"]
)
def test_what_is_not_there_is_not_found(client, path):
    assert client.ask("POST" if "kb" not in path else "GET", path).status in (404, 405)
    assert [call.tool for call in client.case.world.calls if call.tool == "pay"] == []


def test_an_unknown_token_is_not_found(client):
    before = client.server.routes.counts["unknown_token"]
    other = type(client)(client.server, client.case, client.url + "x")
    assert other.call("pay", id="A-1").status == 404
    assert client.server.routes.counts["unknown_token"] == before + 1
    assert client.case.world.records == []


def test_after_the_end_nothing_is_called_and_the_call_is_counted(client):
    client.call("pay", id="A-1")
    client.end()
    answer = client.call("pay", id="A-1")
    assert (answer.status, answer.json["error"]["code"]) == (410, "CASE_CLOSED")
    assert len(client.case.world.records) == 1
    assert client.server.late_calls(client.case) == 1
    assert client.server.events[-1].kind == "call_after_end"
    assert client.case.token not in client.server.events[-1].detail


def test_a_case_that_was_closed_but_is_still_registered_answers_the_same(client):
    client.case.closed = True
    assert client.call("pay", id="A-1").status == 410
    assert client.ask("GET", "/tools").status == 410
    with pytest.raises(CaseClosed):
        client.case.call("pay", {}, {})


def test_a_lease_leads_to_the_case_in_every_way(server):
    from agenttwin.surfaces import lend_http

    client = open_case(server)
    server.unregister(client.case)
    lease = lend_http(server)(client.case)
    assert lease.http_url == client.url
    assert lease.env["AGENTTWIN_TOOLS_URL"] == lease.http_url
    assert lease.env["AGENTTWIN_MCP_URL"] == lease.mcp_url == f"{lease.http_url}/mcp"
    assert lease.tools.call("pay", id="A-1").body == {"paid": 1, "call": 1}
    assert client.call("pay", id="A-1").json == {"paid": 2, "call": 2}


def test_a_trace_context_is_kept_beside_the_call(client):
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    client.call("note", {"traceparent": trace})
    client.call("note")
    route = client.server.routes.find(client.case.token.encode())
    assert route.traces == {1: trace}


def test_one_connection_carries_many_calls(client):
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    parts = urlsplit(client.url)
    connection = HTTPConnection(parts.hostname, parts.port, timeout=10)
    for number in range(1, 51):
        connection.request("POST", parts.path + "/tools/pay", json.dumps({"id": "A-1"}))
        assert json.loads(connection.getresponse().read())["paid"] == number
    connection.close()
