"""What the cases exercised, and what they left alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agenttwin.compare._trajectory import Effect, effect_of
from agenttwin.compare._values import Side
from agenttwin.compare._warnings import NamedSide
from agenttwin.transcript import Commit, FaultUse, Result, Risk, ToolCall
from agenttwin.values import Path, read_segments

LOST = frozenset({Result.TIMEOUT, Result.DROPPED})
"""Results of a caller that got no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IrreversibleTool:
    """A tool whose calls cannot be taken back, and whether the two faults that matter most were met on it.

    ``timeout_after_effect``: no answer came, though the call was carried out. ``success_without_effect``: a
    success came, though it was not.
    """

    tool: str
    exercised: bool
    timeout_after_effect: bool
    success_without_effect: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleFault:
    """A fault that made no difference on a side; ``side`` is None where there is only one."""

    scenario: str
    side: str | None
    rule: str
    type: str
    fired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was exercised on any side. ``unread``: paths that a scenario changed and no expectation reads."""

    tools: tuple[str, ...]
    exercised: tuple[str, ...]
    irreversible: tuple[IrreversibleTool, ...]
    faults: tuple[str, ...]
    idle_faults: tuple[IdleFault, ...]
    unread: tuple[tuple[str, str], ...]


def coverage(tools: Mapping[str, str], sides: Iterable[NamedSide]) -> Coverage:
    """The coverage of sides, each with its case and its name, out of the risks of all ``tools``."""
    ran = [(info, name, side) for info, name, side in sides if side.transcript is not None]
    calls = [call for _, _, side in ran for call in _calls(side)]
    met = {call.tool: call.risk.value for call in calls if call.result is not Result.UNKNOWN_TOOL}
    known = met | dict(tools)
    uses = [(info.scenario, name, use) for info, name, side in ran for use in _uses(side)]
    irreversible = [tool for tool in sorted(known) if known[tool] == Risk.WRITE_IRREVERSIBLE]
    return Coverage(
        tools=tuple(sorted(known)),
        exercised=tuple(sorted({call.tool for call in calls if call.tool in known})),
        irreversible=tuple(_irreversible(tool, calls) for tool in irreversible),
        faults=tuple(sorted({use.type for _, _, use in uses if use.took_effect})),
        idle_faults=tuple(
            IdleFault(scenario=scenario, side=name, rule=use.rule, type=use.type, fired=use.fired)
            for scenario, name, use in uses
            if not use.took_effect
        ),
        unread=tuple(dict.fromkeys(_unread(ran))),
    )


def _calls(side: Side) -> tuple[ToolCall, ...]:
    return side.transcript.calls if side.transcript is not None else ()


def _uses(side: Side) -> tuple[FaultUse, ...]:
    return side.transcript.faults if side.transcript is not None else ()


def _irreversible(tool: str, calls: Iterable[ToolCall]) -> IrreversibleTool:
    mine = [call for call in calls if call.tool == tool]
    return IrreversibleTool(
        tool=tool,
        exercised=bool(mine),
        timeout_after_effect=any(
            call.took_effect and call.result in LOST and effect_of(call) is Effect.APPLIED for call in mine
        ),
        success_without_effect=any(
            call.took_effect and call.ok and call.computed_changes > 0 and call.committed is Commit.NONE
            for call in mine
        ),
    )


def _unread(ran: Iterable[NamedSide]) -> Iterator[tuple[str, str]]:
    for info, _, side in ran:
        for change in side.transcript.changes if side.transcript is not None else ():
            if not any(_looks_at(read, change.path, side) for read in info.reads):
                yield info.scenario, change.path


def _looks_at(read: str, changed: str, side: Side) -> bool:
    """Whether what an expectation reads is what changed, a part of it, or holds it."""
    after = side.transcript.after if side.transcript is not None else None
    place, other = Path.parse(read).settled(after.root if after is not None else None), read_segments(changed)
    shared = min(len(place), len(other))
    return place[:shared] == other[:shared]
