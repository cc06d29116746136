"""Drives trials and tells what happens, as a stream of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agenttwin._lazy import lazily

if TYPE_CHECKING:
    from agenttwin.run._by_hand import ByHand
    from agenttwin.run._capture import MAX_CAPTURED, Sink, capped, capture_here, capturing
    from agenttwin.run._case import Case
    from agenttwin.run._conclude import Grading
    from agenttwin.run._judging import Bench
    from agenttwin.run._prepare import Contender, prepare
    from agenttwin.run._protocols import Agent, AgentFailed, Judge, Lease, Lend, OpinionCache
    from agenttwin.run._regrade import regrade
    from agenttwin.run._run import run
    from agenttwin.run._tools import AwaitedTools, CaseClosed, Reply, Tools, given_arguments
    from agenttwin.run._trace import told, traced
    from agenttwin.run._values import (
        CaseFinished,
        CaseRecord,
        CaseStarted,
        Clock,
        Request,
        RunEvent,
        RunFinished,
        RunStarted,
    )
    from agenttwin.run._work import Work
else:
    __getattr__ = lazily(
        __name__,
        {
            "_by_hand": "ByHand",
            "_capture": "MAX_CAPTURED Sink capped capture_here capturing",
            "_case": "Case",
            "_conclude": "Grading",
            "_judging": "Bench",
            "_prepare": "Contender prepare",
            "_protocols": "Agent AgentFailed Judge Lease Lend OpinionCache",
            "_regrade": "regrade",
            "_run": "run",
            "_tools": "AwaitedTools CaseClosed Reply Tools given_arguments",
            "_trace": "told traced",
            "_values": "CaseFinished CaseRecord CaseStarted Clock Request RunEvent RunFinished RunStarted",
            "_work": "Work",
        },
    )

__all__ = [
    "MAX_CAPTURED",
    "Agent",
    "AgentFailed",
    "AwaitedTools",
    "Bench",
    "ByHand",
    "Case",
    "CaseClosed",
    "CaseFinished",
    "CaseRecord",
    "CaseStarted",
    "Clock",
    "Contender",
    "Grading",
    "Judge",
    "Lease",
    "Lend",
    "OpinionCache",
    "Reply",
    "Request",
    "RunEvent",
    "RunFinished",
    "RunStarted",
    "Sink",
    "Tools",
    "Work",
    "capped",
    "capture_here",
    "capturing",
    "given_arguments",
    "prepare",
    "regrade",
    "run",
    "told",
    "traced",
]
