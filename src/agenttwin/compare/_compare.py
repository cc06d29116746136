"""Baseline against candidate, case by case, as one pinned pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from agenttwin.compare._classify import classify
from agenttwin.compare._divergence import diverge
from agenttwin.compare._trajectory import align, trajectory
from agenttwin.compare._values import (
    CaseComparison,
    CaseInfo,
    Classification,
    Comparison,
    Pair,
    PairedCase,
    Side,
)
from agenttwin.document import Document
from agenttwin.evaluate import Verdict
from agenttwin.scenario import AGENT_FINISHED, SEVERITIES, Scenario, manifest_diff
from agenttwin.twin import TwinDefinition

ORDER: Final = tuple(Classification)
"""Classes, worst first."""

_PIN_WORDS: Final[Mapping[str, str]] = {
    "scenario": "another version of the scenario",
    "twin": "another version of the twin",
    "evaluators": "other versions of the evaluators",
    "manifest": "another version of the manifest",
    "seed": "another seed",
}


def compare(pair: Pair) -> Comparison:
    """What the change of version did, case by case; worst cases first.

    What each side actually ran is checked against the plan before anything else: where it differs, the
    comparison is invalid and says so.
    """
    wrong = {(case.info.scenario, case.trial): tuple(_mismatches(case)) for case in pair.cases}
    cases = [_compare(case, wrong[(case.info.scenario, case.trial)]) for case in pair.cases]
    return Comparison(
        pair=pair,
        cases=tuple(sorted(cases, key=_worst_first)),
        manifest_diff=manifest_diff(pair.baseline.manifest, pair.candidate.manifest),
        invalid=tuple(reason for reasons in wrong.values() for reason in reasons),
        warnings=(*pair.warnings, *_warnings(pair)),
    )


def _compare(case: PairedCase, mismatches: tuple[str, ...]) -> CaseComparison:
    result = classify(case)
    left, right = trajectory(case.baseline, case.info.ignore), trajectory(case.candidate, case.info.ignore)
    return CaseComparison(
        case=case,
        classification=Classification.INCOMPLETE if mismatches else result.classification,
        reason=f"Invalid: {mismatches[0]}" if mismatches else result.reason,
        movements=result.movements,
        worse=() if mismatches else result.worse,
        baseline_unverified=result.baseline_unverified and not mismatches,
        candidate_critical=() if mismatches else result.candidate_critical,
        divergence=diverge(left, right),
        baseline_steps=left,
        candidate_steps=right,
        alignment=align(left, right) if left and right else (),
    )


def _mismatches(case: PairedCase) -> Iterator[str]:
    """What a side ran with that the plan did not say, in sentences."""
    for name, side in (("baseline", case.baseline), ("candidate", case.candidate)):
        if side.transcript is None:
            continue
        for pin, planned in case.pins.items():
            ran = side.pins.get(pin)
            if ran != planned:
                what = _PIN_WORDS.get(pin, f"another {pin}")
                instead = f"({ran or 'none'} for {planned})"
                yield f"In {case.info.scenario} the {name} ran with {what} than planned {instead}."


def _worst_first(case: CaseComparison) -> tuple[int, int, str, int]:
    info = case.case.info
    severity = SEVERITIES.index(info.severity) if info.severity in SEVERITIES else len(SEVERITIES)
    return ORDER.index(case.classification), severity, info.scenario, case.case.trial


def _warnings(pair: Pair) -> Iterator[str]:
    if not pair.cases:
        yield "Nothing was selected, so nothing was compared."
        return
    for case in pair.cases:
        for use in _idle_faults(case):
            yield f"In {case.info.scenario} the fault {use} took no effect on either side."
    if zero_evidence(pair):
        yield "No tool was called and nothing was checked: this comparison shows nothing."


def _idle_faults(case: PairedCase) -> Iterator[str]:
    sides = [side.transcript for side in (case.baseline, case.candidate) if side.transcript is not None]
    if not sides:
        return
    for use in sides[0].faults:
        uses = [other for side in sides for other in side.faults if other.rule == use.rule]
        if not any(other.took_effect for other in uses):
            yield f"{use.type} on {use.target}"


def zero_evidence(pair: Pair) -> bool:
    """Whether nothing at all was seen or checked: no call, no retrieval, no judged expectation."""
    return not any(_shows_something(side) for case in pair.cases for side in (case.baseline, case.candidate))


def _shows_something(side: Side) -> bool:
    if side.transcript is None or side.grade is None:
        return False
    judged = any(
        evaluation.id != AGENT_FINISHED and evaluation.verdict in (Verdict.PASS, Verdict.FAIL)
        for evaluation in side.grade.evaluations
    )
    return judged or bool(side.transcript.calls)


def case_info(document: Document[Scenario], twin: TwinDefinition) -> CaseInfo:
    """What a case is, from its scenario and the twin it runs against."""
    scenario = document.model
    return CaseInfo(
        scenario=scenario.name,
        severity=scenario.metadata.severity,
        tags=tuple(scenario.metadata.tags),
        file=document.source.file,
        line=_line(document.source.text),
        expectations=tuple(name for name, _ in scenario.expectations),
        ignore={tool.name: tuple(tool.compare.ignore) for tool in twin.spec.tools if tool.compare.ignore},
        expected_failures={item.expectation: item.reason for item in scenario.spec.expected_failures},
        description=scenario.metadata.description,
        reads=tuple(_state_paths(scenario)),
    )


_METADATA: Final = re.compile(r'^[\s{]*"?metadata"?\s*:', re.MULTILINE)


def _line(text: str) -> int:
    """Where a document says what it is; found without reading it again."""
    found = _METADATA.search(text)
    return text.count("\n", 0, found.end()) + 1 if found else 1


def _state_paths(scenario: Scenario) -> Iterator[str]:
    for _, expectation in scenario.expectations:
        if getattr(expectation, "type", "") in ("state", "stateUnchanged", "outcomeVerified"):
            path = getattr(expectation, "path", None)
            if path is not None:
                yield path
        yield from getattr(expectation, "paths", ())
