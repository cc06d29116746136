"""One version alone: what it did, graded, without another beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from agenttwin.compare._coverage import coverage
from agenttwin.compare._decision import NOTHING_SELECTED, Decision, ExitCode, Word
from agenttwin.compare._document import RUN_FORMAT, RunDocument, SingleCaseDocument
from agenttwin.compare._phrases import cases as how_many
from agenttwin.compare._phrases import listed, say
from agenttwin.compare._side import side_document, step_document, totals
from agenttwin.compare._trajectory import trajectory
from agenttwin.compare._values import Single, SingleCase
from agenttwin.compare._warnings import warnings
from agenttwin.compare._write import (
    coverage_document,
    named,
    planted_secrets,
    sealed,
    seed_document,
    source_document,
)
from agenttwin.evaluate import CaseVerdict, Evaluation, Verdict
from agenttwin.values import Json

FAILED: Final = "failed"
EXPECTED: Final = "failed as expected"
ERRORED: Final = "errored"
PASSED: Final = "passed"
_OUTCOMES: Final = (FAILED, ERRORED, EXPECTED, PASSED)


def decide_single(run: Single) -> Decision:
    """The verdict on a run of one version. Failures that are expected are counted apart, and fail nothing."""
    if not run.cases:
        return NOTHING_SELECTED
    outcomes = [outcome_of(case) for case in run.cases]
    counts = ", ".join(f"{number} {word}" for word in _OUTCOMES if (number := outcomes.count(word)))
    told = {"cases": how_many(len(run.cases)), "counts": counts}
    if FAILED in outcomes:
        return Decision(word=Word.FAILED, code=ExitCode.WORSE, headline=say("run_failed", **told))
    if ERRORED in outcomes:
        headline = say("run_errored", **told)
        return Decision(word=Word.INCOMPLETE, code=ExitCode.INCOMPLETE, headline=headline)
    headline = say("run_passed", cases=told["cases"])
    if EXPECTED in outcomes:
        headline = say("run_expected", **told)
    return Decision(word=Word.PASSED, code=ExitCode.NOT_WORSE, headline=headline)


def outcome_of(case: SingleCase) -> str:
    """How a case came out, failures that are expected told apart; a case that never ran is errored."""
    grade = case.side.grade
    if grade is None or grade.verdict is CaseVerdict.ERRORED:
        return ERRORED
    if grade.verdict is CaseVerdict.PASSED:
        return PASSED
    return EXPECTED if grade.holds(case.info.expected_failures) else FAILED


def _evaluations(case: SingleCase) -> tuple[Evaluation, ...]:
    return case.side.grade.evaluations if case.side.grade is not None else ()


def single_as_json(
    run: Single, *, measured: Mapping[str, Json] | None = None, qualified: bool = False
) -> RunDocument:
    """The run of one version as a `run/1` document, worst cases first; what is given is as of ``as_json``."""
    decision, version = decide_single(run), run.version
    sides = [(case.info, None, case.side) for case in run.cases]
    cases = sorted((_case(case, run, qualified=qualified) for case in run.cases), key=_worst_first)
    outcomes = [case["outcome"] for case in cases]
    document: RunDocument = {
        "format": RUN_FORMAT,
        "agent": version.agent,
        "version": version.version,
        "digest": version.digest,
        "model_kind": cast(Any, version.model_kind),
        "verdict": decision.word.value,
        "headline": decision.headline,
        "plan_digest": run.plan_digest,
        "seed": seed_document(run.seed),
        "trials": run.trials,
        "counts": {word: outcomes.count(cast(Any, word)) for word in _OUTCOMES},
        "totals": totals([case["side"] for case in cases]),
        "coverage": coverage_document(coverage(run.tools, sides), run.checks),
        "cases": cases,
        "warnings": [*run.warnings, *warnings(sides)],
        "exit_code": decision.exit_code,
        "report_digest": "",
        "measured": dict(measured or {}),
    }
    return sealed(document, planted_secrets(run.secrets, (case.side for case in run.cases)))


def _worst_first(case: SingleCaseDocument) -> int:
    return _OUTCOMES.index(case["outcome"])


def _case(case: SingleCase, run: Single, *, qualified: bool) -> SingleCaseDocument:
    info, version = case.info, named(run.version, qualified=qualified)
    grade = case.side.grade
    return {
        "scenario": info.scenario,
        "severity": info.severity,
        "tags": list(info.tags),
        "description": info.description,
        "asked": info.asked,
        "source": source_document(info),
        "trial": case.trial,
        "seed": case.seed,
        "verdict": cast(Any, (grade.verdict if grade is not None else CaseVerdict.ERRORED).value),
        "outcome": cast(Any, outcome_of(case)),
        "reason": _reason(case),
        "expected_failures": dict(info.expected_failures),
        "side": side_document(case.side, info),
        "steps": [
            step_document(number, step) for number, step in enumerate(trajectory(case.side, info.ignore), 1)
        ],
        "rerun": f"agenttwin run {version} --scenario {info.scenario} --seed {run.seed}",
    }


def _reason(case: SingleCase) -> str:
    """What does not hold, by name."""
    if case.side.transcript is None:
        return say("never_ran")
    names = {
        verdict: listed(item.id for item in _evaluations(case) if item.verdict is verdict)
        for verdict in (Verdict.FAIL, Verdict.ERROR)
    }
    told = [say(f"run_{verdict.value.lower()}", names=found) for verdict, found in names.items() if found]
    return " ".join(told) or say("run_holds")
