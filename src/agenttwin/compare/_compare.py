"""Baseline against candidate, paired: every case gets a class, and the step at which its sides part."""

from __future__ import annotations

from typing import Final

from agenttwin.compare._classify import classify, expectations
from agenttwin.compare._comparison import CaseComparison, Classification, Comparison
from agenttwin.compare._difference import state_differences
from agenttwin.compare._divergence import diverge
from agenttwin.compare._integrity import mismatches
from agenttwin.compare._phrases import say
from agenttwin.compare._trajectory import align, trajectory
from agenttwin.compare._values import Pair, PairedCase
from agenttwin.compare._warnings import warnings


def compare(pair: Pair) -> Comparison:
    """What the change of version did, case by case; the worst class first, then in the pair's order.

    What the sides ran is looked at first: where one ran something else than planned, or the two differ in
    more than the version, nothing is compared and ``invalid`` says why.
    """
    invalid = mismatches(pair)
    judge = _not_compared if invalid else _compared
    sides = ((case.info, name, side) for case in pair.cases for name, side in case.sides)
    return Comparison(
        pair=pair,
        cases=tuple(sorted(map(judge, pair.cases), key=_worst_first)),
        invalid=invalid,
        warnings=(*pair.warnings, *warnings(sides)),
    )


def _worst_first(case: CaseComparison) -> int:
    return _ORDER.index(case.classification)


_ORDER: Final = tuple(Classification)


def _not_compared(case: PairedCase) -> CaseComparison:
    return CaseComparison(
        case=case,
        classification=Classification.INCOMPLETE,
        reason=say("not_compared"),
        expectations=expectations(case),
    )


def _compared(case: PairedCase) -> CaseComparison:
    found = classify(case)
    baseline, candidate = (trajectory(side, case.info.ignore) for _, side in case.sides)
    return CaseComparison(
        case=case,
        classification=found.classification,
        reason=found.reason,
        expectations=found.expectations,
        candidate_critical=found.candidate_critical,
        baseline_unverified=found.baseline_unverified,
        worse=found.worse,
        baseline_steps=baseline,
        candidate_steps=candidate,
        divergence=diverge(baseline, candidate),
        alignment=align(baseline, candidate),
        states=state_differences(case),
    )
