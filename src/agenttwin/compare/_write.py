"""Comparisons and runs as documents: masked, with one digest over everything that is not measured."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from agenttwin.compare._comparison import CaseComparison, Comparison, Divergence
from agenttwin.compare._coverage import Coverage, coverage
from agenttwin.compare._decision import decide
from agenttwin.compare._difference import answer_difference, claim_difference
from agenttwin.compare._digest import report_digest
from agenttwin.compare._document import (
    COMPARISON_FORMAT,
    AgentDocument,
    CaseDocument,
    ComparisonDocument,
    CoverageDocument,
    DifferencesDocument,
    DivergenceDocument,
    PlanDocument,
    RowDocument,
    SourceDocument,
)
from agenttwin.compare._side import (
    change_document,
    measured_totals,
    number_differences,
    side_document,
    step_document,
    totals,
)
from agenttwin.compare._side_document import SideDocument, StepDocument
from agenttwin.compare._trajectory import Row, Step
from agenttwin.compare._values import CaseInfo, Pair, Side, TwinCheck, Version
from agenttwin.scenario import manifest_diff
from agenttwin.transcript import redact
from agenttwin.values import MAX_INTEGER, Json

D = TypeVar("D", bound=Mapping[str, Any])


def as_json(
    comparison: Comparison,
    *,
    measured: Mapping[str, Json] | None = None,
    fail_on: Collection[str] = (),
    qualified: bool = False,
) -> ComparisonDocument:
    """The comparison as a `comparison/1` document.

    ``measured`` is what was assigned or measured for the pair as a whole; its ``key`` goes to the pair.
    ``fail_on`` as of ``decide``. ``qualified``: a version alone does not name the agent, so that commands
    must. Planted secrets are masked everywhere.
    """
    pair, decision = comparison.pair, decide(comparison, fail_on=fail_on)
    sides = [(case.info, name, side) for case in pair.cases for name, side in case.sides]
    rest = dict(measured or {})
    cases = [_case(case, pair, qualified=qualified) for case in comparison.cases]
    difference = manifest_diff(pair.baseline.manifest, pair.candidate.manifest)
    document: ComparisonDocument = {
        "format": COMPARISON_FORMAT,
        "baseline": _agent(pair.baseline),
        "candidate": _agent(pair.candidate),
        "verdict": decision.word.value,
        "headline": decision.headline,
        "manifest_diff": {
            "instructions": [{"sign": line.sign, "text": line.text} for line in difference.lines],
            "fields": [change_document(change) for change in difference.fields],
        },
        "pair": _plan(pair, rest.pop("key", None)),
        "counts": {name.value: number for name, number in comparison.counts.items()},
        "totals": {
            "baseline": totals([case["baseline"] for case in cases]),
            "candidate": totals([case["candidate"] for case in cases]),
        },
        "coverage": coverage_document(coverage(pair.tools, sides), pair.checks),
        "cases": cases,
        "invalid": list(comparison.invalid),
        "warnings": list(comparison.warnings),
        "exit_code": decision.exit_code,
        "report_digest": "",
        "measured": {**measured_totals(cases), **rest},
    }
    return sealed(document, planted_secrets(pair.secrets, (side for _, _, side in sides)))


def sealed(document: D, secrets: Collection[str]) -> D:
    """The document with secrets masked, and its digest."""
    masked = cast(dict[str, Any], redact(cast(Json, document), tuple(secrets)) if secrets else document)
    masked["report_digest"] = report_digest(masked)
    return cast(D, masked)


def planted_secrets(known: Iterable[str], sides: Iterable[Side]) -> tuple[str, ...]:
    """What is masked: the known secrets, and those that the twins of the sides planted."""
    planted = (
        secret for side in sides if side.transcript is not None for secret in side.transcript.setting.secrets
    )
    return tuple(dict.fromkeys([*known, *planted]))


# -- parts


def _agent(version: Version) -> AgentDocument:
    return {
        "agent": version.agent,
        "version": version.version,
        "digest": version.digest,
        "model_kind": cast(Any, version.model_kind),
    }


def _plan(pair: Pair, key: Json) -> PlanDocument:
    return {
        "plan_digest": pair.plan_digest,
        "seed": seed_document(pair.seed),
        "trials": pair.trials,
        "measured": {"key": key},
    }


def seed_document(seed: int) -> int | str:
    """A seed; as text where no JSON number holds it exactly."""
    return seed if abs(seed) <= MAX_INTEGER else str(seed)


def coverage_document(found: Coverage, checks: Iterable[TwinCheck]) -> CoverageDocument:
    """``checks`` differ from run to run, as the moments that they are."""
    return {
        "tools": {
            "total": len(found.tools),
            "exercised": list(found.exercised),
            "not_exercised": [tool for tool in found.tools if tool not in found.exercised],
        },
        "irreversible": [
            {
                "tool": tool.tool,
                "exercised": tool.exercised,
                "timeout_after_effect": tool.timeout_after_effect,
                "success_without_effect": tool.success_without_effect,
            }
            for tool in found.irreversible
        ],
        "faults_took_effect": list(found.faults),
        "faults_without_effect": [
            {
                "scenario": idle.scenario,
                "side": idle.side,
                "rule": idle.rule,
                "type": idle.type,
                "fired": idle.fired,
            }
            for idle in found.idle_faults
        ],
        "unread_changes": [{"scenario": scenario, "path": path} for scenario, path in found.unread],
        "measured": {"twins": [_check_document(check) for check in checks]},
    }


def _check_document(check: TwinCheck) -> Json:
    if check.at is None:
        return {"twin": check.twin, "checked": None}
    checked: Json = {
        "at": check.at,
        "against": check.against,
        "agrees": check.agrees,
        "differs": check.differs,
        "current": check.current,
    }
    return {"twin": check.twin, "checked": checked}


def source_document(info: CaseInfo) -> SourceDocument:
    return {"file": info.file, "line": info.line}


def _case(case: CaseComparison, pair: Pair, *, qualified: bool) -> CaseDocument:
    info = case.case.info
    baseline = side_document(case.case.baseline, info)
    candidate = side_document(case.case.candidate, info)
    return {
        "scenario": info.scenario,
        "severity": info.severity,
        "tags": list(info.tags),
        "description": info.description,
        "asked": info.asked,
        "source": source_document(info),
        "trial": case.case.trial,
        "seed": case.case.seed,
        "classification": case.classification.value,
        "reason": case.reason,
        "candidate_critical": list(case.candidate_critical),
        "baseline_unverified": list(case.baseline_unverified),
        "worse": list(case.worse),
        "movements": {item.id: item.movement.value for item in case.expectations},
        "expected_failures": dict(info.expected_failures),
        "baseline": baseline,
        "candidate": candidate,
        "divergence": _divergence(case.divergence),
        "alignment": [_row(row, case) for row in case.alignment],
        "differences": _differences(case, baseline, candidate),
        "rerun": rerun(pair, info.scenario, qualified=qualified),
    }


def _row(row: Row, case: CaseComparison) -> RowDocument:
    return {
        "baseline": _numbered(case.baseline_steps, row.baseline),
        "candidate": _numbered(case.candidate_steps, row.candidate),
        "same": row.same,
    }


def _numbered(steps: Sequence[Step], number: int | None) -> StepDocument | None:
    return step_document(number, steps[number - 1]) if number is not None else None


def _divergence(divergence: Divergence | None) -> DivergenceDocument | None:
    if divergence is None:
        return None
    return {
        "step": divergence.step,
        "kind": divergence.kind,
        "summary": divergence.summary,
        "meaning": divergence.meaning,
    }


def _differences(
    case: CaseComparison, baseline: SideDocument, candidate: SideDocument
) -> DifferencesDocument:
    before, after = case.case.baseline.claim, case.case.candidate.claim
    counts, measured = number_differences(baseline, candidate)
    return {
        "state": [change_document(change) for change in case.states],
        "same_answer": before.answer == after.answer,
        "answer": [{"sign": line.sign, "text": line.text} for line in answer_difference(before, after)],
        "claim": [change_document(change) for change in claim_difference(before, after)],
        "counts": counts,
        "measured": measured,
    }


def rerun(pair: Pair, scenario: str, *, qualified: bool = False) -> str:
    """The command that runs one case of the pair again, in the workspace; ``qualified`` as of ``as_json``."""
    whole = qualified or pair.baseline.agent != pair.candidate.agent
    baseline, candidate = (named(version, qualified=whole) for version in (pair.baseline, pair.candidate))
    what = f"reproduce {baseline}" if baseline == candidate else f"compare {baseline} {candidate}"
    return f"agenttwin {what} --scenario {scenario} --seed {pair.seed}"


def named(version: Version, *, qualified: bool) -> str:
    return f"{version.agent}@{version.version}" if qualified else version.version
