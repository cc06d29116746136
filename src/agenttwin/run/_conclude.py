"""The end of a case: its world comes to rest, the judge is asked, the grade is made, the record written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agenttwin.evaluate import Grade, NoOpinion, Opinion, Question, evaluate, questions
from agenttwin.run._case import Case
from agenttwin.run._drive import Drive
from agenttwin.run._judging import Bench
from agenttwin.run._masking import grade_without_secrets, without_secrets
from agenttwin.run._values import CaseRecord
from agenttwin.run._work import Work
from agenttwin.scenario import Scenario
from agenttwin.transcript import Claim, Ending, ModelKind, Transcript, redact
from agenttwin.values import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    """What grading needs beside the case: who is asked, custom evaluators, and what is kept nowhere."""

    bench: Bench = field(default_factory=Bench)
    evaluators: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()


def conclude(work: Work, case: Case, drive: Drive, *, now: float, grading: Grading) -> CaseRecord:
    """The record of a case whose agent stopped, or was stopped. Nobody can call the case's tools any more."""
    at_rest = case.close()
    latency_ms = (now - case.started) * 1000 + case.delayed_ms
    ended = transcript_of(case, drive, work.model_kind, latency_ms, at_rest=at_rest)
    transcript, claim = without_secrets(ended, drive.claim, grading.secrets)
    asked, opinions, grade = graded(work.scenario, transcript, claim, grading)
    return CaseRecord(
        side=work.side,
        scenario=work.scenario.name,
        trial=work.trial,
        pins={**work.pins, "seed": case.world.seed},
        transcript=transcript,
        claim=claim,
        grade=grade_without_secrets(grade, grading.secrets),
        questions=asked,
        opinions=opinions,
        measured=_measured(case, drive, latency_ms, grading.secrets),
    )


def graded(
    scenario: Scenario, transcript: Transcript, claim: Claim, grading: Grading
) -> tuple[tuple[Question, ...], dict[str, Opinion | NoOpinion], Grade]:
    """What is asked of a judge, what is answered, and the grade that follows."""
    asked = questions(scenario, transcript, claim)
    opinions = grading.bench.opinions(asked)
    grade = evaluate(scenario, transcript, claim, opinions, evaluators=grading.evaluators)
    return asked, opinions, grade


def transcript_of(
    case: Case, drive: Drive, model_kind: ModelKind, latency_ms: float, *, at_rest: bool
) -> Transcript:
    """What happened. A world that a hanging call still holds has no final state."""
    world = case.world
    ending, message = _ending(case, drive, at_rest=at_rest)
    return Transcript(
        events=tuple(world.records),
        before=world.before,
        after=world.tree if at_rest else None,
        changes=world.changes if at_rest else (),
        faults=world.fault_uses,
        setting=world.setting,
        ending=ending,
        ending_message=message,
        model_kind=model_kind,
        latency_ms=latency_ms,
    )


def _ending(case: Case, drive: Drive, *, at_rest: bool) -> tuple[Ending, str]:
    """The first of these that holds: the twin failed, the calls were too many, what became of the agent."""
    world = case.world
    if not at_rest:
        return Ending.TWIN_ERROR, "A call of a tool was still running when the case ended."
    if world.twin_error is not None:
        return Ending.TWIN_ERROR, world.twin_error
    if world.limit_exceeded:
        return (
            Ending.CALL_LIMIT_EXCEEDED,
            f"It made {world.tool_calls:,} calls; the limit is {world.call_limit:,}.",
        )
    return drive.ending, drive.message


_PRINTED: Final = ("stdout", "stderr", "traceback")


def _measured(case: Case, drive: Drive, latency_ms: float, secrets: tuple[str, ...]) -> dict[str, Json]:
    stdout, stderr = (sink.close() for sink in case.sinks)
    usage = drive.claim.usage
    measured: dict[str, Json] = {
        "latency_ms": round(latency_ms, 3),
        "tokens": usage.tokens if usage else None,
        "cost_usd": usage.cost_usd if usage else None,
    }
    masked = (*case.world.setting.secrets, *secrets)
    for name, text in zip(_PRINTED, (stdout, stderr, drive.traceback), strict=True):
        if text:
            measured[name] = redact(text, masked)
    return measured
