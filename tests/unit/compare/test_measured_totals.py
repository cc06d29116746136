"""Sums of what was measured stand beside a comparison: like beside like, and in no digest."""

from agenttwin.compare import as_json, compare
from agenttwin.evaluate import Verdict
from tests.unit.compare._make import call, case, evaluation, pair, side


def measured(*cases):
    made = [
        case(
            side([evaluation("e", Verdict.PASS)], [call("look")], **before),
            side([evaluation("e", Verdict.PASS)], [call("look")], **after),
            scenario=f"s{number}",
        )
        for number, (before, after) in enumerate(cases)
    ]
    return as_json(compare(pair(*made)), measured={"id": "cmp-1"})


def test_sums_hold_only_the_cases_in_which_both_sides_know_the_measure():
    document = measured(
        ({"latency_ms": 2.5, "tokens": 10}, {"latency_ms": 1, "tokens": 7}),
        ({"latency_ms": 4}, {"latency_ms": 3, "tokens": 1000}),
    )
    assert document["measured"] == {
        "id": "cmp-1",
        "totals": {
            "latency_ms": {"baseline": 6.5, "candidate": 4, "cases": 2},
            "tokens": {"baseline": 10, "candidate": 7, "cases": 1},
        },
    }


def test_no_sum_moves_the_digest():
    one, other = measured(({"tokens": 1}, {"tokens": 2})), measured(({"tokens": 3}, {"tokens": 400}))
    assert one["measured"]["totals"] != other["measured"]["totals"]
    assert one["report_digest"] == other["report_digest"]


def test_where_nothing_was_measured_there_is_no_sum():
    assert "totals" not in measured(({}, {}))["measured"]
