"""A run of one version for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from agenttwin.report._text import Page, clean, pad, shown, width
from agenttwin.report._words import EXIT_CODES, VERDICTS, done, seen

Report = Mapping[str, Any]


def render_run(report: Report, page: Page) -> Iterator[str]:
    """The run, line by line; worst cases first."""
    count = len(report["cases"])
    facts = f"{count} case{'' if count == 1 else 's'} · seed {report['seed']}"
    who = f"{report['agent']}  {report['version']}"
    yield f"{page.paint(clean(who), 'bold')}   {page.paint(facts, 'grey')}"
    style = {0: "green", 1: "red"}.get(report["exit_code"], "violet")
    yield page.paint(clean(report["headline"]), style)
    yield ""
    names = [width(case["scenario"]) for case in report["cases"]]
    for case in report["cases"]:
        yield from _case(case, max(names), page)
    if report["cases"]:
        yield ""
    for warning in report["warnings"]:
        yield from page.wrap(f"warning: {warning}", 0, 2)
    code = report["exit_code"]
    words = {0: "everything passed", 1: "failed"}.get(code, EXIT_CODES[code])
    yield f"Exit code {code}: {words}."


def _case(case: Report, name: int, page: Page) -> Iterator[str]:
    word = VERDICTS[case["verdict"]]
    mark = page.paint(f"{word.shape} {word.text}", word.style)
    yield f"{mark}  {pad(case['scenario'], name)}  {page.paint(case['severity'], 'grey')}"
    if case["verdict"] == "PASSED":
        return
    for item in case["side"]["evaluations"]:
        if item["verdict"] not in ("FAIL", "ERROR"):
            continue
        verdict = VERDICTS[item["verdict"]]
        critical = page.paint(" critical", "red") if item["critical"] else ""
        yield f"    {page.paint(verdict.shape, verdict.style)} {clean(item['id'])}{critical}"
        yield from page.wrap(item["reason"], 8)
    yield f"    {page.paint('again:', 'grey')} {clean(case['rerun'])}"


def render_side(side: Report, page: Page, *, title: str, state: bool = False) -> Iterator[str]:
    """Everything about one side of one case: the calls, the verdicts, the claim, and on request the state."""
    yield page.paint(clean(title), "bold")
    verdict = VERDICTS[side["verdict"]] if side["verdict"] else VERDICTS["ERRORED"]
    mark = page.paint(f"{verdict.shape} {verdict.text}", verdict.style)
    yield f"  {mark}, claimed {side['claimed_outcome']}"
    if side["answer"] is not None:
        yield from page.wrap(f"“{side['answer']}”", 2, 3)
    yield ""
    yield f"  {page.paint('Calls', 'accent')}"
    for call in side["calls"]:
        yield from _call(call, page)
    for found in side["retrievals"]:
        documents = ", ".join(
            item["id"] + ("" if item["trusted"] else " (untrusted)") for item in found["documents"]
        )
        yield from page.wrap(
            f"{found['seq']} searched for “{found['query']}”: {documents or 'nothing found'}", 4, 6
        )
    if not side["calls"] and not side["retrievals"]:
        yield "    none"
    yield ""
    yield f"  {page.paint('Expectations', 'accent')}"
    for item in side["evaluations"]:
        yield from _evaluation(item, page)
    yield from _changes(side, page)
    yield from _printed(side, page)
    if state:
        yield ""
        yield f"  {page.paint('Final state', 'accent')}"
        yield from _state(side["final_state"])


def _call(call: Report, page: Page) -> Iterator[str]:
    arguments = call["arguments"]
    given = (
        ", ".join(f"{key}={value}" for key, value in arguments.items()) if isinstance(arguments, dict) else ""
    )
    again = " (second delivery)" if call["redelivered"] else ""
    yield from page.wrap(f"{call['seq']} {call['tool']}({given}){again}", 4, 8)
    fault = f" Fault: {call['fault']}." if call["took_effect"] and call["fault"] else ""
    told = f"{done(call)}; {seen(call)}."
    for line in page.wrap(f"{told[0].upper()}{told[1:]}{fault}", 8):
        yield page.paint(line, "grey")


def _evaluation(item: Report, page: Page) -> Iterator[str]:
    word = VERDICTS[item["verdict"]]
    critical = page.paint(" critical", "red") if item["critical"] else ""
    judge = item["judge"]
    by = f" (judge: {judge['provider']}, {judge['kind']})" if judge else ""
    mark = page.paint(f"{word.shape} {item['verdict']}", word.style)
    yield f"    {mark} {clean(item['id'])}{critical}{by}"
    yield from page.wrap(item["reason"], 8)
    if item["overridden"]:
        original = item["overridden"]["original"]
        yield from page.wrap(f"was {original['verdict']}: {original['reason']}", 8)


def _changes(side: Report, page: Page) -> Iterator[str]:
    if not side["state_changes"]:
        return
    yield ""
    yield f"  {page.paint('What changed in the world', 'accent')}"
    for change in side["state_changes"]:
        before, after = (_value(change, key) for key in ("before", "after"))
        yield from page.wrap(f"{change['path']}: {before} → {after}", 4, 8)


def _value(change: Report, key: str) -> str:
    return shown(change[key]) if key in change else "(nothing)"


def _printed(side: Report, page: Page) -> Iterator[str]:
    for name in ("stdout", "stderr", "traceback"):
        text = side["measured"].get(name)
        if text:
            yield ""
            title = "Traceback" if name == "traceback" else f"The agent printed ({name})"
            yield f"  {page.paint(title, 'accent')}"
            yield from (f"    {clean(line)}" for line in str(text).splitlines()[-40:])


def _state(state: Any) -> Iterator[str]:
    text = orjson.dumps(state, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()
    yield from (f"    {clean(line)}" for line in text.splitlines())
