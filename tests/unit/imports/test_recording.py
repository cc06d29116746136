"""What was recorded, without a secret in it, and a twin that answers it again."""

from __future__ import annotations

import json

import pytest

from agenttwin.errors import AgentTwinError
from agenttwin.imports import exchange, from_recording, read_har, read_recording, write
from agenttwin.transcript import Risk
from tests.unit.imports._drafts import usable

KEY = "sk_live_4f9a7c21d0"


def seen(method, target, body=None, status=200, answer=None, headers=(), **more):
    sent = body.encode() if isinstance(body, str) else json.dumps(body).encode() if body is not None else b""
    received = json.dumps(answer).encode() if answer is not None else b""
    return exchange(method, target, headers, sent, status=status, answer=received, **more)


def started(*recorded):
    return usable(from_recording(recorded, origin="recording.jsonl")).start()


RECORDED = [
    seen("GET", "/v1/orders/ORD-17?expand=lines", answer={"id": "ORD-17", "total": 5}),
    seen("GET", "/v1/orders/ORD-99", status=404, answer={"error": {"code": "NONE"}}),
    seen(
        "POST", "/v1/orders/ORD-17/refund", {"amount": 5, "note": "{odd}"}, 201, {"id": "R-1", "text": "{x}"}
    ),
    seen("GET", "/v1/orders", answer=[{"id": "ORD-17"}]),
    seen("DELETE", "/v1/orders/ORD-17", status=204),
    seen("PUT", "/v1/limits", [1, 2], 200, {"ok": True}),
]


def test_what_was_answered_is_answered_again():
    case = started(*RECORDED)
    assert case.call("get_v1_orders_order_id", {"order_id": "ORD-17", "expand": "lines"}).body["total"] == 5
    missing = case.call("get_v1_orders_order_id", {"order_id": "ORD-99"})
    assert (missing.status, missing.body) == (404, {"error": {"code": "NONE"}})
    refund = case.call("post_v1_orders_order_id_refund", {"order_id": "ORD-17", "amount": 5, "note": "{odd}"})
    assert (refund.status, refund.body) == (201, {"id": "R-1", "text": "{x}"})
    assert case.call("get_v1_orders", {}).body == [{"id": "ORD-17"}]
    assert case.call("delete_v1_orders_order_id", {"order_id": "ORD-17"}).status == 204
    assert case.call("put_v1_limits", {"body": [1, 2]}).ok


def test_what_was_not_recorded_is_told_with_the_nearest():
    other = started(*RECORDED).call("get_v1_orders_order_id", {"order_id": "ORD-18", "expand": "lines"})
    assert (other.status, other.body["error"]["code"]) == (404, "NO_FIXTURE")
    assert "ORD-17" in other.body["error"]["message"]


def test_tools_have_the_risk_of_their_method_and_the_arguments_that_were_seen():
    tools = {tool.name: tool for tool in from_recording(RECORDED, origin="r.jsonl").tools}
    assert tools["get_v1_orders"].risk is Risk.READ
    refund = tools["post_v1_orders_order_id_refund"]
    assert refund.risk is Risk.WRITE_IRREVERSIBLE
    assert refund.schema["required"] == ["order_id", "amount", "note"]
    looked = tools["get_v1_orders_order_id"]
    assert looked.schema["required"] == ["order_id"], "the other was not always there"


def test_of_two_answers_to_the_same_the_first_is_kept_and_that_is_told():
    twice = [seen("GET", "/a", answer=1), seen("GET", "/a", answer=2), seen("GET", "/a", answer=1)]
    (tool,) = from_recording(twice, origin="r.jsonl").tools
    assert "1 more answers to the same arguments differed, and were left out." in tool.notes
    assert len(tool.handler["fixtures"]) == 1


def test_requests_that_were_never_answered_are_told():
    lost = [seen("GET", "/a", status=None, error="ConnectError: refused")]
    (tool,) = from_recording(lost, origin="r.jsonl").tools
    assert "1 requests were never answered, and were left out." in tool.notes
    assert started(*lost).call("get_a", {}).status == 503


def test_tools_of_mcp_are_recorded_under_their_names():
    from agenttwin.imports import Exchange

    call = Exchange(method="MCP", path="", tool="pay", sent={"to": "x"}, status=200, received={"ok": True})
    assert started(call).call("pay", {"to": "x"}).body == {"ok": True}


@pytest.mark.parametrize(
    ("target", "headers", "body"),
    [
        ("/a", [("Authorization", f"Bearer {KEY}")], None),
        ("/a", [("authorization", KEY)], None),
        ("/a", [("Cookie", f"session={KEY}; theme=dark")], None),
        ("/a", [("X-Api-Key", KEY)], None),
        (f"/a?api_key={KEY}", [], None),
        (f"/a?access_token={KEY}&page=2", [], None),
        ("/a", [], {"user": {"password": KEY}}),
        ("/a", [], [{"client_secret": KEY}]),
        ("/a", [], {"accessToken": KEY, "clientSecret": KEY}),
        ("/a", [], {"password": [KEY]}),
        ("/a", [], {"credentials": {"value": KEY}}),
        ("/a", [], f"grant_type=password&password={KEY}"),
    ],
)
def test_a_credential_stands_nowhere_in_what_is_written_down(target, headers, body):
    echoed = {"you_sent": KEY, "backwards": KEY[::-1], "theme": "dark"}
    line = seen("GET", target, body, answer=echoed, headers=headers, error=f"with {KEY}").encode()
    assert KEY.encode() not in line
    assert KEY[::-1].encode() not in line
    assert b"dark" in line


def test_a_number_that_is_a_credential_is_masked_too():
    line = seen("POST", "/a", {"password": 12345678, "amount": 5}, answer={"code": 12345678}).encode()
    assert b"12345678" not in line
    assert b'"amount":5' in line


def test_what_only_looks_alike_is_kept():
    line = seen(
        "GET", "/a", {"monkey": "bananas", "keyboard": "qwertz", "tokens_used": 1234}, answer={}
    ).encode()
    assert b"bananas" in line
    assert b"qwertz" in line
    assert b"1234" in line


def test_a_parameter_that_is_given_twice_is_kept_twice():
    assert seen("GET", "/a?tag=a&tag=b").query == {"tag": "a,b"}


def test_a_recording_is_read_again_as_it_was_written():
    data = b"".join(item.encode() for item in RECORDED)
    assert list(read_recording(data + b"\n", file="r.jsonl")) == RECORDED
    assert write(from_recording(read_recording(data, file="r.jsonl"), origin="r.jsonl")) == write(
        from_recording(RECORDED, origin="r.jsonl")
    )


@pytest.mark.parametrize(
    "line", [b"{}", b"x", b'{"format":"recording/1"}', b'{"format":"recording/1","odd":1}', b"[]"]
)
def test_a_line_that_is_no_exchange_is_named(line):
    with pytest.raises(AgentTwinError, match=r"r\.jsonl:2 is no exchange"):
        read_recording(RECORDED[0].encode() + line, file="r.jsonl")


def test_large_and_odd_bodies_are_told_by_their_size():
    large = exchange("GET", "/a", [], b"", status=200, answer=b"x" * 2_000_000)
    assert large.received == {"left_out": "2,000,000 bytes"}
    assert exchange("GET", "/a", [], b"\xff", status=200, answer=b"plain").sent == {"left_out": "1 bytes"}


def test_a_har_file_is_read_too():
    har = {
        "log": {
            "entries": [
                {
                    "startedDateTime": "2026-01-01T00:00:00Z",
                    "request": {
                        "method": "POST",
                        "url": "https://api.test/pay?x=1",
                        "headers": [{"name": "Authorization", "value": f"Bearer {KEY}"}],
                        "postData": {"text": '{"amount": 3}'},
                    },
                    "response": {
                        "status": 200,
                        "content": {"mimeType": "application/json", "text": '{"ok": true}'},
                    },
                },
                {
                    "request": {"method": "GET", "url": "https://api.test/a.css"},
                    "response": {"status": 200, "content": {"mimeType": "text/css", "text": "a"}},
                },
                {"request": {"method": "GET", "url": "https://api.test/lost"}, "response": {"status": 0}},
                "odd",
            ]
        }
    }
    found = read_har(json.dumps(har).encode(), file="x.har")
    assert [item.path for item in found] == ["/pay", "/lost"]
    assert started(*found).call("post_pay", {"x": "1", "amount": 3}).body == {"ok": True}
    for odd in (b"{}", b"[]", b'{"log": {}}'):
        with pytest.raises(AgentTwinError):
            read_har(odd, file="x.har")
