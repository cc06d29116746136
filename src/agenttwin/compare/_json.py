"""A comparison as JSON, `comparison/1`: what is measured stands apart, the rest has one digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from agenttwin.compare._coverage import coverage
from agenttwin.compare._trajectory import effect_of
from agenttwin.compare._values import (
    CaseComparison,
    Classification,
    Comparison,
    Divergence,
    PairedCase,
    Side,
    Step,
    Version,
)
from agenttwin.compare._verdict import decide
from agenttwin.evaluate import (
    CaseVerdict,
    Evaluation,
    JudgeIdentity,
    disagreements,
    duplicate_effects,
    policy_violations,
    retries,
)
from agenttwin.scenario import ManifestDiff
from agenttwin.transcript import Claim, ToolCall, Transcript, redact
from agenttwin.values import MISSING, Change, Json, digest, plain

FORMAT: Final = "comparison/1"
MEASURED: Final = "measured"
MAX_STATE_BYTES: Final = 64 * 1024
"""A state that is larger is not written out; its changes and their digest are."""


def as_json(
    comparison: Comparison,
    *,
    measured: Mapping[str, Json] | None = None,
    fail_on: Sequence[str] = (),
    qualified: bool = False,
) -> dict[str, Json]:
    """The comparison in the published format. ``measured`` is what the run measured of itself: key, times.

    ``qualified`` where a version alone does not name the agent, so that commands must. Planted secrets are
    masked everywhere.
    """
    pair = comparison.pair
    decision = decide(comparison, fail_on=fail_on)
    given = dict(measured or {})
    body: dict[str, Json] = {
        "format": FORMAT,
        "baseline": _version(pair.baseline),
        "candidate": _version(pair.candidate),
        "headline": decision.headline,
        "manifest_diff": manifest_json(comparison.manifest_diff),
        "pair": {
            "plan_digest": pair.plan_digest,
            "seed": pair.seed,
            "trials": pair.trials,
            MEASURED: {"key": given.pop("key", None)},
        },
        "counts": {kind.value: len(comparison.of(kind)) for kind in Classification},
        "totals": {name: _totals(comparison, name) for name in ("baseline", "candidate")},
        "coverage": _coverage(comparison),
        "cases": [_case(case, comparison, qualified=qualified) for case in comparison.cases],
        "invalid": list(comparison.invalid),
        "warnings": list(comparison.warnings),
        "exit_code": int(decision.code),
    }
    masked: Any = redact(body, pair.secrets)
    return {**masked, "report_digest": report_digest(masked), MEASURED: given}


def report_digest(body: Json) -> str:
    """The digest of everything that is not measured."""
    return digest(without_measured(body))


def without_measured(value: Json) -> Json:
    """The value without anything under a key named `measured`, and without a digest of itself."""
    if isinstance(value, dict):
        return {
            key: without_measured(item)
            for key, item in value.items()
            if key not in (MEASURED, "report_digest")
        }
    return [without_measured(item) for item in value] if isinstance(value, list) else value


def _version(version: Version) -> Json:
    return {
        "agent": version.agent,
        "version": version.version,
        "digest": version.digest,
        "model_kind": version.model_kind,
    }


def manifest_json(difference: ManifestDiff) -> Json:
    """The difference between two manifests."""
    return {
        "instructions": [{"sign": line.sign, "text": line.text} for line in difference.lines],
        "fields": [change_json(change) for change in difference.fields],
    }


def change_json(change: Change) -> dict[str, Json]:
    """A change; a side on which nothing was there is left out."""
    found: dict[str, Json] = {"path": change.path}
    if change.before is not MISSING:
        found["before"] = plain(change.before)
    if change.after is not MISSING:
        found["after"] = plain(change.after)
    return found


def _totals(comparison: Comparison, name: str) -> Json:
    sides = [_side_of(case.case, name) for case in comparison.cases]
    calls = [side.transcript.calls if side.transcript is not None else () for side in sides]
    verdicts = [side.grade.verdict for side in sides if side.grade is not None]
    return {
        "tool_calls": sum(len(made) for made in calls),
        "retries": sum(len(retries(made)) for made in calls),
        "passed": verdicts.count(CaseVerdict.PASSED),
        "failed": verdicts.count(CaseVerdict.FAILED),
        "errored": verdicts.count(CaseVerdict.ERRORED),
    }


def _side_of(case: PairedCase, name: str) -> Side:
    return case.baseline if name == "baseline" else case.candidate


def _coverage(comparison: Comparison) -> Json:
    found = coverage(comparison)
    return {
        "tools": {"total": len(found.tools), "exercised": list(found.exercised)},
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
            {"scenario": scenario, "rule": rule, "type": kind} for scenario, rule, kind in found.idle_faults
        ],
        "unread_changes": [{"scenario": scenario, "path": path} for scenario, path in found.unread],
    }


def _case(case: CaseComparison, comparison: Comparison, *, qualified: bool) -> Json:
    info = case.case.info
    return {
        "scenario": info.scenario,
        "severity": info.severity,
        "tags": list(info.tags),
        "trial": case.case.trial,
        "seed": case.case.seed,
        "source": {"file": info.file, "line": info.line},
        "classification": case.classification.value,
        "reason": case.reason,
        "worse": list(case.worse),
        "baseline_unverified": case.baseline_unverified,
        "candidate_critical": list(case.candidate_critical),
        "movements": {name: movement.value for name, movement in case.movements.items()},
        "expected_failures": dict(info.expected_failures),
        "baseline": side_json(case.case.baseline),
        "candidate": side_json(case.case.candidate),
        "divergence": _divergence(case.divergence),
        "alignment": [
            {
                "baseline": _step(case.baseline_steps, row.baseline),
                "candidate": _step(case.candidate_steps, row.candidate),
            }
            for row in case.alignment
        ],
        "rerun": rerun(comparison, info.scenario, qualified=qualified),
    }


def rerun(comparison: Comparison, scenario: str, *, qualified: bool = False) -> str:
    """The exact command that runs one case again, relative to the workspace."""
    pair = comparison.pair
    whole = qualified or pair.baseline.agent != pair.candidate.agent
    versions = " ".join(named(version, qualified=whole) for version in (pair.baseline, pair.candidate))
    return f"agenttwin compare {versions} --scenario {scenario} --seed {pair.seed}"


def named(version: Version, *, qualified: bool) -> str:
    """A version as commands take it."""
    return f"{version.agent}@{version.version}" if qualified else version.version


def _divergence(divergence: Divergence | None) -> Json:
    if divergence is None:
        return None
    return {
        "step": divergence.step,
        "kind": divergence.kind,
        "summary": divergence.summary,
        "meaning": divergence.meaning,
    }


def _step(steps: Sequence[Step], number: int | None) -> Json:
    if number is None:
        return None
    step = steps[number - 1]
    return {
        "step": number,
        "kind": step.kind,
        "name": step.name,
        "shown": step.shown,
        "result": step.result,
        "code": step.code,
        "effect": step.effect,
        "call": step.call.seq if step.call is not None else None,
    }


def side_json(side: Side) -> dict[str, Json]:
    """One side of a case: the verdict, what was claimed, what happened."""
    grade, transcript, claim = side.grade, side.transcript, side.claim
    found: dict[str, Json] = {
        "verdict": grade.verdict.value if grade is not None else None,
        "outcome": _outcome(side),
        "claimed_outcome": claim.outcome.value,
        "claim_inferred": claim.inferred,
        "answer": claim.answer,
        "business_outcome": claim.business_outcome,
        "evaluations": [_evaluation(item) for item in grade.evaluations] if grade is not None else [],
        "own_calls": _own_calls(claim),
        MEASURED: dict(side.measured),
    }
    return {**found, **_evidence(transcript, claim)}


def masked_side(side: Side) -> dict[str, Json]:
    """One side of a case by itself, without what its twin planted."""
    secrets = side.transcript.setting.secrets if side.transcript is not None else ()
    masked: dict[str, Json] = redact(side_json(side), secrets)
    return masked


def _outcome(side: Side) -> Json:
    if side.grade is None:
        return None
    outcome = side.grade.outcome
    return {"status": outcome.status.value, "verified": outcome.verified, "by": outcome.by}


def _own_calls(claim: Claim) -> Json:
    if claim.own_calls is None:
        return None
    return [
        {"tool": call.tool, "arguments": call.arguments, "result": call.result} for call in claim.own_calls
    ]


def _evidence(transcript: Transcript | None, claim: Claim) -> dict[str, Json]:
    if transcript is None:
        return {
            "tool_calls": None, "retries": None, "duplicates": None, "policy_violations": None,
            "final_state": None, "state_changes": [], "faults": [], "calls": [], "retrievals": [],
            "disagreements": [],
        }  # fmt: skip
    calls = transcript.calls
    changes: list[Json] = [change_json(change) for change in transcript.changes]
    return {
        "tool_calls": len(calls),
        "retries": len(retries(calls)),
        "duplicates": [{"effect": found.effect, "count": found.count} for found in duplicate_effects(calls)],
        "policy_violations": [
            {"policy": found.policy, "call": found.call.seq} for found in policy_violations(calls)
        ],
        "final_state": _final_state(transcript, changes),
        "state_changes": changes,
        "faults": [
            {
                "rule": use.rule,
                "type": use.type,
                "target": use.target,
                "fired": use.fired,
                "took_effect": use.took_effect,
            }
            for use in transcript.faults
        ],
        "calls": [call_json(call) for call in transcript.deliveries],
        "retrievals": [
            {
                "seq": event.seq,
                "query": event.query,
                "documents": [{"id": name, "trusted": trusted} for name, trusted in event.documents],
            }
            for event in transcript.retrievals
        ],
        "disagreements": list(disagreements(claim.own_calls, calls)),
    }


def _final_state(transcript: Transcript, changes: list[Json]) -> Json:
    """The whole state where it is small, else what changed, by digest: a large one is never written out."""
    if transcript.after is None:
        return None
    if _size(transcript.after.base) > MAX_STATE_BYTES:
        return {"omitted": "larger than 64 KiB", "changes_digest": digest(changes)}
    return transcript.after.plain()


_sizes: dict[int, tuple[Json, int]] = {}
_KEPT_SIZES: Final = 64


def _size(base: Json) -> int:
    """How large a base is; measured once, since it never changes."""
    known = _sizes.get(id(base))
    if known is None or known[0] is not base:
        if len(_sizes) >= _KEPT_SIZES:
            _sizes.clear()
        known = _sizes[id(base)] = (base, len(orjson.dumps(base)))
    return known[1]


def _evaluation(item: Evaluation) -> Json:
    return {
        "id": item.id,
        "type": item.type,
        "version": item.version,
        "verdict": item.verdict.value,
        "label": item.label,
        "score": item.score,
        "critical": item.critical,
        "reason": item.reason,
        "evidence": [{"call": found.call, "path": found.path, "note": found.note} for found in item.evidence],
        "judge": _judge(item.judge),
        "calibrated": item.calibrated,
        "overridden": item.overridden,
    }


def _judge(judge: JudgeIdentity | None) -> Json:
    return None if judge is None else {"provider": judge.provider, "model": judge.model, "kind": judge.kind}


def call_json(call: ToolCall) -> dict[str, Json]:
    """One call: what was asked, what was done, what was seen."""
    return {
        "seq": call.seq,
        "number": call.number,
        "tool": call.tool,
        "arguments": call.arguments,
        "status": call.status,
        "result": call.result.value,
        "code": call.code,
        "answer": _answer(call),
        "headers": dict(call.headers),
        "risk": call.risk.value,
        "fault": call.fault,
        "rule": call.rule,
        "took_effect": call.took_effect,
        "idempotency_key": call.idempotency_key,
        "effect_key": call.effect_key,
        "effect": effect_of(call),
        "computed_changes": call.computed_changes,
        "committed": call.committed.value if call.committed is not None else None,
        "landed": call.landed,
        "replayed": call.replayed,
        "redelivered": call.redelivered,
        "changes": [change_json(change) for change in call.changes],
        "refusal": call.refusal,
        "cross_tenant": call.cross_tenant,
        "delay_ms": call.delay_ms,
    }


def _answer(call: ToolCall) -> Json:
    """The answer as JSON where it is some, else as text."""
    if call.answer is None:
        return None
    body = call.body
    return body if body is not None or call.answer == b"null" else call.answer.decode("utf-8", "replace")
