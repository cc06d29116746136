"""What a comparison exercised, and what it left alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agenttwin.compare._values import Comparison, Pair, Side
from agenttwin.evaluate import failed
from agenttwin.transcript import Commit, FaultUse, Risk, ToolCall
from agenttwin.values import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class IrreversibleTool:
    """An irreversible tool, and whether the two things that matter most were tried on it."""

    tool: str
    exercised: bool
    timeout_after_effect: bool
    success_without_effect: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was exercised on either side. ``unread`` are changed paths that no expectation reads."""

    tools: tuple[str, ...]
    exercised: tuple[str, ...]
    irreversible: tuple[IrreversibleTool, ...]
    faults: tuple[str, ...]
    idle_faults: tuple[tuple[str, str, str], ...]
    unread: tuple[tuple[str, str], ...]


def coverage(comparison: Comparison) -> Coverage:
    """The coverage of both sides together."""
    pair = comparison.pair
    calls = tuple(_calls(pair))
    risks = {**{call.tool: call.risk.value for call in calls if call.refusal != "UNKNOWN_TOOL"}, **pair.tools}
    irreversible = sorted(
        tool for tool, risk in risks.items() if risk in (Risk.WRITE_IRREVERSIBLE, Risk.ADMIN)
    )
    uses = list(_uses(pair))
    working = {(scenario, use.rule) for scenario, use in uses if use.took_effect}
    return Coverage(
        tools=tuple(sorted(risks)),
        exercised=tuple(sorted({call.tool for call in calls} & set(risks))),
        irreversible=tuple(_irreversible(tool, calls) for tool in irreversible),
        faults=tuple(sorted({use.type for _, use in uses if use.took_effect})),
        idle_faults=tuple(
            sorted(
                {
                    (scenario, use.rule, use.type)
                    for scenario, use in uses
                    if (scenario, use.rule) not in working
                }
            )
        ),
        unread=tuple(sorted(set(_unread(pair)))),
    )


def _uses(pair: Pair) -> Iterator[tuple[str, FaultUse]]:
    for case in pair.cases:
        for side in (case.baseline, case.candidate):
            if side.transcript is not None:
                yield from ((case.info.scenario, use) for use in side.transcript.faults)


def _calls(pair: Pair) -> Iterator[ToolCall]:
    for case in pair.cases:
        for side in (case.baseline, case.candidate):
            if side.transcript is not None:
                yield from side.transcript.calls


def _irreversible(tool: str, calls: tuple[ToolCall, ...]) -> IrreversibleTool:
    mine = [call for call in calls if call.tool == tool]
    return IrreversibleTool(
        tool=tool,
        exercised=bool(mine),
        timeout_after_effect=any(
            failed(call) and call.took_effect and call.committed in (Commit.ALL, Commit.LATE) for call in mine
        ),
        success_without_effect=any(
            call.ok and call.took_effect and call.computed_changes > 0 and call.committed is Commit.NONE
            for call in mine
        ),
    )


def _unread(pair: Pair) -> Iterator[tuple[str, str]]:
    for case in pair.cases:
        reads = [Path.parse(path).segments for path in case.info.reads]
        for side in (case.baseline, case.candidate):
            yield from ((case.info.scenario, path) for path in _changed(side) if not _is_read(path, reads))


def _changed(side: Side) -> Iterator[str]:
    if side.transcript is not None:
        yield from (change.path for change in side.transcript.changes)


def _is_read(path: str, reads: list[tuple[str | int, ...]]) -> bool:
    segments = Path.parse(path).segments
    return any(segments[: len(read)] == read or read[: len(segments)] == segments for read in reads)
