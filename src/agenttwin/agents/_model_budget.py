"""What language models cost: prices that somebody gave, what was spent, and where to stop."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final

from agenttwin.run import AgentFailed
from agenttwin.transcript import Ending, Usage

MILLION: Final = 1_000_000

ASSUMED_ANSWERS: Final = 5
ASSUMED_TOKENS: Final = 200
CHARACTERS_A_TOKEN: Final = 4
"""What an estimate takes for granted: answers to one message, and the tokens of an answer and of what comes
back for it. A few cases that were run tell better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrice:
    """US dollars for a million tokens that a model reads, and for a million that it writes."""

    input_per_million: float
    output_per_million: float

    def of(self, read: int, written: int) -> float:
        """US dollars for so many tokens."""
        return (read * self.input_per_million + written * self.output_per_million) / MILLION


class Budget:
    """What the models of a run have cost, and what they may. Any thread may charge it."""

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self._spent = 0.0
        self._lock = threading.Lock()

    @property
    def spent_usd(self) -> float:
        """US dollars up to now, as far as there are prices."""
        return self._spent

    def check(self) -> None:
        """AgentFailed where the limit is reached. Answers that are on their way by then are still paid."""
        if self.limit_usd is not None and self._spent >= self.limit_usd:
            message = f"The budget of the run is spent: its limit is {self.limit_usd:g} USD."
            raise AgentFailed(Ending.AGENT_REJECTED, message)

    def charge(self, price: ModelPrice | None, read: int, written: int) -> Usage:
        """Counts one answer of a model; its usage, without a cost where there is no price."""
        cost = None if price is None else price.of(read, written)
        with self._lock:
            self._spent += cost or 0.0
        return Usage(input_tokens=read, output_tokens=written, cost_usd=cost)


def estimate(price: ModelPrice, *, messages: int, prompt: int) -> float:
    """About how many US dollars a conversation of so many messages costs; ``prompt`` is in characters.

    Each answer reads the prompt, and all that was said before it.
    """
    answers = messages * ASSUMED_ANSWERS
    read = answers * (prompt // CHARACTERS_A_TOKEN) + ASSUMED_TOKENS * answers * (answers + 1)
    return price.of(read, answers * ASSUMED_TOKENS)
