"""The verdict and the exit code, from one function."""

from __future__ import annotations

import pytest

from agenttwin.compare import Single, SingleCase, Word, compare, decide, decide_single
from tests.unit.compare._make import (
    ERROR,
    FAIL,
    NEVER_RAN,
    PASS,
    SKIPPED,
    case,
    evaluation,
    judged,
    pair,
    side,
    version,
)


def decided(*rows, fail_on=()):
    return decide(compare(pair(*(judged(row) for row in rows))), fail_on=fail_on)


@pytest.mark.parametrize(
    ("rows", "word", "code", "headline"),
    [
        ([(PASS, PASS, True)], "nothing worse", 0, "Nothing got worse in 1 case: 1 unchanged."),
        (
            [(PASS, PASS, False), (FAIL, PASS, False)],
            "nothing worse",
            0,
            "Nothing got worse in 2 cases: 1 improved, 1 unchanged.",
        ),
        ([(FAIL, FAIL, True)], "nothing worse", 0, "Nothing got worse in 1 case: 1 unchanged."),
        ([(PASS, FAIL, False)], "worse", 1, "The candidate is worse in 1 of 1 case: 1 regression."),
        (
            [(PASS, FAIL, True), (PASS, FAIL, True), (PASS, FAIL, False), (PASS, ERROR, False)],
            "worse",
            1,
            "The candidate is worse in 3 of 4 cases: 2 new critical failures, 1 regression, 1 incomplete.",
        ),
        (
            [(PASS, ERROR, False), (PASS, PASS, False)],
            "incomplete",
            3,
            "Nothing got worse as far as it shows, but 1 of 2 cases could not be compared.",
        ),
        (
            [(SKIPPED, SKIPPED, False)],
            "no evidence",
            3,
            "Nothing can be concluded: no expectation was judged on both sides.",
        ),
        ([], "nothing selected", 5, "Nothing was selected."),
    ],
)
def test_a_comparison_comes_to_a_verdict(rows, word, code, headline):
    decision = decided(*rows)
    assert (decision.word, decision.exit_code, decision.headline) == (word, code, headline)


def test_a_critical_failure_that_may_be_new_is_worse():
    unknown = case(NEVER_RAN, side([evaluation("e", FAIL, critical=True)]))
    decision = decide(compare(pair(unknown)))
    assert decision.exit_code == 1
    assert (
        decision.headline
        == "The candidate fails critical expectations in 1 case; whether they are new is unknown."
    )
    both = decide(compare(pair(unknown, judged((PASS, FAIL, False)))))
    assert both.headline.endswith("in 1 case; whether they are new is unknown.")


def test_still_failing_counts_where_it_is_asked_for():
    assert decided((FAIL, FAIL, False)).exit_code == 0
    decision = decided((FAIL, FAIL, False), fail_on=["still-failing"])
    assert (decision.word, decision.exit_code) == (Word.WORSE, 1)
    assert "still fails" in decision.headline


def test_a_failure_that_is_expected_on_both_sides_is_not_still_failing():
    known = side([evaluation("e", FAIL), evaluation("f", PASS)])
    comparison = compare(pair(case(known, known, expected_failures={"e": "A bug."})))
    assert decide(comparison, fail_on=["still-failing"]).exit_code == 0


def test_an_invalid_comparison_is_that_whatever_else_it_holds():
    wrong = side([evaluation("e", FAIL)], pins={"seed": "other"})
    comparison = compare(pair(case(wrong, wrong)))
    assert decide(comparison, fail_on=["still-failing"]).word is Word.INVALID


# -- one version alone


def single(*sides, **info):
    made = [case(made, made, scenario=f"s{number}", **info) for number, made in enumerate(sides)]
    cases = tuple(SingleCase(info=item.info, trial=1, seed="d", side=item.baseline) for item in made)
    return Single(version=version("1.0.0"), plan_digest="sha256:0", seed=7, cases=cases)


GOOD, BAD = side([evaluation("e", PASS)]), side([evaluation("e", FAIL)])
UNJUDGED = side([evaluation("e", ERROR)])


@pytest.mark.parametrize(
    ("sides", "word", "code", "headline"),
    [
        ([GOOD, GOOD], "passed", 0, "All expectations hold in 2 cases."),
        ([GOOD, BAD, UNJUDGED], "failed", 1, "Of 3 cases 1 failed, 1 errored, 1 passed."),
        (
            [GOOD, UNJUDGED],
            "incomplete",
            3,
            "Not everything could be judged: of 2 cases 1 errored, 1 passed.",
        ),
        ([NEVER_RAN], "incomplete", 3, "Not everything could be judged: of 1 case 1 errored."),
        ([], "nothing selected", 5, "Nothing was selected."),
    ],
)
def test_a_run_comes_to_a_verdict(sides, word, code, headline):
    decision = decide_single(single(*sides))
    assert (decision.word, decision.exit_code, decision.headline) == (word, code, headline)


def test_a_run_that_fails_as_expected_passes_and_says_so():
    decision = decide_single(single(BAD, GOOD, expected_failures={"e": "A bug."}))
    assert decision.exit_code == 0
    assert decision.headline == (
        "Nothing failed that is not expected to: of 2 cases 1 failed as expected, 1 passed."
    )
