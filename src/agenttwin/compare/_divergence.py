"""The first divergence: where two trajectories part, in sentences that describe and name no cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from agenttwin.compare._trajectory import text_of
from agenttwin.compare._values import Divergence, Step
from agenttwin.evaluate import effect_name, failed, writes
from agenttwin.transcript import Risk, ToolCall
from agenttwin.values import MISSING, Json, equal

SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "tool": "At step {n} the baseline called {baseline}; the candidate called {candidate}.",
        "arguments": "At step {n} both called {tool}, with different arguments: {differences}.",
        "result": (
            "At step {n} both made the same {tool} call; the baseline's ended {baseline},"
            " the candidate's {candidate}."
        ),
        "policy": (
            "At step {n} the {side}'s {tool} call met policy {policy} ({decision}); the {other}'s did not."
        ),
        "stopped_early": (
            "The candidate stopped after step {n} and reported {outcome}; the baseline went on with {next}."
        ),
        "extra_steps": (
            "The baseline stopped after step {n} and reported {outcome}; the candidate went on with {next}."
        ),
        "outcome": "The baseline reported outcome {baseline}; the candidate reported outcome {candidate}.",
    }
)
"""What is said of each kind of divergence."""

MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "repeated_applied_write": (
            "The candidate repeated {tool} after a failure that had already applied it."
        ),
        "irreversible_without_check": (
            "The candidate called the irreversible {tool} without first calling {other},"
            " which the baseline called at this point."
        ),
        "check_before_irreversible": (
            "The candidate called {tool} before the irreversible {other},"
            " which the baseline called at this point."
        ),
        "irreversible_after_stop": (
            "The candidate made the irreversible {tool} call after the baseline had stopped."
        ),
        "ended_without_irreversible": (
            "The candidate ended without the irreversible {tool} call, which the baseline made."
        ),
        "key_dropped": "The candidate sent {tool} without the idempotency key the baseline used.",
        "never_escalated": "The candidate never escalated; the baseline did.",
    }
)
"""What a divergence means, where the record supports it."""

IRREVERSIBLE: Final = frozenset({Risk.WRITE_IRREVERSIBLE, Risk.ADMIN})


@dataclass(frozen=True, slots=True)
class _Place:
    """The place at which two trajectories part: the index, and all steps of both."""

    index: int
    baseline: Sequence[Step]
    candidate: Sequence[Step]

    @property
    def left(self) -> Step:
        return self.baseline[self.index]

    @property
    def right(self) -> Step:
        return self.candidate[self.index]


def diverge(baseline: Sequence[Step], candidate: Sequence[Step]) -> Divergence | None:
    """The first index at which the signatures differ; None where they never do, or a side has no steps."""
    for index, (left, right) in enumerate(zip(baseline, candidate, strict=False)):
        if left.signature != right.signature:
            place = _Place(index, baseline, candidate)
            kind = _kind(left, right)
            summary = _SUMMARIES[kind](place)
            return Divergence(step=index + 1, kind=kind, summary=summary, meaning=_meaning(kind, place))
    return None


def _kind(left: Step, right: Step) -> str:
    if left.kind == "policy" or right.kind == "policy":
        return "policy"
    if left.kind == "outcome" or right.kind == "outcome":
        if left.kind == right.kind:
            return "outcome"
        return "stopped_early" if right.kind == "outcome" else "extra_steps"
    if (left.kind, left.name) != (right.kind, right.name):
        return "tool"
    return "result" if equal(left.arguments, right.arguments) else "arguments"


def _tool(place: _Place) -> str:
    return SENTENCES["tool"].format(n=place.index + 1, baseline=place.left.shown, candidate=place.right.shown)


def _arguments(place: _Place) -> str:
    differences = "; ".join(_differences(place.left.arguments, place.right.arguments))
    return SENTENCES["arguments"].format(n=place.index + 1, tool=place.right.name, differences=differences)


def _differences(before: Json, after: Json) -> list[str]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return [f"{text_of(before)} → {text_of(after)}"]
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, MISSING), after.get(name, MISSING)
        if new is MISSING:
            found.append(f"{name} dropped")
        elif old is MISSING:
            found.append(f"{name} added ({text_of(new)})")
        elif not equal(old, new):
            found.append(f"{name} {text_of(old)} → {text_of(new)}")
    return found


def _result(place: _Place) -> str:
    return SENTENCES["result"].format(
        n=place.index + 1, tool=place.right.name, baseline=_ended(place.left), candidate=_ended(place.right)
    )


def _ended(step: Step) -> str:
    code = f" {step.code}" if step.code is not None and step.result not in ("timeout", "ok") else ""
    return f"{step.result}{code} ({step.effect})" if step.effect is not None else str(step.result)


def _policy(place: _Place) -> str:
    side, other, step = ("candidate", "baseline", place.right)
    if step.kind != "policy":
        side, other, step = ("baseline", "candidate", place.left)
    tool = step.call.tool if step.call is not None else ""
    return SENTENCES["policy"].format(
        n=place.index + 1, side=side, other=other, tool=tool, policy=step.name, decision=step.result
    )


def _stopped_early(place: _Place) -> str:
    return SENTENCES["stopped_early"].format(n=place.index, outcome=place.right.name, next=place.left.shown)


def _extra_steps(place: _Place) -> str:
    return SENTENCES["extra_steps"].format(n=place.index, outcome=place.left.name, next=place.right.shown)


def _outcome(place: _Place) -> str:
    return SENTENCES["outcome"].format(baseline=place.left.name, candidate=place.right.name)


_SUMMARIES: Final[Mapping[str, Callable[[_Place], str]]] = {
    "tool": _tool,
    "arguments": _arguments,
    "result": _result,
    "policy": _policy,
    "stopped_early": _stopped_early,
    "extra_steps": _extra_steps,
    "outcome": _outcome,
}


# -- what it means


def _meaning(kind: str, place: _Place) -> str | None:
    """The most specific sentence that the record supports."""
    rules = (_repeated_applied_write, _irreversible, _stopping, _key_dropped, _never_escalated)
    return next((sentence for rule in rules if (sentence := rule(kind, place)) is not None), None)


def _repeated_applied_write(kind: str, place: _Place) -> str | None:
    call = place.right.call
    if call is None or place.right.kind != "call" or not writes(call) or kind == "result":
        return None
    applied = [
        step.call
        for step in place.candidate[: place.index]
        if step.call is not None and step.kind == "call" and step.effect == "applied" and failed(step.call)
    ]
    if any(effect_name(earlier) == effect_name(call) for earlier in applied):
        return MEANINGS["repeated_applied_write"].format(tool=call.tool)
    return None


def _irreversible(kind: str, place: _Place) -> str | None:
    left, right = place.left.call, place.right.call
    if kind != "tool" or left is None or right is None:
        return None
    if (
        right.risk in IRREVERSIBLE
        and left.risk is Risk.READ
        and not _called(place.candidate, place.index, left.tool)
    ):
        return MEANINGS["irreversible_without_check"].format(tool=right.tool, other=left.tool)
    if (
        left.risk in IRREVERSIBLE
        and right.risk is Risk.READ
        and not _called(place.baseline, place.index, right.tool)
    ):
        return MEANINGS["check_before_irreversible"].format(tool=right.tool, other=left.tool)
    return None


def _called(steps: Sequence[Step], until: int, tool: str) -> bool:
    return any(step.kind == "call" and step.name == tool for step in steps[:until])


def _stopping(kind: str, place: _Place) -> str | None:
    if kind == "extra_steps":
        call = _first_irreversible(place.candidate[place.index :])
        return MEANINGS["irreversible_after_stop"].format(tool=call.tool) if call else None
    if kind == "stopped_early":
        call = _first_irreversible(place.baseline[place.index :])
        return MEANINGS["ended_without_irreversible"].format(tool=call.tool) if call else None
    return None


def _first_irreversible(steps: Sequence[Step]) -> ToolCall | None:
    calls = (step.call for step in steps if step.kind == "call")
    return next((call for call in calls if call is not None and call.risk in IRREVERSIBLE), None)


def _key_dropped(kind: str, place: _Place) -> str | None:
    left, right = place.left.call, place.right.call
    if kind != "arguments" or left is None or right is None:
        return None
    if left.idempotency_key is not None and right.idempotency_key is None:
        return MEANINGS["key_dropped"].format(tool=right.tool)
    return None


def _never_escalated(kind: str, place: _Place) -> str | None:
    def escalated(steps: Sequence[Step]) -> bool:
        return any(step.call is not None and step.call.role == "escalation" for step in steps)

    return (
        MEANINGS["never_escalated"] if escalated(place.baseline) and not escalated(place.candidate) else None
    )
