"""Trajectories: which events are steps, what tells two steps apart, and how they stand side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agenttwin.compare import Effect, Kind, align, diverge, trajectory
from agenttwin.compare import _trajectory as module
from agenttwin.transcript import Commit, Message, PolicyDecision, Result, Retrieval
from tests.unit.compare._make import NEVER_RAN, NOTHING, TIMEOUT, applied, call, side

LOOK, READ, PAY = call("look"), call("get_policy"), applied("pay", {"amount": 40})


def of(*events, ignore=None):
    return trajectory(side(events=events), ignore or {})


def test_a_side_that_never_ran_has_no_steps():
    assert trajectory(NEVER_RAN, {}) == ()
    assert diverge((), of(LOOK)) is None


def test_the_claimed_outcome_comes_last():
    assert [(step.kind, step.name) for step in of(LOOK)] == [(Kind.CALL, "look"), (Kind.OUTCOME, "SUCCESS")]


def test_a_decision_stands_after_its_call_whenever_it_was_made():
    decision = PolicyDecision(seq=9, call=2, policy="limits", decision="denied")
    assert [step.name for step in of(LOOK, PAY, READ, decision)] == [
        "look", "pay", "limits", "get_policy", "SUCCESS",
    ]  # fmt: skip


def test_what_the_agent_did_not_do_is_no_step():
    again = replace(PAY, redelivered=True)
    said = Message(seq=3, role="user", content="Hi")
    assert [step.name for step in of(PAY, again, said)] == ["pay", "SUCCESS"]


def test_a_search_is_a_step_with_its_query():
    (step, _) = of(Retrieval(seq=1, query="refund days", documents=(("kb-1", True),)))
    assert str(step) == "search_knowledge_base(query=refund days)"


@pytest.mark.parametrize(
    ("made", "effect"),
    [
        (PAY, Effect.APPLIED),
        (replace(PAY, committed=Commit.FIRST), Effect.APPLIED),
        (replace(PAY, committed=Commit.TWICE), Effect.APPLIED),
        (replace(PAY, committed=Commit.LATE), Effect.APPLIED),
        (replace(PAY, committed=Commit.LATE, changes=()), Effect.NONE),
        (replace(PAY, replayed=True), Effect.REPLAYED),
        (applied("pay", **NOTHING), Effect.NONE),
        (replace(PAY, computed_changes=0, changes=()), Effect.NONE),
        (LOOK, Effect.NONE),
    ],
)
def test_a_call_has_an_effect(made, effect):
    assert of(made)[0].effect is effect


@pytest.mark.parametrize(
    "other",
    [
        replace(PAY, tool="pay2"),
        replace(PAY, arguments={"amount": 41}),
        replace(PAY, result=Result.TIMEOUT),
        replace(PAY, code="X"),
        replace(PAY, **NOTHING),
        replace(PAY, replayed=True),
    ],
)
def test_everything_in_a_signature_tells_steps_apart(other):
    assert of(PAY)[0].signature != of(other)[0].signature


@pytest.mark.parametrize(
    "other",
    [
        replace(PAY, arguments={"amount": 40.0}),
        replace(PAY, answer=b'{"id":"RF-0002"}'),
        replace(PAY, status=201),
        replace(PAY, idempotency_key="from-a-header"),
        replace(PAY, delay_ms=5, took_effect=True, fault="delay"),
    ],
)
def test_nothing_else_does(other):
    assert of(PAY)[0].signature == of(other)[0].signature


def test_ignored_arguments_are_left_out_wherever_they_stand():
    made = call("mail", {"to": {"name": "Ada", "note": "x"}, "items": [{"text": "a", "n": 1}]})
    other = call("mail", {"to": {"name": "Ada"}, "items": [{"text": "b", "n": 1}]})
    ignore = {"mail": ("to.note", "items[0].text")}
    assert of(made, ignore=ignore)[0].signature == of(other, ignore=ignore)[0].signature
    assert made.arguments["to"]["note"] == "x"


def test_an_argument_in_which_something_is_ignored_is_printed_short():
    (step, _) = of(
        call("mail", {"to": {"note": "x" * 100}, "body": "y" * 100}), ignore={"mail": ("to.note",)}
    )
    short = ('{"note":"' + "x" * 100)[:60]
    assert str(step) == f"mail(body={'y' * 100}, to={short}…)"


@pytest.mark.parametrize(("length", "shown"), [(60, "x" * 60), (61, "x" * 60 + "…")])
def test_what_is_printed_short_has_sixty_characters(length, shown):
    (step, _) = of(call("mail", {"body": "x" * length}), ignore={"mail": ("body",)})
    assert str(step) == f"mail(body={shown})"


def test_a_whole_document_in_an_argument_does_not_fill_a_sentence():
    (step, _) = of(call("mail", {"body": "x" * 10_000}))
    assert len(str(step)) < 500


def test_arguments_that_are_no_object_are_printed_as_they_are():
    assert str(of(replace(LOOK, arguments=[1, "a"], refusal="INVALID"))[0]) == 'look([1,"a"])'


# -- side by side


def rows(left, right):
    return [(row.baseline, row.candidate, row.same) for row in align(left, right)]


def test_the_same_tools_stand_side_by_side():
    assert rows(of(LOOK, READ, PAY, LOOK), of(LOOK, PAY, PAY)) == [
        (1, 1, True), (2, None, False), (3, 2, True), (4, None, False), (None, 3, False), (5, 4, True),
    ]  # fmt: skip


def test_steps_side_by_side_may_differ():
    assert rows(of(PAY), of(replace(PAY, **TIMEOUT))) == [(1, 1, False), (2, 2, True)]


def test_outcomes_stand_side_by_side_whatever_they_are():
    left, right = side(events=[LOOK]), side(events=[LOOK], outcome="PARTIAL")
    assert rows(trajectory(left, {}), trajectory(right, {})) == [(1, 1, True), (2, 2, False)]


def test_what_would_cost_too_much_is_not_aligned(monkeypatch):
    monkeypatch.setattr(module, "MAX_ALIGNMENT_CELLS", 3)
    assert rows(of(LOOK, READ, PAY, LOOK), of(LOOK, PAY, READ, LOOK)) == [
        (1, 1, True), (2, None, False), (3, None, False), (None, 2, False), (None, 3, False),
        (4, 4, True), (5, 5, True),
    ]  # fmt: skip
