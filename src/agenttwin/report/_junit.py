"""A report as JUnit XML: failure is worse, error is incomplete, skipped is inconclusive.

One suite a case, since only a suite may name its file and have properties. What no case shows (nothing was
selected, nothing was called) is a test case of its own, so that a pipeline never reads silence as success.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast
from xml.etree import ElementTree as Xml

from agenttwin.report._page import Page
from agenttwin.report._reading import (
    class_of,
    name_of,
    plan_of,
    side_of,
    still_failing,
    title_of,
    versions_of,
)
from agenttwin.report._text import clean
from agenttwin.report._trace import render_case

Report = Mapping[str, Any]

ELEMENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "NEW_CRITICAL_FAILURE": "failure",
        "REGRESSED": "failure",
        "INCOMPLETE": "error",
        "INCONCLUSIVE": "skipped",
        "failed": "failure",
        "errored": "error",
        "failed as expected": "skipped",
    }
)
"""What stands in the test case of a class; the others have nothing in it, and have passed."""

PLAIN: Final = Page(colour=False, columns=100)
"""The page of a story inside the document."""

_COUNTERS: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}
_ILLEGAL: Final = re.compile(r"[\ufffe\uffff]")


def render_junit(report: Report) -> str:
    """The report in the format of JUnit."""
    root = Xml.Element("testsuites", name=_legal(title_of(report)))
    for case in report["cases"]:
        root.append(_suite(case, report))
    if report["exit_code"] and not any(class_of(case) in ELEMENTS for case in report["cases"]):
        root.append(_whole(report))
    counts = _counts(root.iter("testcase"))
    root.attrib |= {name: counts[name] for name in ("tests", "failures", "errors")}
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _suite(case: Report, report: Report) -> Xml.Element:
    test = _test(name_of(case, report), report, _seconds(case))
    kind = class_of(case)
    if kind in ELEMENTS:
        _said(test, ELEMENTS[kind], case["reason"], kind, _story(case, report))
    elif failures := still_failing(case):
        _text(Xml.SubElement(test, "system-out"), "\n".join(item["reason"] for item in failures))
    for stream in ("stdout", "stderr"):
        if printed := side_of(case)["measured"].get(stream):
            _text(Xml.SubElement(test, f"system-{stream[3:]}"), str(printed))
    suite = _around(name_of(case, report), test, _seconds(case), _properties(case, report))
    if case["source"]["file"] is not None:
        suite.set("file", _legal(case["source"]["file"]))
    return suite


def _whole(report: Report) -> Xml.Element:
    """What the report as a whole says, where no case says it."""
    test = _test("the whole report", report, None)
    element = "failure" if report["exit_code"] == 1 else "error"
    _said(test, element, report["headline"], "WHOLE_REPORT", "\n".join(report["warnings"]))
    return _around("the whole report", test, None, _of_report(report))


def _test(name: str, report: Report, seconds: str | None) -> Xml.Element:
    agent = versions_of(report)["candidate"]["agent"]
    test = Xml.Element("testcase", classname=_legal(f"agenttwin.{agent}"), name=_legal(name))
    if seconds is not None:
        test.set("time", seconds)
    return test


def _said(test: Xml.Element, element: str, message: str, kind: str, text: str) -> None:
    _text(Xml.SubElement(test, element, message=_legal(message), type=kind), text)


def _story(case: Report, report: Report) -> str:
    """Everything about a case, as the terminal tells it."""
    lines = render_case(cast(Any, case), cast(Any, report), PLAIN)
    return "\n".join(line.rstrip() for line in lines)


def _around(
    name: str, test: Xml.Element, seconds: str | None, properties: Mapping[str, object]
) -> Xml.Element:
    suite = Xml.Element("testsuite", {"name": _legal(name), **_counts([test])})
    if seconds is not None:
        suite.set("time", seconds)
    listed = Xml.SubElement(suite, "properties")
    for key, value in properties.items():
        Xml.SubElement(listed, "property", name=key, value=_legal(str(value)))
    suite.append(test)
    return suite


def _properties(case: Report, report: Report) -> dict[str, object]:
    source = case["source"]
    own = {"classification": class_of(case), "severity": case["severity"], "case_seed": case["seed"]}
    place = {key: source[key] for key in ("file", "line") if source[key] is not None}
    return {**own, **place, "rerun": case["rerun"], **_of_report(report)}


def _of_report(report: Report) -> dict[str, object]:
    plan = plan_of(report)
    versions = {
        f"{role}_{key}": version[key]
        for role, version in versions_of(report).items()
        for key in ("version", "digest", "model_kind")
    }
    return {**versions, "seed": plan["seed"], "plan_digest": plan["plan_digest"]}


def _counts(tests: Iterable[Xml.Element]) -> dict[str, str]:
    found = list(tests)
    counts = {
        name: sum(test.find(element) is not None for test in found) for name, element in _COUNTERS.items()
    }
    return {key: str(value) for key, value in {"tests": len(found), **counts}.items()}


def _seconds(case: Report) -> str | None:
    latency = side_of(case)["measured"].get("latency_ms")
    return None if latency is None else f"{latency / 1000:.3f}"


def _text(element: Xml.Element, text: str) -> None:
    element.text = _legal(text)


def _legal(text: str) -> str:
    """The text as XML can hold it: what may not stand there is spelled."""
    return _ILLEGAL.sub(lambda found: found[0].encode("unicode_escape").decode(), clean(text))
