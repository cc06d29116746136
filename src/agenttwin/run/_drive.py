"""Driving the agent through its turns, and saying how that ended, whatever it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable

import orjson

from agenttwin.run._case import Case
from agenttwin.run._claim import joined
from agenttwin.run._input import context_of, context_text, turns_of
from agenttwin.run._loop import Starved
from agenttwin.run._protocols import AgentFailed, Lease
from agenttwin.run._trace import told, traced
from agenttwin.run._values import Request
from agenttwin.run._work import Work
from agenttwin.transcript import Claim, Ending


class DeadlinePassed(Exception):  # noqa: N818 - reads as what happened
    """A coroutine of the agent was still running at the deadline; its message is where it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """How driving an agent ended, and what it had said by then."""

    claim: Claim
    ending: Ending = Ending.FINISHED
    message: str = ""
    traceback: str = ""


def drive(work: Work, lease: Lease, wait_for: Callable[[Awaitable[Claim]], Claim]) -> Drive:
    """All turns of the conversation, until the last one or a failure. ``wait_for`` waits for a coroutine.

    What is no failure of the agent is raised: DeadlinePassed, Starved, KeyboardInterrupt and its like.
    """
    claims = lease.case.claims
    said: tuple[str, ...] = ()
    try:
        for turn in turns_of(work.scenario):
            lease.case.advance(turn.after_ms)
            said = (*said, turn.say)
            answers = tuple(claim.answer for claim in claims)
            claim = work.agent.act(_request(work, said, answers, lease.case), lease)
            claims.append(wait_for(claim) if isawaitable(claim) else claim)
    except AgentFailed as failed:
        return Drive(
            claim=joined(claims), ending=failed.ending, message=failed.message, traceback=failed.traceback
        )
    except (DeadlinePassed, Starved, KeyboardInterrupt):
        raise
    except BaseException as error:  # panics of extension modules are no Exception
        return Drive(
            claim=joined(claims),
            ending=Ending.AGENT_CRASHED,
            message=f"It raised {told(error)}",
            traceback=traced(error),
        )
    return Drive(claim=joined(claims))


def _request(work: Work, said: tuple[str, ...], answers: tuple[str | None, ...], case: Case) -> Request:
    return Request(
        message=said[-1],
        turns=said,
        answers=answers,
        context=context_of(work.scenario),
        tenant=case.world.tenant,
        customer_id=context_text(work.scenario, "customer_id"),
        version=work.version,
        manifest=orjson.loads(work.manifest),
        session_id=case.token,
    )
