"""What a divergence means, where the record says so: one sentence, by the first rule that holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from agenttwin.compare._phrases import say
from agenttwin.compare._trajectory import Effect, Step, effect_of
from agenttwin.evaluate import effect_name, effects, failed, writes
from agenttwin.transcript import Commit, Risk, ToolCall

IRREVERSIBLE: Final = frozenset({Risk.WRITE_IRREVERSIBLE, Risk.ADMIN})
"""Risks of a call that cannot be taken back."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The calls of a side around where the sides part; ``now`` is None where it makes no call there."""

    before: tuple[ToolCall, ...]
    now: ToolCall | None
    after: tuple[ToolCall, ...]

    @classmethod
    def of(cls, steps: Sequence[Step], index: int) -> _Side:
        return cls(_calls(steps[:index]), steps[index].call, _calls(steps[index:]))

    @property
    def all(self) -> tuple[ToolCall, ...]:
        return self.before + self.after


def _calls(steps: Sequence[Step]) -> tuple[ToolCall, ...]:
    return tuple(call for step in steps if (call := step.call) is not None)


def meaning(kind: str, index: int, baseline: Sequence[Step], candidate: Sequence[Step]) -> str | None:
    """What it means that the sides part at the step at ``index``; None where the record does not say."""
    left, right = _Side.of(baseline, index), _Side.of(candidate, index)
    return next((said for rule in _RULES if (said := rule(kind, left, right)) is not None), None)


def _without_check(kind: str, baseline: _Side, candidate: _Side) -> str | None:
    """The candidate acts where the baseline looks, and has not looked before."""
    found = _act_and_look(kind, actor=candidate, looker=baseline)
    return say("without_check", tool=found[0], check=found[1]) if found else None


def _check_first(kind: str, baseline: _Side, candidate: _Side) -> str | None:
    """The mirror: the candidate looks where the baseline acts without having looked, and acts later."""
    found = _act_and_look(kind, actor=baseline, looker=candidate)
    if found is None or not _calls_tool(candidate.after, found[0]):
        return None
    return say("check_first", tool=found[0], check=found[1])


def _act_and_look(kind: str, actor: _Side, looker: _Side) -> tuple[str, str] | None:
    act, look = actor.now, looker.now
    if kind != "tool" or act is None or look is None:
        return None
    if act.risk not in IRREVERSIBLE or look.risk is not Risk.READ or _calls_tool(actor.before, look.tool):
        return None
    return act.tool, look.tool


def _without_key(kind: str, baseline: _Side, candidate: _Side) -> str | None:
    """Both call the same tool here, and only the baseline sends a key."""
    left, right = baseline.now, candidate.now
    if left is None or right is None or left.tool != right.tool:
        return None
    if left.idempotency_key is None or right.idempotency_key is not None:
        return None
    return say("without_key", tool=right.tool)


def _repeated(kind: str, baseline: _Side, candidate: _Side) -> str | None:
    """The candidate repeats here what the baseline does not repeat, though the failed attempt was applied."""
    repeat = candidate.now
    if repeat is None or not _repeats_applied(candidate) or _repeats_applied(baseline):
        return None
    again = effect_of(repeat) is Effect.APPLIED
    return say("repeated_again" if again else "repeated", tool=repeat.tool)


def _repeats_applied(side: _Side) -> bool:
    """Whether the call here repeats a write of this side that failed and had taken effect by then."""
    repeat = side.now
    return repeat is not None and writes(repeat) and any(_applied(call, repeat) for call in side.before)


def _applied(call: ToolCall, repeat: ToolCall) -> bool:
    if call.tool != repeat.tool or not failed(call) or effect_name(call) != effect_name(repeat):
        return False
    landed = call.committed is not Commit.LATE or 0 < (call.landed or 0) <= repeat.seq
    return effects(call) > 0 and landed


def _after_stop(kind: str, baseline: _Side, candidate: _Side) -> str | None:
    act = _irreversible(candidate.after)
    return say("after_stop", tool=act.tool) if kind == "extra_steps" and act is not None else None


def _ended_without(kind: str, baseline: _Side, candidate: _Side) -> str | None:
    """The baseline goes on to an irreversible call of a tool that the candidate never calls."""
    act = _irreversible(baseline.after)
    if kind not in ("stopped_early", "tool") or act is None or _calls_tool(candidate.all, act.tool):
        return None
    return say("ended_without", tool=act.tool)


def _irreversible(calls: Sequence[ToolCall]) -> ToolCall | None:
    return next((call for call in calls if call.risk in IRREVERSIBLE), None)


def _never_escalated(kind: str, baseline: _Side, candidate: _Side) -> str | None:
    handed = next((call for call in baseline.after if call.role == "escalation" and call.ok), None)
    if handed is None or any(call.role == "escalation" for call in candidate.all):
        return None
    return say("never_escalated", tool=handed.tool)


def _calls_tool(calls: Sequence[ToolCall], tool: str) -> bool:
    return any(call.tool == tool for call in calls)


_RULES: Final[tuple[Callable[[str, _Side, _Side], str | None], ...]] = (
    _without_check,
    _check_first,
    _repeated,
    _without_key,
    _after_stop,
    _ended_without,
    _never_escalated,
)
