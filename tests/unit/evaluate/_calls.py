"""Calls made by hand, one fact at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from agenttwin.transcript import Commit, Event, Result, Risk, ToolCall, Transcript
from agenttwin.values import Change

CHANGED = (Change(path="orders.A.count", before=0, after=1),)


def call(tool: str = "pay", arguments: Any = None, **fields: Any) -> ToolCall:
    """A write that was committed whole; other facts by name."""
    fields.setdefault("risk", Risk.WRITE_IRREVERSIBLE)
    fields.setdefault("result", Result.OK)
    writes = fields["risk"] is not Risk.READ
    fields.setdefault("committed", Commit.ALL if writes else None)
    kept = fields["committed"] not in (None, Commit.NONE)
    fields.setdefault("changes", CHANGED if kept else ())
    fields.setdefault("computed_changes", int(writes))
    given = {"order": "A"} if arguments is None else arguments
    return ToolCall(
        **{"seq": 0, "number": 1, "status": 200, "headers": {}} | fields, tool=tool, arguments=given
    )


def read(tool: str = "look", arguments: Any = None, **fields: Any) -> ToolCall:
    """A successful read."""
    return call(tool, arguments, risk=Risk.READ, **fields)


def unsure(tool: str = "pay", arguments: Any = None, **fields: Any) -> ToolCall:
    """A write that timed out: nobody can know whether it happened."""
    given = {"result": Result.TIMEOUT, "status": 504, "knowable": False} | fields
    return call(tool, arguments, **given)


def numbered(*calls: ToolCall) -> tuple[ToolCall, ...]:
    """The calls with their sequence numbers, from 1."""
    return tuple(replace(call, seq=seq) for seq, call in enumerate(calls, 1))


def transcript(*events: Event, **fields: Any) -> Transcript:
    """A transcript of events, without a world unless one is given."""
    return Transcript(events=events, **fields)


def places(calls: Iterable[ToolCall]) -> list[int]:
    """Where the calls stand."""
    return [call.seq for call in calls]
