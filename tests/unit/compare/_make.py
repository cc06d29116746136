"""Small pairs made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agenttwin.compare import CaseInfo, Pair, PairedCase, Side, Version
from agenttwin.evaluate import Evaluation, Verdict, grade
from agenttwin.transcript import (
    Claim,
    ClaimedOutcome,
    Commit,
    Event,
    FaultUse,
    Result,
    Risk,
    Setting,
    ToolCall,
    Transcript,
)
from agenttwin.values import Change, Tree

PASS, FAIL, ERROR, SKIPPED = Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.SKIPPED
SUCCESS = ClaimedOutcome.SUCCESS
PINS = {"scenario": "sha256:a", "twin": "sha256:b", "evaluators": "sha256:c", "seed": "d"}
FINISHED = Evaluation(
    id="agent-finished",
    type="agentFinished",
    version=1,
    verdict=PASS,
    critical=True,
    reason="The agent came to an end.",
)
UNREACHABLE = replace(FINISHED, verdict=ERROR, label="AGENT_UNREACHABLE", reason="The agent was not reached.")
TIMEOUT: dict[str, Any] = {"status": 504, "result": Result.TIMEOUT, "code": "TIMEOUT", "knowable": False}
NOTHING: dict[str, Any] = {"committed": Commit.NONE, "changes": ()}


def evaluation(id: str, verdict: Verdict, *, critical: bool = False, **more: Any) -> Evaluation:
    facts = {"type": "state", "version": 1, "reason": f"{id}: {verdict}.", **more}
    return Evaluation(id=id, verdict=verdict, critical=critical, **facts)


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
    """A write that cannot be taken back and took effect."""
    facts: dict[str, Any] = {
        "risk": Risk.WRITE_IRREVERSIBLE,
        "committed": Commit.ALL,
        "computed_changes": 1,
        "changes": (Change(path="paid", before=0, after=1),),
    }
    return call(tool, arguments, **{**facts, **more})


def numbered(events: Sequence[Event]) -> tuple[Event, ...]:
    """Calls in a row get their numbers; other events keep theirs."""
    return tuple(
        replace(event, seq=number) if isinstance(event, ToolCall) else event
        for number, event in enumerate(events, 1)
    )


def side(
    evaluations: Sequence[Evaluation] = (),
    events: Sequence[Event] = (),
    *,
    ran: bool = True,
    finished: Evaluation = FINISHED,
    outcome: ClaimedOutcome = SUCCESS,
    answer: str | None = "Done.",
    claim: Claim | None = None,
    state: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] | None = None,
    faults: Sequence[FaultUse] = (),
    secrets: tuple[str, ...] = (),
    pins: Mapping[str, str] = PINS,
    **measured: Any,
) -> Side:
    """A side; ``state`` is what the state ``before`` (default: empty) was set to, key by key."""
    tree = Tree(dict(before or {}))
    start = tree.fork()
    for name, value in (state or {}).items():
        tree.set((name,), value)
    transcript = Transcript(
        events=numbered(events),
        before=start,
        after=tree,
        changes=tree.changes(),
        faults=tuple(faults),
        setting=Setting(secrets=secrets),
    )
    return Side(
        transcript=transcript if ran else None,
        claim=claim or Claim(answer=answer, outcome=outcome),
        grade=grade((finished, *evaluations)) if ran else None,
        pins=pins if ran else {},
        measured=measured,
    )


NEVER_RAN = side(ran=False, claim=Claim())


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


def judged(
    *verdicts: tuple[Verdict | None, Verdict | None, bool], baseline: bool = True, candidate: bool = True
) -> PairedCase:
    """A case of expectations e0, e1 …: the verdict on either side (None: absent), and if it is critical."""
    left = [evaluation(f"e{n}", b, critical=c) for n, (b, _, c) in enumerate(verdicts) if b is not None]
    right = [evaluation(f"e{n}", b, critical=c) for n, (_, b, c) in enumerate(verdicts) if b is not None]
    return case(side(left, ran=baseline), side(right, ran=candidate))


def version(number: str, *, agent: str = "a", instructions: str = "", **more: Any) -> Version:
    facts = {"digest": "sha256:" + "0" * 64, "model_kind": "unknown", **more}
    return Version(agent=agent, version=number, manifest={"spec": {"instructions": instructions}}, **facts)


def pair(*cases: PairedCase, **more: Any) -> Pair:
    facts: dict[str, Any] = {
        "baseline": version("1.0.0"),
        "candidate": version("1.1.0"),
        "plan_digest": "sha256:" + "1" * 64,
        "seed": 7,
        "trials": 1,
    }
    return Pair(cases=cases, **{**facts, **more})
