"""A run of one version for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agenttwin.compare import RunDocument, SingleCaseDocument
from agenttwin.report._foot import coverage, exit_code, notes, totals
from agenttwin.report._page import Page
from agenttwin.report._reading import provenance
from agenttwin.report._text import line, pad, width
from agenttwin.report._words import DECISIONS, MODELS, OUTCOMES, RUN_EXIT_CODES, VERDICTS, plural

MAX_PASSED: Final = 40


def render_run(report: RunDocument, page: Page) -> Iterator[str]:
    """The report of a run, line by line; worst cases first."""
    word = DECISIONS[report["verdict"]]
    who = line(f"{report['agent']} {report['version']}")
    yield f"{page.paint(str(word), word.style)}  {page.paint(who, 'bold')}"
    yield from page.text(report["headline"])
    facts = (
        plural(len(report["cases"]), "case", "cases"),
        f"seed {report['seed']}",
        f"the agent is {MODELS[report['model_kind']]}",
        *provenance(report),
    )
    yield from page.text(" · ".join(facts), style="quiet")
    yield ""
    yield from _cases(report, page)
    yield ""
    yield from totals([report["version"]], [report["totals"]], page)
    yield from coverage(report["coverage"], page)
    yield from notes(report["warnings"], page)
    yield ""
    yield from exit_code(report["exit_code"], page, RUN_EXIT_CODES)


def _cases(report: RunDocument, page: Page) -> Iterator[str]:
    cases = report["cases"]
    columns = max((width(case["scenario"]) for case in cases), default=0)
    words = max((width(str(OUTCOMES[case["outcome"]])) for case in cases), default=0)
    passed = 0
    for case in cases:
        passed += case["outcome"] == "passed"
        if passed > MAX_PASSED:
            yield f"… and {plural(len(cases) - cases.index(case), 'more that passed', 'more that passed')}"
            return
        word = OUTCOMES[case["outcome"]]
        mark = page.paint(pad(str(word), words), word.style)
        yield f"{mark}  {pad(case['scenario'], columns)}  {case['severity']}"
        if case["outcome"] != "passed":
            yield from _failing(case, page)


def _failing(case: SingleCaseDocument, page: Page) -> Iterator[str]:
    reasons = case["expected_failures"]
    if case["side"]["verdict"] is None:
        yield "    The case never ran."
    for item in case["side"]["evaluations"]:
        if item["verdict"] == "PASS" or (item["verdict"] == "SKIPPED" and not item["critical"]):
            continue
        verdict = VERDICTS[item["verdict"]]
        critical = f"  {page.paint('critical', 'red')}" if item["critical"] else ""
        name = page.paint(line(item["id"]), "bold")
        yield f"    {page.paint(verdict.shape, verdict.style)} {name}{critical}"
        yield from page.text(item["reason"], 6)
        if item["id"] in reasons:
            yield from page.text(f"Expected to fail: {reasons[item['id']]}", 6)
    yield f"    Run it again: {page.command(case['rerun'])}"
