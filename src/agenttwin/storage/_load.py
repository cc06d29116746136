"""From what is stored to what a comparison or a report is made of."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from typing import TypeAlias

from agenttwin.compare import Pair, PairedCase, Side, Single, SingleCase
from agenttwin.review import effective
from agenttwin.storage import _cases as cases
from agenttwin.storage import _overrides as overrides
from agenttwin.storage import _runs as runs
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import StoredPair, StoredRun
from agenttwin.transcript import Claim

Ordering: TypeAlias = Callable[[Scope, str], runs.Ordered]
"""What a run was to be, by its id."""

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
def pair(
    scope: Scope, stored: StoredPair, contents: cases.Contents, ordered: Ordering, scenario: str | None
) -> Pair:
    """A pair with all of its cases, or those of one scenario, in the order of the plan."""
    baseline = ordered(scope, stored.baseline.id)
    candidate = ordered(scope, stored.candidate.id)
    left = _sides(scope, stored.baseline, contents, scenario)
    right = _sides(scope, stored.candidate, contents, scenario)
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
            if scenario in (None, trial.scenario)
        ),
        warnings=candidate.facts.warnings,
        tools=candidate.facts.tools,
        secrets=candidate.facts.secrets,
        checks=candidate.facts.checks,
    )


@_uncollected()
def single(
    scope: Scope, stored: StoredRun, contents: cases.Contents, ordered: Ordering, scenario: str | None
) -> Single:
    """One version's cases, or those of one scenario, in the order of the plan."""
    order = ordered(scope, stored.id)
    sides = _sides(scope, stored, contents, scenario)
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
            if scenario in (None, trial.scenario)
        ),
        trials=stored.trials,
        tools=order.facts.tools,
        secrets=order.facts.secrets,
        checks=order.facts.checks,
        warnings=order.facts.warnings,
    )


def _sides(
    scope: Scope, stored: StoredRun, contents: cases.Contents, scenario: str | None
) -> dict[tuple[str, int], Side]:
    """What a run did in each case, as people have decided over it."""
    decided = overrides.of_runs(scope, [stored.id])
    return {
        (record.scenario, record.trial): Side(
            transcript=record.transcript,
            claim=record.claim,
            grade=effective(record.grade, decided.get((stored.id, record.scenario, record.trial), ())),
            pins=record.pins,
            measured=record.measured,
        )
        for record in cases.of_run(scope, stored.id, stored.side, contents, scenario=scenario)
    }
