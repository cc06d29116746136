"""Claims and outcomes: what the agent says, and what was verified. Neither is evidence for the other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agenttwin.values import Json


class ClaimedOutcome(StrEnum):
    """How the agent says it went."""

    SUCCESS = "SUCCESS"
    PARTIAL = "PARTIAL"
    FAILURE = "FAILURE"
    ESCALATED = "ESCALATED"
    REFUSED = "REFUSED"
    UNKNOWN = "UNKNOWN"


class OutcomeStatus(StrEnum):
    """How it provably went."""

    SUCCESS = "SUCCESS"
    PARTIAL = "PARTIAL"
    FAILURE = "FAILURE"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the agent says it consumed; None where it does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def tokens(self) -> int | None:
        """Input and output together; None where neither is known."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return (self.input_tokens or 0) + (self.output_tokens or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCall:
    """One entry of the agent's own call list: testimony, shown beside the evidence and never read as it."""

    tool: str
    arguments: Json = None
    result: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the agent says. ``inferred`` marks an outcome read from the answer's words."""

    answer: str | None = None
    outcome: ClaimedOutcome = ClaimedOutcome.UNKNOWN
    inferred: bool = False
    business_outcome: str | None = None
    own_calls: tuple[OwnCall, ...] | None = None
    steps: int | None = None
    usage: Usage | None = None
    trace_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was verified about a case, and by whom."""

    status: OutcomeStatus
    verified: bool
    by: str
