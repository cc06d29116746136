"""What the engine runs: trials made ready, of one side or of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agenttwin.run._input import begin_world
from agenttwin.run._protocols import Agent
from agenttwin.scenario import Scenario
from agenttwin.transcript import ModelKind
from agenttwin.twin import CompiledTwin, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One trial of one side, ready to run. It holds references only, so that thousands of them are light.

    ``manifest`` is JSON text. ``pins`` are the digests of what is in this value, so that what was run can be
    told from what was planned.
    """

    side: str
    scenario: Scenario
    trial: int
    seed: str
    twin: CompiledTwin
    call_limit: int
    agent: Agent
    version: str
    manifest: bytes
    model_kind: ModelKind
    pins: Mapping[str, str]

    def begin(self) -> World:
        """A world at the start of the case; the same for each attempt, and for both sides of a trial."""
        return begin_world(self.twin, self.scenario, self.seed, call_limit=self.call_limit)
