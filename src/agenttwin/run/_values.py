"""What the engine is given and what it tells: requests, leases, records and events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from agenttwin.evaluate import Grade, NoOpinion, Opinion, Question
    from agenttwin.transcript import Claim, Transcript
    from agenttwin.values import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the agent under test is told. Never the scenario's name, never a fault's.

    ``message`` is what is said now, ``turns`` all that was said up to now, ``message`` last; ``answers`` are
    the agent's own to the turns before, None where it gave none. Whatever an agent does to ``context`` and
    ``manifest`` stays in its case. ``session_id`` is the same for all turns.
    """

    message: str
    turns: tuple[str, ...]
    answers: tuple[str | None, ...] = ()
    context: Mapping[str, Json]
    tenant: str | None
    customer_id: str | None
    version: str
    manifest: Json
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRecord:
    """One finished case: the evidence, the claim, the grade, and what was measured on the way.

    ``pins`` is what this case actually ran with (digests and seed). ``measured`` holds what differs from
    run to run (latency_ms, tokens, cost_usd, stdout, stderr, traceback).
    """

    side: str
    scenario: str
    trial: int
    pins: Mapping[str, str]
    transcript: Transcript
    claim: Claim
    grade: Grade
    questions: tuple[Question, ...] = ()
    opinions: Mapping[str, Opinion | NoOpinion] = field(default_factory=dict)
    measured: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The engine has begun; ``cases`` is how many trials it will run."""

    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """A trial has begun."""

    side: str
    scenario: str
    trial: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """A trial has ended and been graded."""

    record: CaseRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """The engine has ended. ``stopped`` says why, where it ended before every case was run.

    ``abandoned`` counts the agents that were still running past their deadline when they were left behind.
    """

    finished: int
    stopped: str | None = None
    abandoned: int = 0


RunEvent: TypeAlias = RunStarted | CaseStarted | CaseFinished | RunFinished


class Clock(Protocol):
    """Real time, met only at the edge."""

    def __call__(self) -> float:
        """Seconds on a clock that never goes back."""
