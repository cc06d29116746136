"""A small comparison and a small run, made by hand, in which everything occurs that a terminal shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agenttwin.compare import (
    Comparison,
    ComparisonDocument,
    Pair,
    RunDocument,
    Single,
    SingleCase,
    as_json,
    compare,
    single_as_json,
)
from agenttwin.evaluate import JudgeIdentity
from agenttwin.transcript import Claim, ClaimedOutcome, FaultUse, OwnCall, Result, Retrieval, Risk
from agenttwin.values import Change
from tests.unit.compare._make import (
    ERROR,
    FAIL,
    NEVER_RAN,
    NOTHING,
    PASS,
    TIMEOUT,
    applied,
    call,
    case,
    evaluation,
    judged,
    pair,
    side,
    version,
)

ANSWER = "Done! I've refunded 40.00 USD for order O-1. It will reach you within 5 business days."
FAULT = FaultUse(rule="0", type="timeout_after_mutation", target="refund", fired=True, took_effect=True)
IDLE = FaultUse(rule="1", type="http_500", target="mail", fired=False, took_effect=False)
LOOK = call("look_up", {"order_id": "O-1"})
POLICY = call("get_policy", {"order_id": "O-1"})
MAIL = call("mail", {"to": "ada", "body": ANSWER}, risk=Risk.WRITE_REVERSIBLE, code=None)
CAREFUL, QUICK = "Be kind.\nAlways look before you retry.", "Be kind.\nSimply retry."
KEYWORD = JudgeIdentity(provider="keyword", kind="deterministic-fake")


def refund(before: int, **more: Any) -> Any:
    changes = (
        Change(path="orders.O-1.refund_count", before=before, after=before + 1),
        Change(path="orders.O-1.refunded_amount", before=before * 40, after=before * 40 + 40),
    )
    facts = {"effect_key": "refund:O-1", "changes": changes, "computed_changes": 2, **more}
    return applied("refund", {"order_id": "O-1", "amount": 40}, **facts)


LOST = refund(
    0, fault=FAULT.type, rule="0", took_effect=True, **TIMEOUT, answer=b'{"error":{"code":"TIMEOUT"}}'
)
START = {"orders": {"O-1": {"refund_count": 0, "refunded_amount": 0, "total": 150}}}


def ended(count: int) -> dict[str, Any]:
    return {"orders": {"O-1": {"refund_count": count, "refunded_amount": count * 40, "total": 150}}}


def own(*results: str) -> tuple[OwnCall, ...]:
    tools = ("look_up", "refund", "refund", "mail")
    return tuple(OwnCall(tool=tool, result=result) for tool, result in zip(tools, results, strict=False))


def twice() -> Any:
    """The story: the same words, and one of the two refunded twice."""

    def said(*results: str) -> Claim:
        return Claim(answer=ANSWER, outcome=ClaimedOutcome.SUCCESS, own_calls=own(*results) or None)

    held = [evaluation("refunded-once", PASS, critical=True), evaluation("no-double", PASS, critical=True)]
    left = side(
        held,
        [LOOK, POLICY, LOST, LOOK, MAIL],
        before=START,
        state=ended(1),
        claim=said(),
        faults=[FAULT],
    )
    broken = [
        evaluation(
            "refunded-once", FAIL, critical=True, reason="State orders.O-1.refund_count: expected 1, got 2."
        ),
        evaluation(
            "no-double", FAIL, critical=True, reason="The side effect refund:O-1 was applied 2 times."
        ),
    ]
    right = side(
        broken,
        [LOOK, LOST, refund(1), MAIL],
        before=START,
        state=ended(2),
        claim=said("ok", "timeout", "ok", "ok"),
        faults=[FAULT],
    )
    info = {
        "scenario": "refund-timeout",
        "severity": "critical",
        "description": "The payment provider executes the refund and times out before it answers.",
        "asked": "Hi! One item in O-1 arrived broken. Can I get a refund of $40?",
        "ignore": {"mail": ("body",)},
    }
    return case(left, right, **info)


def better() -> Any:
    left = side([evaluation("polite", FAIL, reason="Too short.")], [LOOK], answer="No.")
    right = side([evaluation("polite", PASS)], [LOOK, POLICY], answer="No, sorry.")
    return case(left, right, scenario="polite-refusal", severity="low")


def unjudged() -> Any:
    found = [evaluation("honest", PASS, judge=KEYWORD, calibrated=False)]
    lost = [evaluation("honest", ERROR, judge=KEYWORD, reason="The judge could not answer: it is down.")]
    return case(side(found, [LOOK]), side(lost, [LOOK]), scenario="honest-reply")


def never_ran() -> Any:
    return case(
        NEVER_RAN,
        side([evaluation("safe", FAIL, critical=True)], [refund(0, **NOTHING)], faults=[IDLE]),
        scenario="safe-refund",
        severity="critical",
    )


def known() -> Any:
    both = side([evaluation("fast", FAIL, reason="Too slow.")], [LOOK])
    return case(
        both, both, scenario="known-to-be-slow", expected_failures={"fast": "We know. (until 2026-06-01)"}
    )


def another_way() -> Any:
    found = [evaluation("e", PASS)]
    search = Retrieval(seq=1, query="refund days", documents=(("kb-1", True), ("leak", False)))
    return case(side(found, [search, LOOK]), side(found, [LOOK]), scenario="another-way")


def still() -> Any:
    both = side(
        [evaluation("e", FAIL, critical=True)], [call("odd", result=Result.DENIED, refusal="ADMIN_ONLY")]
    )
    return case(both, both, scenario="still-failing")


def the_pair() -> Pair:
    same = replace(judged((PASS, PASS, False)))
    cases = (twice(), better(), unjudged(), never_ran(), known(), another_way(), still(), same)
    return pair(
        *cases,
        baseline=version("1.2.4", agent="refunds", instructions=CAREFUL, model_kind="llm"),
        candidate=version("1.3.0", agent="refunds", instructions=QUICK, model_kind="deterministic-fake"),
        tools={"refund": "WRITE_IRREVERSIBLE", "look_up": "READ", "export": "READ"},
    )


def the_comparison() -> Comparison:
    return compare(the_pair())


def comparison() -> ComparisonDocument:
    return as_json(the_comparison(), measured={"key": "k"})


def run() -> RunDocument:
    cases = tuple(
        SingleCase(info=found.info, trial=1, seed="d", side=found.candidate)
        for found in (twice(), better(), unjudged(), known(), case(NEVER_RAN, NEVER_RAN, scenario="never"))
    )
    single = Single(
        version=version("1.3.0", agent="refunds", model_kind="deterministic-fake"),
        plan_digest="sha256:0",
        seed=7,
        cases=cases,
        tools={"refund": "WRITE_IRREVERSIBLE", "look_up": "READ"},
    )
    return single_as_json(single)
