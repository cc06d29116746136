"""Pairs and runs: what runs, what has run, starting, cancelling and running again; by names only."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from agenttwin.compare import SingleCaseDocument, single_as_json
from agenttwin.errors import NotFound
from agenttwin.lab import Ask, Ordered, Session
from agenttwin.server import _models as models
from agenttwin.server._answers import page, tell
from agenttwin.server._at import At
from agenttwin.server._errors import Refused
from agenttwin.server._route import Route
from agenttwin.server._shown import when
from agenttwin.server._view import View
from agenttwin.storage import StoredPair, StoredRun
from agenttwin.workspace import Workspace

Limit = Annotated[int, Query(ge=1, le=200)]

ELSEWHERE: Final = ("http", "model")
"""Kinds of agents that do not run on this machine."""


PAIRS: Final = APIRouter(prefix="/pairs", tags=["pairs"], route_class=Route)


@PAIRS.get("", response_model=models.Items[models.PairOut])
def list_pairs(
    request: Request,
    view: At,
    agent: str | None = None,
    version: str | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> Response:
    """Pairs, the newest first."""
    found = view.store.pairs(limit=limit, after=cursor, agent=agent, version=version)
    return page(request, [_pair(view, pair) for pair in found.items], found.after)


@PAIRS.post("", response_model=models.PairOut, status_code=202)
def start_pair(request: Request, view: At, given: models.PairIn) -> Response:
    """Runs two versions of an agent of the workspace as one pair; the same key is the same pair."""
    names = [_named(given.agent, name) for name in (given.baseline, given.candidate)]
    ordered = _started(
        view,
        _agents(names),
        given.seed,
        lambda session: session.order_pair(names[0], names[1], _ask(given)),
    )
    return tell(request, _pair(view, view.store.one_pair(ordered.stored.id)), 202)


@PAIRS.get("/{id}", response_model=models.PairOut)
def pair(request: Request, view: At, id: str) -> Response:
    """One pair."""
    return tell(request, _pair(view, view.store.one_pair(id)))


@PAIRS.post("/{id}/cancel", response_model=models.PairOut, status_code=202)
def cancel_pair(request: Request, view: At, id: str) -> Response:
    """Stops a pair at the next case that ends; what is recorded stays."""
    found = view.store.one_pair(id)
    _cancel(view, id)
    return tell(request, _pair(view, found), 202)


@PAIRS.post("/{id}/again", response_model=models.PairOut, status_code=202)
def pair_again(request: Request, view: At, id: str) -> Response:
    """Runs the same again, with the same seed; what was interrupted is finished instead."""
    ordered = again(view, view.store.one_pair(id))
    return tell(request, _pair(view, view.store.one_pair(ordered.stored.id)), 202)


RUNS: Final = APIRouter(prefix="/runs", tags=["runs"], route_class=Route)


@RUNS.get("", response_model=models.Items[models.RunOut])
def list_runs(
    request: Request,
    view: At,
    alone: bool = False,
    agent: str | None = None,
    version: str | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> Response:
    """Runs, the newest first; with ``alone`` those that are no side of a pair."""
    found = view.store.runs(limit=limit, after=cursor, alone=alone, agent=agent, version=version)
    return page(request, [_run(view, run) for run in found.items], found.after)


@RUNS.post("", response_model=models.RunOut, status_code=202)
def start_run(request: Request, view: At, given: models.RunIn) -> Response:
    """Runs one version of an agent of the workspace alone."""
    name, ask = _named(given.agent, given.version), _ask(given)
    ordered = _started(view, _agents([name]), given.seed, lambda session: session.order_run(name, ask))
    return tell(request, _run(view, view.store.one_run(ordered.stored.id)), 202)


@RUNS.get("/{id}", response_model=models.RunOut)
def run(request: Request, view: At, id: str) -> Response:
    """One run."""
    return tell(request, _run(view, view.store.one_run(id)))


@RUNS.get("/{id}/report")
def run_report(request: Request, view: At, id: str) -> Response:
    """The run as a `run/1` document, cases and all."""
    found = view.store.load_run(view.store.one_run(id))
    return tell(request, single_as_json(found, qualified=view.desk.qualified))


@RUNS.get("/{id}/cases", response_model=models.Items[SingleCaseDocument])
def run_cases(request: Request, view: At, id: str) -> Response:
    """The cases of a run as in `run/1`, worst first."""
    found = view.store.load_run(view.store.one_run(id))
    report = single_as_json(found, qualified=view.desk.qualified)
    return page(request, list(report["cases"]), None)


@RUNS.get("/{id}/cases/{scenario}", response_model=SingleCaseDocument)
def run_case(request: Request, view: At, id: str, scenario: str, trial: int = 1) -> Response:
    """One case of a run, as in `run/1`."""
    found = view.store.load_run(view.store.one_run(id), scenario=scenario)
    report = single_as_json(found, qualified=view.desk.qualified)
    for case in report["cases"]:
        if (case["scenario"], case["trial"]) == (scenario, trial):
            return tell(request, case)
    raise NotFound("unknown_case", f"The run {id!r} has no case {scenario!r} with the trial {trial}.")


@RUNS.post("/{id}/cancel", response_model=models.RunOut, status_code=202)
def cancel_run(request: Request, view: At, id: str) -> Response:
    """Stops a run at the next case that ends; what is recorded stays."""
    found = view.store.one_run(id)
    _cancel(view, id)
    return tell(request, _run(view, found), 202)


@RUNS.post("/{id}/again", response_model=models.RunOut, status_code=202)
def run_again(request: Request, view: At, id: str) -> Response:
    """Runs the same again. What was interrupted is finished instead."""
    stored = view.store.one_run(id)
    if stored.pair is not None:
        raise Refused(409, "side_of_a_pair", "This run is a side of a pair: run the pair again.")
    ordered = again(view, stored)
    return tell(request, _run(view, view.store.one_run(ordered.stored.id)), 202)


def again(view: View, stored: StoredPair | StoredRun) -> Ordered:
    """Begins the same again, or what is missing of it; by the names that it was begun with."""
    run = stored.candidate if isinstance(stored, StoredPair) else stored
    names = tuple(dict.fromkeys(trial.scenario for trial in view.store.trials(run)))
    ended = stored.complete and stored.finished_at is not None  # the last case may be there, and not the end
    ask = Ask(scenarios=names, key=None if ended else stored.key)

    def order(session: Session) -> Ordered:
        if isinstance(stored, StoredPair):
            sides = [f"{run.agent}@{side.version}" for side in (stored.baseline, stored.candidate)]
            return session.order_pair(sides[0], sides[1], ask)
        return session.order_run(f"{run.agent}@{run.version}", ask)

    return _started(view, [run.agent], run.seed, order)


def _started(
    view: View, agents: Collection[str], seed: int | None, order: Callable[[Session], Ordered]
) -> Ordered:
    """Plans with the files as they are now, and queues. Refused before anything is done or kept."""
    workspace = view.workspace
    if view.desk.remote:
        _check_elsewhere(workspace, agents)
    with view.desk.planning(seed) as session:
        ordered = order(session)
    view.desk.jobs.start(ordered)
    return ordered


def _check_elsewhere(workspace: Workspace, agents: Collection[str]) -> None:
    """That these agents, or where none is named all, run on other machines than the server's."""
    for name in agents or workspace.file.agents:
        kind = workspace.agent(name).run.kind
        if kind not in ELSEWHERE:
            message = f"The agent {name!r} runs on the server's own machine ({kind})."
            hint = "A server that others reach drives agents of the kinds http and model."
            raise Refused(403, "agent_not_allowed", message, hint)


def _agents(names: Collection[str]) -> set[str]:
    """The agents that versions are named with; none where one of them names only a version."""
    return {name.partition("@")[0] for name in names} if all("@" in name for name in names) else set()


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


def _cancel(view: View, id: str) -> None:
    if not view.desk.jobs.cancel(id):
        raise Refused(409, "not_running", "It does not run here, so there is nothing to cancel.")


def _pair(view: View, pair: StoredPair) -> dict[str, Any]:
    job = view.desk.jobs.find(pair.id)
    done = pair.baseline.finished + pair.candidate.finished
    return {
        "id": pair.id,
        "key": pair.key,
        "agent": pair.candidate.agent,
        "baseline": pair.baseline.version,
        "candidate": pair.candidate.version,
        "state": view.state(pair),
        "done": max(done, job.done) if job is not None else done,
        "total": pair.baseline.cases + pair.candidate.cases,
        "created_at": when(pair.created_at),
        "finished_at": when(pair.finished_at),
        "seed": pair.candidate.seed,
        "plan_digest": pair.candidate.plan_digest,
        "error": job.error if job is not None else pair.progress.error,
        "comparison": f"/api/v1/comparisons/{pair.id}" if done else None,
    }


def _run(view: View, run: StoredRun) -> dict[str, Any]:
    job = view.desk.jobs.find(run.id)
    return {
        "id": run.id,
        "key": run.key,
        "agent": run.agent,
        "version": run.version,
        "side": run.side,
        "state": view.state(run),
        "done": max(run.finished, job.done) if job is not None else run.finished,
        "total": run.cases,
        "created_at": when(run.created_at),
        "finished_at": when(run.finished_at),
        "seed": run.seed,
        "pair": run.pair,
        "error": job.error if job is not None else run.progress.error,
    }
