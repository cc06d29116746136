"""SARIF 2.1.0: findings at the scenario's line, the same ones in the next run."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from agenttwin.report import render
from tests.unit.report._reports import LIE, PAYLOADS, comparison, full, poisoned, run

LEVELS = {"error", "warning", "note"}


def sarif(report: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(render(report, "sarif"))
    return found


def results(report: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sarif(report)["runs"][0]["results"]
    return found


def fingerprints(report: dict[str, Any]) -> list[str]:
    return [result["partialFingerprints"]["agenttwin/case/v1"] for result in results(report)]


def test_one_result_for_each_case_that_is_worse() -> None:
    found = [(result["ruleId"], result["level"]) for result in results(comparison())]
    assert found == [("state", "error"), ("outcomeVerified", "error"), ("order", "error")]


def test_an_incomplete_case_is_a_warning_under_its_class() -> None:
    report = comparison(LIE)
    report["cases"][0] |= {"classification": "INCOMPLETE", "worse": []}
    assert [(item["ruleId"], item["level"]) for item in results(report)] == [("INCOMPLETE", "warning")]


def test_what_fails_on_both_sides_is_a_note() -> None:
    report = comparison(LIE)
    case = report["cases"][0]
    case |= {"classification": "UNCHANGED", "worse": []}
    case["movements"] = dict.fromkeys(case["movements"], "same") | {"reply-is-honest": "still_failing"}
    (note,) = results(report)
    assert (note["ruleId"], note["level"]) == ("semantic", "note")
    assert note["properties"]["expectations"] == ["reply-is-honest"]


def test_a_run_is_told_alike() -> None:
    report = run(LIE)
    assert [result["level"] for result in results(report)] == ["error"]
    report["cases"][0]["outcome"] = "errored"
    assert [result["level"] for result in results(report)] == ["warning"]


def test_nothing_is_found_where_nothing_is_worse() -> None:
    report = comparison()
    report["cases"] = [case for case in report["cases"] if case["classification"] == "UNCHANGED"]
    assert results(report) == []


def test_a_result_lies_at_the_line_of_its_scenario() -> None:
    report = comparison(LIE)
    case = report["cases"][0]
    case["source"] = {"file": "my scenarios/a#b%.yaml", "line": 7}
    place = results(report)[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "my%20scenarios/a%23b%25.yaml", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 7}
    case["source"] = {"file": None, "line": None}
    assert results(report)[0]["locations"] == []


def test_a_message_says_what_happened_where_they_part_and_how_to_see_it_again() -> None:
    report = comparison(LIE)
    case = report["cases"][0]
    text = results(report)[0]["message"]["text"]
    for part in (
        LIE,
        case["reason"],
        case["divergence"]["summary"],
        case["candidate"]["answer"],
        case["rerun"],
    ):
        assert part in text


def test_a_finding_is_the_same_one_in_the_next_run() -> None:
    first, second = comparison(LIE), comparison(LIE)
    second["candidate"]["version"] = "1.3.2"
    second["pair"] |= {"seed": 8, "plan_digest": "sha256:" + "0" * 64}
    second["cases"][0] |= {"seed": "ffff", "rerun": "another command", "reason": "Worded in another way."}
    assert fingerprints(first) == fingerprints(second)


def test_findings_differ_by_case_by_trial_and_by_rule() -> None:
    report = comparison()
    report["cases"].append(report["cases"][0] | {"trial": 2})
    assert len(set(fingerprints(report))) == len(results(report)) == 4


@pytest.mark.parametrize("report", [comparison, run])
def test_the_log_has_the_form_of_sarif(report) -> None:
    log = sarif(full(report()))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (found,) = log["runs"]
    rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    assert all(rule["shortDescription"]["text"].endswith(".") for rule in found["tool"]["driver"]["rules"])
    for result in found["results"]:
        assert result["ruleId"] in rules
        assert result["level"] in LEVELS
        assert result["message"]["text"]
        assert set(result["partialFingerprints"]) == {"agenttwin/case/v1"}
    (invocation,) = found["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (1, True)
    assert [item["message"]["text"] for item in invocation["toolExecutionNotifications"]] == ["A warning."]


def test_what_no_case_shows_is_told_by_the_invocation() -> None:
    report = comparison(LIE) | {"cases": [], "exit_code": 5, "headline": "Nothing was selected."}
    (invocation,) = sarif(report)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "Nothing was selected."


@pytest.mark.parametrize("report", [comparison, run])
def test_the_same_report_gives_the_same_text(report) -> None:
    assert render(report(), "sarif") == render(report(), "sarif")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_stays_text(payload: str) -> None:
    hostile, _ = poisoned(full(comparison(LIE)), payload)
    text = render(hostile, "sarif")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert [item["level"] for item in orjson.loads(text)["runs"][0]["results"]] == ["error"]
