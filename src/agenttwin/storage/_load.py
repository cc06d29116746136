"""From what is stored to what a comparison or a report is made of."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

from sqlalchemy import Connection

from agenttwin.compare import Pair, PairedCase, Side, Single, SingleCase
from agenttwin.review import effective
from agenttwin.storage import _cases as cases
from agenttwin.storage import _overrides as overrides
from agenttwin.storage import _runs as runs
from agenttwin.storage._values import StoredPair, StoredRun
from agenttwin.transcript import Claim

ABSENT = Side(transcript=None, claim=Claim(), grade=None, pins={}, measured={})
"""A side that was never run."""


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Keeps the collector from going through all that was loaded, again and again, while more is loaded."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()
        if enabled:
            gc.enable()


@_uncollected()
def pair(connection: Connection, stored: StoredPair, contents: cases.Contents) -> Pair:
    """A pair with all of its cases, in the order of the plan."""
    baseline = runs.ordered(connection, stored.baseline.id)
    candidate = runs.ordered(connection, stored.candidate.id)
    left = _sides(connection, stored.baseline, contents)
    right = _sides(connection, stored.candidate, contents)
    return Pair(
        baseline=baseline.version,
        candidate=candidate.version,
        plan_digest=stored.candidate.plan_digest,
        seed=stored.candidate.seed,
        trials=stored.candidate.trials,
        cases=tuple(
            PairedCase(
                info=candidate.infos[trial.scenario],
                trial=trial.trial,
                seed=trial.seed,
                pins=trial.pins,
                baseline=left.get((trial.scenario, trial.trial), ABSENT),
                candidate=right.get((trial.scenario, trial.trial), ABSENT),
            )
            for trial in candidate.trials
        ),
        warnings=candidate.facts.warnings,
        tools=candidate.facts.tools,
        secrets=candidate.facts.secrets,
        checks=candidate.facts.checks,
    )


@_uncollected()
def single(connection: Connection, stored: StoredRun, contents: cases.Contents) -> Single:
    """One version's cases, in the order of the plan."""
    order = runs.ordered(connection, stored.id)
    sides = _sides(connection, stored, contents)
    return Single(
        version=order.version,
        plan_digest=stored.plan_digest,
        seed=stored.seed,
        cases=tuple(
            SingleCase(
                info=order.infos[trial.scenario],
                trial=trial.trial,
                seed=trial.seed,
                side=sides.get((trial.scenario, trial.trial), ABSENT),
            )
            for trial in order.trials
        ),
        trials=stored.trials,
        tools=order.facts.tools,
        secrets=order.facts.secrets,
        checks=order.facts.checks,
        warnings=order.facts.warnings,
    )


def _sides(
    connection: Connection, stored: StoredRun, contents: cases.Contents
) -> dict[tuple[str, int], Side]:
    """What a run did in each case, as people have decided over it."""
    decided = overrides.of_runs(connection, [stored.id])
    return {
        (record.scenario, record.trial): Side(
            transcript=record.transcript,
            claim=record.claim,
            grade=effective(record.grade, decided.get((stored.id, record.scenario, record.trial), ())),
            pins=record.pins,
            measured=record.measured,
        )
        for record in cases.of_run(connection, stored.id, stored.side, contents)
    }
