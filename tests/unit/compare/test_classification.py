"""The class of a case: every pair of verdicts, against an oracle that reads the rules aloud."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from agenttwin.compare import Classification, Movement, classify
from agenttwin.evaluate import Verdict
from tests.unit.compare._make import (
    ERROR,
    FAIL,
    NEVER_RAN,
    PASS,
    SKIPPED,
    UNREACHABLE,
    case,
    evaluation,
    judged,
    side,
)

Seen = tuple[Verdict | None, Verdict | None, bool]
"""One expectation: the verdict on the baseline, on the candidate, and whether it is critical."""

ONE: tuple[Seen, ...] = tuple(product((*Verdict, None), (*Verdict, None), (False, True)))
JUDGED = (PASS, FAIL)


def oracle(rows: tuple[Seen, ...], *, baseline: bool, candidate: bool) -> str:
    """The five rules as they are written; a side that never ran has no verdicts."""
    seen = [(b if baseline else None, c if candidate else None, critical) for b, c, critical in rows]
    seen = [(b, c, critical) for b, c, critical in seen if b or c]
    if baseline and any(critical and c is FAIL and b is not FAIL for b, c, critical in seen):
        return "NEW_CRITICAL_FAILURE"
    if any(b is PASS and c is FAIL for b, c, _ in seen):
        return "REGRESSED"
    if not baseline or not candidate:
        return "INCOMPLETE"
    if any(ERROR in (b, c) for b, c, _ in seen):
        return "INCOMPLETE"
    if any((b in JUDGED) != (c in JUDGED) for b, c, _ in seen):
        return "INCOMPLETE"
    if any(critical and SKIPPED in (b, c) for b, c, critical in seen):
        return "INCOMPLETE"
    if any(b is FAIL and c is PASS for b, c, _ in seen):
        return "IMPROVED"
    return "UNCHANGED"


def rows() -> Iterator[tuple[Seen, ...]]:
    yield from ((row,) for row in ONE)
    yield from product(ONE, ONE)


@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.parametrize("candidate", [True, False])
def test_every_pair_of_verdicts_has_the_class_that_the_rules_say(baseline, candidate):
    for row in rows():
        found = classify(judged(*row, baseline=baseline, candidate=candidate))
        assert found.classification == oracle(row, baseline=baseline, candidate=candidate), row


def test_a_side_against_itself_is_unchanged_or_incomplete():
    for row in rows():
        same = classify(judged(*((b, b, critical) for b, _, critical in row)))
        assert same.classification in (Classification.UNCHANGED, Classification.INCOMPLETE)


@pytest.mark.parametrize(
    ("verdicts", "movement"),
    [
        ((PASS, FAIL), "broken"),
        ((FAIL, PASS), "fixed"),
        ((FAIL, FAIL), "still_failing"),
        ((PASS, PASS), "same"),
        *(((one, other), "not_judged") for one in (ERROR, SKIPPED, None) for other in (PASS, FAIL, ERROR)),
        *(((one, other), "not_judged") for one in (PASS, FAIL) for other in (ERROR, SKIPPED, None)),
    ],
)
def test_an_expectation_moves(verdicts, movement):
    found = {item.id: item for item in classify(judged((*verdicts, False))).expectations}
    assert found["e0"].movement == movement


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([(PASS, PASS, True)], "Same result on both sides."),
        ([(FAIL, FAIL, True), (FAIL, FAIL, False)], "Still failing on both sides: e0, e1."),
        ([(FAIL, PASS, True)], "Failed on the baseline, passes on the candidate: e0."),
        ([(PASS, FAIL, False), (PASS, PASS, True)], "Passed on the baseline, fails on the candidate: e0."),
        (
            [(PASS, FAIL, True)],
            "The candidate fails a critical expectation that the baseline did not fail: e0.",
        ),
        (
            [(PASS, FAIL, True), (SKIPPED, FAIL, True), (PASS, FAIL, False)],
            "The candidate fails critical expectations that the baseline did not fail: e0, e1. "
            "Whether the baseline met e1 is not known: it was not judged there.",
        ),
        ([(PASS, ERROR, False), (FAIL, ERROR, False)], "Could not be judged on the candidate: e0, e1."),
        ([(SKIPPED, PASS, False)], "Skipped on the baseline: e0."),
        ([(SKIPPED, SKIPPED, True)], "Skipped on the baseline: e0. Skipped on the candidate: e0."),
        ([(PASS, None, False)], "Missing on the candidate: e0."),
    ],
)
def test_a_reason_names_sides_and_expectations(rows, reason):
    assert classify(judged(*rows)).reason == reason


def test_a_side_without_a_transcript_is_named():
    assert classify(judged((PASS, PASS, True), candidate=False)).reason == "The candidate has no transcript."


def test_a_new_critical_failure_that_the_baseline_did_not_pass_is_marked():
    found = classify(judged((ERROR, FAIL, True), (PASS, FAIL, True)))
    assert found.baseline_unverified == ("e0",)


@pytest.mark.parametrize(
    "baseline",
    [NEVER_RAN, side([evaluation("e0", SKIPPED, critical=True)], finished=UNREACHABLE)],
    ids=["never ran", "could not be reached"],
)
def test_whether_a_critical_failure_is_new_is_unknown_where_the_baseline_never_ran(baseline):
    candidate = side([evaluation("e0", FAIL, critical=True), evaluation("e1", FAIL)])
    found = classify(case(baseline, candidate))
    assert found.classification is Classification.INCOMPLETE
    assert found.candidate_critical == ("e0",)
    assert found.reason.endswith("The candidate fails critical e0; whether that is new is unknown.")


def test_an_expected_failure_is_told_and_makes_nothing_worse():
    left = side([evaluation("known", PASS, critical=True), evaluation("other", FAIL)])
    right = side([evaluation("known", FAIL, critical=True), evaluation("other", FAIL)])
    found = classify(case(left, right, expected_failures={"known": "A bug that we know."}))
    assert found.classification is Classification.UNCHANGED
    assert found.reason == "Still failing on both sides: other. Fails as expected: known."
    assert [item.movement for item in found.expectations if item.id == "known"] == [Movement.BROKEN]


def test_an_expectation_that_was_expected_to_fail_and_no_longer_does_is_an_improvement():
    left, right = side([evaluation("known", FAIL)]), side([evaluation("known", PASS)])
    found = classify(case(left, right, expected_failures={"known": "A bug that we know."}))
    assert found.classification is Classification.IMPROVED


def test_results_of_different_evaluators_are_not_compared():
    left = evaluation("e0", PASS, critical=True)
    right = replace(left, version=2, verdict=FAIL)
    found = classify(case(side([left]), side([right])))
    assert found.classification is Classification.INCOMPLETE
    assert found.reason == "Judged by other versions of the evaluator on the two sides, regrade first: e0."


def test_people_s_decisions_count_as_results():
    failed = evaluation("e0", FAIL, critical=True)
    passed = replace(failed, verdict=PASS, overridden={"by": "ada", "note": "I read it."})
    assert classify(case(side([passed]), side([passed]))).classification is Classification.UNCHANGED
