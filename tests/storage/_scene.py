"""Pairs to store: the small twin of the engine's tests, and the shortest way to run them into a store."""

import asyncio
from collections.abc import Callable
from typing import Any

from agenttwin.agents import PythonAgent
from agenttwin.document import Document
from agenttwin.run import CaseFinished, CaseRecord, Contender, prepare, run
from agenttwin.scenario import Library, Plan
from agenttwin.storage import Order, Recorder, Store, StoredPair, StoredRun
from agenttwin.surfaces import lend_python
from tests.unit.run._scene import library, manifest, pays, planned, scenario

BASELINE, CANDIDATE = manifest("1.0.0"), manifest("2.0.0")
SCENARIOS = tuple(scenario(name) for name in ("first", "second", "third"))


def order(*scenarios: Document[Any]) -> tuple[Library, Plan, Order]:
    documents = library(scenarios or SCENARIOS)
    plan = planned(documents)
    return documents, plan, Order.of(documents, plan)


def ordered(store: Store, key: str = "nightly", *scenarios: Document[Any]) -> StoredPair:
    return store.pair(key, order(*scenarios)[2], BASELINE, CANDIDATE)


def record_all(
    store: Store,
    stored: StoredPair | StoredRun,
    *scenarios: Document[Any],
    agent: Callable[..., Any] = pays,
) -> list[CaseRecord]:
    """Runs what is missing, stores it, and gives the records as the engine made them."""
    documents, plan, _ = order(*scenarios)
    driven = PythonAgent(agent)
    contenders = [
        Contender(side="baseline", agent=driven, manifest=BASELINE),
        Contender(side="candidate", agent=driven, manifest=CANDIDATE),
    ]
    prepared = prepare(documents, plan, contenders, only=store.missing(stored))
    runs = stored.runs if isinstance(stored, StoredPair) else {stored.side: stored.id}

    async def go() -> list[CaseRecord]:
        with Recorder(store, runs) as recorder:
            events = recorder.through(run(prepared, lend=lend_python))
            return [event.record async for event in events if isinstance(event, CaseFinished)]

    return sorted(asyncio.run(go()), key=lambda record: (record.side, record.scenario))
