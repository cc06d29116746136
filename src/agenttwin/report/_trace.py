"""One case whole: every step of both sides aligned, with what each call did and what the agent saw of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import orjson

from agenttwin.compare import (
    CallDocument,
    CaseDocument,
    ComparisonDocument,
    RetrievalDocument,
    RunDocument,
    SideDocument,
    SingleCaseDocument,
    StepDocument,
)
from agenttwin.report._case import (
    Part,
    Shown,
    again,
    answer,
    calls_by_seq,
    expected,
    faults,
    happened,
    judged_by,
    own_lists,
    parting,
    said,
    step_words,
    title,
)
from agenttwin.report._page import Page
from agenttwin.report._text import cut, line
from agenttwin.report._words import OUTCOMES, VERDICTS, changes, done, seen, value

MAX_ANSWER_CHARACTERS: Final = 300
MAX_PRINTED_LINES: Final = 60


def render_case(
    case: CaseDocument | SingleCaseDocument,
    report: ComparisonDocument | RunDocument,
    page: Page,
    *,
    state: bool = False,
) -> Iterator[str]:
    """One case of ``report``, line by line; ``state``: with the final states."""
    if "side" in case:
        return _single(cast(SingleCaseDocument, case), cast(RunDocument, report), page, state=state)
    return _paired(Shown(case, cast(ComparisonDocument, report), page), state=state)


def _paired(shown: Shown, *, state: bool) -> Iterator[str]:
    parts: Sequence[Part] = (title, said, happened, _verdicts, _steps, parting, faults, own_lists, expected)
    for part in parts:
        yield from part(shown)
    for label, (_, side) in zip(shown.versions, shown.sides, strict=True):
        yield from _printed(label, side, shown.page)
        if state:
            yield from _state(label, side, shown.page)
    yield from again(shown)


def _single(case: SingleCaseDocument, report: RunDocument, page: Page, *, state: bool) -> Iterator[str]:
    side, word = case["side"], OUTCOMES[case["outcome"]]
    version = report["version"]
    name = page.paint(line(case["scenario"]), "bold")
    yield f"{page.paint(str(word).upper(), word.style)}  {name}  {case['severity']}"
    if case["description"]:
        yield from page.text(case["description"], 2, style="quiet")
    yield ""
    if case["asked"]:
        yield from page.labelled("Asked", f"“{case['asked']}”", 2, 10)
    yield from page.labelled("Answered", answer(side), 2, 10)
    yield from page.labelled("Claimed", side["claimed_outcome"], 2, 10)
    yield from page.head("Expectations")
    for item in side["evaluations"]:
        verdict = VERDICTS[item["verdict"]]
        critical = f" {page.paint('critical', 'red')}" if item["critical"] else ""
        name = page.paint(line(item["id"]), "bold")
        yield f"    {page.paint(verdict.shape, verdict.style)} {name}{critical}"
        for sentence in (item["reason"], *judged_by(item)):
            yield from page.text(sentence, 6)
    yield from page.head("Step by step")
    for step in case["steps"]:
        yield from _step(page, side, step, f"{step['step']:>2}  ")
    if side["state_changes"]:
        yield from page.head("What changed")
        for change in side["state_changes"]:
            yield from page.text(changes([change]), 4, 2)
    for sentence in side["disagreements"]:
        yield from page.text(sentence, 4, 2)
    yield from _printed(version, side, page)
    if state:
        yield from _state(version, side, page)
    yield from page.head("Run it again")
    yield f"    {page.command(case['rerun'])}"


def _verdicts(shown: Shown) -> Iterator[str]:
    """Every expectation on both sides, with the candidate's reason, or the baseline's where there is none."""
    page, case = shown.page, shown.case
    before, after = (
        {item["id"]: item for item in side["evaluations"]} for side in (case["baseline"], case["candidate"])
    )
    yield from page.head("Expectations")
    for name, movement in case["movements"].items():
        items = (before.get(name), after.get(name))
        words = [VERDICTS[item["verdict"]] if item is not None else None for item in items]
        marks = " → ".join(page.paint(word.shape, word.style) if word else " " for word in words)
        told = items[1] or items[0]
        critical = f" {page.paint('critical', 'red')}" if told and told["critical"] else ""
        moved = "" if movement == "same" else f" ({movement.replace('_', ' ')})"
        yield f"    {marks}  {page.paint(line(name), 'bold')}{critical}{moved}"
        for sentence in (told["reason"], *judged_by(told)) if told else ():
            yield from page.text(sentence, 11)


# -- steps


def _steps(shown: Shown) -> Iterator[str]:
    """The aligned steps; those that are the same on both sides stand once."""
    (left, before), (right, after) = shown.sides
    columns = max(len(left), len(right), len("both"))
    yield from shown.page.head("Step by step")
    for row in shown.case["alignment"]:
        there, here = row["baseline"], row["candidate"]
        if row["same"] and there is not None and here is not None:
            number = (
                f"{there['step']}" if there["step"] == here["step"] else f"{there['step']}/{here['step']}"
            )
            yield from _step(shown.page, after, here, f"{number:>5}  {'both':<{columns}}  ")
            continue
        for step, version, side in ((there, left, before), (here, right, after)):
            if step is not None:
                yield from _step(shown.page, side, step, f"{step['step']:>5}  {version:<{columns}}  ")


def _step(page: Page, side: SideDocument, step: StepDocument, head: str) -> Iterator[str]:
    """A step: what was called, and below it what was done and what was seen."""
    call = calls_by_seq(side).get(step["call"] or 0) if step["kind"] == "call" else None
    text = step["shown"] if call is not None else step_words(side, step)
    yield from page.labelled(head, text, 4, len(head))
    for detail in _details(side, step, call):
        yield from page.labelled("", detail, 4, len(head))


def _details(side: SideDocument, step: StepDocument, call: CallDocument | None) -> Iterator[str]:
    if call is not None:
        yield from _call_details(call)
    elif step["kind"] == "retrieval":
        yield from (_found(found) for found in side["retrievals"] if found["seq"] == step["call"])


def _call_details(call: CallDocument) -> Iterator[str]:
    told = f": {changes(call['changes'])}" if call["changes"] else ""
    if call["committed"] is not None or call["refusal"] or call["replayed"]:
        yield f"done: {done(call)}{told}"
    fault = f", by the fault {call['fault']}" if call["took_effect"] else ""
    yield f"seen: {seen(call)}{fault}"
    if call["answer"] is not None and call["result"] != "ok":
        yield f"answer: {cut(value(call['answer']), MAX_ANSWER_CHARACTERS)}"
    marks = [
        "a retry" if call["retry"] else "",
        f"key {call['idempotency_key']}" if call["idempotency_key"] else "",
        f"effect {call['effect_key']}" if call["effect_key"] else "",
        f"cross-tenant: {call['cross_tenant']}" if call["cross_tenant"] else "",
        "approved" if call["approved"] else "",
    ]
    if any(marks):
        yield ", ".join(mark for mark in marks if mark)


def _found(found: RetrievalDocument) -> str:
    documents = [f"{item['id']}{'' if item['trusted'] else ' (untrusted)'}" for item in found["documents"]]
    return f"found: {', '.join(documents) or 'nothing'}"


# -- what is beside the case


def _printed(label: str, side: SideDocument, page: Page) -> Iterator[str]:
    """What the agent printed; never judged."""
    for name in ("stdout", "stderr", "traceback"):
        text = side["measured"].get(name)
        if not text:
            continue
        yield from page.head(f"{label}, {name}")
        lines = str(text).splitlines()
        for printed in lines[-MAX_PRINTED_LINES:]:
            yield from page.text(printed.lstrip(), 4 + len(printed) - len(printed.lstrip()))


def _state(label: str, side: SideDocument, page: Page) -> Iterator[str]:
    """The final state; what changed where it is too large to be kept whole."""
    yield from page.head(f"{label}, final state")
    if side["final_state"] is None and side["state_digest"] is not None:
        yield "    larger than a report holds; what changed:"
        for change in side["state_changes"]:
            yield from page.text(changes([change]), 4, 2)
        return
    for printed in _pretty(side["final_state"]).splitlines():
        yield from page.text(f"{printed}", 4 + len(printed) - len(printed.lstrip()))


def _pretty(state: Any) -> str:
    return orjson.dumps(state, option=orjson.OPT_INDENT_2).decode()
