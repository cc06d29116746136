"""A report as one HTML file: no script, no request, and nothing in it that a browser would obey.

The templates hold the page; what they are given here is arranged, never decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from agenttwin.evaluate import contradicts
from agenttwin.report._reading import (
    QUIET,
    class_of,
    exit_words,
    faulted,
    is_fake,
    is_run,
    name_of,
    plan_of,
    short,
    state_rows,
    title_of,
    unread_words,
    verdict_of,
    versions_of,
    word_of,
)
from agenttwin.report._text import clean, shown
from agenttwin.report._words import VERDICTS, Word, done, fault_words, seen
from agenttwin.transcript import ClaimedOutcome, Outcome, OutcomeStatus
from agenttwin.twin import FAULTS

if TYPE_CHECKING:
    from jinja2 import Environment

Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step as it is shown. ``again`` are further deliveries of its call."""

    number: int
    asked: str
    call: Report | None = None
    again: tuple[Report, ...] = ()


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
    type: str
    critical: bool
    worse: bool
    expected: str | None
    before: Report | None
    after: Report | None


def render_html(report: Report) -> str:
    """The report as HTML."""
    name, kind = ("run.html", "run") if is_run(report) else ("comparison.html", "comparison")
    verdict, _, rest = report["headline"].partition(": ")
    return (
        _environment()
        .get_template(name)
        .render(
            report={"invalid": (), "coverage": None, "totals": None, **report},
            kind=kind,
            title=title_of(report),
            headline=(verdict, rest),
            verdict=verdict_of(report),
            tally=_tally(report),
            plan=plan_of(report),
            exit=exit_words(report),
            fake=is_fake(report),
            versions=versions_of(report),
            names=[name_of(case, report) for case in report["cases"]],
        )
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
        "alone": _alone,
        "contradicted": _contradicted,
        "done": done,
        "expectations": _expectations,
        "fault": _fault,
        "faulted": faulted,
        "pretty": _pretty,
        "quiet": lambda case: class_of(case) in QUIET,
        "rows": _rows,
        "same_words": _same_words,
        "seen": seen,
        "sentence": lambda text: f"{text[:1].upper()}{text[1:]}.",
        "short": short,
        "shown": shown,
        "state_rows": lambda case: list(state_rows(case["baseline"], case["candidate"])),
        "unread": unread_words,
        "verdict": VERDICTS.__getitem__,
        "word": word_of,
    }
    return environment


def _finalized(value: Any) -> Any:
    """Foreign text without what is obeyed rather than shown; markup of our own (a subclass) as it is."""
    return clean(value) if type(value) is str else value


def _tally(report: Report) -> list[tuple[Word, int]]:
    """How many cases of each class there are, worst first."""
    return list(Counter(word_of(case) for case in report["cases"]).items())


def _pretty(value: Any) -> str:
    """A JSON value over several lines; text as it is."""
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _fault(kind: str) -> str:
    return fault_words(kind) if kind in FAULTS else ""


def _same_words(case: Report) -> bool:
    """Whether both sides claimed the same, word for word."""
    fields = ("claimed_outcome", "claim_inferred", "business_outcome", "answer")
    left, right = ([side[field] for field in fields] for side in (case["baseline"], case["candidate"]))
    return left == right


def _contradicted(side: Report) -> bool:
    found = side["outcome"]
    if found is None:
        return False
    outcome = Outcome(status=OutcomeStatus(found["status"]), verified=found["verified"], by=found["by"])
    return contradicts(ClaimedOutcome(side["claimed_outcome"]), outcome)


# -- steps


def _rows(case: Report) -> list[Row]:
    """The aligned steps; where only one side has any, those alone."""
    if not case["alignment"]:
        left, right = _alone(case["baseline"]), _alone(case["candidate"])
        pairs = [(step, None) for step in left] + [(None, step) for step in right]
        return [Row(pair, parts=False, last=False) for pair in pairs]
    parts = case["divergence"]["step"] if case["divergence"] else None
    marked = [number for number, row in enumerate(case["alignment"]) if parts in _numbers(row)]
    first, last = (marked[0], marked[-1]) if marked and parts is not None else (0, -1)
    calls = [_Calls(case[name]) for name in ("baseline", "candidate")]
    return [
        Row(
            (calls[0].step(row["baseline"]), calls[1].step(row["candidate"])),
            parts=first <= number <= last,
            last=number == last,
        )
        for number, row in enumerate(case["alignment"])
    ]


def _numbers(row: Report) -> list[int]:
    return [row[name]["step"] for name in ("baseline", "candidate") if row[name] is not None]


class _Calls:
    """The calls of a side by their place, so that a step finds its own."""

    def __init__(self, side: Report) -> None:
        self._by_seq = {call["seq"]: call for call in side["calls"]}
        self._again: dict[int, list[Report]] = {}
        for call in side["calls"]:
            if call["redelivered"]:
                self._again.setdefault(call["number"], []).append(call)

    def step(self, step: Report | None) -> Step | None:
        if step is None:
            return None
        call = self._by_seq.get(step["call"]) if step["kind"] == "call" else None
        asked = f"reported {step['name']}" if step["kind"] == "outcome" else step["shown"]
        if call is None:
            return Step(number=step["step"], asked=asked)
        return self.called(call, step["step"], asked.removeprefix(call["tool"]))

    def called(self, call: Report, number: int, asked: str) -> Step:
        return Step(number=number, asked=asked, call=call, again=tuple(self._further(call)))

    def _further(self, call: Report) -> Iterator[Report]:
        again = self._again.get(call["number"], ())
        yield from (other for other in again if other["tool"] == call["tool"])


def _alone(side: Report) -> list[Step]:
    """The steps of one side, in order."""
    calls = _Calls(side)
    steps = [
        calls.called(call, call["seq"], _arguments(call["arguments"]))
        for call in side["calls"]
        if not call["redelivered"]
    ]
    steps += [
        Step(number=found["seq"], asked=f"search(query={found['query']})") for found in side["retrievals"]
    ]
    return sorted(steps, key=lambda step: step.number)


def _arguments(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return f"({shown(arguments)})"
    return f"({', '.join(f'{name}={shown(value)}' for name, value in arguments.items())})"


# -- expectations


def _expectations(case: Report) -> list[Expectation]:
    """Every expectation of a case, what makes it worse first, what holds on both sides last."""
    sides = [{item["id"]: item for item in case[name]["evaluations"]} for name in ("baseline", "candidate")]
    found = [_expectation(name, sides, case) for name in {**sides[1], **sides[0]}]
    return sorted(found, key=lambda item: (not item.worse, _holds(item.after), _holds(item.before)))


def _expectation(name: str, sides: Sequence[Mapping[str, Report]], case: Report) -> Expectation:
    before, after = (side.get(name) for side in sides)
    item = after or before or {}
    return Expectation(
        id=name,
        type=item["type"],
        critical=item["critical"],
        worse=name in case["worse"] or name in case["candidate_critical"],
        expected=case["expected_failures"].get(name),
        before=before,
        after=after,
    )


def _holds(result: Report | None) -> bool:
    return result is not None and result["verdict"] in ("PASS", "SKIPPED")
