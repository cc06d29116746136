"""The story of one case in ten lines: what the agent believed, what the world did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, cast

from agenttwin.compare import (
    CallDocument,
    CaseDocument,
    ComparisonDocument,
    RunDocument,
    SideDocument,
    SingleCaseDocument,
)
from agenttwin.report._page import Page
from agenttwin.report._text import line
from agenttwin.report._words import VERDICTS, brief, done, plural, seen

MAX_CALLS: Final = 5
"""Calls that are told one by one; beyond, those that tell least are passed over."""

MAX_STATE: Final = 2


def explain(
    case: CaseDocument | SingleCaseDocument,
    report: ComparisonDocument | RunDocument,
    page: Page,
    *,
    baseline: bool = False,
) -> Iterator[str]:
    """The story of a case, the candidate's unless ``baseline``; of a run, its only version's."""
    if "side" in case:
        alone = cast(RunDocument, report)
        agent, version, side = alone["agent"], alone["version"], cast(SingleCaseDocument, case)["side"]
    else:
        name: Literal["baseline", "candidate"] = "baseline" if baseline else "candidate"
        of = cast(ComparisonDocument, report)[name]
        agent, version, side = of["agent"], of["version"], case[name]
    word = VERDICTS[side["verdict"]]
    head = f"{case['scenario']}, {agent} {version}"
    yield f"{page.paint(line(head), 'bold')}: {page.paint(str(word), word.style)}"
    for sentence in story(side, case["asked"]):
        yield from page.text(sentence, 2, 2)


def story(side: SideDocument, asked: str) -> Iterator[str]:
    """At most nine sentences."""
    if asked:
        yield f"The user said: “{asked}”"
    if side["verdict"] is None:
        yield "The agent never ran."
        return
    yield from _calls(side)
    inferred = ", as its words are read" if side["claim_inferred"] else ""
    answer = f"It said: “{side['answer']}”" if side["answer"] is not None else "It said nothing."
    yield f"The agent believed: {side['claimed_outcome']}{inferred}. {answer}"
    yield f"The world did: {_world(side)}"
    yield f"So the case {_verdict(side)}"


def _calls(side: SideDocument) -> Iterator[str]:
    calls = [call for call in side["calls"] if not call["redelivered"]]
    searches = [f"It searched for “{found['query']}”." for found in side["retrievals"]]
    if not calls:
        yield from searches[:MAX_CALLS] or ["The agent called no tool."]
        return
    told = _telling(calls)
    for call in calls:
        if call["seq"] in told:
            yield _call(call)
    left = len(calls) - len(told)
    if left:
        yield f"… and {plural(left, 'call', 'calls')} more, in which nothing out of the ordinary happened."


def _telling(calls: list[CallDocument]) -> frozenset[int]:
    """The calls to tell where there are too many: faults, failures and effects before the rest."""
    room = MAX_CALLS if len(calls) <= MAX_CALLS else MAX_CALLS - 1
    ranked = sorted(
        calls, key=lambda call: (not call["took_effect"], call["result"] == "ok", call["effect"] == "none")
    )
    return frozenset(call["seq"] for call in ranked[:room])


def _call(call: CallDocument) -> str:
    again = " again" if call["retry"] else ""
    start = f"{call['seq']}. It called {call['tool']}{again}"
    if call["risk"] == "READ" and not call["took_effect"]:
        return f"{start} and saw {seen(call)}."
    blind = "" if call["knowable"] else ", and could not know"
    return f"{start}: {done(call)}{_first(call)}; it saw {seen(call)}{blind}."


def _first(call: CallDocument) -> str:
    """The change that tells most of what the call did: one of something that was there before."""
    changes = sorted(call["changes"], key=lambda change: "before" not in change)
    if not changes:
        return ""
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f" ({brief(changes[:1])}{more})"


def _world(side: SideDocument) -> str:
    twice = [f"{found['effect']} was applied {found['count']} times" for found in side["duplicate_effects"]]
    parts = [*twice, brief(side["state_changes"], MAX_STATE) or "nothing changed"]
    return f"{'; '.join(parts)}."


def _verdict(side: SideDocument) -> str:
    verdict = VERDICTS[side["verdict"]].text
    open_items = [item for item in side["evaluations"] if item["verdict"] in ("FAIL", "ERROR")]
    if not open_items:
        return f"{verdict}: every expectation holds."
    first = next((item for item in open_items if item["critical"]), open_items[0])
    more = f" ({len(open_items) - 1} more)" if len(open_items) > 1 else ""
    return f"{verdict}. {first['id']}: {first['reason']}{more}"
