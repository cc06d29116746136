"""What an agent in Python sees of the twin."""

import asyncio
from typing import Any

import pytest

from agenttwin.run import Case
from agenttwin.surfaces import PythonTools, lend_python
from tests.unit.run._scene import pays, scenario, works


def tools(**changes: Any) -> PythonTools:
    (work,) = works(pays, scenario(**changes))
    return PythonTools(Case(work.begin(), token="t", started=0, seconds=60))


def faulty(behavior: str) -> PythonTools:
    return tools(faults=f"[{{target: pay, behavior: {behavior}}}]")


def test_a_success_has_status_body_text_and_headers() -> None:
    reply = tools().call("pay", account="A-1", amount=10)
    assert (reply.status, reply.ok) == (200, True)
    assert reply.body == {"balance": 90, "tenant": "acme"}
    assert reply.text == '{"balance":90,"tenant":"acme"}'
    assert reply.headers == {}


def test_arguments_come_by_name_or_as_a_mapping() -> None:
    one = tools()
    assert one.call("balance", account="A-1").body == one.call("balance", {"account": "A-1"}).body
    assert one.call("balance", {"account": "A-1"}, headers={"X-Trace": "1"}).ok


def test_an_argument_may_have_any_name() -> None:
    assert tools().call("balance", account="A-1", tool="x", self="y", arguments=[], headers={}).ok


def test_arguments_come_one_way_at_a_time() -> None:
    with pytest.raises(TypeError, match="not both: amount"):
        tools().call("pay", {"account": "A-1"}, amount=10)


@pytest.mark.parametrize(
    ("behavior", "status", "body"),
    [
        ("{type: dropped_connection}", None, None),
        ("{type: malformed_json}", 200, None),
        ("{type: partial_response}", 200, None),
        (
            "{type: timeout_after_mutation}",
            504,
            {"error": {"code": "TIMEOUT", "message": "The request timed out."}},
        ),
    ],
)
def test_a_fault_is_seen_and_never_raised(behavior: str, status: int | None, body: Any) -> None:
    reply = faulty(behavior).call("pay", account="A-1", amount=10)
    assert (reply.ok, reply.status, reply.body) == (False, status, body)


def test_a_garbled_answer_is_there_as_text() -> None:
    reply = faulty("{type: malformed_json}").call("pay", account="A-1", amount=10)
    assert reply.text
    assert reply.body is None


def test_nothing_that_came_is_an_empty_text() -> None:
    assert faulty("{type: dropped_connection}").call("pay", account="A-1", amount=10).text == ""


def test_arguments_that_are_no_json_are_refused_by_the_tool() -> None:
    assert tools().call("pay", account=object()).status == 400


def test_what_was_found_is_a_copy() -> None:
    one = tools()
    one.search("fees")[0]["text"] = "changed"
    assert one.search("fees")[0]["text"] == "Transfers are free."


def test_what_was_answered_is_a_copy() -> None:
    one = tools()
    one.call("balance", account="A-1").body["balance"] = 7
    assert one.call("balance", account="A-1").body["balance"] == 100


def test_the_same_tools_can_be_awaited() -> None:
    async def act() -> Any:
        awaited = tools().awaited
        return (await awaited.call("balance", account="A-1")).body["balance"], await awaited.search("fees")

    balance, found = asyncio.run(act())
    assert balance == 100
    assert [document["id"] for document in found] == ["fees"]


def test_a_lease_of_python_tools_has_no_address() -> None:
    (work,) = works(pays)
    lease = lend_python(Case(work.begin(), token="t", started=0, seconds=60))
    assert (lease.http_url, lease.mcp_url, lease.env) == (None, None, {})
