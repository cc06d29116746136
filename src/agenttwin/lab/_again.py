"""Using what was recorded: a run graded again, and a baseline that is not run again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agenttwin.compare import Comparison
from agenttwin.errors import NotFound
from agenttwin.lab._session import Ask, Session, new_key
from agenttwin.lab._stored import (
    LAST,
    REGRADED,
    STORED_BASELINE,
    carried,
    check_complete,
    check_gradable,
    check_reusable,
    dropped_warning,
    last_run,
    stored_manifest,
)
from agenttwin.review import Override
from agenttwin.run import CaseRecord
from agenttwin.run import regrade as regraded
from agenttwin.scenario import Plan, plan
from agenttwin.storage import Recorder, StoredPair, StoredRun
from agenttwin.values import nearest


def compare_with_stored(
    session: Session, run: str, candidate: str, ask: Ask | None = None
) -> tuple[StoredPair, Comparison]:
    """Compares a version with a run that is stored, whose agent is not run again.

    ``run`` is an id, or `last`: the newest complete run of another version. Conflict where anything that the
    run is pinned to is not what is planned now.
    """
    ask, store, version = ask or Ask(), session.store, session.version(candidate)
    found = last_run(store, version.agent, version.number) if run == LAST else _run_of(session, run)
    check_complete(found)
    agreed = session.plan(version.agent, ask)
    check_reusable(store, session.workspace.library, found, agreed)
    pair = store.pair(
        ask.key or new_key(),
        session.order(agreed, ask, STORED_BASELINE),
        stored_manifest(store, found),
        version.manifest,
        origins={"baseline": found.id},
    )
    store.take_over(found.id, pair.baseline)
    session.execute(pair, agreed, {"candidate": version}, pair.runs, ask)
    return pair, session.comparison(pair)


def _run_of(session: Session, text: str) -> StoredRun:
    """The run of an id; of a comparison, what was the candidate then."""
    found = session.store.find(text)
    return found.candidate if isinstance(found, StoredPair) else found


def regrade(session: Session, text: str | None = None, ask: Ask | None = None) -> StoredPair | StoredRun:
    """Grades a stored comparison or run again, by today's expectations and judge; gives what it became.

    ``text`` is an id; None is the latest comparison. Filters narrow what is graded. Conflict where a case was
    never recorded, or its scenario or twin has changed in what it does to an agent.
    """
    ask, store = ask or Ask(), session.store
    source = store.find(text) if text else store.latest_pair()
    runs = (source.baseline, source.candidate) if isinstance(source, StoredPair) else (source,)
    agreed = _plan_of(session, runs[-1], ask)
    for run in runs:
        check_complete(run)
        check_gradable(store, session.workspace.library, run, agreed)
    graded = [case for run in runs for case in _graded(session, run, agreed)]
    stored = _ordered(session, source, agreed, graded, ask)
    ids = stored.runs if isinstance(stored, StoredPair) else {stored.side: stored.id}
    missing = store.missing(stored)
    new = [case for case in graded if (case.record.side, *case.place) in missing]
    with Recorder(store, ids) as recorder:
        for case in new:
            recorder.add(case.record)
    for case in new:
        scenario, trial = case.place
        for override in case.kept:
            store.override(ids[case.record.side], scenario, override, trial=trial)
    store.finish(stored)
    return stored


@dataclass(frozen=True, slots=True, kw_only=True)
class _Graded:
    """A case graded again, with the decisions of people that hold for it still, and those that do not."""

    record: CaseRecord
    kept: Sequence[Override]
    dropped: Sequence[Override]

    @property
    def place(self) -> tuple[str, int]:
        return self.record.scenario, self.record.trial


def _plan_of(session: Session, run: StoredRun, ask: Ask) -> Plan:
    """Today's plan of the scenarios that a run had, as far as the filters ask for them."""
    library = session.workspace.library
    names = dict.fromkeys(trial.scenario for trial in session.store.trials(run))
    for name in names:
        if name not in library.scenarios:
            close = nearest(name, library.scenarios)
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound(
                "unknown_scenario", f"The run {run.id} has {name!r}, which is no scenario now.{hint}"
            )
    asked = {document.model.name for document in session.select(run.agent, ask)} if ask.narrows else names
    chosen = [library.scenarios[name] for name in names if name in asked]
    return plan(library, chosen, agent=run.agent, seed=run.seed, trials=run.trials)


def _graded(session: Session, run: StoredRun, agreed: Plan) -> list[_Graded]:
    store, scenarios = session.store, session.workspace.library.scenarios
    grading, decided = session.grading(), store.overrides(run.id)
    found = []
    for trial in agreed.cases:
        record = store.case(run, trial.scenario, trial=trial.trial)
        scenario = scenarios[trial.scenario].model
        again = regraded(record, scenario, pins=trial.pins, grading=grading)
        kept, dropped = carried(record.grade, again.grade, decided.get((trial.scenario, trial.trial), ()))
        found.append(_Graded(record=again, kept=kept, dropped=dropped))
    return found


def _ordered(
    session: Session, source: StoredPair | StoredRun, agreed: Plan, graded: Sequence[_Graded], ask: Ask
) -> StoredPair | StoredRun:
    store, key = session.store, ask.key or new_key()
    dropped = sum(len(case.dropped) for case in graded)
    warnings = [REGRADED, *([dropped_warning(dropped)] if dropped else [])]
    order = session.order(agreed, ask, *warnings)
    if isinstance(source, StoredRun):
        return store.run(key, order, stored_manifest(store, source), origin=source.id)
    manifests = (stored_manifest(store, run) for run in (source.baseline, source.candidate))
    return store.pair(key, order, *manifests, origins=source.runs)
