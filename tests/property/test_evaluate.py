"""Grading holds on any transcript: it never raises, and reads only what it says it reads."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agenttwin.evaluate import (
    EVALUATORS,
    ClaimError,
    Verdict,
    blind_repeats,
    case_verdict,
    disagreements,
    duplicate_effects,
    effects,
    evaluate,
    grade,
    lies,
    loops,
    read_claim,
    read_outcome,
    retries,
)
from agenttwin.review import Override, effective
from agenttwin.transcript import (
    Claim,
    ClaimedOutcome,
    Commit,
    Ending,
    FaultUse,
    OwnCall,
    Result,
    Retrieval,
    Risk,
    Setting,
    ToolCall,
    Transcript,
    Usage,
    discloses,
)
from agenttwin.values import Tree, diff
from tests.unit.evaluate._demo import expecting
from tests.unit.evaluate.test_kinds import ROWS

words = st.sampled_from(["A", "ORD-1001", "demo-co", "other-co", "a secret", "x", ""])
scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False) | words
)
json = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(words, json, max_size=3)
maybe = st.none() | words


ARGUMENTS: list[Any] = [
    None, {}, {"order_id": "ORD-1001", "amount": 40}, {"order_id": "ORD-1001", "amount": 40.0},
    {"order_id": "ORD-1002", "amount": True}, {"amount": 1, "deep": [{"x": "a secret"}]},
    ["ORD-1001"], "text",
]  # fmt: skip
CHANGES = [
    (),
    (),
    diff({}, {"a": 1}),
    diff({"orders": {"A": 1, "B": 2}}, {"orders": {"A": True}}),
    diff([1], []),
]


@st.composite
def calls(draw: Any) -> ToolCall:
    """A call with any facts, whether or not a twin would ever put them together."""
    return ToolCall(
        seq=draw(st.integers(1, 9)),
        number=draw(st.none() | st.integers(1, 9)),
        tool=draw(st.sampled_from(["lookup_order", "refund_payment", "escalate_to_human"])),
        arguments=draw(st.sampled_from(ARGUMENTS)),
        status=draw(st.none() | st.sampled_from([200, 403, 429, 504])),
        result=draw(st.sampled_from(Result)),
        headers={},
        risk=draw(st.sampled_from(Risk)),
        role=draw(st.none() | st.just("escalation")),
        knowable=draw(st.booleans()),
        idempotency_key=draw(maybe),
        declares_idempotency=draw(st.booleans()),
        effect_key=draw(maybe),
        record=draw(st.none() | st.sampled_from(["orders.A", "orders['ORD-1001']", "", "["])),
        computed_changes=draw(st.integers(0, 2)),
        committed=draw(st.none() | st.sampled_from(Commit)),
        landed=draw(st.none() | st.integers(0, 9)),
        replayed=draw(st.booleans()),
        redelivered=draw(st.booleans()),
        changes=draw(st.sampled_from(CHANGES)),
        refusal=draw(st.none() | st.sampled_from(["ADMIN_ONLY", "CALL_LIMIT"])),
        cross_tenant=draw(st.none() | st.sampled_from(["denied", "allowed"])),
        approved=draw(st.booleans()),
        delay_ms=draw(st.integers(0, 5)),
        attempt=draw(st.none() | st.integers(0, 3)),
    )


searches = st.builds(Retrieval, seq=st.integers(1, 9), query=words, documents=st.just((("kb", True),)))
worlds = st.none() | st.builds(Tree, objects)
faults = st.builds(
    FaultUse, rule=words, type=words, target=words, fired=st.booleans(), took_effect=st.booleans()
)
settings = st.builds(
    Setting,
    tenant=maybe,
    tenant_key=maybe,
    secrets=st.lists(st.just("a secret"), max_size=1).map(tuple),
    policy_attached=st.booleans(),
)
transcripts = st.builds(
    Transcript,
    events=st.lists(calls() | searches, max_size=8).map(tuple),
    before=worlds,
    after=worlds,
    changes=st.sampled_from(CHANGES),
    faults=st.lists(faults, max_size=2).map(tuple),
    setting=settings,
    ending=st.sampled_from([Ending.FINISHED] * 5 + [Ending.AGENT_TIMEOUT, Ending.TWIN_ERROR]),
    latency_ms=st.none() | st.floats(0, 1e6),
)
usages = st.builds(
    Usage,
    input_tokens=st.none() | st.integers(0, 10**6),
    output_tokens=st.none() | st.integers(0, 10**6),
    cost_usd=st.none() | st.floats(0, 10),
)
claims = st.builds(
    Claim,
    answer=st.none() | st.text(max_size=30) | words,
    outcome=st.sampled_from(ClaimedOutcome),
    usage=st.none() | usages,
)

MEASURES = frozenset({"maxSteps", "maxLatencyMs", "maxTokens", "maxCostUsd"})
EVERYTHING = expecting(*({"type": kind, **row.fields} for kind, row in ROWS.items()))


@given(transcripts, claims)
def test_every_kind_judges_any_transcript(transcript, claim):
    graded = evaluate(EVERYTHING, transcript, claim, {})
    assert [item.type for item in graded.evaluations[1:]] == list(ROWS)
    for item in graded.evaluations:
        assert item.reason
        assert (item.label is not None) == (item.verdict in (Verdict.FAIL, Verdict.ERROR))
        assert item.score is None


@given(transcripts, claims)
def test_evaluators_raise_only_over_what_is_no_path(transcript, claim):
    events = [
        replace(event, record=None) if isinstance(event, ToolCall) and event.record == "[" else event
        for event in transcript.events
    ]
    graded = evaluate(EVERYTHING, replace(transcript, events=tuple(events)), claim, {})
    assert {item.type for item in graded.evaluations if item.verdict is Verdict.ERROR} <= {
        "custom",
        "semantic",
        "agentFinished",
    }


@given(transcripts, claims, usages, st.none() | st.floats(0, 1e6), st.integers(0, 99))
def test_numbers_outside_the_measures_decide_nothing(transcript, claim, usage, latency, delay):
    events = tuple(
        replace(event, delay_ms=delay, headers={"x": str(delay)}) if isinstance(event, ToolCall) else event
        for event in transcript.events
    )
    one = evaluate(EVERYTHING, transcript, claim, {})
    other = evaluate(
        EVERYTHING,
        replace(transcript, events=events, latency_ms=latency),
        replace(claim, usage=usage, steps=delay, trace_id=str(delay), own_calls=()),
        {},
    )
    for mine, yours in zip(one.evaluations, other.evaluations, strict=True):
        assert mine.type in MEASURES or mine == yours


@given(transcripts, claims)
def test_a_verdict_follows_from_the_evaluations_alone(transcript, claim):
    graded = evaluate(EVERYTHING, transcript, claim, {})
    assert grade(graded.evaluations) == graded
    shuffled = (graded.evaluations[0], *reversed(graded.evaluations[1:]))
    assert case_verdict(shuffled) == graded.verdict


@given(transcripts, claims, st.sampled_from(list(ROWS)), st.sampled_from([Verdict.PASS, Verdict.FAIL]))
def test_a_persons_word_moves_one_result(transcript, claim, kind, verdict):
    graded = evaluate(EVERYTHING, transcript, claim, {})
    name = f"e{list(ROWS).index(kind) + 1}"
    after = effective(graded, [Override(expectation=name, verdict=verdict, note="x", by="ada", at="")])
    assert [new.id for old, new in zip(graded.evaluations, after.evaluations, strict=True) if old != new] == [
        name
    ]


@given(st.lists(calls(), max_size=8))
def test_definitions_agree_with_one_another(made):
    made = [replace(call, seq=seq, record=None) for seq, call in enumerate(made, 1)]
    for duplicate in duplicate_effects(made):
        assert duplicate.count == sum(map(effects, duplicate.calls)) >= 2
    for earlier, again in blind_repeats(made):
        assert not earlier.knowable
        assert earlier.seq < again.seq
    assert not any(effects(call) > 1 or call.replayed for call in lies(made))
    for loop in loops(made):
        assert len(loop.calls) % len(loop.cycle) == 0 or len(loop.cycle) == 1
    assert [call for call in retries(made) if call not in made] == []


@given(st.lists(calls(), max_size=8))
def test_a_truthful_list_never_disagrees(made):
    told = tuple(OwnCall(tool=call.tool, arguments=call.arguments, result=call.result) for call in made)
    assert disagreements(told, made) == ()
    assert disagreements(told[::-1], made) == ()
    assert len(disagreements((), made)) == len(made)


@given(st.text(), st.text(min_size=4), st.text())
def test_a_secret_is_found_in_any_surroundings(before, secret, after):
    assert discloses(before + secret + after, [secret])
    assert discloses(before + secret[::-1] + after, [secret])


@given(st.binary(max_size=9), st.text(st.characters(codec="ascii"), min_size=4), st.binary(max_size=9))
def test_base64_hides_no_secret(before, secret, after):
    text = base64.b64encode(before + secret.encode() + after).decode()
    assert discloses(text, [secret])


@given(st.text(max_size=200))
def test_any_answer_can_be_read(answer):
    assert read_outcome(answer) in ClaimedOutcome
    assert read_claim(answer).answer == answer


@given(
    st.recursive(
        json,
        lambda inner: st.dictionaries(st.sampled_from(["output", "usage", "steps", "tool_calls"]), inner),
    )
)
def test_whatever_an_agent_gives_back_is_a_claim_or_refused(value):
    try:
        claim = read_claim(value)
    except ClaimError:
        return
    assert isinstance(claim, Claim)


def test_every_evaluator_is_held_against_any_transcript():
    assert set(ROWS) == set(EVALUATORS)
