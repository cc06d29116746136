"""Small pairs made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agenttwin.compare import CaseInfo, Pair, PairedCase, Side, Version
from agenttwin.evaluate import Evaluation, Verdict, grade
from agenttwin.transcript import Claim, ClaimedOutcome, Commit, Result, Risk, ToolCall, Transcript
from agenttwin.values import Change, Tree

FINISHED = Evaluation(
    id="agent-finished",
    type="agentFinished",
    version=1,
    verdict=Verdict.PASS,
    critical=True,
    reason="The agent came to an end.",
)
PINS = {"scenario": "a", "twin": "b", "evaluators": "c", "seed": "d"}


def evaluation(id: str, verdict: Verdict, *, critical: bool = False, **more: Any) -> Evaluation:
    return Evaluation(
        id=id, type="state", version=1, verdict=verdict, critical=critical, reason=f"{id}: {verdict}.", **more
    )


def call(tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> ToolCall:
    """A successful read unless more is said."""
    facts: dict[str, Any] = {
        "seq": 1,
        "number": 1,
        "status": 200,
        "result": Result.OK,
        "headers": {},
        "risk": Risk.READ,
        "answer": b"{}",
    }
    return ToolCall(tool=tool, arguments=dict(arguments or {}), **{**facts, **more})


def applied(tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> ToolCall:
    """A write that took effect."""
    facts: dict[str, Any] = {
        "risk": Risk.WRITE_IRREVERSIBLE,
        "committed": Commit.ALL,
        "computed_changes": 1,
        "changes": (Change(path="paid", before=0, after=1),),
    }
    return call(tool, arguments, **{**facts, **more})


def side(
    evaluations: Sequence[Evaluation] = (),
    calls: Sequence[ToolCall] = (),
    *,
    outcome: ClaimedOutcome = ClaimedOutcome.SUCCESS,
    answer: str | None = "Done.",
    transcript: bool = True,
    pins: Mapping[str, str] = PINS,
    **measured: Any,
) -> Side:
    tree = Tree({})
    return Side(
        transcript=Transcript(events=tuple(calls), before=tree, after=tree) if transcript else None,
        claim=Claim(answer=answer, outcome=outcome),
        grade=grade((FINISHED, *evaluations)) if transcript else None,
        pins=pins,
        measured=measured,
    )


def case(baseline: Side, candidate: Side, *, scenario: str = "s", **more: Any) -> PairedCase:
    facts: dict[str, Any] = {
        "severity": "high",
        "tags": (),
        "file": "s.yaml",
        "line": 1,
        "expectations": (),
        "ignore": {},
        "expected_failures": {},
    }
    return PairedCase(
        info=CaseInfo(scenario=scenario, **{**facts, **more}),
        trial=1,
        seed="d",
        pins=PINS,
        baseline=baseline,
        candidate=candidate,
    )


def pair(*cases: PairedCase) -> Pair:
    def version(number: str) -> Version:
        return Version(
            agent="a",
            version=number,
            digest="sha256:" + "0" * 64,
            model_kind="unknown",
            manifest={"spec": {}},
        )

    return Pair(
        baseline=version("1.0.0"),
        candidate=version("1.1.0"),
        plan_digest="sha256:" + "1" * 64,
        seed=0,
        trials=1,
        cases=cases,
    )
