"""The seams of the engine: how an agent is driven, how it reaches the twin, who is asked for an opinion."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from agenttwin.evaluate import JudgeIdentity, NoOpinion, Opinion, Question
    from agenttwin.run._case import Case
    from agenttwin.run._tools import Tools
    from agenttwin.run._values import Request
    from agenttwin.transcript import Claim, Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What a case lends to its agent: the ways to reach the twin, and the case itself."""

    case: Case
    tools: Tools
    http_url: str | None = None
    mcp_url: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)


class Lend(Protocol):
    """Makes a case reachable for its agent."""

    def __call__(self, case: Case) -> Lease:
        """The lease of this case; it ends with the case."""


class Agent(Protocol):
    """A way to drive an agent under test."""

    def act(self, request: Request, lease: Lease) -> Claim | Awaitable[Claim]:
        """One turn of the conversation, at once or as a coroutine; AgentFailed where the agent failed.

        What there is to kill at the deadline, or to give back at the end of the case, is left with
        ``lease.case.at_end``. What an agent prints elsewhere goes to ``lease.case.sinks``.
        """


class AgentFailed(Exception):  # noqa: N818 - reads as what happened
    """Raised by an adapter for an agent that did not do its part; ``ending`` is the label it gets."""

    def __init__(self, ending: Ending, message: str, *, traceback: str = "") -> None:
        super().__init__(message)
        self.ending = ending
        self.message = message
        self.traceback = traceback


class Judge(Protocol):
    """Who answers semantic questions."""

    @property
    def identity(self) -> JudgeIdentity:
        """Who this is; an opinion is kept and found again under it."""

    def __call__(self, question: Question) -> Opinion | NoOpinion | Awaitable[Opinion | NoOpinion]:
        """The opinion, at once or as a coroutine, which has a deadline."""


class OpinionCache(Protocol):
    """Where opinions are kept, so that the same question to the same judge is asked once."""

    def get(self, question: str, judge: JudgeIdentity) -> Opinion | None:
        """The opinion kept for a question's digest."""

    def put(self, question: str, opinion: Opinion) -> None:
        """Keeps an opinion under its judge."""
