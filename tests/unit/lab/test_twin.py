"""A twin in one's own hands."""

from __future__ import annotations

import pytest

import agenttwin
from agenttwin.errors import DocumentError, NotFound, UsageError
from agenttwin.lab import example_folder

TIMEOUT = {
    "target": "refund_payment",
    "when": {"callNumber": 1},
    "behavior": {"type": "timeout_after_mutation"},
}


@pytest.fixture(scope="module")
def twin() -> agenttwin.Twin:
    return agenttwin.Twin.load(example_folder("support-refund") / "twin.yaml")


def refund(case: agenttwin.Case, **more: object):
    return case.call("refund_payment", {"order_id": "ORD-1001", "amount": 40, **more})


def test_a_call_answers_and_changes_the_world(twin: agenttwin.Twin) -> None:
    case = twin.start(tenant="demo-co")
    reply = refund(case)
    assert (reply.status, reply.ok, reply.body["status"]) == (200, True, "succeeded")
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 1
    assert {change.path for change in case.changes} == {
        "orders.ORD-1001.refund_count",
        "orders.ORD-1001.refundable_amount",
        "orders.ORD-1001.refunded_amount",
        "refunds[0]",
    }


def test_a_fault_is_seen_and_the_truth_is_recorded(twin: agenttwin.Twin) -> None:
    case = twin.start(tenant="demo-co", faults=[TIMEOUT], seed=7)
    reply = refund(case)
    assert (reply.status, reply.ok, reply.body["error"]["code"]) == (504, False, "TIMEOUT")
    assert [(call.committed, call.took_effect) for call in case.calls] == [("all", True)]


def test_nothing_comes_back_over_a_broken_connection(twin: agenttwin.Twin) -> None:
    case = twin.start(faults=[{"target": "*", "behavior": {"type": "dropped_connection"}}])
    reply = refund(case)
    assert (reply.status, reply.ok, reply.body, reply.text) == (None, False, None, "")


@pytest.mark.parametrize("kind", ["partial_response", "malformed_json"])
def test_a_broken_answer_is_text_and_no_body(twin: agenttwin.Twin, kind: str) -> None:
    reply = refund(twin.start(faults=[{"target": "*", "behavior": {"type": kind}}]))
    assert (reply.status, reply.ok, reply.body) == (200, False, None)
    assert reply.text.startswith('{"refund_id"')


def test_a_key_in_the_arguments_replays(twin: agenttwin.Twin) -> None:
    case = twin.start(faults=[TIMEOUT])
    refund(case, idempotency_key="k")
    again = refund(case, idempotency_key="k")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 1


def test_a_state_is_merged_or_replaces(twin: agenttwin.Twin) -> None:
    change = {"orders": {"ORD-1001": {"total": 999}}}
    assert twin.start(state=change).state["orders"]["ORD-1001"]["status"] == "delivered"
    assert twin.start(state=change, replace_state=True).state == change


def test_a_fork_goes_its_own_way(twin: agenttwin.Twin) -> None:
    case = twin.start()
    refund(case)
    fork = case.fork()
    refund(fork)
    assert (len(case.calls), len(fork.calls)) == (1, 2)
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 1
    assert fork.state["orders"]["ORD-1001"]["refund_count"] == 2


def test_a_large_state_handed_in_again_is_not_copied_again(twin: agenttwin.Twin) -> None:
    state = {"records": [{"text": "x" * 50, "number": number} for number in range(100_000)]}

    first, second = (twin.start(state=state, replace_state=True) for _ in range(2))
    assert first.state["records"] is second.state["records"]
    assert first.state["records"] is not state["records"]


def test_faults_can_be_armed_later(twin: agenttwin.Twin) -> None:
    case = twin.start()
    case.arm([{"target": "refund_payment", "behavior": {"type": "http_503"}}])
    assert refund(case).status == 503
    case.arm([])
    assert refund(case).status == 200


def test_wrong_faults_files_and_documents_are_told(twin: agenttwin.Twin) -> None:
    with pytest.raises(UsageError, match=r"faults\[0\].*did you mean 'timeout_after_mutation'"):
        twin.start(faults=[{"target": "*", "behavior": {"type": "timeout_after_mutatio"}}])
    with pytest.raises(NotFound, match="There is no file"):
        agenttwin.Twin.load("nowhere.yaml")
    with pytest.raises(DocumentError, match="unknown_api_version"):
        agenttwin.Twin.read("apiVersion: v9\nkind: TwinDefinition")
