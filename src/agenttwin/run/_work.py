"""What the engine runs: trials made ready, of one side or of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agenttwin.run._protocols import Agent
from agenttwin.scenario import Scenario
from agenttwin.transcript import ModelKind
from agenttwin.twin import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something the customer says, after the world's clock went on by so much."""

    say: str
    after_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The agent of one side, ready to act."""

    side: str
    agent: Agent
    version: str
    manifest: bytes
    model_kind: ModelKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One trial of one side, ready to run.

    ``world`` is as the case begins; it is forked for each attempt and never changes. ``pins`` are the digests
    of what is in this value, so that what was run can be told from what was planned.
    """

    side: str
    scenario: Scenario
    trial: int
    world: World
    turns: tuple[Turn, ...]
    context: bytes
    customer_id: str | None
    timeout_seconds: float
    agent: Agent
    version: str
    manifest: bytes
    model_kind: ModelKind
    pins: Mapping[str, str]
