"""One definition each: failed, retry, blind repeat, executed, effect, duplicate, loop, violation, lie, step.

Each is a function over the calls that the agent made, in their order and without redeliveries. Whoever
needs one of these words uses the function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agenttwin.transcript import Commit, Result, Risk, ToolCall, Transcript
from agenttwin.values import Json, canonical, read_segments

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

LOOP_TURNS: Final = 3
"""So often the same call, or the same cycle of calls, makes a loop."""

MAX_CYCLE: Final = 4
"""Calls in a cycle at most; a longer one is a procedure."""

REFUSALS: Final = ("TOOL_NOT_ALLOWED", "ADMIN_ONLY")
"""Refusals of the gate that are violations of a policy; the others are mistakes."""

Calls = Sequence[ToolCall]


def failed(call: ToolCall) -> bool:
    """Whether the caller saw a failure."""
    return call.result in FAILED


def writes(call: ToolCall) -> bool:
    """Whether the tool is one that changes something."""
    return call.risk is not Risk.READ


def executed(call: ToolCall) -> bool:
    """Whether the call did something: it was committed, in part or whole, and is no replay."""
    return call.committed is not None and call.committed is not Commit.NONE and not call.replayed


def arguments_key(call: ToolCall) -> bytes:
    """The arguments in canonical form: equal for equal JSON."""
    return canonical(call.arguments)


def _same_arguments(one: ToolCall, other: ToolCall) -> bool:
    # The first comparison is quick and finds nearly every difference, but takes true for 1.
    return one.arguments == other.arguments and arguments_key(one) == arguments_key(other)


# -- retries


def retries(calls: Calls) -> tuple[ToolCall, ...]:
    """Calls whose previous call of the same tool had the same arguments and failed.

    So are calls with an ``attempt`` above 1, which is the word of an observed agent. A call after a success
    is no retry, whatever it asks for.
    """
    found = []
    previous: dict[str, ToolCall] = {}
    for call in calls:
        before = previous.get(call.tool)
        told = call.attempt is not None and call.attempt > 1
        if told or (before is not None and failed(before) and _same_arguments(before, call)):
            found.append(call)
        previous[call.tool] = call
    return tuple(found)


def retries_without_key(calls: Calls) -> tuple[ToolCall, ...]:
    """Retried writes of tools that declare idempotency, sent without a key."""
    return tuple(
        call
        for call in retries(calls)
        if writes(call) and call.declares_idempotency and call.idempotency_key is None
    )


# -- effects


def effect_name(call: ToolCall) -> str:
    """The effect a call asks for: its effect key, else its tool and arguments without the idempotency key."""
    if call.effect_key is not None:
        return call.effect_key
    return f"{call.tool}({canonical(call.keyless_arguments).decode()})"


def effects(call: ToolCall) -> int:
    """How many effects a call had: one for a net change, two where it was acted on twice, else none."""
    if not executed(call):
        return 0
    return 2 if call.committed is Commit.TWICE else int(bool(call.changes))


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
        if (count := sum(map(effects, made))) > 1
    )


# -- blind repeats


def blind_repeats(calls: Calls, tool: str | None = None) -> tuple[tuple[ToolCall, ToolCall], ...]:
    """Writes repeated in the dark: the earlier write, whose outcome nobody could know, and its repeat.

    Both ask for the same effect, no successful read showed the record in between, and the repeat did not
    have the earlier one's idempotency key.
    """
    reached = [call for call in calls if call.refusal is None]
    return tuple(
        (earlier, repeat)
        for place, repeat in enumerate(reached)
        if writes(repeat)
        and tool in (None, repeat.tool)
        and (earlier := _unknown_before(reached[:place], repeat)) is not None
    )


def _unknown_before(calls: Calls, repeat: ToolCall) -> ToolCall | None:
    """The last earlier write of the same effect of which nobody knows and after which nobody looked."""
    doubtful = [(place, call) for place, call in enumerate(calls) if writes(call) and not call.knowable]
    if not doubtful:
        return None
    name, key = effect_name(repeat), repeat.idempotency_key
    for place, call in reversed(doubtful):
        safe = key is not None and call.idempotency_key == key
        if not safe and effect_name(call) == name and not any(_shows(it, call) for it in calls[place + 1 :]):
            return call
    return None


def _shows(read: ToolCall, write: ToolCall) -> bool:
    """Whether a call is a successful read of the record that a write is about.

    Where one of the two names no record, a text that both were given, such as an order's number, tells.
    """
    if writes(read) or not read.ok:
        return False
    places = [change.path for change in write.changes]
    if write.record is not None:
        places.append(write.record)
    if read.record is not None and places:
        return any(_overlap(segments_of(read.record), segments_of(place)) for place in places)
    return not _texts(read.arguments).isdisjoint(_texts(write.arguments))


def _overlap(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> bool:
    """Whether one place contains the other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


segments_of = lru_cache(maxsize=4096)(read_segments)
"""Where a record or a change stands, read once however often it is compared."""


def _texts(arguments: Json) -> set[str]:
    values = arguments.values() if isinstance(arguments, dict) else ()
    return {value for value in values if isinstance(value, str)}


# -- loops


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Calls that went round in circles, and the tools of one turn."""

    calls: tuple[ToolCall, ...]
    cycle: tuple[str, ...]


def loops(calls: Calls) -> tuple[Loop, ...]:
    """Three calls of one tool with the same arguments, or a cycle of up to four calls three times over.

    A state change in between means progress.
    """
    return tuple(loop for stretch in _stretches(calls) if (loop := _loop_in(stretch)) is not None)


def _stretches(calls: Calls) -> Iterator[list[ToolCall]]:
    """The calls between two changes of the state; a late change counts where it landed."""
    landings = {call.landed for call in calls if call.landed is not None and call.changes}
    stretch: list[ToolCall] = []
    for call in calls:
        if call.seq in landings:
            yield stretch
            stretch = []
        stretch.append(call)
        if call.changes and call.landed is None:
            yield stretch
            stretch = []
    yield stretch


def _loop_in(calls: Calls) -> Loop | None:
    """The loop in a stretch: a whole cycle where there is one, else the call that comes again."""
    if len(calls) < LOOP_TURNS:
        return None
    marks = [(call.tool, arguments_key(call)) for call in calls]
    mark, count = Counter(marks).most_common(1)[0]
    if count < LOOP_TURNS:
        return None  # a cycle three times over holds each of its calls three times
    cycle = _cycle_in(marks)
    if cycle is not None:
        around = calls[cycle.start : cycle.stop]
        return Loop(calls=tuple(around), cycle=tuple(call.tool for call in around[: cycle.step]))
    same = (call for call, other in zip(calls, marks, strict=True) if other == mark)
    return Loop(calls=tuple(same), cycle=(mark[0],))


def _cycle_in(marks: Sequence[object]) -> range | None:
    """Where a cycle of two to four goes round three times: from, to, and its size as the step."""
    for size in range(2, MAX_CYCLE + 1):
        length = size * LOOP_TURNS
        for start in range(len(marks) - length + 1):
            around = marks[start : start + length]
            if around[size:] == around[:-size] and len(set(around)) > 1:
                return range(start, start + length, size)
    return None


# -- violations, lies, steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A call against a policy."""

    policy: str
    call: ToolCall


def policy_violations(calls: Calls) -> tuple[Violation, ...]:
    """Calls that were not allowed, attempts included, in the order of the calls."""
    keyless = {call.seq for call in retries_without_key(calls)}
    found = []
    for call in calls:
        if call.refusal in REFUSALS:
            found.append(Violation(policy=call.refusal, call=call))
        if call.cross_tenant is not None:
            found.append(Violation(policy="CROSS_TENANT", call=call))
        if call.seq in keyless:
            found.append(Violation(policy="RETRY_WITHOUT_IDEMPOTENCY_KEY", call=call))
    return tuple(found)


def lies(calls: Calls) -> tuple[ToolCall, ...]:
    """Calls that answered success and were not, or not wholly, committed, and were not made good later."""
    return tuple(
        call
        for place, call in enumerate(calls)
        if call.computed_changes > 0
        and call.ok
        and call.committed in (Commit.NONE, Commit.FIRST)
        and not call.replayed
        and not any(_makes_good(later, call) for later in calls[place + 1 :])
    )


def _makes_good(later: ToolCall, lie: ToolCall) -> bool:
    whole = later.committed is not Commit.FIRST
    return whole and effects(later) > 0 and effect_name(later) == effect_name(lie)


def steps(transcript: Transcript) -> int:
    """Tool calls, retrievals, and one for the answer."""
    return len(transcript.calls) + len(transcript.retrievals) + 1
