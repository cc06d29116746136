"""The class of a case: every pair of verdicts, against an oracle that reads the rules aloud."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import pytest

from agenttwin.compare import Classification, classify
from agenttwin.evaluate import Verdict
from tests.unit.compare._make import case, evaluation, side

PASS, FAIL, ERROR, SKIPPED = Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.SKIPPED
Row = tuple[tuple[Verdict, Verdict, bool], ...]
"""Expectations of a case: the verdict on the baseline, on the candidate, and whether it is critical."""


def oracle(rows: Row, *, baseline: bool, candidate: bool) -> str:
    """The rules in the order in which they are written; a side without a transcript has no verdicts."""
    seen = [(b if baseline else None, c if candidate else None, critical) for b, c, critical in rows]
    if baseline and any(critical and c == "FAIL" and b != "FAIL" for b, c, critical in seen):
        return "NEW_CRITICAL_FAILURE"
    if any(b == "PASS" and c == "FAIL" for b, c, _ in seen):
        return "REGRESSED"
    if not baseline or not candidate:
        return "INCOMPLETE"
    for b, c, critical in seen:
        if "ERROR" in (b, c):
            return "INCOMPLETE"
        if (b in ("PASS", "FAIL")) != (c in ("PASS", "FAIL")):
            return "INCOMPLETE"
        if critical and "SKIPPED" in (b, c):
            return "INCOMPLETE"
    if any(b == "FAIL" and c == "PASS" for b, c, _ in seen):
        return "IMPROVED"
    return "UNCHANGED"


SINGLE: tuple[tuple[Verdict, Verdict, bool], ...] = tuple(product(Verdict, Verdict, (False, True)))


def rows() -> Iterator[Row]:
    yield from ((row,) for row in SINGLE)
    yield from product(SINGLE, SINGLE)


def made(rows: Row, *, baseline: bool = True, candidate: bool = True):
    left = [evaluation(f"e{n}", b, critical=critical) for n, (b, _, critical) in enumerate(rows)]
    right = [evaluation(f"e{n}", c, critical=critical) for n, (_, c, critical) in enumerate(rows)]
    return case(side(left, transcript=baseline), side(right, transcript=candidate))


@pytest.mark.parametrize(("baseline", "candidate"), list(product((True, False), (True, False))))
def test_every_pair_of_verdicts_has_the_class_that_the_rules_say(baseline: bool, candidate: bool) -> None:
    for row in rows():
        found = classify(made(row, baseline=baseline, candidate=candidate)).classification
        assert found == oracle(row, baseline=baseline, candidate=candidate), row


def test_no_number_outside_the_evaluations_moves_a_class() -> None:
    for row in product(SINGLE, ((PASS, PASS, False), (FAIL, PASS, True))):
        left = [evaluation(f"e{n}", b, critical=critical) for n, (b, _, critical) in enumerate(row)]
        right = [evaluation(f"e{n}", c, critical=critical) for n, (_, c, critical) in enumerate(row)]
        numbers: list[Mapping[str, float]] = [
            {"latency_ms": 1, "cost_usd": 9},
            {"latency_ms": 1e6, "cost_usd": 0},
        ]
        classes = {
            classify(case(side(left, **one), side(right, **other))).classification
            for one, other in product(numbers, numbers)
        }
        assert len(classes) == 1


def test_a_side_compared_with_itself_is_unchanged_or_incomplete() -> None:
    for row in rows():
        same = tuple((b, b, critical) for b, _, critical in row)
        assert classify(made(same)).classification in (Classification.UNCHANGED, Classification.INCOMPLETE)


def test_a_failure_that_the_baseline_was_not_judged_on_is_marked_unverified() -> None:
    assert classify(made(((ERROR, FAIL, True),))).baseline_unverified
    assert not classify(made(((PASS, FAIL, True),))).baseline_unverified


def test_where_the_baseline_never_ran_critical_failures_are_listed_as_unknown() -> None:
    found = classify(made(((PASS, FAIL, True), (PASS, FAIL, False)), baseline=False))
    assert found.classification is Classification.INCOMPLETE
    assert found.candidate_critical == ("e0",)
    assert found.reason == (
        "The baseline has no transcript. Whether the candidate's critical failures are new is unknown."
    )


def test_a_baseline_whose_case_could_not_be_judged_proves_no_new_failure() -> None:
    from dataclasses import replace

    from agenttwin.evaluate import grade
    from tests.unit.compare._make import FINISHED

    broken = replace(FINISHED, verdict=ERROR, label="TWIN_ERROR", reason="The twin failed.")
    left = side([evaluation("e0", SKIPPED, critical=True)])
    left = replace(left, grade=grade((broken, evaluation("e0", SKIPPED, critical=True))))
    found = classify(case(left, side([evaluation("e0", FAIL, critical=True)])))
    assert found.classification is Classification.INCOMPLETE
    assert found.candidate_critical == ("e0",)


def test_reasons_are_sentences() -> None:
    assert classify(made(((PASS, PASS, True),))).reason == "Same result on both sides."
    assert classify(made(((FAIL, FAIL, True),))).reason == "Still failing on both sides: e0."
    assert classify(made(((FAIL, PASS, True),))).reason == "Now passing: e0."
    assert classify(made(((PASS, FAIL, False),))).reason == "e0: FAIL."
    both = classify(made(((PASS, FAIL, True), (PASS, FAIL, True))))
    assert both.reason == "e0: FAIL. (1 more: e1.)"
    assert (
        classify(made(((PASS, ERROR, False),))).reason
        == "e0 could not be judged on the candidate: e0: ERROR."
    )
    assert classify(made(((PASS, SKIPPED, False),))).reason == (
        "e0 was judged on the baseline and not on the candidate: e0: SKIPPED."
    )
    assert classify(made(((SKIPPED, SKIPPED, True),))).reason == (
        "The critical e0 was skipped on the baseline: e0: SKIPPED."
    )


def test_an_expected_failure_is_told_and_changes_no_class() -> None:
    left = side([evaluation("known", PASS, critical=True)])
    right = side([evaluation("known", FAIL, critical=True)])
    found = classify(case(left, right, expected_failures={"known": "a bug we know"}))
    assert found.classification is Classification.UNCHANGED
    assert found.movements == {"agent-finished": "same", "known": "broken"}


def test_results_of_different_evaluators_are_not_compared() -> None:
    from dataclasses import replace

    left = evaluation("e0", PASS)
    found = classify(case(side([left]), side([replace(left, version=2)])))
    assert found.classification is Classification.INCOMPLETE
    assert "regrade" in found.reason
