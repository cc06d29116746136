"""A comparison for the terminal: the verdict first, then what differs, worst cases first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agenttwin.report._reading import change_words, fault_lines, state_rows, step_words, unread_words
from agenttwin.report._text import Page, clean, pad, width
from agenttwin.report._words import CLASSES, EXIT_CODES, VERDICTS

Report = Mapping[str, Any]

STATE_ROWS: Final = 8
"""Differences of the final states that are shown; `show` has them all."""


def render_comparison(report: Report, page: Page) -> Iterator[str]:
    """The comparison, line by line."""
    yield from _head(report, page)
    if not report["cases"]:
        return
    yield from _manifest(report, page)
    detailed = [case for case in report["cases"] if case["classification"] != "UNCHANGED"]
    for case in detailed:
        yield ""
        yield from render_case(case, report, page)
    yield from _unchanged(report, page)
    yield from _foot(report, page)


def _head(report: Report, page: Page) -> Iterator[str]:
    baseline, candidate = report["baseline"], report["candidate"]
    who = f"{baseline['agent']}  {baseline['version']} → {candidate['version']}"
    count = len(report["cases"])
    facts = f"{count} case{'' if count == 1 else 's'} · seed {report['pair']['seed']}"
    plan = report["pair"]["plan_digest"].removeprefix("sha256:")[:8]
    yield f"{page.paint(clean(who), 'bold')}   {page.paint(f'{facts} · plan {plan}', 'grey')}"
    style = {0: "green", 1: "red"}.get(report["exit_code"], "violet")
    yield page.paint(clean(report["headline"]), style)
    kinds = {baseline["model_kind"], candidate["model_kind"]}
    if kinds == {"deterministic-fake"}:
        yield page.paint("Both versions are deterministic programs, not language models.", "grey")


def _manifest(report: Report, page: Page) -> Iterator[str]:
    difference = report["manifest_diff"]
    if not difference["instructions"] and not difference["fields"]:
        return
    yield ""
    yield page.paint("What changed in the agent", "bold")
    for line in difference["instructions"]:
        style = "red" if line["sign"] == "-" else "green"
        for text in page.wrap(f"{line['sign']} {line['text'].strip()}", 2, 4):
            yield page.paint(text, style)
    for change in difference["fields"]:
        yield f"  {clean(change['path'])}: {clean(change_words(change))}"


# -- one case


def render_case(case: Report, report: Report, page: Page) -> Iterator[str]:
    """One case, with everything that bears on its class."""
    word = CLASSES[case["classification"]]
    title = page.paint(f"{word.shape} {word.text.upper()}", word.style)
    yield f"{title}  {page.paint(clean(case['scenario']), 'bold')}  {page.paint(case['severity'], 'grey')}"
    yield from page.wrap(case["reason"], 2)
    yield from _expectations(case, page)
    yield from _words(case, report, page)
    yield from _facts(case, report, page)
    yield from _calls(case, report, page)
    yield from _divergence(case, page)
    yield from _faults(case, page)
    yield from _own_lists(case, report, page)
    if case["classification"] != "UNCHANGED":
        yield ""
        yield f"  {page.paint('again:', 'grey')} {clean(case['rerun'])}"


def _heading(text: str, page: Page) -> Iterator[str]:
    yield ""
    yield f"  {page.paint(text, 'accent')}"


def _expectations(case: Report, page: Page) -> Iterator[str]:
    by_id = {item["id"]: item for item in case["baseline"]["evaluations"]}
    changed = [
        item
        for item in case["candidate"]["evaluations"]
        if item["verdict"] in ("FAIL", "ERROR") or case["movements"].get(item["id"]) == "fixed"
    ]
    if not changed:
        return
    yield from _heading("Expectations", page)
    for item in changed:
        was = by_id.get(item["id"], {}).get("verdict", "absent")
        word = VERDICTS[item["verdict"]]
        mark = page.paint(f"{word.shape} {item['verdict']}", word.style)
        critical = page.paint(" critical", "red") if item["critical"] else ""
        expected = " (expected to fail)" if item["id"] in case["expected_failures"] else ""
        yield f"    {mark} {clean(item['id'])}{critical}{expected} {page.paint(f'(was {was})', 'grey')}"
        yield from page.wrap(item["reason"], 8)


def _words(case: Report, report: Report, page: Page) -> Iterator[str]:
    """What both said. It is testimony, and stands in quotation marks."""
    left, right = case["baseline"]["answer"], case["candidate"]["answer"]
    if left is None and right is None:
        return
    if left == right:
        yield from _heading("Both said, word for word", page)
        yield from page.wrap(f"“{left}”", 4, 5)
        return
    yield from _heading("What they said", page)
    for version, answer in ((report["baseline"]["version"], left), (report["candidate"]["version"], right)):
        said = f"“{answer}”" if answer is not None else "(nothing)"
        yield from page.wrap(f"{version}: {said}", 4, 6)


def _facts(case: Report, report: Report, page: Page) -> Iterator[str]:
    """Claimed against happened, side by side."""
    left, right = case["baseline"], case["candidate"]
    rows = [("claimed outcome", left["claimed_outcome"], right["claimed_outcome"])]
    if left["outcome"] and right["outcome"]:
        rows.append(("verified outcome", left["outcome"]["status"], right["outcome"]["status"]))
    state = [(path, change_words(a), change_words(b)) for path, a, b in state_rows(left, right)]
    rows += state[:STATE_ROWS]
    versions = (report["baseline"]["version"], report["candidate"]["version"])
    yield from _heading("What happened", page)
    name = min(max(width(row[0]) for row in rows), page.columns // 2)
    value = max((page.columns - name - 10) // 2, 8)
    value = min(value, max(width(text) for row in rows for text in (*row[1:], *versions)))
    yield page.paint(
        f"    {pad('', name)}  {pad(versions[0], value)}  {pad(versions[1], value)}".rstrip(), "grey"
    )
    for label, before, after in rows:
        style = "bold" if before != after else "grey"
        yield page.paint(f"    {pad(label, name)}  {pad(before, value)}  {pad(after, value)}".rstrip(), style)
    if len(state) > STATE_ROWS:
        yield page.paint(f"    … and {len(state) - STATE_ROWS} more", "grey")


def _calls(case: Report, report: Report, page: Page) -> Iterator[str]:
    """Both trajectories, aligned."""
    rows = case["alignment"]
    if not rows:
        return
    parts = case["divergence"]["step"] if case["divergence"] else None
    half = (page.columns - 9) // 2
    yield from _heading("What they did", page)
    versions = f"      {pad(report['baseline']['version'], half)} {report['candidate']['version']}"
    yield page.paint(versions, "grey")
    for row in rows:
        steps = (row["baseline"], row["candidate"])
        marked = any(step is not None and step["step"] == parts for step in steps)
        left, right = (pad(step_words(step), half) for step in steps)
        line = f"    {'▸' if marked else ' '} {left} {right}".rstrip()
        yield page.paint(line, "bold") if marked else line


def _divergence(case: Report, page: Page) -> Iterator[str]:
    divergence = case["divergence"]
    if divergence is None:
        return
    yield from _heading("Where they part", page)
    yield from page.wrap(divergence["summary"], 4)
    if divergence["meaning"]:
        yield from page.wrap(divergence["meaning"], 4)


def _faults(case: Report, page: Page) -> Iterator[str]:
    lines = dict.fromkeys(fault_lines(case["candidate"])) or dict.fromkeys(fault_lines(case["baseline"]))
    uses = case["candidate"]["faults"] or case["baseline"]["faults"]
    if not uses:
        return
    yield from _heading("The fault: what was done, and what was seen", page)
    for line in lines:
        yield from page.wrap(line, 4, 6)
    if not lines:
        yield "    No fault took effect, so this case shows nothing about one."


def _own_lists(case: Report, report: Report, page: Page) -> Iterator[str]:
    """The agent's own list beside the evidence: testimony, and whether it is true."""
    for name in ("baseline", "candidate"):
        side = case[name]
        version = report[name]["version"]
        if side["disagreements"]:
            yield from _heading(f"The call list of {version} and the evidence disagree", page)
            for sentence in side["disagreements"]:
                yield from page.wrap(sentence, 4, 6)
    side = case["candidate"]
    if case["worse"] and side["own_calls"] and not side["disagreements"]:
        yield ""
        text = f"The call list of {report['candidate']['version']} is truthful, and does not show this."
        yield f"  {page.paint(text, 'grey')}"


# -- the rest


def _unchanged(report: Report, page: Page) -> Iterator[str]:
    cases = [case for case in report["cases"] if case["classification"] == "UNCHANGED"]
    if not cases:
        return
    word = CLASSES["UNCHANGED"]
    yield ""
    name = max(width(case["scenario"]) for case in cases)
    for case in cases:
        parts = f" · parts at step {case['divergence']['step']}, no verdict" if case["divergence"] else ""
        line = f"{pad(case['scenario'], name)}  {clean(case['reason'])}{page.paint(parts, 'grey')}"
        yield f"{page.paint(f'{word.shape} {word.text}', word.style)}  {line}"


def _foot(report: Report, page: Page) -> Iterator[str]:
    yield ""
    baseline, candidate = report["totals"]["baseline"], report["totals"]["candidate"]
    versions = (report["baseline"]["version"], report["candidate"]["version"])
    rows = [("", versions[0], versions[1])]
    for label, key in (("passed", "passed"), ("failed", "failed"), ("errored", "errored")):
        rows.append((label, str(baseline[key]), str(candidate[key])))
    rows += [
        ("tool calls", str(baseline["tool_calls"]), str(candidate["tool_calls"])),
        ("retries", str(baseline["retries"]), str(candidate["retries"])),
    ]
    values = max(width(text) for row in rows for text in row[1:])
    for label, left, right in rows:
        yield page.paint(f"{pad(label, 12)}{left.rjust(values)}  {right.rjust(values)}", "grey")
    yield ""
    yield from _coverage(report["coverage"], page)
    for warning in report["warnings"]:
        yield from page.wrap(f"warning: {warning}", 0, 2)
    code = report["exit_code"]
    yield f"Exit code {code}: {EXIT_CODES[code]}."


def _coverage(coverage: Report, page: Page) -> Iterator[str]:
    tools = coverage["tools"]
    yield f"Covered: {len(tools['exercised'])} of {tools['total']} tools."
    for tool in coverage["irreversible"]:
        tried = (
            ("called", tool["exercised"]),
            ("timeout after the effect", tool["timeout_after_effect"]),
            ("success without effect", tool["success_without_effect"]),
        )
        marks = ", ".join(f"{name} {'✓' if there else '✗'}" for name, there in tried)
        yield from page.wrap(f"{tool['tool']} (cannot be taken back): {marks}", 2, 4)
    unread = unread_words(coverage["unread_changes"])
    if unread:
        yield from page.wrap(f"Changed, and read by no expectation: {'; '.join(unread)}.", 2, 4)
