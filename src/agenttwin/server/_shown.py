"""What lists show of comparisons and their cases, as it is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Final

import orjson

from agenttwin.compare import CaseDocument, ComparisonDocument
from agenttwin.storage import ComparisonCaseRow, ComparisonRow, StoredPair

FORMAT: Final = f"{version('agenttwin')}/2"
"""What the kept JSON looks like; another number where this module or `compare` writes it otherwise."""


def when(milliseconds: int | None) -> str | None:
    """A stored time in ISO 8601, UTC."""
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def comparison_row(pair: StoredPair, document: ComparisonDocument) -> ComparisonRow:
    """A comparison as it is kept for lists."""
    sides = {
        name: {"version": run.version, "digest": run.digest, "model_kind": run.model_kind}
        for name, run in (("baseline", pair.baseline), ("candidate", pair.candidate))
    }
    item = {
        "id": pair.id,
        "key": pair.key,
        "agent": pair.candidate.agent,
        **sides,
        "counts": document["counts"],
        "headline": document["headline"],
        "exit_code": document["exit_code"],
        "cases": len(document["cases"]),
        "seed": pair.candidate.seed,
    }
    return ComparisonRow(
        agent=pair.candidate.agent,
        baseline=pair.baseline.version,
        candidate=pair.candidate.version,
        classes=tuple(name for name, number in document["counts"].items() if number),
        headline=document["headline"],
        item=orjson.dumps(item),
        head=orjson.dumps({**document, "cases": []}),
    )


def case_rows(document: ComparisonDocument) -> list[ComparisonCaseRow]:
    """The cases of a comparison as they are kept for lists, in the document's order: worst first."""
    return [
        ComparisonCaseRow(
            scenario=case["scenario"],
            trial=case["trial"],
            classification=case["classification"],
            severity=case["severity"],
            tags=tuple(case["tags"]),
            words=f"{case['scenario']} {case['reason']}",
            item=orjson.dumps(_case_item(case)),
        )
        for case in document["cases"]
    ]


def _case_item(case: CaseDocument) -> dict[str, Any]:
    parts = case["divergence"]
    worse = case["worse"][0] if case["worse"] else None
    reasons = {item["id"]: item["reason"] for item in case["candidate"]["evaluations"]}
    return {
        "scenario": case["scenario"],
        "trial": case["trial"],
        "severity": case["severity"],
        "tags": case["tags"],
        "classification": case["classification"],
        "reason": case["reason"],
        "why": reasons.get(worse or ""),
        "divergence": {key: parts[key] for key in ("step", "kind", "summary")} if parts else None,
        "baseline": _side_item(case["baseline"]),
        "candidate": _side_item(case["candidate"]),
        "overridden": any(_is_overridden(case[side]) for side in ("baseline", "candidate")),
    }


def _side_item(side: Any) -> dict[str, Any]:
    return {key: side[key] for key in ("verdict", "claimed_outcome", "tool_calls", "retries")}


def _is_overridden(side: Any) -> bool:
    return any(item.get("overridden") for item in side["evaluations"])
