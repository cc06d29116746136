"""Does the transcript meet the expectations? Every verdict with its reason; a failure to judge is no verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from agenttwin.evaluate._evaluators import EVALUATORS, Finding, Held
from agenttwin.evaluate._values import (
    CaseVerdict,
    Evaluation,
    Grade,
    JudgeIdentity,
    NoOpinion,
    Opinion,
    Question,
    Verdict,
)
from agenttwin.scenario import AGENT_FINISHED, EXPECTATIONS, OUTCOME_BEARING, Common, Scenario, Semantic
from agenttwin.transcript import Claim, Ending, Outcome, OutcomeStatus, Transcript
from agenttwin.values import digest

AGENT_FINISHED_TYPE: Final = "agentFinished"

Evaluators = Mapping[str, Callable[..., Any]]

_ERROR_ENDINGS: Final = frozenset(
    {Ending.AGENT_UNREACHABLE, Ending.AGENT_AUTH, Ending.AGENT_REJECTED, Ending.TWIN_ERROR}
)
"""Endings that say nothing about the agent: the case cannot be judged."""

_SENTENCES: Final[Mapping[Ending, str]] = {
    Ending.FINISHED: "The agent came to an end.",
    Ending.AGENT_TIMEOUT: "The agent did not come to an end in time.",
    Ending.AGENT_CRASHED: "The agent crashed.",
    Ending.AGENT_ERROR: "The agent gave back something that is no answer.",
    Ending.CALL_LIMIT_EXCEEDED: "The agent made more tool calls than a case may have.",
    Ending.AGENT_UNREACHABLE: "The agent could not be reached.",
    Ending.AGENT_AUTH: "The agent refused the credentials.",
    Ending.AGENT_REJECTED: "The agent rejected the request.",
    Ending.TWIN_ERROR: "The twin failed, so nothing can be said about the agent.",
}


def questions(scenario: Scenario, transcript: Transcript, claim: Claim) -> tuple[Question, ...]:
    """What a judge has to be asked before the case can be graded; nothing where there is no answer to judge."""
    if claim.answer is None or transcript.ending in _ERROR_ENDINGS:
        return ()
    return tuple(
        _question(name, expectation, claim.answer)
        for name, expectation in scenario.expectations
        if isinstance(expectation, Semantic)
    )


def _question(name: str, expectation: Semantic, answer: str) -> Question:
    return Question(
        id=name,
        rubric=expectation.rubric,
        category=expectation.category,
        threshold=expectation.threshold,
        judge=expectation.judge,
        answer=answer,
        digest=digest(["agenttwin/question/1", expectation.rubric, expectation.category, answer]),
    )


def evaluate(
    scenario: Scenario,
    transcript: Transcript,
    claim: Claim,
    opinions: Mapping[str, Opinion | NoOpinion],
    *,
    evaluators: Evaluators | None = None,
) -> Grade:
    """Holds every expectation against the transcript. ``opinions`` answer ``questions``, by their ids.

    ``evaluators`` are the registered Python evaluators of `custom` expectations. Never raises: an evaluator
    that does gives ERROR.
    """
    finished = _finished(transcript)
    evaluations = [finished]
    for name, expectation in scenario.expectations:
        if finished.verdict is Verdict.ERROR:
            finding = Finding(verdict=Verdict.SKIPPED, reason="The case could not be judged.")
            evaluations.append(_evaluation(name, expectation, finding, None))
            continue
        held = Held(transcript=transcript, claim=claim, opinion=opinions.get(name), custom=evaluators or {})
        evaluations.append(_evaluation(name, expectation, _judge(expectation, held), opinions.get(name)))
    return grade(tuple(evaluations))


def grade(evaluations: tuple[Evaluation, ...]) -> Grade:
    """The verdict and the outcome that follow from evaluations; ``agent-finished`` is the first of them."""
    return Grade(
        evaluations=evaluations, verdict=case_verdict(evaluations), outcome=_outcome(evaluations)
    )


def case_verdict(evaluations: tuple[Evaluation, ...]) -> CaseVerdict:
    """The verdict of a case: nothing evaluated is never a pass."""
    finished, rest = evaluations[0], evaluations[1:]
    if finished.verdict is Verdict.ERROR:
        return CaseVerdict.ERRORED
    if any(item.verdict is Verdict.FAIL for item in evaluations):
        return CaseVerdict.FAILED
    if any(item.verdict is Verdict.ERROR or (item.critical and item.verdict is Verdict.SKIPPED) for item in evaluations):
        return CaseVerdict.ERRORED
    if not any(item.verdict is Verdict.PASS for item in rest):
        return CaseVerdict.ERRORED
    return CaseVerdict.PASSED


def _finished(transcript: Transcript) -> Evaluation:
    ending = transcript.ending
    verdict = Verdict.ERROR if ending in _ERROR_ENDINGS else Verdict.FAIL
    if ending is Ending.FINISHED:
        verdict = Verdict.PASS
    message = f" {transcript.ending_message}" if transcript.ending_message else ""
    return Evaluation(
        id=AGENT_FINISHED,
        type=AGENT_FINISHED_TYPE,
        version=1,
        verdict=verdict,
        critical=True,
        reason=f"{_SENTENCES[ending]}{message}",
        label=None if verdict is Verdict.PASS else ending.value,
    )


def _judge(expectation: Common, held: Held) -> Finding:
    kind: str = expectation.type  # type: ignore[attr-defined]
    missing = _missing(kind, held)
    if missing is not None:
        return Finding(verdict=Verdict.SKIPPED, reason=missing)
    try:
        return EVALUATORS[kind](expectation, held)
    except Exception as error:  # an evaluator that fails has judged nothing
        reason = f"The expectation could not be judged: {type(error).__name__}: {error}"
        return Finding(verdict=Verdict.ERROR, label="EVALUATION_ERROR", reason=reason)


def _missing(kind: str, held: Held) -> str | None:
    """Why a kind cannot be judged on this transcript."""
    needs = EXPECTATIONS[kind].needs
    if "state" in needs and (held.transcript.before is None or held.transcript.after is None):
        return "The transcript has no state."
    if "twin" in needs and held.transcript.after is None:
        return "The calls were not answered by a twin."
    return None


def _evaluation(name: str, expectation: Common, finding: Finding, opinion: Opinion | NoOpinion | None) -> Evaluation:
    kind: str = expectation.type  # type: ignore[attr-defined]
    judge: JudgeIdentity | None = opinion.judge if opinion is not None else None
    return Evaluation(
        id=name,
        type=kind,
        version=EXPECTATIONS[kind].version,
        verdict=finding.verdict,
        critical=expectation.critical,
        reason=finding.reason,
        label=finding.label,
        score=finding.score if finding.verdict is not Verdict.ERROR else None,
        evidence=finding.evidence,
        judge=judge,
        calibrated=opinion.calibrated if isinstance(opinion, Opinion) else None,
    )


def _outcome(evaluations: Iterable[Evaluation]) -> Outcome:
    """What the outcome-bearing expectations verify."""
    bearing = [item for item in evaluations if item.type in OUTCOME_BEARING]
    judged = [item for item in bearing if item.verdict in (Verdict.PASS, Verdict.FAIL)]
    if not judged:
        return Outcome(status=OutcomeStatus.UNKNOWN, verified=False, by="nobody")
    wrong = [item for item in judged if item.verdict is Verdict.FAIL]
    status = OutcomeStatus.SUCCESS
    if wrong:
        status = OutcomeStatus.FAILURE if any(item.critical for item in wrong) else OutcomeStatus.PARTIAL
    elif len(judged) < len(bearing):
        return Outcome(status=OutcomeStatus.UNKNOWN, verified=False, by="nobody")
    return Outcome(status=status, verified=True, by="simulation")
