"""Pairs and runs: what runs, what has run, starting, cancelling and running again; by names only."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from agenttwin.compare import single_as_json
from agenttwin.errors import NotFound
from agenttwin.lab import Ask
from agenttwin.server import _models as models
from agenttwin.server._answers import page, tell
from agenttwin.server._at import At
from agenttwin.server._desk import Desk, when
from agenttwin.server._errors import Refused
from agenttwin.storage import StoredPair, StoredRun

Limit = Annotated[int, Query(ge=1, le=200)]


PAIRS: Final = APIRouter(prefix="/pairs", tags=["pairs"])


@PAIRS.get("", response_model=models.Items[models.PairOut])
def list_pairs(request: Request, desk: At, limit: Limit = 50, cursor: str | None = None) -> Response:
    """Pairs, the newest first."""
    found = desk.session.store.pairs(limit=limit, after=cursor)
    return page(request, [_pair(desk, pair) for pair in found.items], found.after)


@PAIRS.post("", response_model=models.PairOut, status_code=202)
def start_pair(request: Request, desk: At, given: models.PairIn) -> Response:
    """Runs two versions of an agent of the workspace as one pair; the same key is the same pair."""
    baseline, candidate = (_named(given.agent, name) for name in (given.baseline, given.candidate))
    with desk.planning(given.seed) as session:
        ordered = session.order_pair(baseline, candidate, _ask(given))
    desk.jobs.start(ordered)
    return tell(request, _pair(desk, desk.pair(ordered.stored.id)), 202)


@PAIRS.get("/{id}", response_model=models.PairOut)
def pair(request: Request, desk: At, id: str) -> Response:
    """One pair."""
    return tell(request, _pair(desk, desk.pair(id)))


@PAIRS.post("/{id}/cancel", response_model=models.PairOut, status_code=202)
def cancel_pair(request: Request, desk: At, id: str) -> Response:
    """Stops a pair at the next case that ends; what is recorded stays."""
    found = desk.pair(id)
    _cancel(desk, id)
    return tell(request, _pair(desk, found), 202)


@PAIRS.post("/{id}/again", response_model=models.PairOut, status_code=202)
def pair_again(request: Request, desk: At, id: str) -> Response:
    """Runs the same again, with the same seed; what was interrupted is finished instead."""
    stored = desk.pair(id)
    ask = _ask_again(desk, stored, stored.candidate)
    with desk.planning(stored.candidate.seed) as session:
        agent = stored.candidate.agent
        names = [f"{agent}@{stored.baseline.version}", f"{agent}@{stored.candidate.version}"]
        ordered = session.order_pair(names[0], names[1], ask)
    desk.jobs.start(ordered)
    return tell(request, _pair(desk, desk.pair(ordered.stored.id)), 202)


RUNS: Final = APIRouter(prefix="/runs", tags=["runs"])


@RUNS.get("", response_model=models.Items[models.RunOut])
def list_runs(
    request: Request, desk: At, alone: bool = False, limit: Limit = 50, cursor: str | None = None
) -> Response:
    """Runs, the newest first; with ``alone`` those that are no side of a pair."""
    found = desk.session.store.runs(limit=limit, after=cursor, alone=alone)
    return page(request, [_run(desk, run) for run in found.items], found.after)


@RUNS.post("", response_model=models.RunOut, status_code=202)
def start_run(request: Request, desk: At, given: models.RunIn) -> Response:
    """Runs one version of an agent of the workspace alone."""
    with desk.planning(given.seed) as session:
        ordered = session.order_run(_named(given.agent, given.version), _ask(given))
    desk.jobs.start(ordered)
    return tell(request, _run(desk, desk.run(ordered.stored.id)), 202)


@RUNS.get("/{id}", response_model=models.RunOut)
def run(request: Request, desk: At, id: str) -> Response:
    """One run."""
    return tell(request, _run(desk, desk.run(id)))


@RUNS.get("/{id}/report")
def run_report(request: Request, desk: At, id: str) -> Response:
    """The run as a `run/1` document, cases and all."""
    session = desk.session
    return tell(request, single_as_json(session.store.load_run(desk.run(id)), qualified=session.qualified))


@RUNS.get("/{id}/cases")
def run_cases(request: Request, desk: At, id: str) -> Response:
    """The cases of a run as in `run/1`, worst first."""
    session = desk.session
    report = single_as_json(session.store.load_run(desk.run(id)), qualified=session.qualified)
    return page(request, list(report["cases"]), None)


@RUNS.post("/{id}/cancel", response_model=models.RunOut, status_code=202)
def cancel_run(request: Request, desk: At, id: str) -> Response:
    """Stops a run at the next case that ends; what is recorded stays."""
    found = desk.run(id)
    _cancel(desk, id)
    return tell(request, _run(desk, found), 202)


@RUNS.post("/{id}/again", response_model=models.RunOut, status_code=202)
def run_again(request: Request, desk: At, id: str) -> Response:
    """Runs the same again. What was interrupted is finished instead."""
    stored = desk.run(id)
    if stored.pair is not None:
        raise Refused(409, "side_of_a_pair", "This run is a side of a pair: run the pair again.")
    ask = _ask_again(desk, stored, stored)
    with desk.planning(stored.seed) as session:
        ordered = session.order_run(f"{stored.agent}@{stored.version}", ask)
    desk.jobs.start(ordered)
    return tell(request, _run(desk, desk.run(ordered.stored.id)), 202)


def _named(agent: str | None, version: str) -> str:
    return version if agent is None or "@" in version else f"{agent}@{version}"


def _ask(given: models.PairIn | models.RunIn) -> Ask:
    return Ask(
        suites=(given.suite,) if given.suite else (),
        scenarios=tuple(given.scenarios),
        tags=tuple(given.tags),
        severities=tuple(given.severities),
        key=given.key,
    )


def _ask_again(desk: Desk, stored: StoredPair | StoredRun, run: StoredRun) -> Ask:
    """The same scenarios; under the same key where something of it is missing."""
    names = tuple(dict.fromkeys(trial.scenario for trial in desk.session.store.trials(run)))
    ask = Ask(scenarios=names)
    return ask if stored.complete else replace(ask, key=stored.key)


def _cancel(desk: Desk, id: str) -> None:
    if not desk.jobs.cancel(id):
        raise Refused(409, "not_running", "It does not run here, so there is nothing to cancel.")


def _pair(desk: Desk, pair: StoredPair) -> dict[str, Any]:
    job = desk.jobs.find(pair.id)
    done = pair.baseline.finished + pair.candidate.finished
    return {
        "id": pair.id,
        "key": pair.key,
        "agent": pair.candidate.agent,
        "baseline": pair.baseline.version,
        "candidate": pair.candidate.version,
        "state": desk.state(pair),
        "done": max(done, job.done) if job is not None else done,
        "total": pair.baseline.cases + pair.candidate.cases,
        "created_at": when(pair.created_at),
        "finished_at": when(pair.finished_at),
        "seed": pair.candidate.seed,
        "plan_digest": pair.candidate.plan_digest,
        "error": job.error if job is not None else None,
        "comparison": f"/api/v1/comparisons/{pair.id}" if done else None,
    }


def _run(desk: Desk, run: StoredRun) -> dict[str, Any]:
    job = desk.jobs.find(run.id)
    return {
        "id": run.id,
        "key": run.key,
        "agent": run.agent,
        "version": run.version,
        "side": run.side,
        "state": desk.state(run),
        "done": max(run.finished, job.done) if job is not None else run.finished,
        "total": run.cases,
        "created_at": when(run.created_at),
        "finished_at": when(run.finished_at),
        "seed": run.seed,
        "pair": run.pair,
        "error": job.error if job is not None else None,
    }


def unknown(what: str, name: str) -> NotFound:
    """A name that is none."""
    return NotFound(f"unknown_{what}", f"There is no {what} {name!r}.")
