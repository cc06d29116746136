"""A report as Markdown for a pull request: worst first, and never longer than a comment may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

from agenttwin.report._case import step_words
from agenttwin.report._escape import code, code_html, cut, fenced, prose
from agenttwin.report._reading import (
    exit_words,
    failing,
    fault_facts,
    idle_faults,
    is_fake,
    is_quiet,
    is_run,
    name_of,
    plan_of,
    provenance,
    short,
    still_failing,
    title_of,
    verdict_of,
    versions_of,
    word_of,
)
from agenttwin.report._words import VERDICTS, change, checked_words, plural, value

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
MISSES: Final = 3
"""Cases that may turn out too long before no more are tried."""

ROWS: Final = 40
"""Rows of one table of a case."""


def render_markdown(report: Report) -> str:
    """The report as Markdown of at most ``LIMIT`` characters."""
    before = [*_head(report), *_table_of_cases(report), *_manifest(report)]
    after = [*_coverage(report), *_totals(report), _foot(report)]
    note = f"_{{}} left out: a comment holds {LIMIT:,} characters._"
    room = LIMIT - sum(map(_size, (*before, *after, note))) - _size("1,000,000")
    cases, left = _cases(report, room)
    told = [note.format(f"{left:,} case{'' if left == 1 else 's'}")] if left else []
    return "\n\n".join((*before, *cases, *told, *after)) + "\n"


def _size(block: str) -> int:
    """What a block takes, with the empty line after it."""
    return len(block.encode("utf-16-le", "surrogatepass")) // 2 + 2


def _cases(report: Report, room: int) -> tuple[list[str], int]:
    """The cases that there is room for, worst first, and how many there is none for.

    One that is too long is passed over; after ``MISSES`` of them the rest are not even tried.
    """
    loud = [case for case in report["cases"] if not is_quiet(case)]
    kept: list[str] = []
    for number, case in enumerate(loud):
        if number - len(kept) > MISSES:
            break
        fitting, _ = _fit([_case(case, report, opened=not kept)], room)
        room -= sum(map(_size, fitting))
        kept += fitting
    return kept, len(loud) - len(kept)


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
    word = verdict_of(report)
    yield f"{MARKER}\n## {word.shape} {word.text.capitalize()}: {prose(cut(title_of(report), SENTENCE))}"
    yield f"**{prose(cut(report['headline'], SENTENCE))}**"
    facts = [plural(len(report["cases"]), "case", "cases"), f"seed {plan_of(report)['seed']}"]
    facts += ["a program, no language model"] if is_fake(report) else []
    yield " · ".join([*facts, *provenance(report)])
    told = [*(f"Invalid: {text}" for text in report.get("invalid", ())), *report["warnings"]]
    lines, left = _fit((f"- {prose(cut(text, SENTENCE))}" for text in told), ROOM["warnings"])
    if lines:
        yield "\n".join([*lines, *_more(left)])


def _more(left: int) -> list[str]:
    """What a list leaves out, as its last line."""
    return [f"- and {left:,} more"] if left else []


def _table_of_cases(report: Report) -> Iterator[str]:
    loud = [case for case in report["cases"] if not is_quiet(case)]
    if not loud:
        return
    rows, left = _fit((_row(case, report) for case in loud), ROOM["table"])
    more = [f"| and {left:,} more | | |"] if left else []
    yield "\n".join(["| | case | why |", "|:--|:--|:--|", *rows, *more])


def _row(case: Report, report: Report) -> str:
    word = word_of(case)
    name = f"{code(cut(name_of(case, report), NAME))}<br>{prose(case['severity'])}"
    return f"| {word.shape} **{word.text}** | {name} | {prose(cut(case['reason'], SENTENCE))} |"


def _manifest(report: Report) -> Iterator[str]:
    difference = report.get("manifest_diff")
    if difference is None or not (difference["instructions"] or difference["fields"]):
        return
    lines = [f"{line['sign']} {cut(line['text'].strip(), SENTENCE)}" for line in difference["instructions"]]
    lines += [f"! {cut(change(field), SENTENCE)}" for field in difference["fields"]]
    kept, left = _fit(lines, ROOM["manifest"])
    count = plural(len(lines), "line", "lines")
    body = fenced("\n".join([*kept, *([f"… and {left:,} more lines"] if left else [])]), "diff")
    yield _details(f"What changed in the agent ({count})", body)


def _details(summary: str, *body: str, opened: bool = False) -> str:
    """A block that opens at a click; ``summary`` is HTML."""
    start = "<details open>" if opened else "<details>"
    return "\n\n".join((f"{start}<summary>{summary}</summary>", *body, "</details>"))


# -- one case


def _case(case: Report, report: Report, *, opened: bool) -> str:
    word = word_of(case)
    name = code_html(cut(name_of(case, report), NAME))
    parts = (_about(case), _expectations(case), _claims(case, report), _happened(case, report))
    body = [
        *parts,
        _steps(case, report),
        _divergence(case),
        *_faults(case, report),
        *_own_lists(case, report),
    ]
    summary = f"{word.shape} <b>{word.text}</b> {name}"
    return _details(summary, *filter(None, body), fenced(case["rerun"], "sh"), opened=opened)


def _about(case: Report) -> str:
    asked = f"**Asked:** “{prose(cut(case['asked'], ANSWER))}”" if case["asked"] else ""
    about = f"**About:** {prose(cut(case['description'], SENTENCE))}" if case["description"] else ""
    return "<br>".join(filter(None, (about, asked)))


def _expectations(case: Report) -> str:
    found = {item["id"]: item for item in (*failing(case), *still_failing(case))}
    before = {item["id"]: item for item in case["baseline"]["evaluations"]} if "baseline" in case else {}
    lines = [_expectation(item, before.get(name)) for name, item in list(found.items())[:ROWS]]
    return "\n".join(lines) or f"**Why:** {prose(cut(case['reason'], SENTENCE))}"


def _expectation(item: Report, before: Report | None) -> str:
    facts = [
        "**critical**" if item["critical"] else "",
        f"{VERDICTS[before['verdict']].text} before" if before is not None else "",
        "expected to fail" if item["expected_to_fail"] else "",
    ]
    told = ", ".join(filter(None, facts))
    name = code(cut(item["id"], NAME))
    reason = prose(cut(item["reason"], SENTENCE))
    return f"- {VERDICTS[item['verdict']].shape} {name}{f' ({told})' if told else ''}: {reason}"


def _claims(case: Report, report: Report) -> str:
    """What was claimed; it is testimony, and stands in quotation marks."""
    if "side" in case:
        return _quote(case["side"], "Claimed")
    left, right = case["baseline"], case["candidate"]
    same = case["differences"]["same_answer"] and left["claimed_outcome"] == right["claimed_outcome"]
    if same:
        return _quote(right, "Claimed by both, word for word")
    versions = versions_of(report)
    return "\n\n".join(_quote(case[role], f"Claimed by {_version(versions[role])}") for role in versions)


def _quote(side: Report, title: str) -> str:
    inferred = ", read from its words" if side["claim_inferred"] else ""
    answer = side["answer"]
    said = f"“{prose(cut(answer, ANSWER))}”" if answer is not None else "(no answer)"
    return f"**{title}:** {side['claimed_outcome']}{inferred}\n> {said}"


def _version(version: Report) -> str:
    return prose(cut(version["version"], NAME))


def _happened(case: Report, report: Report) -> str:
    """What the record shows: of both sides where they differ, of one alone what changed."""
    if "side" in case:
        lines = [f"- {prose(cut(change(item), 2 * VALUE))}" for item in case["side"]["state_changes"][:ROWS]]
        return "\n".join([f"**Happened:** {_outcome(case['side'])}\n", *lines])
    left, right = case["baseline"], case["candidate"]
    rows: list[Sequence[str]] = [("verified outcome", _outcome(left), _outcome(right))]
    state = case["differences"]["state"]
    for item in state[:ROWS]:
        cells = (code(cut(value(item[key]), VALUE)) if key in item else "–" for key in ("before", "after"))
        rows.append((code(cut(item["path"], VALUE)), *cells))
    if len(state) > ROWS:
        rows.append((f"and {len(state) - ROWS:,} more", "", ""))
    rows.append(("tool calls", _calls(left), _calls(right)))
    return _columns(report, rows)


def _outcome(side: Report) -> str:
    outcome = side["outcome"]
    return str(outcome["status"]) if outcome is not None and outcome["verified"] else "not verified"


def _calls(side: Report) -> str:
    twice = side["duplicates"]
    return f"{side['tool_calls']}{f', {twice} applied twice' if twice else ''}"


def _columns(report: Report, rows: Iterable[Sequence[str]]) -> str:
    """A table of both sides; rows that differ have their mark."""
    before, after = (_version(version) for version in versions_of(report).values())
    lines = [f"| happened | {before} | | {after} |", "|:--|:--|:-:|:--|"]
    for label, left, right in rows:
        lines.append(f"| {label} | {left} | {'≠' if left != right else ''} | {right} |")
    return "\n".join(lines)


def _steps(case: Report, report: Report) -> str:
    if "side" in case:
        lines = [f"{step['step']}. {_step(case['side'], step)}" for step in case["steps"][:ROWS]]
        return "\n".join(lines)
    rows, divergence = case["alignment"], case["divergence"]
    if not rows:
        return ""
    before, after = (_version(version) for version in versions_of(report).values())
    lines = [f"| {before} did | | {after} did |", "|:--|:-:|:--|"]
    first = next((number for number, row in enumerate(rows) if not row["same"]), None)
    for number, row in enumerate(rows[:ROWS]):
        left, right = (_numbered(case[role], row[role]) for role in ("baseline", "candidate"))
        lines.append(f"| {left} | {'◂▸' if divergence and number == first else ''} | {right} |")
    if len(rows) > ROWS:
        lines.append(f"| and {len(rows) - ROWS:,} more | | |")
    return "\n".join(lines)


def _numbered(side: Report, step: Report | None) -> str:
    return "" if step is None else f"{step['step']} {_step(side, step)}"


def _step(side: Report, step: Report) -> str:
    return code(cut(step_words(cast(Any, side), cast(Any, step)), VALUE))


def _divergence(case: Report) -> str:
    divergence = case.get("divergence")
    if divergence is None:
        return ""
    sentences = filter(None, (divergence["summary"], divergence["meaning"]))
    told = "<br>".join(prose(cut(text, 2 * SENTENCE)) for text in sentences)
    return f"**Where they part:** {told}"


def _faults(case: Report, report: Report) -> Iterator[str]:
    lines = [*map(str, fault_facts(case, report)), *idle_faults(case, report)]
    if lines:
        told = "<br>".join(prose(cut(line, SENTENCE)) for line in lines[:ROWS])
        yield f"**Fault, what was done and what was seen:** {told}"


def _own_lists(case: Report, report: Report) -> Iterator[str]:
    """Where an agent's own list of calls and the record disagree."""
    for role, version in versions_of(report).items():
        found = case["side" if "side" in case else role]["disagreements"]
        if found:
            lines = "\n".join(f"- {prose(cut(text, SENTENCE))}" for text in found[:ROWS])
            yield f"**The call list of {_version(version)} and the record disagree:**\n\n{lines}"


# -- the rest


def _coverage(report: Report) -> Iterator[str]:
    found, tools = report["coverage"], report["coverage"]["tools"]
    if not report["cases"]:
        return
    lines = [f"{len(tools['exercised'])} of {tools['total']} tools were called.", *_untouched(tools)]
    lines += [_irreversible(tool) for tool in found["irreversible"]]
    effective = ", ".join(code(cut(name, NAME)) for name in found["faults_took_effect"]) or "none"
    lines.append(f"Faults that took effect: {effective}.")
    lines += [
        f"**No effect:** {code(cut(idle['type'], NAME))} in {code(cut(idle['scenario'], NAME))}."
        for idle in found["faults_without_effect"]
    ]
    unread = dict.fromkeys(change["path"] for change in found["unread_changes"])
    if unread:
        paths = ", ".join(code(cut(path, NAME)) for path in list(unread)[:ROWS])
        more = f" and {len(unread) - ROWS:,} more" if len(unread) > ROWS else ""
        lines.append(f"Changed, and no expectation looks at it: {paths}{more}.")
    lines += [prose(cut(checked_words(twin), SENTENCE)) for twin in found["measured"].get("twins", ())]
    kept, left = _fit((f"- {line}" for line in lines), ROOM["coverage"])
    yield _details("Coverage", "\n".join([*kept, *_more(left)]))


def _untouched(tools: Report) -> Iterator[str]:
    if tools["not_exercised"]:
        yield f"Never called: {', '.join(code(cut(name, NAME)) for name in tools['not_exercised'][:ROWS])}."


def _irreversible(tool: Report) -> str:
    tried = (
        ("called", tool["exercised"]),
        ("answer lost after its effect", tool["timeout_after_effect"]),
        ("success without effect", tool["success_without_effect"]),
    )
    marks = ", ".join(f"{'✓' if there else '✗'} {name}" for name, there in tried)
    return f"{code(cut(tool['tool'], NAME))} cannot be taken back: {marks}."


def _totals(report: Report) -> Iterator[str]:
    if not report["cases"]:
        return
    versions = versions_of(report)
    sums = [report["totals"]] if is_run(report) else [report["totals"][role] for role in versions]
    lines = [f"| | {' | '.join(map(_version, versions.values()))} |", f"|:--|{'--:|' * len(sums)}"]
    lines += [
        f"| {key.replace('_', ' ')} | {' | '.join(str(side[key]) for side in sums)} |"
        for key in ("passed", "failed", "errored", "expected_failures", "tool_calls", "retries")
    ]
    yield _details("Totals", "\n".join(lines))


def _foot(report: Report) -> str:
    plan, digest = short(plan_of(report)["plan_digest"]), short(report["report_digest"])
    told = f"exit code {report['exit_code']}: {exit_words(report)}"
    return f"<sub>{told} · plan {plan} · report {digest} · AgentTwin</sub>"
