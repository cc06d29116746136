"""What a report warns of: faults that made no difference, and passes that nobody expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from agenttwin.compare._phrases import say
from agenttwin.compare._values import CaseInfo, Side
from agenttwin.evaluate import Verdict

NamedSide: TypeAlias = tuple[CaseInfo, str | None, Side]
"""A side with its case and its name, None where it is the only one."""


def warnings(sides: Iterable[NamedSide]) -> Iterator[str]:
    """The warnings about sides that ran; what holds for both sides of a case is said once."""
    ran = [entry for entry in sides if entry[2].transcript is not None]
    if ran and not any(_called(side) for _, _, side in ran):
        yield say("no_tool_called")
    found: dict[tuple[tuple[str, str], ...], list[str | None]] = {}
    for info, name, side in ran:
        for parts in (*_idle_faults(info, side), *_unexpected(info, side)):
            found.setdefault(tuple(parts.items()), []).append(name)
    for told, names in found.items():
        yield say(**dict(told), where=_where(names))


def _called(side: Side) -> bool:
    return side.transcript is not None and bool(side.transcript.calls or side.transcript.retrievals)


def _where(names: Sequence[str | None]) -> str:
    if names[0] is None:
        return ""
    return say("on_both") if len(names) > 1 else say("on_side", side=names[0])


def _idle_faults(info: CaseInfo, side: Side) -> Iterator[dict[str, str]]:
    for use in side.transcript.faults if side.transcript is not None else ():
        if not use.took_effect:
            how = say("no_difference" if use.fired else "never_fired")
            told = {"scenario": info.scenario, "type": use.type, "target": use.target, "how": how}
            yield {"phrase": "fault_idle", **told}


def _unexpected(info: CaseInfo, side: Side) -> Iterator[dict[str, str]]:
    for item in side.grade.evaluations if side.grade is not None else ():
        if item.verdict is Verdict.PASS and item.id in info.expected_failures:
            yield {"phrase": "unexpected_pass", "scenario": info.scenario, "name": item.id}
