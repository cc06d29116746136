"""A report as Markdown for a pull request: worst first, and never longer than a comment may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from agenttwin.report._escape import code, code_html, cut, fenced, prose
from agenttwin.report._reading import (
    QUIET,
    change_words,
    class_of,
    exit_words,
    failing,
    fault_lines,
    is_fake,
    is_run,
    name_of,
    plan_of,
    short,
    side_of,
    state_rows,
    step_words,
    still_failing,
    title_of,
    unread_words,
    verdict_of,
    word_of,
)
from agenttwin.report._words import VERDICTS

Report = Mapping[str, Any]

MARKER: Final = "<!-- agenttwin-report -->"
"""The first line, by which a comment that is to be updated is found."""

LIMIT: Final = 65_536
"""Characters of a comment on GitHub, in units of UTF-16; the step summary and GitLab take more."""

ROOM: Final[Mapping[str, int]] = MappingProxyType(
    {"warnings": 4_000, "table": 16_000, "manifest": 8_000, "coverage": 6_000}
)
"""What each part may take of that, so that the details of the cases always have a third."""

NAME: Final = 120
VALUE: Final = 160
SENTENCE: Final = 400
ANSWER: Final = 1_200
ROWS: Final = 40
"""Rows of one table of a case."""


def render_markdown(report: Report) -> str:
    """The report as Markdown of at most ``LIMIT`` characters."""
    before = [*_head(report), *_table_of_cases(report), *_manifest(report)]
    after = [*_coverage(report), *_totals(report), _foot(report)]
    note = f"_{{}} left out: a comment holds {LIMIT:,} characters._"
    room = LIMIT - sum(map(_size, (*before, *after, note))) - _size("1,000,000")
    loud = [case for case in report["cases"] if class_of(case) not in QUIET]
    cases, left = _fit((_case(case, report, opened=case is loud[0]) for case in loud), room)
    told = [note.format(f"{left:,} case{'' if left == 1 else 's'}")] if left else []
    return "\n\n".join((*before, *cases, *told, *after)) + "\n"


def _size(block: str) -> int:
    """What a block takes, with the empty line after it."""
    return len(block.encode("utf-16-le", "surrogatepass")) // 2 + 2


def _fit(blocks: Iterable[str], room: int) -> tuple[list[str], int]:
    """The blocks that there is room for, and how many there is none for."""
    kept, left = [], 0
    for block in blocks:
        if _size(block) <= room:
            room -= _size(block)
            kept.append(block)
        else:
            left += 1
    return kept, left


# -- the verdict


def _head(report: Report) -> Iterator[str]:
    yield f"{MARKER}\n## {verdict_of(report).shape} {prose(cut(report['headline'], SENTENCE))}"
    count = len(report["cases"])
    facts = f"{count} case{'' if count == 1 else 's'} · seed {plan_of(report)['seed']}"
    fake = " · deterministic programs, not language models" if is_fake(report) else ""
    yield f"**{prose(cut(title_of(report), SENTENCE))}** · {facts}{fake}"
    told = [*(f"Invalid: {text}" for text in report.get("invalid", ())), *report["warnings"]]
    lines, left = _fit((f"- {prose(cut(text, SENTENCE))}" for text in told), ROOM["warnings"])
    if lines:
        yield "\n".join([*lines, *([f"- and {left:,} more"] if left else [])])


def _table_of_cases(report: Report) -> Iterator[str]:
    if not report["cases"]:
        return
    loud = [case for case in report["cases"] if class_of(case) not in QUIET]
    rows, left = _fit((_row(case, report) for case in loud), ROOM["table"])
    quiet = len(report["cases"]) - len(loud)
    if quiet:
        word = next(word_of(case) for case in report["cases"] if class_of(case) in QUIET)
        rows.append(f"| {word.shape} {quiet:,} {word.text} | | |")
    if left:
        rows.insert(len(rows) - bool(quiet), f"| and {left:,} more | | |")
    yield "\n".join(["| | case | why |", "|:--|:--|:--|", *rows])


def _row(case: Report, report: Report) -> str:
    word = word_of(case)
    name = f"{code(cut(name_of(case, report), NAME))}<br>{prose(case['severity'])}"
    return f"| {word.shape} **{word.text}** | {name} | {prose(cut(case['reason'], SENTENCE))} |"


def _manifest(report: Report) -> Iterator[str]:
    difference = report.get("manifest_diff")
    if difference is None or not (difference["instructions"] or difference["fields"]):
        return
    lines = [f"{line['sign']} {line['text'].strip()}" for line in difference["instructions"]]
    lines += [f"! {change['path']}: {change_words(change)}" for change in difference["fields"]]
    kept, left = _fit((cut(line, SENTENCE) for line in lines), ROOM["manifest"])
    more = [f"… and {left:,} more lines"] if left else []
    count = f"{len(lines):,} line{'' if len(lines) == 1 else 's'}"
    yield _details(f"What changed in the agent ({count})", fenced("\n".join([*kept, *more]), "diff"))


def _details(summary: str, *body: str, opened: bool = False) -> str:
    """A block that opens at a click; ``summary`` is HTML."""
    start = "<details open>" if opened else "<details>"
    return "\n\n".join((f"{start}<summary>{summary}</summary>", *body, "</details>"))


# -- one case


def _case(case: Report, report: Report, *, opened: bool) -> str:
    word = word_of(case)
    name = code_html(cut(name_of(case, report), NAME))
    body = [_expectations(case), *_said(case, report)]
    if is_run(report):
        body.append(_steps_alone(case["side"]))
    else:
        body += [_happened(case, report), *_steps(case, report), *_divergence(case)]
    body += [*_faults(case), *_own_list(case, report), fenced(case["rerun"], "sh")]
    return _details(f"{word.shape} <b>{word.text}</b> {name}", *filter(None, body), opened=opened)


def _expectations(case: Report) -> str:
    found = {item["id"]: item for item in (*failing(case), *still_failing(case))}
    before = {item["id"]: item["verdict"] for item in case.get("baseline", {}).get("evaluations", ())}
    lines = [_expectation(item, before.get(name), case) for name, item in list(found.items())[:ROWS]]
    return "\n".join(lines) or f"- {prose(cut(case['reason'], SENTENCE))}"


def _expectation(item: Report, before: str | None, case: Report) -> str:
    critical = " **critical**" if item["critical"] else ""
    critical += " (expected to fail)" if item["id"] in case.get("expected_failures", ()) else ""
    was = f" (was {before})" if before is not None else ""
    reason = prose(cut(item["reason"], SENTENCE))
    shape = VERDICTS[item["verdict"]].shape
    return f"- {shape} {code(cut(item['id'], NAME))}{critical}{was}: {reason}"


def _said(case: Report, report: Report) -> Iterator[str]:
    """What was claimed; it is testimony, and stands in quotation marks."""
    if is_run(report):
        yield _quote(case["side"], "Claimed")
        return
    left, right = case["baseline"], case["candidate"]
    said = [(side["claimed_outcome"], side["answer"]) for side in (left, right)]
    if said[0] == said[1]:
        yield _quote(left, "Claimed by both, word for word")
        return
    for role, side in (("baseline", left), ("candidate", right)):
        yield _quote(side, f"Claimed by {_version(report, role)}")


def _quote(side: Report, title: str) -> str:
    inferred = ", read from the answer" if side["claim_inferred"] else ""
    answer = side["answer"]
    said = f"“{prose(cut(answer, ANSWER))}”" if answer is not None else "(no answer)"
    return f"{title}: **{side['claimed_outcome']}**{inferred}\n> {said}"


def _version(report: Report, role: str) -> str:
    return prose(cut(report[role]["version"], NAME))


def _happened(case: Report, report: Report) -> str:
    left, right = case["baseline"], case["candidate"]
    rows = [("verified outcome", *(_outcome(side) for side in (left, right)))]
    changes = list(state_rows(left, right))
    for path, before, after in changes[:ROWS]:
        rows.append((code(cut(path, VALUE)), _change(before), _change(after)))
    if len(changes) > ROWS:
        rows.append((f"and {len(changes) - ROWS:,} more", "", ""))
    return _columns("what happened", report, rows)


def _change(change: Report | None) -> str:
    words = cut(change_words(change), VALUE)
    return f"_{words}_" if change is None else code(words)


def _outcome(side: Report) -> str:
    if side["outcome"] is None:
        return "–"
    verified = "" if side["outcome"]["verified"] else " (not verified)"
    return f"{side['outcome']['status']}{verified}"


def _columns(title: str, report: Report, rows: Iterable[Sequence[str]]) -> str:
    """A table of both sides; rows that differ have their mark."""
    lines = [f"| {title} | {_version(report, 'baseline')} | | {_version(report, 'candidate')} |"]
    lines.append("|:--|:--|:-:|:--|")
    for label, left, right in rows:
        lines.append(f"| {label} | {left} | {'≠' if left != right else ''} | {right} |")
    return "\n".join(lines)


def _steps(case: Report, report: Report) -> Iterator[str]:
    rows = case["alignment"]
    if not rows:
        return
    parts = case["divergence"]["step"] if case["divergence"] else None
    lines = [
        f"| {_version(report, 'baseline')} did | | {_version(report, 'candidate')} did |",
        "|:--|:-:|:--|",
    ]
    for row in rows[:ROWS]:
        steps = (row["baseline"], row["candidate"])
        marked = any(step is not None and step["step"] == parts for step in steps)
        left, right = (code(cut(step_words(step), VALUE)) if step is not None else "" for step in steps)
        lines.append(f"| {left} | {'◂▸' if marked else ''} | {right} |")
    if len(rows) > ROWS:
        lines.append(f"| and {len(rows) - ROWS:,} more | | |")
    yield "\n".join(lines)


def _divergence(case: Report) -> Iterator[str]:
    divergence = case["divergence"]
    if divergence is not None:
        sentences = filter(None, (divergence["summary"], divergence["meaning"]))
        told = "<br>".join(prose(cut(text, 2 * SENTENCE)) for text in sentences)
        yield f"**Where they part:** {told}"


def _steps_alone(side: Report) -> str:
    lines = [
        f"{call['seq']}. {code(cut(call['tool'], NAME))} → {code(cut(_seen(call), VALUE))}"
        for call in side["calls"][:ROWS]
    ]
    return "\n".join(lines) or "No tool was called."


def _seen(call: Report) -> str:
    return f"{call['result']}, {call['effect']}" if call["effect"] != "none" else str(call["result"])


def _faults(case: Report) -> Iterator[str]:
    sides = [side_of(case), *([case["baseline"]] if "baseline" in case else [])]
    if not any(side["faults"] for side in sides):
        return
    lines = next(filter(None, (list(dict.fromkeys(fault_lines(side))) for side in sides)), [])
    if not lines:
        yield "**No fault took effect, so this case shows nothing about one.**"
    else:
        told = "<br>".join(prose(cut(line, SENTENCE)) for line in lines[:ROWS])
        yield f"**Fault, what was done and what was seen:** {told}"


def _own_list(case: Report, report: Report) -> Iterator[str]:
    """Where an agent's own list of calls and the evidence disagree."""
    roles = ("baseline", "candidate") if not is_run(report) else ("side",)
    for role in roles:
        found = case[role]["disagreements"]
        if found:
            whose = f" of {_version(report, role)}" if role != "side" else ""
            lines = "\n".join(f"- {prose(cut(text, SENTENCE))}" for text in found[:ROWS])
            yield f"The call list{whose} and the evidence disagree:\n\n{lines}"


# -- the rest


def _coverage(report: Report) -> Iterator[str]:
    found = report.get("coverage")
    if found is None or not report["cases"]:
        return
    tools = found["tools"]
    lines = [f"{len(tools['exercised'])} of {tools['total']} tools were called."]
    lines += [_irreversible(tool) for tool in found["irreversible"]]
    effective = ", ".join(code(cut(name, NAME)) for name in found["faults_took_effect"]) or "none"
    lines.append(f"Faults that took effect: {effective}.")
    for idle in found["faults_without_effect"]:
        lines.append(
            f"**No effect**: {code(cut(idle['type'], NAME))} in {code(cut(idle['scenario'], NAME))}."
        )
    unread = unread_words(found["unread_changes"])
    if unread:
        lines.append(f"Changed, and read by no expectation: {prose(cut('; '.join(unread), 2 * SENTENCE))}.")
    kept, left = _fit((f"- {line}" for line in lines), ROOM["coverage"])
    yield _details("Coverage", "\n".join([*kept, *([f"- and {left:,} more"] if left else [])]))


def _irreversible(tool: Report) -> str:
    tried = (
        ("called", tool["exercised"]),
        ("timeout after the effect", tool["timeout_after_effect"]),
        ("success without effect", tool["success_without_effect"]),
    )
    marks = ", ".join(f"{name} {'✓' if there else '✗'}" for name, there in tried)
    return f"{code(cut(tool['tool'], NAME))} cannot be taken back: {marks}"


def _totals(report: Report) -> Iterator[str]:
    if is_run(report) or not report["cases"]:
        return
    totals = report["totals"]
    lines = [f"| | {_version(report, 'baseline')} | {_version(report, 'candidate')} |", "|:--|--:|--:|"]
    for key in ("passed", "failed", "errored", "tool_calls", "retries"):
        values = f"{totals['baseline'][key]} | {totals['candidate'][key]}"
        lines.append(f"| {key.replace('_', ' ')} | {values} |")
    yield _details("Totals", "\n".join(lines))


def _foot(report: Report) -> str:
    plan, digest = short(plan_of(report)["plan_digest"]), short(report["report_digest"])
    told = f"exit code {report['exit_code']}: {exit_words(report)}"
    return f"<sub>{told} · plan {plan} · report {digest} · AgentTwin</sub>"
