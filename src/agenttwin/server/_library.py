"""The workspace's documents: agents and versions, twins, scenarios, suites."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import orjson
from fastapi import APIRouter, Query, Request, Response

from agenttwin.document import read
from agenttwin.errors import AgentTwinError, DocumentError, NotFound, Problem
from agenttwin.scenario import Library, Scenario, manifest_diff
from agenttwin.scenario import check as check_library
from agenttwin.server import _models as models
from agenttwin.server._answers import page, tell
from agenttwin.server._at import At
from agenttwin.server._route import Route
from agenttwin.server._shown import when
from agenttwin.server._view import View
from agenttwin.transcript import Risk, redact
from agenttwin.twin import FAULTS, TwinDefinition
from agenttwin.values import nearest

IRREVERSIBLE = (Risk.WRITE_IRREVERSIBLE, Risk.ADMIN)


ROUTER: Final = APIRouter(tags=["documents"], route_class=Route)


@ROUTER.get("/agents", response_model=models.Items[models.AgentItem])
def agents(request: Request, view: At) -> Response:
    """The agents of the workspace."""
    if not view.has_workspace:
        return page(request, [], None)
    library, last = view.workspace.library, view.store.last_runs()
    items = []
    for name in view.workspace.file.agents:
        versions = library.versions(name)
        ran = [time for (agent, _), time in last.items() if agent == name]
        items.append(
            {
                "name": name,
                "versions": len(versions),
                "latest": versions[-1] if versions else None,
                "last_run_at": when(max(ran)) if ran else None,
            }
        )
    return page(request, items, None)


@ROUTER.get("/agents/{agent}/versions", response_model=models.Items[models.VersionItem])
def versions(request: Request, view: At, agent: str) -> Response:
    """The versions of an agent, the highest first."""
    found = view.workspace.library.versions(_agent(view, agent))
    last = view.store.last_runs()
    return page(request, [_version(view, agent, name, last) for name in reversed(found)], None)


@ROUTER.get("/agents/{agent}/versions/{version}", response_model=models.VersionWhole)
def version(request: Request, view: At, agent: str, version: str) -> Response:
    """One version with its manifest."""
    document = view.workspace.library.manifest(_agent(view, agent), version)
    whole = {
        **_version(view, agent, version, view.store.last_runs()),
        "manifest": document.source.value,
        "text": document.source.text,
        "file": document.source.file,
    }
    return tell(request, whole)


@ROUTER.get("/agents/{agent}/diff")
def diff(request: Request, view: At, agent: str, old: str, new: str) -> Response:
    """What differs between two versions, as in a comparison."""
    from agenttwin.compare import change_document

    library = view.workspace.library
    before, after = (library.manifest(_agent(view, agent), name).source.value for name in (old, new))
    found = manifest_diff(before, after)
    return tell(
        request,
        {
            "instructions": [{"sign": line.sign, "text": line.text} for line in found.lines],
            "fields": [change_document(change) for change in found.fields],
        },
    )


@ROUTER.get("/twins", response_model=models.Items[models.TwinItem])
def twins(request: Request, view: At) -> Response:
    """The twins of the workspace."""
    if not view.has_workspace:
        return page(request, [], None)
    library = view.workspace.library
    return page(request, [_twin(library, name) for name in library.twins], None)


@ROUTER.get("/twins/{name}", response_model=models.TwinWhole)
def twin(request: Request, view: At, name: str) -> Response:
    """One twin."""
    workspace = view.workspace
    if name not in workspace.library.twins:
        raise _unknown("twin", name, workspace.library.twins)
    document = workspace.library.twins[name]
    spec, check = document.model.spec, workspace.checks[name]
    checked = {key: getattr(check, key) for key in ("at", "against", "agrees", "differs", "current")}
    whole = {
        **_twin(workspace.library, name),
        "source": document.model.metadata.source,
        "text": document.source.text,
        "file": document.source.file,
        "tool_list": [_tool(tool) for tool in spec.tools],
        "state": workspace.library.states.get(name, spec.initial_state),
        "faults": [_fault(kind) for kind in FAULTS],
        "checked": checked if check.at is not None else None,
    }
    return tell(request, redact(whole, spec.secrets))  # planted, and masked wherever something is shown


@ROUTER.post("/twins/validate", response_model=models.Validation)
def validate_twin(request: Request, view: At, given: models.TextIn) -> Response:
    """Reads a twin, and says what is wrong with it."""
    return tell(request, _validated(given.text, "twin.yaml", {"TwinDefinition": TwinDefinition}))


@ROUTER.get("/scenarios", response_model=models.Items[models.ScenarioItem])
def scenarios(request: Request, view: At) -> Response:
    """The scenarios of the workspace, by name."""
    if not view.has_workspace:
        return page(request, [], None)
    library = view.workspace.library
    return page(request, [_scenario(library.scenarios[name]) for name in sorted(library.scenarios)], None)


@ROUTER.get("/scenarios/{name}", response_model=models.ScenarioWhole)
def scenario(request: Request, view: At, name: str) -> Response:
    """One scenario as it is written."""
    workspace = view.workspace
    if name not in workspace.library.scenarios:
        raise _unknown("scenario", name, workspace.library.scenarios)
    document = workspace.library.scenarios[name]
    given = document.model.spec.input
    mine = [
        item for item in workspace.warnings if item.location and item.location.file == document.source.file
    ]
    return tell(
        request,
        {
            **_scenario(document),
            "digest": document.digest,
            "text": document.source.text,
            "file": document.source.file,
            "message": given.message if given.message is not None else (given.turns or [])[-1].say,
            "problems": [_problem(item) for item in mine],
        },
    )


@ROUTER.get("/scenarios/{name}/results", response_model=models.Items[models.ResultItem])
def results(
    request: Request, view: At, name: str, limit: Annotated[int, Query(ge=1, le=200)] = 20
) -> Response:
    """How a scenario came out in the latest comparisons, the newest first."""
    view.work_out_all()
    found = view.store.comparisons.of_scenario(name, limit=limit)
    pairs = view.store.some_pairs({id for id, _ in found})
    items = [
        {
            "comparison": id,
            "baseline": pairs[id].baseline.version,
            "candidate": pairs[id].candidate.version,
            "classification": case["classification"],
            "reason": case["reason"],
            "created_at": when(pairs[id].created_at),
        }
        for id, case in ((id, orjson.loads(item)) for id, item in found if id in pairs)
    ]
    return page(request, items, None)


@ROUTER.get("/scenarios/{name}/versions", response_model=models.Items[models.ScenarioVersion])
def scenario_versions(request: Request, view: At, name: str) -> Response:
    """A scenario as it is written now, and as it was in the latest runs, the newest first."""
    now = view.workspace.library.scenarios.get(name) if view.has_workspace else None
    ran = {digest: (first, last) for digest, first, last in view.store.scenario_versions(name)}
    if now is None and not ran:
        raise _unknown("scenario", name, view.workspace.library.scenarios if view.has_workspace else ())
    names = dict.fromkeys([now.digest] if now is not None else [])
    items = []
    for digest in names | dict.fromkeys(ran):
        current = now is not None and now.digest == digest
        first, last = ran.get(digest, (None, None))
        items.append(
            {
                "digest": digest,
                "current": current,
                "first_run_at": when(first),
                "last_run_at": when(last),
                "text": now.source.text if now is not None and current else view.store.document(digest).text,
            }
        )
    return page(request, items, None)


@ROUTER.post("/scenarios/validate", response_model=models.Validation)
def validate_scenario(request: Request, view: At, given: models.TextIn) -> Response:
    """Reads a scenario against the workspace, and says what is wrong with it."""
    told = _validated(given.text, "scenario.yaml", {"Scenario": Scenario}, view.workspace.library)
    return tell(request, told)


@ROUTER.get("/suites", response_model=models.Items[models.SuiteItem])
def suites(request: Request, view: At) -> Response:
    """The suites of the workspace."""
    if not view.has_workspace:
        return page(request, [], None)
    workspace = view.workspace
    default = workspace.settings.default_suite
    items = [
        {
            "name": name,
            "scenarios": list(suite.scenarios),
            "tags": list(suite.tags),
            "default": name == default,
        }
        for name, suite in workspace.file.suites.items()
    ]
    return page(request, items, None)


def _agent(view: View, name: str) -> str:
    view.workspace.agent(name)
    return name


def _version(view: View, agent: str, version: str, last: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    document = view.workspace.library.manifest(agent, version)
    return {
        "agent": agent,
        "version": version,
        "digest": document.digest,
        "model_kind": document.model.model_kind.value,
        "last_run_at": when(last.get((agent, version))),
    }


def _twin(library: Library, name: str) -> dict[str, Any]:
    document = library.twins[name]
    return {
        "name": name,
        "description": document.model.metadata.description,
        "tools": len(document.model.spec.tools),
        "digest": library.twin_digest(name),
    }


def _tool(tool: Any) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "risk": tool.actual_risk.value,
        "role": tool.actual_role,
        "irreversible": tool.actual_risk in IRREVERSIBLE,
        "input_schema": tool.input_schema,
        "effect_key": tool.effect_key,
        "handler": tool.handler.model_dump(mode="json", by_alias=True, exclude_unset=True),
    }


def _fault(kind: str) -> dict[str, Any]:
    row = FAULTS[kind]
    return {
        "type": kind,
        "commit": row.commit.value,
        "answer": row.answer.value,
        "wire": row.wire.value,
        "status": row.status,
        "can_know": row.knowable,
        "description": row.description,
    }


def _scenario(document: Any) -> dict[str, Any]:
    model = document.model
    return {
        "name": model.name,
        "severity": model.metadata.severity,
        "tags": list(model.metadata.tags),
        "description": model.metadata.description,
        "agent": model.spec.agent,
        "twin": model.spec.twin,
        "faults": [rule.behavior.type for rule in model.spec.faults],
    }


def _problem(problem: Problem) -> dict[str, Any]:
    place = problem.location
    return {
        "line": place.line if place else None,
        "column": place.column if place else None,
        "path": problem.path,
        "code": problem.code,
        "message": problem.message,
        "hint": f"did you mean {problem.nearest!r}?" if problem.nearest else None,
        "warning": problem.warning,
    }


def _validated(text: str, file: str, kinds: dict[str, Any], library: Library | None = None) -> dict[str, Any]:
    """What is wrong with a text; against a library where there is one."""
    try:
        document = read(text, file=file, models=kinds)
    except DocumentError as error:
        return {"problems": [_problem(item) for item in error.problems], "digest": None}
    except AgentTwinError as error:
        told = Problem(code=error.code, message=error.message)
        return {"problems": [_problem(told)], "digest": None}
    found = list(document.warnings)
    if library is not None:
        others = [item for name, item in library.scenarios.items() if name != document.model.name]
        whole = Library.of(
            [document, *others, *library.twins.values(), *library.manifests.values()],
            agents=library.agents,
            states=library.states,
        )
        found += [item for item in check_library(whole) if item.location and item.location.file == file]
    return {"problems": [_problem(item) for item in found], "digest": document.digest}


def _unknown(what: str, name: str, known: Any) -> NotFound:
    close = nearest(name, known)
    hint = f" Did you mean {close!r}?" if close else ""
    return NotFound(f"unknown_{what}", f"There is no {what} {name!r}.{hint}")
