"""What follows from evaluations: the verdict of the case, its verified outcome, and a disproved claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agenttwin.evaluate._values import CaseVerdict, Evaluation, Grade, Verdict
from agenttwin.scenario import AGENT_FINISHED, OUTCOME_BEARING
from agenttwin.transcript import ClaimedOutcome, Outcome, OutcomeStatus

UNVERIFIED: Final = Outcome(status=OutcomeStatus.UNKNOWN, verified=False, by="nobody")


def grade(evaluations: tuple[Evaluation, ...]) -> Grade:
    """The evaluations of a case with the verdict and the outcome that follow from them."""
    return Grade(evaluations=evaluations, verdict=case_verdict(evaluations), outcome=outcome(evaluations))


def case_verdict(evaluations: Sequence[Evaluation]) -> CaseVerdict:
    """The first that holds: the agent could not be judged; something failed; something could not be judged,
    or a critical one was skipped; nothing was evaluated; else the case passed.

    That the agent came to an end is no evidence of anything else, so alone it is no pass.
    """
    failed = errored = evaluated = False
    for item in evaluations:
        verdict, implicit = item.verdict, item.id == AGENT_FINISHED
        if implicit and verdict is Verdict.ERROR:
            return CaseVerdict.ERRORED
        failed |= verdict is Verdict.FAIL
        errored |= verdict is Verdict.ERROR or (item.critical and verdict is Verdict.SKIPPED)
        evaluated |= verdict is Verdict.PASS and not implicit
    if failed:
        return CaseVerdict.FAILED
    return CaseVerdict.ERRORED if errored or not evaluated else CaseVerdict.PASSED


def outcome(evaluations: Sequence[Evaluation]) -> Outcome:
    """What the outcome-bearing expectations verify: a success takes all of them, a failure one.

    Where none failed and some were not judged, nobody knows.
    """
    bearing = [item for item in evaluations if item.type in OUTCOME_BEARING]
    wrong = [item for item in bearing if item.verdict is Verdict.FAIL]
    right = [item for item in bearing if item.verdict is Verdict.PASS]
    if not wrong and (not right or len(right) < len(bearing)):
        return UNVERIFIED
    status = OutcomeStatus.SUCCESS
    if wrong:
        critical = any(item.critical for item in wrong)
        status = OutcomeStatus.FAILURE if critical else OutcomeStatus.PARTIAL
    reviewed = any(item.overridden is not None for item in bearing)
    return Outcome(status=status, verified=True, by="review" if reviewed else "simulation")


def contradicts(claimed: ClaimedOutcome, found: Outcome) -> bool:
    """Whether a claimed success is disproved. Only what was verified disproves anything."""
    wrong = found.status in (OutcomeStatus.FAILURE, OutcomeStatus.PARTIAL)
    return found.verified and claimed is ClaimedOutcome.SUCCESS and wrong
