"""JUnit XML: what pipelines read, and nothing that they cannot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from agenttwin.report import render
from tests.unit.report._reports import LIE, PAYLOADS, comparison, full, poisoned, run

ELEMENTS = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "file"},
    "testcase": {"name", "classname", "time"},
    "properties": set(),
    "property": {"name", "value"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
    "system-out": set(),
    "system-err": set(),
}
"""What the schema of JUnit allows of what is used."""


def parsed(report: dict[str, Any]) -> Xml.Element:
    return Xml.fromstring(render(report, "junit"))


def kinds(report: dict[str, Any]) -> dict[str, str]:
    """What stands in each test case."""
    found = {}
    for test in parsed(report).iter("testcase"):
        inner = [child.tag for child in test if not child.tag.startswith("system")]
        found[test.attrib["name"]] = inner[0] if inner else "passed"
    return found


def classified(*classes: str) -> dict[str, Any]:
    """A comparison with a case of each class."""
    report = comparison()
    report["cases"] = report["cases"][: len(classes)]
    for case, word in zip(report["cases"], classes, strict=True):
        case |= {"classification": word, "scenario": word}
    return report


def test_failure_is_worse_error_is_incomplete_skipped_is_inconclusive() -> None:
    report = classified(
        "NEW_CRITICAL_FAILURE", "REGRESSED", "INCOMPLETE", "INCONCLUSIVE", "IMPROVED", "UNCHANGED"
    )
    assert kinds(report) == {
        "NEW_CRITICAL_FAILURE": "failure",
        "REGRESSED": "failure",
        "INCOMPLETE": "error",
        "INCONCLUSIVE": "skipped",
        "IMPROVED": "passed",
        "UNCHANGED": "passed",
    }


def test_a_run_tells_failures_that_are_expected_apart() -> None:
    report = run()
    report["cases"] = report["cases"][:4]
    for case, outcome in zip(
        report["cases"], ("failed", "errored", "failed as expected", "passed"), strict=True
    ):
        case |= {"outcome": outcome, "scenario": outcome}
    assert kinds(report) == {
        "failed": "failure", "errored": "error", "failed as expected": "skipped", "passed": "passed"
    }  # fmt: skip


def test_counts_are_those_of_the_cases() -> None:
    root = parsed(comparison())
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("9", "3", "0")
    suites = root.findall("testsuite")
    assert len(suites) == 9
    assert sum(int(suite.attrib["failures"]) for suite in suites) == 3


def test_a_case_carries_its_class_seed_versions_place_and_command() -> None:
    report = comparison(LIE)
    suite = parsed(report).find("testsuite")
    assert suite is not None
    properties = {item.attrib["name"]: item.attrib["value"] for item in suite.iter("property")}
    case = report["cases"][0]
    assert suite.attrib["file"] == properties["file"] == case["source"]["file"]
    assert properties["line"] == str(case["source"]["line"])
    assert properties["classification"] == "NEW_CRITICAL_FAILURE"
    assert properties["case_seed"] == case["seed"]
    assert (properties["baseline_version"], properties["candidate_version"]) == ("1.2.4", "1.3.0")
    assert properties["rerun"] == case["rerun"]


def test_a_failure_tells_the_story_and_what_the_agent_printed() -> None:
    report = full(comparison(LIE))
    test = parsed(report).find("testsuite/testcase")
    assert test is not None
    failure = test.find("failure")
    assert failure is not None
    assert failure.attrib["message"] == report["cases"][0]["reason"]
    assert report["cases"][0]["divergence"]["summary"].split(";")[0] in " ".join((failure.text or "").split())
    assert test.findtext("system-out") == "Printed."
    assert test.findtext("system-err") == "Warned."


@pytest.mark.parametrize(
    ("code", "verdict", "element"),
    [(1, "worse", "failure"), (3, "no evidence", "error"), (5, "nothing selected", "error")],
)
def test_what_no_case_shows_is_a_test_case_of_its_own(code: int, verdict: str, element: str) -> None:
    report = classified("UNCHANGED") | {"exit_code": code, "verdict": verdict, "headline": "Look at this."}
    assert kinds(report) == {"UNCHANGED": "passed", "the whole report": element}


def test_nothing_is_added_where_all_is_well_or_a_case_says_it() -> None:
    assert kinds(classified("UNCHANGED") | {"exit_code": 0}) == {"UNCHANGED": "passed"}
    assert kinds(classified("REGRESSED")) == {"REGRESSED": "failure"}


def test_trials_have_names_of_their_own() -> None:
    report = comparison(LIE)
    report["pair"]["trials"] = 2
    report["cases"].append(report["cases"][0] | {"trial": 2})
    assert list(kinds(report)) == [f"{LIE} (trial 1)", f"{LIE} (trial 2)"]


@pytest.mark.parametrize("report", [comparison, run])
def test_only_what_the_schema_knows_is_written(report) -> None:
    for element in parsed(full(report(LIE))).iter():
        assert set(element.attrib) <= ELEMENTS[element.tag], element.tag


@pytest.mark.parametrize("report", [comparison, run])
def test_the_schema_of_junit_accepts_it(report, tmp_path: Path) -> None:
    """JUNIT_XSD names the schema, which pytest's source distribution carries."""
    schema = os.environ.get("JUNIT_XSD")
    xmlschema = pytest.importorskip("xmlschema")
    if not schema:
        pytest.skip("JUNIT_XSD names no schema")
    xmlschema.XMLSchema(schema).validate(render(full(report()), "junit"))


@pytest.mark.parametrize("report", [comparison, run])
def test_the_same_report_gives_the_same_text(report) -> None:
    assert render(report(), "junit") == render(report(), "junit")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_stays_text(payload: str) -> None:
    expected = parsed(poisoned(full(comparison(LIE)), "plain")[0])
    hostile, poison = poisoned(full(comparison(LIE)), payload)
    found = Xml.fromstring(render(hostile, "junit").encode())
    assert [element.tag for element in found.iter()] == [element.tag for element in expected.iter()]
    name = found.findall(".//testcase")[0].attrib["name"]
    assert name.endswith(poison.text(LIE).removeprefix(payload))
