"""One side of a case as a document: the verdict, the claim, the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from agenttwin.compare._document import CaseDocument, TotalsDocument
from agenttwin.compare._side_document import (
    CallDocument,
    ChangeDocument,
    EvaluationDocument,
    FaultDocument,
    JudgeDocument,
    Measured,
    OutcomeDocument,
    OverrideDocument,
    OwnCallDocument,
    RetrievalDocument,
    SideDocument,
    StepDocument,
)
from agenttwin.compare._state import small_state
from agenttwin.compare._trajectory import Kind, Step, effect_of
from agenttwin.compare._values import CaseInfo, Side
from agenttwin.evaluate import (
    Evaluation,
    Grade,
    JudgeIdentity,
    disagreements,
    duplicate_effects,
    policy_violations,
    retries,
)
from agenttwin.transcript import Claim, Retrieval, ToolCall, Transcript
from agenttwin.values import MISSING, Change, Json, digest, plain

MEASURED_KINDS: Final = frozenset({"maxLatencyMs", "maxTokens", "maxCostUsd"})
"""Expectations whose sentences name a measured number; no such sentence stands outside `measured`."""


def side_document(side: Side, info: CaseInfo) -> SideDocument:
    """The side, evidence and all. A side that never ran has no verdict and no evidence."""
    transcript = side.transcript or Transcript(events=())
    claim, grade = side.claim, side.grade if side.transcript is not None else None
    calls = transcript.calls
    again = {call.seq for call in retries(calls)}
    duplicates, violations = duplicate_effects(calls), policy_violations(calls)
    changes = [change_document(change) for change in transcript.changes]
    return {
        "verdict": cast(Any, grade.verdict.value if grade is not None else None),
        "outcome": _outcome(grade),
        "ending": transcript.ending.value if side.transcript is not None else None,
        "claimed_outcome": cast(Any, claim.outcome.value),
        "claim_inferred": claim.inferred,
        "business_outcome": claim.business_outcome,
        "answer": claim.answer,
        "tool_calls": len(calls),
        "retries": len(again),
        "duplicates": len(duplicates),
        "policy_violations": len(violations),
        "duplicate_effects": [
            {
                "effect": found.effect,
                "count": found.count,
                "calls": [call.seq for call in found.calls],
                "by_arguments": found.by_arguments,
            }
            for found in duplicates
        ],
        "violations": [{"policy": found.policy, "call": found.call.seq} for found in violations],
        "final_state": small_state(transcript.after) if transcript.after is not None else None,
        "state_changes": changes,
        "state_digest": digest(changes) if transcript.after is not None else None,
        "evaluations": _evaluations(grade, info),
        "faults": _faults(transcript),
        "calls": [_call(call, again) for call in transcript.deliveries],
        "retrievals": [_retrieval(found) for found in transcript.retrievals],
        "own_calls": _own_calls(claim),
        "disagreements": list(disagreements(claim.own_calls, calls)),
        "measured": _measured(side),
    }


def _outcome(grade: Grade | None) -> OutcomeDocument | None:
    if grade is None:
        return None
    outcome = grade.outcome
    return {"status": outcome.status.value, "verified": outcome.verified, "by": outcome.by}


def _measured(side: Side) -> Measured:
    """What was measured of the side, and the ids and amounts that its agent reports."""
    usage = side.claim.usage
    told: dict[str, Json] = {
        "trace_id": side.claim.trace_id,
        "tokens": usage.tokens if usage is not None else None,
        "cost_usd": usage.cost_usd if usage is not None else None,
        "latency_ms": side.transcript.latency_ms if side.transcript is not None else None,
    }
    return {name: value for name, value in told.items() if value is not None} | dict(side.measured)


# -- verdicts


def _evaluations(grade: Grade | None, info: CaseInfo) -> list[EvaluationDocument]:
    if grade is None:
        return []
    return [_evaluation(item, expected=item.id in info.expected_failures) for item in grade.evaluations]


def _evaluation(item: Evaluation, *, expected: bool) -> EvaluationDocument:
    document: EvaluationDocument = {
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
        "overridden": _override(item.overridden),
        "expected_to_fail": expected,
    }
    if item.type in MEASURED_KINDS and item.overridden is None:
        document["reason"] = _without_number(item)
        document["measured"] = {"reason": item.reason}
    return document


def _without_number(item: Evaluation) -> str:
    """What a limit on something measured came to; the sentence with the number is measured too."""
    return {"PASS": "Within the limit.", "FAIL": "Over the limit."}.get(item.verdict.value, item.reason)


def _judge(judge: JudgeIdentity | None) -> JudgeDocument | None:
    return None if judge is None else {"provider": judge.provider, "model": judge.model, "kind": judge.kind}


def _override(overridden: Json) -> OverrideDocument | None:
    if not isinstance(overridden, dict):
        return None
    return {
        "by": str(overridden.get("by", "")),
        "note": str(overridden.get("note", "")),
        "original": overridden.get("original"),
        "measured": {"at": overridden.get("at")},
    }


# -- evidence


def change_document(change: Change) -> ChangeDocument:
    """A change, without the key of what was not there."""
    document: ChangeDocument = {"path": change.path}
    if change.before is not MISSING:
        document["before"] = plain(change.before)
    if change.after is not MISSING:
        document["after"] = plain(change.after)
    return document


def _faults(transcript: Transcript) -> list[FaultDocument]:
    return [
        {
            "rule": use.rule,
            "type": use.type,
            "target": use.target,
            "fired": use.fired,
            "took_effect": use.took_effect,
        }
        for use in transcript.faults
    ]


def step_document(number: int, step: Step) -> StepDocument:
    """A step with its number, which counts from 1."""
    return {
        "step": number,
        "kind": step.kind.value,
        "name": str(step.name),
        "shown": str(step) if step.kind in (Kind.CALL, Kind.RETRIEVAL) else str(step.name),
        "result": str(step.result),
        "code": step.code,
        "effect": step.effect.value,
        "call": step.event.seq if step.event is not None else None,
    }


def _call(call: ToolCall, again: Iterable[int]) -> CallDocument:
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
        "knowable": call.knowable,
        "idempotency_key": call.idempotency_key,
        "effect_key": call.effect_key,
        "effect": effect_of(call).value,
        "computed_changes": call.computed_changes,
        "committed": call.committed.value if call.committed is not None else None,
        "landed": call.landed,
        "replayed": call.replayed,
        "redelivered": call.redelivered,
        "retry": call.seq in again and not call.redelivered,
        "changes": [change_document(change) for change in call.changes],
        "refusal": call.refusal,
        "cross_tenant": call.cross_tenant,
        "approved": call.approved,
        "delay_ms": call.delay_ms,
    }


def _answer(call: ToolCall) -> Json:
    """The answer as JSON; as text where it is none, and null where nothing came."""
    body = call.body
    if body is not None or call.answer is None or call.answer.strip() == b"null":
        return body
    return call.answer.decode("utf-8", "replace")


def _retrieval(found: Retrieval) -> RetrievalDocument:
    documents = [{"id": name, "trusted": trusted} for name, trusted in found.documents]
    return {"seq": found.seq, "query": found.query, "documents": cast(Any, documents)}


def _own_calls(claim: Claim) -> list[OwnCallDocument] | None:
    if claim.own_calls is None:
        return None
    return [{"tool": own.tool, "arguments": own.arguments, "result": own.result} for own in claim.own_calls]


# -- sums


def totals(sides: Sequence[SideDocument]) -> TotalsDocument:
    """Sums over the cases of a side."""
    verdicts = [side["verdict"] for side in sides]
    passed, failed = verdicts.count("PASSED"), verdicts.count("FAILED")
    return {
        "tool_calls": sum(side["tool_calls"] for side in sides),
        "retries": sum(side["retries"] for side in sides),
        "passed": passed,
        "failed": failed,
        "errored": len(sides) - passed - failed,
        "expected_failures": sum(
            item["verdict"] == "FAIL" and item["expected_to_fail"]
            for side in sides
            for item in side["evaluations"]
        ),
    }


def measured_totals(cases: Sequence[CaseDocument]) -> Measured:
    """Sums of what was measured: over the cases in which both sides know it, and how many those are."""
    found: dict[str, Json] = {}
    for name in _MEASURES:
        both = [
            (before, after)
            for case in cases
            if isinstance(before := case["baseline"]["measured"].get(name), int | float)
            and isinstance(after := case["candidate"]["measured"].get(name), int | float)
        ]
        if both:
            found[name] = {
                "baseline": round(sum(before for before, _ in both), 6),
                "candidate": round(sum(after for _, after in both), 6),
                "cases": len(both),
            }
    return {"totals": found} if found else {}


def number_differences(baseline: SideDocument, candidate: SideDocument) -> tuple[dict[str, int], Measured]:
    """The candidate's counts and measures less the baseline's, where both are known."""
    before, after = (cast(Mapping[str, Any], side) for side in (baseline, candidate))
    counts = {name: after[name] - before[name] for name in _COUNTS}
    measured = {
        name: round(after["measured"][name] - before["measured"][name], 6)
        for name in _MEASURES
        if all(isinstance(side["measured"].get(name), int | float) for side in (before, after))
    }
    return counts, measured


_COUNTS: Final = ("tool_calls", "retries", "duplicates", "policy_violations")
_MEASURES: Final = ("latency_ms", "tokens", "cost_usd")
