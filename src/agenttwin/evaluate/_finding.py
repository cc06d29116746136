"""What an evaluator is given and what it gives: a verdict with its reason, its label and its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agenttwin.evaluate._values import Evidence, NoOpinion, Opinion, Verdict
from agenttwin.transcript import Claim, ToolCall, Transcript

EVALUATION_ERROR: Final = "EVALUATION_ERROR"

MAX_SHOWN: Final = 300
"""Characters of a text from outside in a reason."""

NO_EVIDENCE: Final[tuple[Evidence, ...]] = ()

CustomEvaluator = Callable[[Transcript, Claim, Mapping[str, Any]], Any]
"""Code from outside: the transcript, the claim and the expectation's arguments in; a verdict out."""


@dataclass(slots=True)  # not frozen: one is made for every expectation of every case
class Finding:
    """What an evaluator found. Never written to."""

    verdict: Verdict
    reason: str
    label: str | None = None
    evidence: tuple[Evidence, ...] = NO_EVIDENCE
    score: float | None = None


@dataclass(slots=True)  # not frozen: one is made for every case
class Held:
    """What an expectation is held against. Never written to.

    ``calls`` are the calls that the agent made, redeliveries not among them; ``opinion`` answers the
    expectation's question, where it asks one.
    """

    transcript: Transcript
    claim: Claim
    calls: tuple[ToolCall, ...]
    custom: Mapping[str, CustomEvaluator]
    opinion: Opinion | NoOpinion | None = None

    def of(self, tool: str | None) -> tuple[ToolCall, ...]:
        """The calls of one tool, or of all."""
        return self.calls if tool is None else tuple([call for call in self.calls if call.tool == tool])


def passed(reason: str, evidence: tuple[Evidence, ...] = NO_EVIDENCE) -> Finding:
    """The expectation holds."""
    return Finding(Verdict.PASS, reason, None, evidence)


def failed(label: str, reason: str, evidence: tuple[Evidence, ...] = NO_EVIDENCE) -> Finding:
    """The expectation does not hold."""
    return Finding(Verdict.FAIL, reason, label, evidence)


def judged(ok: bool, label: str, reason: str, evidence: tuple[Evidence, ...] = NO_EVIDENCE) -> Finding:
    """The expectation holds or does not, for the same reason."""
    return passed(reason, evidence) if ok else failed(label, reason, evidence)


def skipped(reason: str) -> Finding:
    """The expectation cannot be held against this case."""
    return Finding(Verdict.SKIPPED, reason)


def unjudged(reason: str) -> Finding:
    """Judging failed, which is no judgement."""
    return Finding(Verdict.ERROR, reason, EVALUATION_ERROR)


def at(calls: Iterable[ToolCall]) -> tuple[Evidence, ...]:
    """Calls as evidence."""
    return tuple([Evidence(call=call.seq, note=f"{call.tool}: {call.result}") for call in calls])


def where(path: str, note: str = "") -> tuple[Evidence, ...]:
    """A place in the state as evidence."""
    return (Evidence(path=path, note=note),)


def short(text: str) -> str:
    """A text that may be of any length, cut for a sentence."""
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many}"


def times(number: int) -> str:
    """How often: "1 time", "2 times"."""
    return counted(number, "time", "times")
