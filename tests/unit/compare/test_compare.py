"""A whole pair: what the sides ran is checked first; worst cases come first; states are compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agenttwin.compare import Classification, compare, decide
from agenttwin.transcript import FaultUse
from agenttwin.values import MISSING, Change
from tests.unit.compare._make import (
    ERROR,
    FAIL,
    NEVER_RAN,
    PASS,
    PINS,
    applied,
    call,
    case,
    evaluation,
    judged,
    pair,
    side,
    version,
)

GOOD = side([evaluation("e", PASS)], [call("look")])


def ran(**pins):
    return replace(GOOD, pins={**PINS, **pins})


@pytest.mark.parametrize("pin", ["scenario", "twin", "evaluators", "seed"])
@pytest.mark.parametrize("name", ["baseline", "candidate"])
def test_a_side_that_ran_something_else_makes_the_comparison_invalid(pin, name):
    sides = {"baseline": GOOD, "candidate": GOOD, name: ran(**{pin: "other"})}
    worse = judged((PASS, FAIL, True))
    comparison = compare(pair(worse, case(sides["baseline"], sides["candidate"], scenario="t")))
    planned = PINS[pin] if pin == "seed" else f"{PINS[pin]}…"
    assert comparison.invalid == (
        f"In t the {name} ran with another {pin} than planned: other for {planned}.",
    )
    assert [item.classification for item in comparison.cases] == [Classification.INCOMPLETE] * 2
    assert {item.reason for item in comparison.cases} == {"Not compared: the two sides did not run the same."}
    assert all(item.divergence is None for item in comparison.cases)
    assert comparison.exit_code == 3
    assert decide(comparison).headline.startswith("Invalid: In t the ")


def test_a_side_that_does_not_say_what_it_ran_is_invalid():
    lost = replace(GOOD, pins={name: pin for name, pin in PINS.items() if name != "twin"})
    assert compare(pair(case(GOOD, lost))).invalid == (
        "In s the candidate does not say with which twin it ran.",
    )


def test_what_the_plan_is_silent_about_must_be_the_same_on_both_sides():
    comparison = compare(pair(case(ran(judge="a"), ran(judge="b"))))
    assert comparison.invalid == ("In s the baseline ran with the judge a, the candidate with b.",)


def test_the_manifest_may_differ_between_the_sides_and_not_from_the_version():
    digest = version("1.0.0").digest
    assert compare(pair(case(ran(manifest=digest), ran(manifest=digest)))).invalid == ()
    found = compare(pair(case(ran(manifest=digest), ran(manifest="other")))).invalid
    assert found == (f"In s the candidate ran with another manifest than planned: other for {digest[:19]}….",)


def test_a_side_that_never_ran_ran_nothing_else():
    assert compare(pair(case(NEVER_RAN, GOOD))).invalid == ()


def test_the_worst_case_comes_first():
    rows = [(PASS, PASS), (PASS, FAIL), (FAIL, PASS), (PASS, ERROR), (PASS, FAIL)]
    made = [
        replace(judged((*row, number == 4)), info=replace(judged().info, scenario=f"s{number}"))
        for number, row in enumerate(rows)
    ]
    assert [item.scenario for item in compare(pair(*made)).cases] == ["s4", "s1", "s3", "s2", "s0"]


def test_a_case_is_found_by_its_scenario():
    comparison = compare(pair(judged((PASS, PASS, False))))
    assert comparison.case("s").classification is Classification.UNCHANGED
    with pytest.raises(KeyError):
        comparison.case("t")


# -- final states


def states(baseline, candidate, before=None):
    left = side(state=baseline, before=before)
    right = side(state=candidate, before=before)
    return compare(pair(case(left, right))).cases[0].states


def test_final_states_are_compared_where_a_side_changed_something():
    before = {"same": 1, "orders": {"a": {"n": 0, "m": 0}}, "list": [1]}
    found = states(
        {"orders": {"a": {"n": 1, "m": 5}}, "list": [1, 2]},
        {"orders": {"a": {"n": 2, "m": 5}}, "list": [1]},
        before,
    )
    assert found == (
        Change(path="list[1]", before=2, after=MISSING),
        Change(path="orders.a.n", before=1, after=2),
    )


def test_a_difference_may_be_that_something_is_there():
    assert [(item.path, item.before, bool(item.after)) for item in states({"a": 1}, {})] == [("a", 1, False)]
    assert states({"a": {"b": 1}}, {"a": 2}) == (Change(path="a", before={"b": 1}, after=2),)


def test_a_change_below_a_change_of_the_other_side_is_told_once():
    before = {"a": {"b": {"c": 1}, "b-d": 1}}
    found = states({"a": {"b": 7, "b-d": 1}}, {"a": {"b": {"c": 2}, "b-d": 2}}, before)
    assert [(item.path, item.before, item.after) for item in found] == [
        ("a.b", 7, {"c": 2}),
        ("a.b-d", 1, 2),
    ]


def test_equal_states_differ_in_nothing():
    assert states({"a": {"b": [1, 2]}}, {"a": {"b": [1.0, 2]}}) == ()


def test_a_path_too_long_to_be_read_is_told_by_its_changes():
    key = "k" * 600
    assert [(item.path, item.before, item.after) for item in states({key: 1}, {key: 2})] == [(key, 1, 2)]
    (found,) = states({key: 1}, {}, {key: 0})
    assert (found.before, found.after) == (1, 0)


# -- warnings


def test_a_fault_without_effect_is_told_once_for_both_sides():
    idle = FaultUse(rule="0", type="http_500", target="pay", fired=False, took_effect=False)
    fired = replace(idle, fired=True)
    works = replace(fired, took_effect=True)

    def warned(left, right):
        made = [side([evaluation("e", PASS)], [call("look")], faults=[use]) for use in (left, right)]
        return compare(pair(case(*made))).warnings

    assert warned(idle, idle) == ("In s the fault http_500 on pay never fired on both sides.",)
    assert warned(works, fired) == (
        "In s the fault http_500 on pay fired and made no difference on the candidate.",
    )
    assert warned(works, works) == ()


def test_a_pass_that_nobody_expected_is_told():
    comparison = compare(pair(case(GOOD, GOOD, expected_failures={"e": "A bug."}), warnings=("From afar.",)))
    assert comparison.warnings == ("From afar.", "In s e is expected to fail, and passed on both sides.")


def test_a_pair_without_any_call_is_told():
    quiet = side([evaluation("e", PASS)])
    assert compare(pair(case(quiet, quiet))).warnings == ("No tool was called in any case.",)
    assert compare(pair(case(quiet, side([evaluation("e", PASS)], [applied("pay")])))).warnings == ()
