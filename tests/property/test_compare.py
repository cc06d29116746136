"""What holds of any comparison, its alignment, its divergence and its document."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agenttwin.compare import Classification, align, as_json, compare, diverge, report_digest, trajectory
from agenttwin.evaluate import Verdict
from agenttwin.transcript import Claim, ClaimedOutcome, Commit, Result, Risk, ToolCall, Usage
from tests.unit.compare._make import case, evaluation, pair, side

NUMBERS = st.floats(0, 1e9) | st.integers(0, 10**6)
VERDICTS = st.lists(st.tuples(st.sampled_from(Verdict), st.sampled_from(Verdict), st.booleans()), max_size=4)
CALLS = st.lists(
    st.builds(
        ToolCall,
        seq=st.just(0),
        number=st.just(1),
        tool=st.sampled_from("abcd"),
        arguments=st.dictionaries(st.sampled_from("xy"), st.integers(0, 2), max_size=2),
        status=st.just(200),
        result=st.sampled_from([Result.OK, Result.TIMEOUT]),
        headers=st.just({}),
        risk=st.sampled_from([Risk.READ, Risk.WRITE_IRREVERSIBLE]),
        committed=st.sampled_from([None, Commit.ALL, Commit.NONE]),
        idempotency_key=st.sampled_from([None, "k"]),
        delay_ms=st.integers(0, 9),
    ),
    max_size=12,
)
SIDES = st.builds(
    lambda calls, outcome: side(events=calls, outcome=outcome), CALLS, st.sampled_from(ClaimedOutcome)
)


@given(VERDICTS, st.lists(NUMBERS, min_size=8, max_size=8))
def test_no_number_outside_the_evaluations_moves_a_class(rows, numbers):
    def made(given):
        sides = []
        for index, which in ((0, 0), (1, 4)):
            latency, tokens, cost, more = given[which : which + 4]
            results = [evaluation(f"e{n}", row[index], critical=row[2]) for n, row in enumerate(rows)]
            usage = Usage(input_tokens=int(tokens), cost_usd=cost)
            plain = side(results, claim=Claim(usage=usage, steps=int(more)), latency_ms=latency)
            sides.append(replace(plain, transcript=replace(plain.transcript, latency_ms=latency)))
        return compare(pair(case(*sides))).cases[0]

    one, other = made(numbers), made(numbers[::-1])
    assert (one.classification, one.reason) == (other.classification, other.reason)


@given(VERDICTS, CALLS)
def test_a_side_against_itself_is_unchanged_or_incomplete_and_does_not_part(rows, calls):
    same = side([evaluation(f"e{n}", row[0], critical=row[2]) for n, row in enumerate(rows)], calls)
    found = compare(pair(case(same, same))).cases[0]
    assert found.classification in (Classification.UNCHANGED, Classification.INCOMPLETE)
    assert found.divergence is None
    assert found.states == ()
    assert all(row.same for row in found.alignment)


@given(SIDES, SIDES)
def test_an_alignment_holds_every_step_once_and_in_order(left, right):
    before, after = trajectory(left, {}), trajectory(right, {})
    rows = align(before, after)
    assert [row.baseline for row in rows if row.baseline] == list(range(1, len(before) + 1))
    assert [row.candidate for row in rows if row.candidate] == list(range(1, len(after) + 1))
    for row in rows:
        if row.baseline and row.candidate:
            one, other = before[row.baseline - 1], after[row.candidate - 1]
            assert one.kind == other.kind
            assert one.name == other.name or one.kind == "outcome"


@given(SIDES, SIDES)
def test_no_alignment_matches_more_steps(left, right):
    before, after = trajectory(left, {}), trajectory(right, {})
    marks = [[step.name if step.kind != "outcome" else "" for step in steps] for steps in (before, after)]
    matched = sum(1 for row in align(before, after) if row.baseline and row.candidate)
    assert matched == longest(*marks)


def longest(one, other):
    """The length of a longest common subsequence, by the textbook."""
    row = [0] * (len(other) + 1)
    for mark in one:
        above = row
        row = [0]
        for place, seen in enumerate(other, 1):
            row.append(above[place - 1] + 1 if mark == seen else max(above[place], row[-1]))
    return row[-1]


@given(SIDES, SIDES)
def test_sides_part_exactly_where_their_signatures_first_differ(left, right):
    before, after = ([step.signature for step in trajectory(made, {})] for made in (left, right))
    found = diverge(trajectory(left, {}), trajectory(right, {}))
    if found is None:
        assert before == after
    else:
        assert before[: found.step - 1] == after[: found.step - 1]
        assert before[found.step - 1] != after[found.step - 1]


@given(SIDES, SIDES)
def test_a_document_is_json_and_has_one_digest(left, right):
    document = as_json(compare(pair(case(left, right))))
    assert json.loads(json.dumps(document)) == document
    assert document["report_digest"] == report_digest(document)
