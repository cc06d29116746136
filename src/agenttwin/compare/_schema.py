"""The published JSON Schema of a comparison."""

from __future__ import annotations

from typing import Any, Final

from agenttwin.compare._json import FORMAT
from agenttwin.compare._values import Classification, Movement
from agenttwin.evaluate import CaseVerdict, Verdict
from agenttwin.transcript import ClaimedOutcome, Commit, OutcomeStatus, Result, Risk
from agenttwin.values import Json

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_FLAG: Final = {"type": "boolean"}
_DIGEST: Final = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}


def _words(words: Any) -> dict[str, Any]:
    return {"enum": [word.value for word in words]}


def _maybe(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _many(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def _object(**properties: Any) -> dict[str, Any]:
    """A closed object, every field of which is there."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def comparison_schema() -> dict[str, Json]:
    """The JSON Schema (2020-12) of `comparison/1`."""
    change = {
        "type": "object",
        "properties": {"path": _TEXT, "before": True, "after": True},
        "required": ["path"],
        "additionalProperties": False,
    }
    measured = {"type": "object", "description": "What differs from run to run; no digest covers it."}
    version = _object(agent=_TEXT, version=_TEXT, digest=_DIGEST, model_kind=_TEXT)
    totals = _object(tool_calls=_COUNT, retries=_COUNT, passed=_COUNT, failed=_COUNT, errored=_COUNT)
    return {
        "$schema": DIALECT,
        "title": FORMAT,
        "$defs": {
            "change": change, "measured": measured, "call": _call(), "evaluation": _evaluation(),
            "side": _side(), "step": _step(), "case": _case(),
        },
        **_object(
            format={"const": FORMAT},
            baseline=version,
            candidate=version,
            headline=_TEXT,
            manifest_diff=_object(
                instructions=_many(_object(sign={"enum": ["-", "+"]}, text=_TEXT)),
                fields=_many(_ref("change")),
            ),
            pair=_object(plan_digest=_DIGEST, seed=_COUNT, trials=_COUNT, measured=_ref("measured")),
            counts=_object(**{kind.value: _COUNT for kind in Classification}),
            totals=_object(baseline=totals, candidate=totals),
            coverage=_coverage(),
            cases=_many(_ref("case")),
            invalid=_many(_TEXT),
            warnings=_many(_TEXT),
            exit_code=_COUNT,
            report_digest=_DIGEST,
            measured=_ref("measured"),
        ),
    }  # fmt: skip


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _coverage() -> dict[str, Any]:
    return _object(
        tools=_object(total=_COUNT, exercised=_many(_TEXT)),
        irreversible=_many(
            _object(tool=_TEXT, exercised=_FLAG, timeout_after_effect=_FLAG, success_without_effect=_FLAG)
        ),
        faults_took_effect=_many(_TEXT),
        faults_without_effect=_many(_object(scenario=_TEXT, rule=_TEXT, type=_TEXT)),
        unread_changes=_many(_object(scenario=_TEXT, path=_TEXT)),
    )


def _case() -> dict[str, Any]:
    divergence = _object(step=_COUNT, kind=_TEXT, summary=_TEXT, meaning=_maybe(_TEXT))
    return _object(
        scenario=_TEXT,
        severity=_TEXT,
        tags=_many(_TEXT),
        trial=_COUNT,
        seed=_TEXT,
        source=_object(file=_maybe(_TEXT), line=_maybe(_COUNT)),
        classification=_words(Classification),
        reason=_TEXT,
        worse=_many(_TEXT),
        baseline_unverified=_FLAG,
        candidate_critical=_many(_TEXT),
        movements={"type": "object", "additionalProperties": _words(Movement)},
        expected_failures={"type": "object", "additionalProperties": _TEXT},
        baseline=_ref("side"),
        candidate=_ref("side"),
        divergence=_maybe(divergence),
        alignment=_many(_object(baseline=_maybe(_ref("step")), candidate=_maybe(_ref("step")))),
        rerun=_TEXT,
    )


def _step() -> dict[str, Any]:
    return _object(
        step=_COUNT,
        kind=_TEXT,
        name=_TEXT,
        shown=_TEXT,
        result=_maybe(_TEXT),
        code=_maybe(_TEXT),
        effect=_maybe(_TEXT),
        call=_maybe(_COUNT),
    )


def _side() -> dict[str, Any]:
    return _object(
        verdict=_maybe(_words(CaseVerdict)),
        outcome=_maybe(_object(status=_words(OutcomeStatus), verified=_FLAG, by=_TEXT)),
        claimed_outcome=_words(ClaimedOutcome),
        claim_inferred=_FLAG,
        answer=_maybe(_TEXT),
        business_outcome=_maybe(_TEXT),
        evaluations=_many(_ref("evaluation")),
        own_calls=_maybe(_many(_object(tool=_TEXT, arguments=True, result=_maybe(_TEXT)))),
        measured=_ref("measured"),
        tool_calls=_maybe(_COUNT),
        retries=_maybe(_COUNT),
        duplicates=_maybe(_many(_object(effect=_TEXT, count=_COUNT))),
        policy_violations=_maybe(_many(_object(policy=_TEXT, call=_COUNT))),
        final_state=True,
        state_changes=_many(_ref("change")),
        faults=_many(_object(rule=_TEXT, type=_TEXT, target=_TEXT, fired=_FLAG, took_effect=_FLAG)),
        calls=_many(_ref("call")),
        retrievals=_many(_object(seq=_COUNT, query=_TEXT, documents=_many(_object(id=_TEXT, trusted=_FLAG)))),
        disagreements=_many(_TEXT),
    )


def _evaluation() -> dict[str, Any]:
    return _object(
        id=_TEXT,
        type=_TEXT,
        version=_COUNT,
        verdict=_words(Verdict),
        label=_maybe(_TEXT),
        score=_maybe({"type": "number", "minimum": 0, "maximum": 1}),
        critical=_FLAG,
        reason=_TEXT,
        evidence=_many(_object(call=_maybe(_COUNT), path=_maybe(_TEXT), note=_TEXT)),
        judge=_maybe(_object(provider=_TEXT, model=_maybe(_TEXT), kind=_TEXT)),
        calibrated=_maybe(_FLAG),
        overridden=_maybe({"type": "object"}),
    )


def _call() -> dict[str, Any]:
    return _object(
        seq=_COUNT,
        number=_maybe(_COUNT),
        tool=_TEXT,
        arguments=True,
        status=_maybe(_COUNT),
        result=_words(Result),
        code=_maybe(_TEXT),
        answer=True,
        headers={"type": "object", "additionalProperties": _TEXT},
        risk=_words(Risk),
        fault=_maybe(_TEXT),
        rule=_maybe(_TEXT),
        took_effect=_FLAG,
        idempotency_key=_maybe(_TEXT),
        effect_key=_maybe(_TEXT),
        effect={"enum": ["applied", "replayed", "none"]},
        computed_changes=_COUNT,
        committed=_maybe(_words(Commit)),
        landed=_maybe(_COUNT),
        replayed=_FLAG,
        redelivered=_FLAG,
        changes=_many(_ref("change")),
        refusal=_maybe(_TEXT),
        cross_tenant=_maybe(_TEXT),
        delay_ms=_COUNT,
    )
