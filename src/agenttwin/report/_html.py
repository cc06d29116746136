"""A report as one HTML file: no script, no request, and nothing in it that a browser would obey.

The templates hold the page; what they are given here is arranged, never decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from agenttwin.evaluate import contradicts
from agenttwin.report._case import calls_by_seq, effect_words, step_words
from agenttwin.report._reading import (
    exit_words,
    fault_facts,
    idle_faults,
    is_fake,
    is_quiet,
    is_run,
    name_of,
    plan_of,
    provenance,
    short,
    tally_of,
    title_of,
    verdict_of,
    versions_of,
    word_of,
)
from agenttwin.report._text import clean, shown
from agenttwin.report._words import VERDICTS, checked_words, done, fault_words, seen
from agenttwin.transcript import ClaimedOutcome, Outcome, OutcomeStatus

if TYPE_CHECKING:
    from jinja2 import Environment

Report = Mapping[str, Any]

NEAR: Final = 3
"""Rows between the two steps that part, at most, for the mark to hold both; else it holds the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step as it is shown. ``effect`` is what its call did; ``again`` are further deliveries of it."""

    number: int
    name: str
    asked: str
    call: Report | None = None
    effect: str = ""
    again: tuple[Report, ...] = ()
    documents: tuple[Report, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Steps side by side. ``parts`` where the two part, ``last`` in the last row of that."""

    steps: tuple[Step | None, Step | None]
    parts: bool
    last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One expectation with its result on either side, where it has one there."""

    id: str
    worse: bool
    why_expected: str | None
    before: Report | None
    after: Report | None

    @property
    def told(self) -> Report:
        """The result whose reason is shown: the candidate's, else the baseline's."""
        return self.after or self.before or {}


def render_html(report: Report) -> str:
    """The report as HTML."""
    page = _environment().get_template("run.html" if is_run(report) else "comparison.html")
    return page.render(
        report=report,
        title=title_of(report),
        verdict=verdict_of(report),
        tally=tally_of(report),
        plan=plan_of(report),
        exit=exit_words(report),
        fake=is_fake(report),
        versions=versions_of(report),
        cases=[(case, name_of(case, report), word_of(case), is_quiet(case)) for case in report["cases"]],
    )


@cache
def _environment() -> Environment:
    """Jinja2, imported when the first page is made; every value is escaped, and cleaned before."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("agenttwin.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "checked": checked_words,
        "contradicted": _contradicted,
        "done": done,
        "expectations": _expectations,
        "fault": fault_words,
        "fault_facts": fault_facts,
        "idle_faults": lambda case, report: list(idle_faults(case, report)),
        "pretty": _pretty,
        "provenance": provenance,
        "rows": _rows,
        "seen": seen,
        "sentence": _sentence,
        "short": short,
        "shown": shown,
        "steps": lambda case: [_Side(case["side"]).step(step) for step in case["steps"]],
        "unread": _unread,
        "verdict": VERDICTS.__getitem__,
    }
    return environment


def _finalized(value: Any) -> Any:
    """Foreign text without what is obeyed rather than shown; markup of our own (a subclass) as it is."""
    return clean(value) if type(value) is str else value


def _pretty(value: Any) -> str:
    """A JSON value over several lines; text as it is."""
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _contradicted(side: Report) -> bool:
    found = side["outcome"]
    if found is None:
        return False
    outcome = Outcome(status=OutcomeStatus(found["status"]), verified=found["verified"], by=found["by"])
    return contradicts(ClaimedOutcome(side["claimed_outcome"]), outcome)


def _unread(changes: Sequence[Report]) -> list[tuple[str, int]]:
    """Changed paths, each with the number of cases that changed it."""
    cases: dict[str, set[str]] = {}
    for change in changes:
        cases.setdefault(change["path"], set()).add(change["scenario"])
    return [(path, len(found)) for path, found in cases.items()]


# -- steps


def _rows(case: Report) -> list[Row]:
    """The aligned steps, with the mark where the two part."""
    left, right, marked = _Side(case["baseline"]), _Side(case["candidate"]), _marked(case)
    return [
        Row(
            (left.step(row["baseline"]), right.step(row["candidate"])),
            parts=number in marked,
            last=bool(marked) and number == marked[-1],
        )
        for number, row in enumerate(case["alignment"])
    ]


def _marked(case: Report) -> range:
    """The rows in which the two part: from the first difference to the step of the same number opposite."""
    rows, divergence = case["alignment"], case["divergence"]
    if divergence is None:
        return range(0)
    first = next((number for number, row in enumerate(rows) if not row["same"]), 0)
    last = max((number for number, row in enumerate(rows) if divergence["step"] in _numbers(row)), default=0)
    return range(first, (last if first <= last <= first + NEAR else first) + 1)


def _numbers(row: Report) -> list[int]:
    return [step["step"] for step in (row["baseline"], row["candidate"]) if step is not None]


class _Side:
    """A side of a case, so that a step finds its call."""

    def __init__(self, side: Any) -> None:
        self._side = side
        self._calls = calls_by_seq(side)

    def step(self, step: Report | None) -> Step | None:
        """The step as it is shown."""
        if step is None:
            return None
        call = self._calls.get(step["call"]) if step["kind"] == "call" else None
        if call is None:
            words = step_words(self._side, cast(Any, step))
            return Step(number=step["step"], name="", asked=words, documents=self._found(step))
        return Step(
            number=step["step"],
            name=call["tool"],
            asked=step["shown"].removeprefix(call["tool"]),
            call=call,
            effect=effect_words(self._side, cast(Any, step)).removeprefix(", "),
            again=tuple(self._again(call)),
        )

    def _again(self, call: Report) -> list[Report]:
        return [
            other
            for other in self._side["calls"]
            if other["redelivered"] and (other["number"], other["tool"]) == (call["number"], call["tool"])
        ]

    def _found(self, step: Report) -> tuple[Report, ...]:
        if step["kind"] != "retrieval":
            return ()
        searches = (search for search in self._side["retrievals"] if search["seq"] == step["call"])
        return tuple(document for search in searches for document in search["documents"])


# -- expectations


def _expectations(case: Report) -> list[Expectation]:
    """Every expectation of a case, what makes it worse first, what holds on both sides last."""
    before, after = (
        {item["id"]: item for item in case[name]["evaluations"]} for name in ("baseline", "candidate")
    )
    worse = {*case["worse"], *case["candidate_critical"]}
    found = [
        Expectation(
            id=name,
            worse=name in worse,
            why_expected=case["expected_failures"].get(name),
            before=before.get(name),
            after=after.get(name),
        )
        for name in {**after, **before}
    ]
    return sorted(found, key=lambda item: (not item.worse, _holds(item.after), _holds(item.before)))


def _holds(result: Report | None) -> bool:
    return result is not None and result["verdict"] in ("PASS", "SKIPPED")
