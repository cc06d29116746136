"""What grading gives: verdicts with their reasons, questions for a judge, opinions that answer them."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from enum import StrEnum

from agenttwin.transcript import Outcome
from agenttwin.values import Json


class Verdict(StrEnum):
    """The result of one expectation. ERROR means that it could not be judged; it never carries a score."""

    PASS = "PASS"
    FAIL = "FAIL"
    ERROR = "ERROR"
    SKIPPED = "SKIPPED"


class CaseVerdict(StrEnum):
    """The result of a case."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    ERRORED = "ERRORED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where to look: a call (its seq) or a path of the state, and what was seen there."""

    call: int | None = None
    path: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeIdentity:
    """Who gave an opinion: enough to tell two judges apart and to find a calibration."""

    provider: str
    model: str | None = None
    endpoint: str | None = None
    prompt_digest: str | None = None
    settings: str | None = None
    kind: str = "llm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a judge is asked. ``digest`` names it by its content, so that an opinion can be found again."""

    id: str
    rubric: str
    category: str | None
    threshold: float
    judge: str | None
    answer: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """A judge's answer. ``score`` is from 0 to 1."""

    label: str
    score: float
    reason: str
    judge: JudgeIdentity
    calibrated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOpinion:
    """A judge that could not answer, and why. It has no score."""

    reason: str
    judge: JudgeIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One expectation held against one transcript."""

    id: str
    type: str
    version: int
    verdict: Verdict
    critical: bool
    reason: str
    label: str | None = None
    score: float | None = None
    evidence: tuple[Evidence, ...] = ()
    judge: JudgeIdentity | None = None
    calibrated: bool | None = None
    overridden: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """All evaluations of a case, its verdict, and its verified outcome. ``agent-finished`` comes first."""

    evaluations: tuple[Evaluation, ...]
    verdict: CaseVerdict
    outcome: Outcome

    def holds(self, known: Container[str]) -> bool:
        """Whether nothing failed that is not ``known`` to fail, by its id. An errored case does not hold."""
        if self.verdict is not CaseVerdict.FAILED:
            return self.verdict is CaseVerdict.PASSED
        return all(item.id in known for item in self.evaluations if item.verdict is Verdict.FAIL)
