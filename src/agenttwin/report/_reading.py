"""What every format reads off a report alike, be it a comparison or a run of one version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agenttwin.report._single import render_side
from agenttwin.report._terminal import render_case
from agenttwin.report._text import Page
from agenttwin.report._words import CLASSES, VERDICTS, Word

Report = Mapping[str, Any]

PLAIN: Final = Page(colour=False, columns=100)
"""The page of a story that is quoted in another document."""


def is_run(report: Report) -> bool:
    """Whether the report is of one version alone."""
    return str(report["format"]).startswith("run/")


def title_of(report: Report) -> str:
    """Who was looked at: `refund-agent 1.2.4 → 1.3.0`, or one version alone."""
    if is_run(report):
        return f"{report['agent']} {report['version']}"
    left, right = report["baseline"], report["candidate"]
    other = "" if left["agent"] == right["agent"] else f"{right['agent']} "
    return f"{left['agent']} {left['version']} → {other}{right['version']}"


def versions_of(report: Report) -> Mapping[str, Report]:
    """Each version by its role; one version alone is the candidate."""
    if is_run(report):
        return {"candidate": report}
    return {"baseline": report["baseline"], "candidate": report["candidate"]}


def plan_of(report: Report) -> Report:
    """Where the plan's digest and seed stand."""
    plan: Report = report if is_run(report) else report["pair"]
    return plan


def class_of(case: Report) -> str:
    """The class of a case, or the verdict of one side alone."""
    return str(case["classification"] if "classification" in case else case["verdict"])


def word_of(case: Report) -> Word:
    """How that is shown."""
    return CLASSES[case["classification"]] if "classification" in case else VERDICTS[case["verdict"]]


def side_of(case: Report) -> Report:
    """The side that is judged."""
    side: Report = case["candidate"] if "classification" in case else case["side"]
    return side


def name_of(case: Report, report: Report) -> str:
    """The scenario, and the trial where there are several of it."""
    several = sum(other["scenario"] == case["scenario"] for other in report["cases"]) > 1
    return f"{case['scenario']} (trial {case['trial']})" if several else str(case["scenario"])


def failing(case: Report) -> Iterator[Report]:
    """The results that make the case what it is, worst first: what became worse, else what did not pass."""
    results = {item["id"]: item for item in side_of(case)["evaluations"]}
    worse = [results[name] for name in case.get("worse", ()) if name in results]
    yield from worse or (item for item in results.values() if item["verdict"] in ("FAIL", "ERROR"))


def still_failing(case: Report) -> list[Report]:
    """The results that fail on both sides."""
    movements = case.get("movements", {})
    return [item for item in side_of(case)["evaluations"] if movements.get(item["id"]) == "still_failing"]


def story(case: Report, report: Report) -> str:
    """Everything about a case, as the terminal tells it."""
    if is_run(report):
        lines = render_side(case["side"], PLAIN, title=f"{case['scenario']}  {title_of(report)}")
    else:
        lines = render_case(case, report, PLAIN)
    return "\n".join(line.rstrip() for line in lines)
