"""The story of one case in ten lines: what the agent believed, what the world did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agenttwin.report._text import Page, shown
from agenttwin.report._words import VERDICTS, done

Report = Mapping[str, Any]

MAX_LINES: Final = 10
"""A story, not a log: what does not fit is counted."""

_RESULTS: Final[Mapping[str, str]] = {
    "ok": "saw it succeed",
    "timeout": "saw a timeout",
    "rate_limited": "was turned away",
    "denied": "was denied",
    "not_found": "was told there is no such thing",
    "unknown_tool": "was told there is no such tool",
    "invalid": "was refused",
    "dropped": "got no answer",
    "partial": "got half an answer",
    "malformed": "got an answer it could not read",
    "error": "saw an error",
}


def render_story(side: Report, page: Page, *, scenario: str, version: str) -> Iterator[str]:
    """The story of one side of a case."""
    yield from page.wrap(f"{scenario}, {version}", 0)
    calls = [_call(call) for call in side["calls"] if not call["redelivered"]]
    room = MAX_LINES - 4
    lines = calls if len(calls) <= room else [*calls[: room - 1], f"… {len(calls) - room + 1} more calls."]
    for line in lines or ["The agent called no tool."]:
        yield from page.wrap(line, 2, 4)
    yield from page.wrap(_belief(side), 2, 4)
    yield from page.wrap(_world(side), 2, 4)
    yield from page.wrap(_verdict(side), 2, 4)


def _call(call: Report) -> str:
    saw = _RESULTS[call["result"]]
    if not call["took_effect"]:
        effect = ", and it was done" if call["effect"] == "applied" else ""
        return f"{call['seq']}. It called {call['tool']} and {saw}{effect}."
    return f"{call['seq']}. It called {call['tool']} and {saw}. In truth {done(call)} ({call['fault']})."


def _belief(side: Report) -> str:
    inferred = " (read from its words)" if side["claim_inferred"] else ""
    said = f": “{side['answer']}”" if side["answer"] else " and said nothing."
    return f"The agent believed: {side['claimed_outcome']}{inferred}{said}"


def _world(side: Report) -> str:
    changes = [change for change in side["state_changes"] if "before" in change and "after" in change]
    added = len(side["state_changes"]) - len(changes)
    told = "; ".join(
        f"{change['path']} {shown(change['before'])} → {shown(change['after'])}" for change in changes[:4]
    )
    more = f"; {added} record{'' if added == 1 else 's'} added or removed" if added else ""
    return f"The world did: {told or 'nothing to what was there'}{more}."


def _verdict(side: Report) -> str:
    failing = [item for item in side["evaluations"] if item["verdict"] in ("FAIL", "ERROR")]
    if not failing:
        return f"So it {VERDICTS[side['verdict']].text}: every expectation holds."
    more = f" ({len(failing) - 1} more)" if len(failing) > 1 else ""
    return f"So it {VERDICTS[side['verdict']].text}: {failing[0]['reason']}{more}"
