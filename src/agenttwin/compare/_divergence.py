"""The first divergence: the step at which two sides part, in sentences that describe the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from agenttwin.compare._comparison import Divergence
from agenttwin.compare._meaning import meaning
from agenttwin.compare._phrases import say
from agenttwin.compare._trajectory import Kind, Step, printed
from agenttwin.values import MISSING, Change, diff


@dataclass(frozen=True, slots=True)
class _Parting:
    """Where the sides part: the number of the step, and the step on either side."""

    number: int
    baseline: Step
    candidate: Step


def diverge(baseline: Sequence[Step], candidate: Sequence[Step]) -> Divergence | None:
    """The first step whose signatures differ; None where none does, or a side has no steps.

    Every trajectory ends with its only outcome, so that a longer one differs where the shorter one ends.
    """
    for index, (left, right) in enumerate(zip(baseline, candidate, strict=False)):
        if left.signature != right.signature:
            kind = _kind(left, right)
            summary = _SUMMARIES[kind](_Parting(index + 1, left, right))
            said = meaning(kind, index, baseline, candidate)
            return Divergence(step=index + 1, kind=kind, summary=summary, meaning=said)
    return None


def _kind(left: Step, right: Step) -> str:
    kinds = {left.kind, right.kind}
    if Kind.POLICY in kinds:
        return "policy"
    if kinds == {Kind.OUTCOME}:
        return "outcome"
    if Kind.OUTCOME in kinds:
        return "stopped_early" if right.kind is Kind.OUTCOME else "extra_steps"
    if (left.kind, left.name) != (right.kind, right.name):
        return "tool"
    return "arguments" if left.compared != right.compared else "result"


def _tool(at: _Parting) -> str:
    return say("tool", step=at.number, baseline=at.baseline, candidate=at.candidate)


def _arguments(at: _Parting) -> str:
    before, after = (orjson.loads(step.compared) for step in (at.baseline, at.candidate))
    changes = "; ".join(_changed(change) for change in diff(before, after))
    return say("arguments", step=at.number, tool=at.candidate.name, changes=changes)


def _changed(change: Change) -> str:
    name = change.path or "the arguments"
    if change.after is MISSING:
        return say("dropped", name=name)
    if change.before is MISSING:
        return say("added", name=name)
    return say("changed", name=name, before=printed(change.before), after=printed(change.after))


def _result(at: _Parting) -> str:
    left, right = at.baseline, at.candidate
    phrase = "ended_with_code" if left.result == right.result and left.code != right.code else "ended"
    baseline, candidate = (
        say(phrase, result=step.result, code=step.code or "without a code", effect=step.effect)
        for step in (left, right)
    )
    return say("result", step=at.number, tool=right.name, baseline=baseline, candidate=candidate)


def _policy(at: _Parting) -> str:
    left, right = at.baseline, at.candidate
    if left.kind is right.kind:
        met = {"tool": _tool_of(right), "policy": right.name, "decision": right.result}
        return say("policies", step=at.number, **met, other=left.name, instead=left.result)
    side, other, step = "candidate", "baseline", right
    if left.kind is Kind.POLICY:
        side, other, step = "baseline", "candidate", left
    met = {"tool": _tool_of(step), "policy": step.name, "decision": step.result}
    return say("policy", step=at.number, side=side, other=other, **met)


def _tool_of(step: Step) -> str:
    return getattr(step.event, "tool", "")


def _stopped_early(at: _Parting) -> str:
    return _stopped(at.number - 1, "candidate", at.candidate, "baseline", at.baseline)


def _extra_steps(at: _Parting) -> str:
    return _stopped(at.number - 1, "baseline", at.baseline, "candidate", at.candidate)


def _stopped(steps: int, side: str, outcome: Step, other: str, following: Step) -> str:
    told = {"side": side, "outcome": outcome.name, "other": other, "call": following}
    return say("stopped", step=steps, **told) if steps else say("stopped_at_once", **told)


def _outcome(at: _Parting) -> str:
    return say("outcome", baseline=at.baseline.name, candidate=at.candidate.name)


_SUMMARIES: Final[Mapping[str, Callable[[_Parting], str]]] = {
    "tool": _tool,
    "arguments": _arguments,
    "result": _result,
    "policy": _policy,
    "stopped_early": _stopped_early,
    "extra_steps": _extra_steps,
    "outcome": _outcome,
}
"""The kinds of divergence, each with what says it."""

DIVERGENCES: Final = tuple(_SUMMARIES)
