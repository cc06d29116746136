"""A comparison for the terminal: the verdict first, then what changed, then the cases, worst first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agenttwin.compare import CaseDocument, ChangeDocument, ComparisonDocument
from agenttwin.report._case import Shown, parts_of
from agenttwin.report._foot import coverage, exit_code, notes, totals
from agenttwin.report._page import Page
from agenttwin.report._reading import provenance
from agenttwin.report._text import line, pad, width
from agenttwin.report._words import CLASSES, DECISIONS, MODELS, change, plural

MAX_MANIFEST_LINES: Final = 24
MAX_QUIET_CASES: Final = 40
"""Cases of which one line says all; in a large suite they would push out what matters."""


def render_comparison(report: ComparisonDocument, page: Page) -> Iterator[str]:
    """The report of a comparison, line by line."""
    yield from _verdict(report, page)
    yield from _manifest(report, page)
    quiet = []
    for case in report["cases"]:
        parts = parts_of(case)
        if not parts:
            quiet.append(case)
            continue
        yield ""
        yield page.paint("─" * page.columns, "quiet")
        for part in parts:
            yield from part(Shown(case, report, page))
    yield from _quiet(quiet, page)
    yield from _foot(report, page)


def _verdict(report: ComparisonDocument, page: Page) -> Iterator[str]:
    word = DECISIONS[report["verdict"]]
    baseline, candidate = report["baseline"], report["candidate"]
    who = f"{candidate['agent']} {baseline['version']} → {candidate['version']}"
    if baseline["agent"] != candidate["agent"]:
        who = f"{baseline['agent']} {baseline['version']} → {candidate['agent']} {candidate['version']}"
    yield f"{page.paint(str(word), word.style)}  {page.paint(line(who), 'bold')}"
    yield from page.text(report["headline"])
    for reason in report["invalid"]:
        yield from page.text(reason, 2, 2)
    models = dict.fromkeys(MODELS[side["model_kind"]] for side in (baseline, candidate))
    facts = [
        plural(len(report["cases"]), "case", "cases"),
        f"seed {report['pair']['seed']}",
        f"the agent is {' and then '.join(models)}",
        *provenance(report),
    ]
    yield from page.text(" · ".join(facts), style="quiet")


def _manifest(report: ComparisonDocument, page: Page) -> Iterator[str]:
    """What differs between the two manifests."""
    difference = report["manifest_diff"]
    lines = [(item["sign"], item["text"]) for item in difference["instructions"] if item["text"].strip()]
    fields = difference["fields"]
    yield ""
    if not lines and not fields:
        yield from page.text("Nothing differs between the two manifests but the version.", style="quiet")
        return
    yield page.paint("What the change is", "bold")
    for sign, text in lines[:MAX_MANIFEST_LINES]:
        yield from page.text(f"{'−' if sign == '-' else '+'} {text}", 2, 2, "red" if sign == "-" else "green")
    if len(lines) > MAX_MANIFEST_LINES:
        yield f"  … and {len(lines) - MAX_MANIFEST_LINES} more lines of the instructions"
    for field in fields:
        yield from page.text(_field(field), 2, 2)


def _field(field: ChangeDocument) -> str:
    return change({**field, "path": field["path"].removeprefix("spec.")})


def _quiet(cases: list[CaseDocument], page: Page) -> Iterator[str]:
    """One line for each case in which nothing fails and nothing changed."""
    if not cases:
        return
    yield ""
    yield page.paint("─" * page.columns, "quiet")
    columns = max(width(case["scenario"]) for case in cases[:MAX_QUIET_CASES])
    for case in cases[:MAX_QUIET_CASES]:
        word = CLASSES[case["classification"]]
        head = f"{word}  {pad(case['scenario'], columns)}  "
        room = page.columns - width(head)
        first, *more = page_lines(" ".join(_quiet_words(case)), room)
        yield f"{page.paint(str(word), word.style)}  {pad(case['scenario'], columns)}  {first}"
        for rest in more:
            yield f"{' ' * width(head)}{rest}"
    if len(cases) > MAX_QUIET_CASES:
        yield f"… and {len(cases) - MAX_QUIET_CASES} more cases, unchanged"


def _quiet_words(case: CaseDocument) -> Iterator[str]:
    """The reason; that the sides part, which is no verdict; and what makes the case say less."""
    yield case["reason"]
    if case["divergence"] is not None:
        yield f"They part at step {case['divergence']['step']}."
    uses = [*case["baseline"]["faults"], *case["candidate"]["faults"]]
    if not all(use["took_effect"] for use in uses):
        yield "A fault made no difference."


def page_lines(text: str, columns: int) -> list[str]:
    """The text in lines of at most ``columns``."""
    return list(Page(columns=columns).text(text))


def _foot(report: ComparisonDocument, page: Page) -> Iterator[str]:
    yield ""
    yield page.paint("─" * page.columns, "quiet")
    sides = (report["baseline"], report["candidate"])
    both = (report["totals"]["baseline"], report["totals"]["candidate"])
    yield from totals([side["version"] for side in sides], both, page)
    yield from coverage(report["coverage"], page)
    yield from notes(report["warnings"], page)
    yield ""
    yield from exit_code(report["exit_code"], page)
