"""The published form: it fits its schema, has one digest, holds no secret, and no state that is too large."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema_rs
import pytest

from agenttwin.compare import (
    Single,
    SingleCase,
    _digest,
    as_json,
    compare,
    comparison_schema,
    report_digest,
    run_schema,
    single_as_json,
    without_measured,
)
from agenttwin.evaluate import JudgeIdentity
from agenttwin.transcript import Claim, ClaimedOutcome, FaultUse, OwnCall, Result, Retrieval, Usage
from agenttwin.values import Tree, digest
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

CANARY = "s3cret-canary"
OVERRIDE = {"by": "ada", "at": "2026-01-01T00:00:00Z", "note": "I read it.", "original": {"verdict": "FAIL"}}


def whole():
    """A comparison in which everything that a document may hold occurs."""
    judge = JudgeIdentity(provider="keyword", kind="deterministic-fake")
    fault = FaultUse(rule="0", type="timeout_after_mutation", target="pay", fired=True, took_effect=True)
    retried = applied(
        "pay", {"n": 1}, effect_key="pay", fault=fault.type, rule="0", took_effect=True, **TIMEOUT
    )
    left = side(
        [
            evaluation("e", PASS, critical=True, judge=judge, score=0.9, calibrated=True),
            evaluation("f", FAIL),
        ],
        [call("look"), Retrieval(seq=2, query="days", documents=(("kb-1", True), ("bad", False))), retried],
        state={"paid": 1, "gone": None},
        faults=[fault],
        claim=Claim(
            answer="Done.", outcome=ClaimedOutcome.SUCCESS, own_calls=(OwnCall(tool="look"),), steps=3
        ),
    )
    right = side(
        [
            evaluation("e", FAIL, critical=True, label="STATE_MISMATCH"),
            evaluation("f", FAIL, overridden=OVERRIDE),
        ],
        [
            retried,
            applied("pay", {"n": 1}, effect_key="pay"),
            call("odd", refusal="X", result=Result.INVALID),
        ],
        state={"paid": 2},
        faults=[fault],
        claim=Claim(inferred=True, usage=Usage(input_tokens=5, cost_usd=0.1), trace_id="t-1"),
    )
    info = {"description": "About it.", "asked": "Pay!", "tags": ("a",), "expected_failures": {"f": "A bug."}}
    cases = (case(left, right, **info), case(NEVER_RAN, right, scenario="t"))
    sides = {
        "baseline": version("1.0.0", instructions="a\nb"),
        "candidate": version("1.1.0", instructions="a"),
    }
    return compare(
        pair(*cases, **sides, tools={"pay": "WRITE_IRREVERSIBLE", "look": "READ", "other": "READ"})
    )


def test_a_comparison_fits_its_published_schema():
    document = as_json(whole(), measured={"key": "k", "id": "cmp-1"})
    jsonschema_rs.Draft202012Validator(comparison_schema()).validate(document)
    assert json.loads(json.dumps(document)) == document


def test_an_empty_and_an_invalid_comparison_fit_too():
    wrong = side([evaluation("e", PASS)], pins={"seed": "other"})
    for comparison in (compare(pair()), compare(pair(case(wrong, wrong)))):
        jsonschema_rs.Draft202012Validator(comparison_schema()).validate(as_json(comparison))


def test_the_schema_is_closed():
    document = as_json(whole())
    document["cases"][0]["baseline"]["extra"] = 1
    assert not jsonschema_rs.Draft202012Validator(comparison_schema()).is_valid(document)


@pytest.mark.parametrize("schema", [comparison_schema(), run_schema()])
def test_a_schema_is_a_schema(schema):
    jsonschema_rs.meta.validate(schema)


def test_a_case_holds_what_the_format_says():
    document = as_json(whole(), measured={"key": "k", "seconds": 1})
    assert document["format"] == "comparison/1"
    assert document["pair"]["measured"] == {"key": "k"}
    assert document["measured"] == {"seconds": 1}
    assert document["counts"] == {
        "NEW_CRITICAL_FAILURE": 1, "REGRESSED": 0, "INCOMPLETE": 1, "INCONCLUSIVE": 0, "IMPROVED": 0,
        "UNCHANGED": 0,
    }  # fmt: skip
    assert document["totals"]["baseline"] == {
        "tool_calls": 2, "retries": 0, "passed": 0, "failed": 1, "errored": 1, "expected_failures": 1,
    }  # fmt: skip
    assert document["manifest_diff"] == {"instructions": [{"sign": "-", "text": "b"}], "fields": []}
    first = document["cases"][0]
    assert first["differences"]["counts"] == {
        "tool_calls": 1, "retries": 1, "duplicates": 1, "policy_violations": 0,
    }  # fmt: skip
    assert first["worse"] == ["e"]
    assert first["movements"] == {"agent-finished": "same", "e": "broken", "f": "still_failing"}
    assert first["expected_failures"] == {"f": "A bug."}
    assert [(row["baseline"] and row["baseline"]["shown"], row["same"]) for row in first["alignment"]] == [
        ("look()", False), ("search_knowledge_base(query=days)", False), ("pay(n=1)", True), (None, False),
        (None, False), ("SUCCESS", False),
    ]  # fmt: skip
    candidate = first["candidate"]
    assert (candidate["tool_calls"], candidate["retries"], candidate["duplicates"]) == (3, 1, 1)
    assert candidate["final_state"] == {"paid": 2}
    assert candidate["measured"] == {"trace_id": "t-1", "tokens": 5, "cost_usd": 0.1}
    assert [item["retry"] for item in candidate["calls"]] == [False, True, False]
    assert len(first["baseline"]["disagreements"]) == 1


def test_what_the_sides_claim_and_answer_differently_stands_beside_the_class():
    def claim(answer, outcome, **more):
        return Claim(answer=answer, outcome=ClaimedOutcome(outcome), **more)

    left = side(claim=claim("Hello.\nNo.\nBye.", "REFUSED", business_outcome="none", steps=2))
    right = side(claim=claim("Hello.\nYes.\nBye.", "SUCCESS", business_outcome="none", inferred=True))
    differences = as_json(compare(pair(case(left, right))))["cases"][0]["differences"]
    assert not differences["same_answer"]
    assert differences["answer"] == [{"sign": "-", "text": "No."}, {"sign": "+", "text": "Yes."}]
    assert differences["claim"] == [
        {"path": "claim_inferred", "before": False, "after": True},
        {"path": "claimed_outcome", "before": "REFUSED", "after": "SUCCESS"},
        {"path": "steps", "before": 2, "after": None},
    ]


def test_an_answer_of_very_many_lines_is_only_said_to_differ():
    left, right = side(answer="x\n" * 1_000), side(answer="y\n" * 1_000)
    differences = as_json(compare(pair(case(left, right))))["cases"][0]["differences"]
    assert (differences["same_answer"], differences["answer"]) == (False, [])


def test_measures_are_compared_where_both_sides_have_them():
    left, right = side(latency_ms=10.5, tokens=3), side(latency_ms=12, cost_usd=1)
    differences = as_json(compare(pair(case(left, right))))["cases"][0]["differences"]
    assert differences["measured"] == {"latency_ms": 1.5}


def test_a_side_that_never_ran_is_told_as_such():
    baseline = as_json(whole())["cases"][1]["baseline"]
    assert (
        baseline["verdict"] is baseline["outcome"] is baseline["ending"] is baseline["state_digest"] is None
    )
    assert baseline["calls"] == baseline["evaluations"] == []


def test_an_answer_is_shown_as_json_as_text_or_not_at_all():
    answers = [b'{"a":1}', b"null", b'{"a":', b"\xff", None]
    made = side(events=[call("look", answer=answer) for answer in answers])
    shown = as_json(compare(pair(case(made, made))))["cases"][0]["baseline"]["calls"]
    assert [item["answer"] for item in shown] == [{"a": 1}, None, '{"a":', "\ufffd", None]


# -- the digest


def document(**measured):
    made = side([evaluation("e", PASS)], [call("look")], **measured)
    return as_json(compare(pair(case(made, made))), measured={"key": str(measured)})


def test_what_is_measured_is_in_no_digest():
    one, other = document(latency_ms=1), document(latency_ms=2, stdout="x")
    assert one != other
    assert one["report_digest"] == other["report_digest"] == report_digest(one)


def test_the_short_way_to_a_digest_knows_every_place_where_something_is_measured():
    made = side([evaluation("e", PASS, overridden=OVERRIDE)], [call("look")], latency_ms=1, stdout="x")
    written = as_json(compare(pair(case(made, made))), measured={"key": "k", "more": 1})
    assert b'"measured":' not in _digest._spelled(_digest._shed(written))


def test_the_digest_is_over_everything_else():
    one, other = document(), document()
    other["cases"][0]["reason"] = "Another."
    assert report_digest(other) != one["report_digest"]
    rest = {name: member for name, member in one.items() if name != "report_digest"}
    assert one["report_digest"] == digest(without_measured(rest))


@pytest.mark.parametrize(
    "state",
    [{"a": 1.5, "b": [1.0, {"c": -0.0, "d": 1e21}]}, {"measured": {"a": 1}, "b": None}, {"e": "1.5e3"}],
)
def test_the_digest_is_over_the_canonical_form_whatever_the_state_holds(state):
    made = side([evaluation("e", PASS, score=0.5)], [call("look")], state=state)
    document = as_json(compare(pair(case(made, made))))
    rest = {name: member for name, member in document.items() if name != "report_digest"}
    assert document["report_digest"] == digest(without_measured(rest))


def test_a_sentence_about_a_measured_number_is_measured():
    def report(number):
        reason = f"The latency was {number} ms; at most 10 ms allowed."
        made = side([evaluation("e", PASS), evaluation("l", FAIL, type="maxLatencyMs", reason=reason)])
        return as_json(compare(pair(case(made, made))))

    assert report(11)["report_digest"] == report(12)["report_digest"]
    shown = report(11)["cases"][0]["candidate"]["evaluations"][2]
    assert (shown["reason"], "11 ms" in shown["measured"]["reason"]) == ("Over the limit.", True)


def test_when_a_person_decided_is_measured():
    made = side([evaluation("e", PASS, overridden=OVERRIDE)])
    shown = as_json(compare(pair(case(made, made))))["cases"][0]["candidate"]["evaluations"][1]["overridden"]
    assert shown == {
        "by": "ada", "note": "I read it.", "original": {"verdict": "FAIL"},
        "measured": {"at": OVERRIDE["at"]},
    }  # fmt: skip


# -- states


def final(state):
    made = side([evaluation("e", PASS)], [call("look")])
    tree = Tree(state)
    start = tree.fork()
    tree.set(("count",), 1)
    transcript = replace(made.transcript, before=start, after=tree, changes=tree.changes())
    shown = as_json(compare(pair(case(replace(made, transcript=transcript), made))))
    return shown["cases"][0]["baseline"]


def test_a_small_state_is_whole_and_a_large_one_is_told_by_its_changes():
    room = 64 * 1024 - len('{"count":1,"text":""}')
    assert len(final({"text": "x" * room})["final_state"]["text"]) == room
    large = final({"text": "x" * (room + 1)})
    assert large["final_state"] is None
    assert large["state_changes"] == [{"path": "count", "after": 1}]
    assert large["state_digest"] == digest(large["state_changes"])


@pytest.mark.parametrize(
    "state",
    [
        {"list": list(range(30_000))},
        {"escaped": "\x01" * 15_000},
        {"keys": {f"key-{number}": None for number in range(10_000)}},
        {"deep": [[[["x"] * 30_000]]]},
    ],
)
def test_a_state_is_large_whatever_makes_it_so(state):
    assert final(state)["final_state"] is None


def test_a_state_that_was_written_to_is_whole():
    assert final({"text": "x", "list": [1.0]})["final_state"] == {"text": "x", "list": [1.0], "count": 1}


# -- secrets


def test_a_planted_secret_stands_nowhere():
    info = {"description": CANARY, "asked": CANARY, "expected_failures": {"e": CANARY}}
    made = side(
        [evaluation("e", FAIL, reason=CANARY)],
        [call("look", {CANARY: CANARY}, answer=CANARY.encode()), applied("pay", {"note": CANARY})],
        answer=f"It is {CANARY}.",
        state={CANARY: {"deep": [CANARY]}},
        secrets=(CANARY,),
        stdout=CANARY,
    )
    other = side([evaluation("e", PASS)], [call("look", {"x": CANARY})], answer="No.", secrets=(CANARY,))
    sides = {"baseline": version("1.0.0", instructions=CANARY), "warnings": (CANARY,)}
    document = as_json(compare(pair(case(other, made, **info), **sides)), measured={"note": CANARY})
    assert CANARY not in json.dumps(document)
    assert document["report_digest"] == report_digest(document)


def test_secrets_of_the_pair_are_masked_where_no_side_ran():
    document = as_json(compare(pair(case(NEVER_RAN, NEVER_RAN, asked=CANARY), secrets=(CANARY,))))
    assert CANARY not in json.dumps(document)


# -- commands


@pytest.mark.parametrize(
    ("sides", "qualified", "command"),
    [
        ({}, False, "agenttwin compare 1.0.0 1.1.0 --scenario s --seed 7"),
        ({}, True, "agenttwin compare a@1.0.0 a@1.1.0 --scenario s --seed 7"),
        (
            {"candidate": version("2.0.0", agent="b")},
            False,
            "agenttwin compare a@1.0.0 b@2.0.0 --scenario s --seed 7",
        ),
        ({"candidate": version("1.0.0")}, False, "agenttwin reproduce 1.0.0 --scenario s --seed 7"),
    ],
)
def test_a_case_is_run_again_by_a_command(sides, qualified, command):
    document = as_json(compare(pair(judged((PASS, FAIL, False)), **sides)), qualified=qualified)
    assert document["cases"][0]["rerun"] == command


def test_a_version_is_named_alone_where_that_is_enough():
    comparison = compare(pair(judged((PASS, FAIL, False))))
    assert comparison.as_json() == as_json(comparison)
    assert "a@" not in comparison.as_json()["cases"][0]["rerun"]


def test_a_seed_that_no_number_holds_exactly_is_text():
    assert as_json(compare(pair(seed=2**53)))["pair"]["seed"] == 2**53
    assert as_json(compare(pair(seed=2**53 + 1)))["pair"]["seed"] == "9007199254740993"


# -- coverage


def test_coverage_tells_what_was_tried_on_what_cannot_be_taken_back():
    lost = applied("pay", took_effect=True, **TIMEOUT)
    lie = applied("pay", took_effect=True, **NOTHING)
    tools = {"pay": "WRITE_IRREVERSIBLE", "wire": "WRITE_IRREVERSIBLE", "look": "READ"}
    made = [side(events=[lost, call("nope", result=Result.UNKNOWN_TOOL)]), side(events=[lie])]
    found = as_json(compare(pair(case(*made), tools=tools)))["coverage"]
    assert found["tools"] == {"total": 3, "exercised": ["pay"], "not_exercised": ["look", "wire"]}
    assert found["irreversible"] == [
        {"tool": "pay", "exercised": True, "timeout_after_effect": True, "success_without_effect": True},
        {"tool": "wire", "exercised": False, "timeout_after_effect": False, "success_without_effect": False},
    ]


@pytest.mark.parametrize(
    "harmless",
    [
        applied("pay", took_effect=True, **TIMEOUT, **NOTHING),
        applied("pay", **TIMEOUT),
        applied("pay", took_effect=True),
        applied("pay", **NOTHING),
    ],
)
def test_a_fault_counts_where_it_was_the_one_that_matters(harmless):
    made = side(events=[harmless])
    (tool,) = as_json(compare(pair(case(made, made))))["coverage"]["irreversible"]
    assert not tool["timeout_after_effect"]
    assert not tool["success_without_effect"]


@pytest.mark.parametrize(
    ("reads", "unread"),
    [
        ((), ["a.b", "list[0]"]),
        (("a",), ["list[0]"]),
        (("a.b.c", "list.length()"), []),
        (("a.bc",), ["a.b", "list[0]"]),
        (("",), []),
        (("list[-1]",), ["a.b"]),
        (("list[-2]",), ["a.b", "list[0]"]),
        (("['a']['b']",), ["list[0]"]),
    ],
)
def test_changes_that_no_expectation_reads_are_told(reads, unread):
    made = side(before={"a": {"b": 0}, "list": []}, state={"a": {"b": 1}, "list": ["x"]})
    found = as_json(compare(pair(case(made, made, reads=reads))))["coverage"]["unread_changes"]
    assert [item["path"] for item in found] == unread


def test_faults_are_told_by_whether_they_made_a_difference():
    works = FaultUse(rule="a", type="http_500", target="pay", fired=True, took_effect=True)
    idle = FaultUse(rule="b", type="delay", target="*", fired=True, took_effect=False)
    found = as_json(compare(pair(case(side(faults=[works]), side(faults=[idle])))))["coverage"]
    assert found["faults_took_effect"] == ["http_500"]
    assert found["faults_without_effect"] == [
        {"scenario": "s", "side": "candidate", "rule": "b", "type": "delay", "fired": True}
    ]


# -- one version alone


def single(*sides, **info):
    made = [case(made, made, scenario=f"s{number}", **info) for number, made in enumerate(sides)]
    cases = tuple(SingleCase(info=item.info, trial=1, seed="d", side=item.baseline) for item in made)
    return Single(version=version("1.0.0"), plan_digest="sha256:0", seed=7, cases=cases)


def test_a_run_fits_its_published_schema():
    run = single(
        side([evaluation("e", PASS)], [call("look")]),
        side([evaluation("e", FAIL)], [applied("pay")], secrets=(CANARY,), answer=CANARY),
        side([evaluation("e", ERROR)]),
        NEVER_RAN,
    )
    document = single_as_json(run, measured={"key": "k"})
    jsonschema_rs.Draft202012Validator(run_schema()).validate(document)
    assert CANARY not in json.dumps(document)
    assert document["counts"] == {"failed": 1, "errored": 2, "failed as expected": 0, "passed": 1}
    worst = document["cases"][0]
    assert (worst["scenario"], worst["verdict"], worst["reason"]) == ("s1", "FAILED", "Failed: e.")
    assert worst["rerun"] == "agenttwin run 1.0.0 --scenario s1 --seed 7"
    assert [(step["step"], step["name"]) for step in worst["steps"]] == [(1, "pay"), (2, "SUCCESS")]
    assert document["report_digest"] == report_digest(document)


def test_a_failure_that_is_expected_is_counted_apart():
    document = single_as_json(single(side([evaluation("e", FAIL)]), expected_failures={"e": "A bug."}))
    assert document["cases"][0]["outcome"] == "failed as expected"
    assert document["totals"]["expected_failures"] == 1
