"""Holding the expectations of a scenario against a transcript; a failure to judge is no judgement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from agenttwin.evaluate._evaluators import EVALUATORS
from agenttwin.evaluate._finding import CustomEvaluator, Finding, Held, short, skipped, unjudged
from agenttwin.evaluate._values import Evaluation, Grade, NoOpinion, Opinion, Question, Verdict
from agenttwin.evaluate._verdict import grade
from agenttwin.scenario import AGENT_FINISHED, EXPECTATIONS, Common, Scenario, Semantic
from agenttwin.transcript import Claim, Ending, Transcript
from agenttwin.values import digest

ENDINGS: Final[Mapping[Ending, tuple[Verdict, str]]] = {
    Ending.FINISHED: (Verdict.PASS, "The agent came to an end."),
    Ending.AGENT_TIMEOUT: (Verdict.FAIL, "The agent did not come to an end in time."),
    Ending.AGENT_CRASHED: (Verdict.FAIL, "The agent crashed."),
    Ending.AGENT_ERROR: (Verdict.FAIL, "The agent gave back something that is no answer."),
    Ending.CALL_LIMIT_EXCEEDED: (Verdict.FAIL, "The agent made more tool calls than a case may have."),
    Ending.AGENT_UNREACHABLE: (Verdict.ERROR, "The agent could not be reached."),
    Ending.AGENT_AUTH: (Verdict.ERROR, "The agent refused the credentials."),
    Ending.AGENT_REJECTED: (Verdict.ERROR, "The agent rejected the request."),
    Ending.TWIN_ERROR: (Verdict.ERROR, "The twin failed, so nothing can be said about the agent."),
}
"""What `agent-finished` says of each ending. An ERROR says nothing of the agent, so the rest is skipped."""

FINISHED_TYPE: Final = "agentFinished"
"""What stands where other evaluations have their kind."""

NOT_JUDGED: Final = "The case could not be judged."
NO_STATE: Final = "The transcript had no state."
NO_TWIN: Final = "No twin answered the calls, so what they did is not known."


def questions(scenario: Scenario, transcript: Transcript, claim: Claim) -> tuple[Question, ...]:
    """What a judge has to be asked before the case can be graded; nothing where there is nothing to judge."""
    if claim.answer is None or ENDINGS[transcript.ending][0] is Verdict.ERROR:
        return ()
    return tuple(
        [
            _question(name, expectation, claim.answer)
            for name, expectation in scenario.expectations
            if isinstance(expectation, Semantic)
        ]
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
    evaluators: Mapping[str, CustomEvaluator] | None = None,
) -> Grade:
    """Holds every expectation of a scenario against one transcript and claim.

    ``opinions`` answer ``questions``, by their ids; ``evaluators`` are what `custom` expectations name.
    Never raises: an evaluator that does has judged nothing, and gives ERROR.
    """
    finished = _finished(transcript)
    evaluations = [finished]
    if finished.verdict is Verdict.ERROR:
        nothing = skipped(NOT_JUDGED)
        evaluations += [_evaluation(name, item, nothing, None) for name, item in scenario.expectations]
        return grade(tuple(evaluations))
    held = Held(transcript, claim, transcript.calls, evaluators or {})
    for name, expectation in scenario.expectations:
        opinion = opinions.get(name)
        against = held if opinion is None else replace(held, opinion=opinion)
        evaluations.append(_evaluation(name, expectation, _judge(expectation, against), opinion))
    return grade(tuple(evaluations))


def _finished(transcript: Transcript) -> Evaluation:
    ending, message = transcript.ending, transcript.ending_message
    verdict, reason = ENDINGS[ending]
    return Evaluation(
        id=AGENT_FINISHED,
        type=FINISHED_TYPE,
        version=1,
        verdict=verdict,
        critical=True,
        reason=f"{reason} {message}" if message else reason,
        label=None if verdict is Verdict.PASS else ending.value,
    )


def _judge(expectation: Common, held: Held) -> Finding:
    kind = expectation.type
    needs = EXPECTATIONS[kind].needs
    if held.transcript.after is None or held.transcript.before is None:
        if "state" in needs:
            return skipped(NO_STATE)
        if "twin" in needs:
            return skipped(NO_TWIN)
    try:
        return EVALUATORS[kind](expectation, held)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever it was, nothing was judged
        return unjudged(f"The expectation could not be judged: {type(error).__name__}{_told(error)}")


def _told(error: BaseException) -> str:
    """What an error says; one from outside may say nothing, or fail to."""
    try:
        said = str(error)
    except BaseException:
        said = ""
    return f": {short(said)}" if said else ""


def _evaluation(
    name: str, expectation: Common, finding: Finding, opinion: Opinion | NoOpinion | None
) -> Evaluation:
    return Evaluation(
        id=name,
        type=expectation.type,
        version=EXPECTATIONS[expectation.type].version,
        verdict=finding.verdict,
        critical=expectation.critical,
        reason=finding.reason,
        label=finding.label,
        score=finding.score,
        evidence=finding.evidence,
        judge=None if opinion is None else opinion.judge,
        calibrated=opinion.calibrated if isinstance(opinion, Opinion) else None,
    )
