"""The published form of a comparison, its verdict, its coverage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jsonschema_rs
import orjson
import pytest

from agenttwin.compare import (
    as_json,
    compare,
    comparison_schema,
    coverage,
    decide,
    report_digest,
    without_measured,
)
from agenttwin.evaluate import Verdict
from agenttwin.transcript import Claim, Commit, FaultUse, Result, Setting
from agenttwin.values import Tree
from tests.unit.compare._make import applied, call, case, evaluation, pair, side

PASS, FAIL, ERROR = Verdict.PASS, Verdict.FAIL, Verdict.ERROR


def of(*verdicts: tuple[Verdict, Verdict], critical: bool = False) -> Any:
    cases = [
        case(
            side([evaluation("e", left, critical=critical)]),
            side([evaluation("e", right, critical=critical)]),
            scenario=f"s{number}",
        )
        for number, (left, right) in enumerate(verdicts)
    ]
    return compare(pair(*cases))


@pytest.mark.parametrize(
    ("verdicts", "critical", "code", "headline"),
    [
        ([(PASS, PASS)], False, 0, "Nothing worse: 1 unchanged."),
        ([(PASS, PASS), (FAIL, PASS)], False, 0, "Nothing worse: 1 improved, 1 unchanged."),
        ([(PASS, FAIL)], False, 1, "Worse: 1 regression."),
        ([(PASS, FAIL), (PASS, ERROR)], False, 1, "Worse: 1 regression, 1 incomplete."),
        ([(PASS, FAIL), (PASS, FAIL)], True, 1, "Worse: 2 new critical failures."),
        ([(PASS, ERROR)], False, 3, "Not decided: 1 incomplete."),
        ([], False, 5, "Nothing was selected, so nothing was compared."),
    ],
)
def test_one_function_makes_the_verdict_and_the_code(
    verdicts: list[tuple[Verdict, Verdict]], critical: bool, code: int, headline: str
) -> None:
    decision = decide(of(*verdicts, critical=critical))
    assert (decision.code, decision.headline) == (code, headline)


def test_still_failing_counts_only_where_it_is_asked_for() -> None:
    comparison = of((FAIL, FAIL))
    assert decide(comparison).code == 0
    assert decide(comparison, fail_on=("still-failing",)).code == 1


def test_zero_evidence_is_never_a_pass() -> None:
    empty = compare(pair(case(side(), side())))
    assert decide(empty).code == 3
    assert "this comparison shows nothing" in " ".join(empty.warnings)


def test_a_candidate_that_fails_alone_is_worse_and_says_what_is_unknown() -> None:
    absent = side(transcript=False, pins={})
    comparison = compare(pair(case(absent, side([evaluation("e", FAIL, critical=True)]))))
    assert decide(comparison).code == 1
    assert "whether they are new is unknown" in decide(comparison).headline


def test_the_worst_case_comes_first() -> None:
    order = [
        item.case.info.scenario for item in of((PASS, PASS), (PASS, FAIL), (FAIL, PASS), (PASS, ERROR)).cases
    ]
    assert order == ["s1", "s3", "s2", "s0"]


def test_the_published_form_fits_its_schema() -> None:
    left = side([evaluation("e", PASS, critical=True)], [call("look"), applied("pay")])
    right = side([evaluation("e", FAIL, critical=True)], [applied("pay")], transcript=True)
    comparison = compare(pair(case(left, right), case(side(transcript=False, pins={}), right, scenario="t")))
    report = as_json(comparison)
    jsonschema_rs.Draft202012Validator(comparison_schema()).validate(report)
    assert orjson.loads(orjson.dumps(report)) == report


def test_what_is_measured_is_in_no_digest() -> None:
    def report(**measured: Any) -> dict[str, Any]:
        made = side([evaluation("e", PASS)], [call("look")], **measured)
        return as_json(compare(pair(case(made, made))), measured={"key": str(measured)})

    one, other = report(latency_ms=1), report(latency_ms=2, stdout="x")
    assert one != other
    assert one["report_digest"] == other["report_digest"] == report_digest(one)
    assert "measured" not in str(without_measured(one))


def test_a_large_state_is_not_written_out() -> None:
    base = {"records": ["x" * 100] * 1_000}
    tree = Tree(base)
    tree.set(("count",), 1)
    made = side([evaluation("e", PASS)], [call("look")])
    transcript = replace(made.transcript, before=Tree(base), after=tree, changes=tree.changes(0))
    report = as_json(compare(pair(case(replace(made, transcript=transcript), made))))
    shown = report["cases"][0]["baseline"]
    assert shown["final_state"]["omitted"] == "larger than 64 KiB"
    assert shown["state_changes"] == [{"path": "count", "after": 1}]


def test_planted_secrets_stand_nowhere() -> None:
    made = side(
        [evaluation("e", PASS)], [call("look", {"note": "s3cret-canary"})], answer="It is s3cret-canary."
    )
    transcript = replace(made.transcript, setting=Setting(secrets=("s3cret-canary",)))
    report = as_json(
        compare(replace(pair(case(replace(made, transcript=transcript), made)), secrets=("s3cret-canary",)))
    )
    assert "s3cret-canary" not in str(report)


def test_coverage_tells_what_was_tried_on_irreversible_tools() -> None:
    timeout = applied("pay", took_effect=True, status=504, result=Result.TIMEOUT, knowable=False)
    lie = applied("pay", took_effect=True, committed=Commit.NONE, changes=())
    comparison = compare(
        replace(
            pair(case(side(calls=[timeout]), side(calls=[lie]))),
            tools={"pay": "WRITE_IRREVERSIBLE", "look": "READ", "wipe": "ADMIN"},
        )
    )
    found = coverage(comparison)
    assert found.exercised == ("pay",)
    assert [
        (tool.tool, tool.timeout_after_effect, tool.success_without_effect) for tool in found.irreversible
    ] == [
        ("pay", True, True),
        ("wipe", False, False),
    ]


def test_a_fault_without_effect_is_told() -> None:
    made = side([evaluation("e", PASS)], [call("look")])
    use = FaultUse(rule="0", type="http_500", target="pay", fired=False, took_effect=False)
    transcript = replace(made.transcript, faults=(use,))
    idle = replace(made, transcript=transcript)
    comparison = compare(pair(case(idle, idle)))
    assert comparison.warnings == ("In s the fault http_500 on pay took no effect on either side.",)
    assert coverage(comparison).idle_faults == (("s", "0", "http_500"),)


def test_state_changes_that_nothing_reads_are_told() -> None:
    tree = Tree({"a": 0, "b": 0})
    tree.set(("a",), 1)
    tree.set(("b",), 1)
    made = side([evaluation("e", PASS)], [call("look")])
    transcript = replace(made.transcript, after=tree, changes=tree.changes(0))
    made = replace(made, transcript=transcript)
    assert coverage(compare(pair(case(made, made, reads=("a",))))).unread == (("s", "b"),)


def test_a_claim_without_an_answer_is_shown_as_none() -> None:
    made = replace(side([evaluation("e", PASS)], [call("look")]), claim=Claim())
    report = as_json(compare(pair(case(made, made))))
    assert report["cases"][0]["baseline"]["answer"] is None
