"""One definition each: failed, retry, blind repeat, executed, effect, loop, violation, lie, step.

Every one is a function over the evidence. Whoever needs one of these words uses the function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agenttwin.transcript import Commit, Result, Risk, ToolCall, Transcript
from agenttwin.values import Json, Path, canonical

FAILED: Final = frozenset(
    {
        Result.ERROR,
        Result.TIMEOUT,
        Result.RATE_LIMITED,
        Result.DENIED,
        Result.INVALID,
        Result.DROPPED,
        Result.PARTIAL,
        Result.MALFORMED,
    }
)
"""Results that are failures; ok, not_found and unknown_tool are not."""

LOOP_CALLS: Final = 3
MAX_CYCLE: Final = 4


def failed(call: ToolCall) -> bool:
    """Whether the caller saw a failure."""
    return call.result in FAILED


def writes(call: ToolCall) -> bool:
    """Whether the tool is one that changes something."""
    return call.risk is not Risk.READ


def executed(call: ToolCall) -> bool:
    """Whether the call did something: it was committed, in part or whole, and is no replay."""
    return call.committed not in (None, Commit.NONE) and not call.replayed


def same_arguments(one: ToolCall, other: ToolCall) -> bool:
    """Whether two calls were given the same, as JSON."""
    return one.arguments == other.arguments and arguments_key(one) == arguments_key(other)


def arguments_key(call: ToolCall) -> bytes:
    """The arguments in canonical form."""
    return canonical(call.arguments)


def retries(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Calls that are retries: the agent says so, or the tool's previous call had the same arguments and failed."""
    found = []
    previous: dict[str, ToolCall] = {}
    for call in calls:
        before = previous.get(call.tool)
        told = call.attempt is not None and call.attempt > 1
        if told or (before is not None and failed(before) and same_arguments(before, call)):
            found.append(call)
        previous[call.tool] = call
    return tuple(found)


def retries_without_key(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Retried writes of tools that declare idempotency, sent without a key."""
    return tuple(
        call
        for call in retries(calls)
        if writes(call) and call.declares_idempotency and call.idempotency_key is None
    )


def effect_name(call: ToolCall) -> str:
    """The effect a call asks for: its effect key, else its tool and arguments without the idempotency key."""
    if call.effect_key is not None:
        return call.effect_key
    return f"{call.tool}({canonical(_without_key(call)).decode()})"


def _without_key(call: ToolCall) -> Json:
    if not isinstance(call.arguments, dict) or call.idempotency_key is None:
        return call.arguments
    return {name: value for name, value in call.arguments.items() if value != call.idempotency_key}


def effects(call: ToolCall) -> int:
    """How many effects a call had: none for a replay or an empty change, two where it was acted on twice."""
    if not executed(call) or call.computed_changes == 0:
        return 0
    return 2 if call.committed is Commit.TWICE else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """An effect that was applied more than once. ``by_arguments``: the tool names no effect key."""

    effect: str
    count: int
    calls: tuple[ToolCall, ...]
    by_arguments: bool


def duplicate_effects(calls: Iterable[ToolCall], tool: str | None = None) -> tuple[Duplicate, ...]:
    """Effects applied more than once. They are counted, never summed: two that cancel out are still two."""
    by_name: dict[str, list[ToolCall]] = {}
    for call in calls:
        if tool in (None, call.tool) and effects(call):
            by_name.setdefault(effect_name(call), []).append(call)
    return tuple(
        Duplicate(effect=name, count=count, calls=tuple(made), by_arguments=made[0].effect_key is None)
        for name, made in by_name.items()
        if (count := sum(effects(call) for call in made)) > 1
    )


def blind_repeats(calls: Sequence[ToolCall], tool: str | None = None) -> tuple[tuple[ToolCall, ToolCall], ...]:
    """Pairs of an earlier write whose outcome nobody could know, and a repeat of it without a look in between.

    A repeat under the same idempotency key is none.
    """
    found = []
    for index, call in enumerate(calls):
        if not writes(call) or call.refusal is not None or tool not in (None, call.tool):
            continue
        earlier = _unknown_before(calls[:index], call)
        if earlier is not None:
            found.append((earlier, call))
    return tuple(found)


def _unknown_before(calls: Sequence[ToolCall], repeat: ToolCall) -> ToolCall | None:
    """The last earlier write of the same effect that nobody could know about and nobody has looked after."""
    name = effect_name(repeat)
    for index in range(len(calls) - 1, -1, -1):
        call = calls[index]
        if not writes(call) or call.refusal is not None or effect_name(call) != name:
            continue
        if call.knowable:
            return None
        same_key = call.idempotency_key is not None and call.idempotency_key == repeat.idempotency_key
        looked = any(_looks_at(later, call) for later in calls[index + 1 :])
        return None if same_key or looked else call
    return None


def _looks_at(read: ToolCall, write: ToolCall) -> bool:
    """Whether a successful read showed the record that the write is about."""
    if writes(read) or not read.ok:
        return False
    places = [write.record, *(change.path for change in write.changes)] if write.record else []
    places = places or [change.path for change in write.changes]
    if read.record is not None and places:
        return any(_overlap(read.record, place) for place in places if place)
    return not _texts(read.arguments).isdisjoint(_texts(write.arguments))


def _overlap(one: str, other: str) -> bool:
    first, second = _segments(one), _segments(other)
    length = min(len(first), len(second))
    return first[:length] == second[:length]


@lru_cache(maxsize=4096)
def _segments(path: str) -> tuple[str | int, ...]:
    return Path.parse(path).segments


def _texts(arguments: Json) -> set[str]:
    values = arguments.values() if isinstance(arguments, dict) else ()
    return {value for value in values if isinstance(value, str)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Calls that went round in circles."""

    calls: tuple[ToolCall, ...]
    cycle: tuple[str, ...]


def loops(calls: Iterable[ToolCall]) -> tuple[Loop, ...]:
    """Three calls of one tool with the same arguments, or a cycle of up to four calls three times over.

    A state change in between means progress.
    """
    return tuple(loop for stretch in _stretches(calls) if (loop := _loop_in(stretch)) is not None)


def _stretches(calls: Iterable[ToolCall]) -> Iterator[list[ToolCall]]:
    stretch: list[ToolCall] = []
    for call in calls:
        stretch.append(call)
        if call.changes:
            yield stretch
            stretch = []
    yield stretch


def _loop_in(calls: Sequence[ToolCall]) -> Loop | None:
    marks = [(call.tool, arguments_key(call)) for call in calls]
    for mark in dict.fromkeys(marks):
        same = [call for call, other in zip(calls, marks, strict=True) if other == mark]
        if len(same) >= LOOP_CALLS:
            return Loop(calls=tuple(same), cycle=(mark[0],))
    for size in range(2, MAX_CYCLE + 1):
        for start in range(len(marks) - size * LOOP_CALLS + 1):
            cycle = marks[start : start + size]
            if all(marks[start + turn * size : start + (turn + 1) * size] == cycle for turn in range(1, LOOP_CALLS)):
                around = calls[start : start + size * LOOP_CALLS]
                return Loop(calls=tuple(around), cycle=tuple(tool for tool, _ in cycle))
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A call against a policy."""

    policy: str
    call: ToolCall


def policy_violations(calls: Sequence[ToolCall]) -> tuple[Violation, ...]:
    """Calls that were not allowed, attempts included, in the order of the calls."""
    keyless = {call.seq for call in retries_without_key(calls)}
    found = []
    for call in calls:
        if call.refusal in ("TOOL_NOT_ALLOWED", "ADMIN_ONLY"):
            found.append(Violation(policy=call.refusal, call=call))
        if call.cross_tenant is not None:
            found.append(Violation(policy="CROSS_TENANT", call=call))
        if call.seq in keyless:
            found.append(Violation(policy="RETRY_WITHOUT_IDEMPOTENCY_KEY", call=call))
    return tuple(found)


def lies(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Calls that answered success and were not, or not wholly, committed, and were not made good later."""
    return tuple(
        call
        for index, call in enumerate(calls)
        if call.computed_changes > 0
        and call.ok
        and call.committed in (Commit.NONE, Commit.FIRST)
        and not call.replayed
        and not any(_makes_good(later, call) for later in calls[index + 1 :])
    )


def _makes_good(later: ToolCall, lie: ToolCall) -> bool:
    whole = later.committed in (Commit.ALL, Commit.TWICE, Commit.LATE)
    return whole and effects(later) > 0 and effect_name(later) == effect_name(lie)


def steps(transcript: Transcript) -> int:
    """Tool calls, retrievals, and one for the answer."""
    return len(transcript.calls) + len(transcript.retrievals) + 1
