"""An agent that is data: the calls it makes and what it says in the end; for tests and saboteurs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agenttwin.agents._claim import claim_from
from agenttwin.run import Lease, Request
from agenttwin.transcript import Claim
from agenttwin.values import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """One call of a script. ``search`` is a query of the knowledge base instead."""

    tool: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    search: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAgent:
    """Makes the same calls in every turn, whatever comes back, and gives the same reply."""

    calls: Sequence[ScriptedCall] = ()
    reply: Any = ""

    def act(self, request: Request, lease: Lease) -> Claim:
        """One turn."""
        for call in self.calls:
            if call.search is not None:
                lease.tools.search(call.search)
            else:
                lease.tools.call(call.tool, call.arguments, headers=call.headers)
        return claim_from(self.reply)
