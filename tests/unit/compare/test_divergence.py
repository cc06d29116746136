"""The first divergence: its step, its kind, its sentences word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from agenttwin.compare import MEANINGS, SENTENCES, align, diverge, trajectory
from agenttwin.transcript import ClaimedOutcome, Commit, PolicyDecision, Result, Retrieval, Risk, ToolCall
from tests.unit.compare._make import applied, call, side

READ = call("get_policy", {"order_id": "O-1"})
PAY = applied("pay", {"order_id": "O-1", "amount": 40})
LOOK = call("look", {"order_id": "O-1"})
TIMEOUT: dict[str, Any] = {"status": 504, "result": Result.TIMEOUT, "code": "TIMEOUT", "knowable": False}


def parted(
    baseline: Sequence[ToolCall],
    candidate: Sequence[ToolCall],
    *,
    outcomes: tuple[ClaimedOutcome, ClaimedOutcome] = (ClaimedOutcome.SUCCESS, ClaimedOutcome.SUCCESS),
    ignore: dict[str, tuple[str, ...]] | None = None,
):
    left = trajectory(side(calls=baseline, outcome=outcomes[0]), ignore or {})
    right = trajectory(side(calls=candidate, outcome=outcomes[1]), ignore or {})
    return diverge(left, right)


def test_equal_trajectories_do_not_part() -> None:
    assert parted([LOOK, PAY], [LOOK, PAY]) is None


def test_another_tool() -> None:
    found = parted([LOOK, READ, PAY], [LOOK, PAY])
    assert (found.step, found.kind) == (2, "tool")
    assert found.summary == (
        "At step 2 the baseline called get_policy(order_id=O-1);"
        " the candidate called pay(amount=40, order_id=O-1)."
    )
    assert found.meaning == (
        "The candidate called the irreversible pay without first calling get_policy,"
        " which the baseline called at this point."
    )


def test_an_irreversible_call_after_the_check_was_made_earlier_says_nothing_more() -> None:
    assert parted([READ, LOOK, READ], [READ, LOOK, PAY]).meaning is None


def test_the_mirror_check_first() -> None:
    found = parted([LOOK, PAY], [LOOK, READ, PAY])
    assert found.meaning == (
        "The candidate called get_policy before the irreversible pay,"
        " which the baseline called at this point."
    )


def test_other_arguments() -> None:
    found = parted(
        [applied("pay", {"amount": 40, "key": "k", "same": 1}, idempotency_key="k")],
        [applied("pay", {"amount": 450, "same": 1.0, "note": "x"})],
    )
    assert (found.step, found.kind) == (1, "arguments")
    assert found.summary == (
        "At step 1 both called pay, with different arguments: amount 40 → 450; key dropped; note added (x)."
    )
    assert found.meaning == "The candidate sent pay without the idempotency key the baseline used."


def test_arguments_whose_wording_is_ignored_are_no_difference() -> None:
    one, other = call("mail", {"to": "a", "body": "Hello"}), call("mail", {"to": "a", "body": "Hi"})
    assert parted([one], [other], ignore={"mail": ("body",)}) is None
    assert parted([one], [other]).kind == "arguments"


def test_ignored_arguments_are_cut_in_sentences() -> None:
    found = parted([call("mail", {"body": "x" * 100})], [LOOK], ignore={"mail": ("body",)})
    assert f"mail(body={'x' * 59}…)" in found.summary


def test_another_result() -> None:
    found = parted([PAY], [applied("pay", {"order_id": "O-1", "amount": 40}, **TIMEOUT)])
    assert found.kind == "result"
    assert found.summary == (
        "At step 1 both made the same pay call;"
        " the baseline's ended ok (applied), the candidate's timeout (applied)."
    )


@pytest.mark.parametrize(
    ("other", "effect"),
    [
        ({"committed": Commit.NONE, "changes": ()}, "none"),
        ({"replayed": True, "committed": Commit.NONE, "changes": ()}, "replayed"),
    ],
)
def test_an_effect_is_part_of_a_step(other: dict[str, Any], effect: str) -> None:
    found = parted([PAY], [applied("pay", {"order_id": "O-1", "amount": 40}, **other)])
    assert found.kind == "result"
    assert f"the candidate's ok ({effect})" in found.summary


def test_another_answer_alone_is_no_divergence() -> None:
    assert parted([call("look", answer=b'{"a":1}')], [call("look", answer=b'{"a":2}')]) is None


def test_stopping_early() -> None:
    found = parted([LOOK, PAY], [LOOK], outcomes=(ClaimedOutcome.SUCCESS, ClaimedOutcome.REFUSED))
    assert (found.step, found.kind) == (2, "stopped_early")
    assert found.summary == (
        "The candidate stopped after step 1 and reported REFUSED;"
        " the baseline went on with pay(amount=40, order_id=O-1)."
    )
    assert found.meaning == "The candidate ended without the irreversible pay call, which the baseline made."


def test_going_on() -> None:
    found = parted([LOOK], [LOOK, PAY])
    assert found.kind == "extra_steps"
    assert found.summary == (
        "The baseline stopped after step 1 and reported SUCCESS;"
        " the candidate went on with pay(amount=40, order_id=O-1)."
    )
    assert found.meaning == "The candidate made the irreversible pay call after the baseline had stopped."


def test_another_outcome() -> None:
    found = parted([LOOK], [LOOK], outcomes=(ClaimedOutcome.SUCCESS, ClaimedOutcome.PARTIAL))
    assert (found.step, found.kind) == (2, "outcome")
    assert found.summary == "The baseline reported outcome SUCCESS; the candidate reported outcome PARTIAL."


def test_a_policy_on_one_side() -> None:
    decision = PolicyDecision(seq=1, call=1, policy="no-refunds", decision="denied")
    found = parted([PAY], [PAY, decision])
    assert found.kind == "policy"
    assert (
        found.summary
        == "At step 2 the candidate's pay call met policy no-refunds (denied); the baseline's did not."
    )


def test_repeating_what_a_failed_call_had_done() -> None:
    failed = applied("pay", {"order_id": "O-1"}, effect_key="pay:O-1", seq=1, **TIMEOUT)
    again = applied("pay", {"order_id": "O-1"}, effect_key="pay:O-1", seq=2)
    found = parted([failed, LOOK], [failed, again])
    assert found.meaning == "The candidate repeated pay after a failure that had already applied it."


def test_repeating_what_a_failed_call_had_not_done_is_not_called_that() -> None:
    failed = applied(
        "pay",
        {"order_id": "O-1"},
        effect_key="pay:O-1",
        **{**TIMEOUT, "committed": Commit.NONE, "changes": ()},
    )
    again = applied("pay", {"order_id": "O-1"}, effect_key="pay:O-1", seq=2)
    assert "repeated" not in (parted([failed, LOOK], [failed, again]).meaning or "")


def test_never_escalating() -> None:
    hand = call("hand_over", risk=Risk.WRITE_REVERSIBLE, role="escalation")
    mail = call("mail", risk=Risk.WRITE_REVERSIBLE)
    assert parted([hand], [mail]).meaning == "The candidate never escalated; the baseline did."


def test_searches_are_steps() -> None:
    one = Retrieval(seq=1, query="refunds", documents=(("kb-1", True),))
    other = Retrieval(seq=1, query="returns", documents=(("kb-1", True),))
    assert parted([one], [one]) is None
    assert parted([one], [other]).step == 1


def test_no_template_names_a_cause() -> None:
    causal = re.compile(r"\b(because|caused|due to|led to)\b", re.IGNORECASE)
    assert not [text for text in (*SENTENCES.values(), *MEANINGS.values()) if causal.search(text)]


def test_alignment_puts_the_same_tools_side_by_side() -> None:
    left = trajectory(side(calls=[LOOK, READ, PAY, LOOK]), {})
    right = trajectory(side(calls=[LOOK, PAY, PAY]), {})
    rows = [(row.baseline, row.candidate) for row in align(left, right)]
    assert rows == [(1, 1), (2, None), (3, 2), (4, None), (None, 3), (5, 4)]
    assert [row for row, _ in rows if row] == [1, 2, 3, 4, 5]
