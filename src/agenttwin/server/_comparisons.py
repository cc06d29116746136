"""Comparisons: lists, one without its cases, one case, overrides, the report as a file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response

from agenttwin.evaluate import Verdict
from agenttwin.report import FORMATS, page, render
from agenttwin.review import Override
from agenttwin.server import _models as models
from agenttwin.server._answers import page as part
from agenttwin.server._answers import tell, tell_bytes
from agenttwin.server._at import At
from agenttwin.server._errors import Refused
from agenttwin.server._route import Route
from agenttwin.server._view import View
from agenttwin.storage import StoredPair

Limit = Annotated[int, Query(ge=1, le=200)]

KINDS: Final = {
    "html": ("text/html", "html"),
    "markdown": ("text/markdown", "md"),
    "junit": ("application/xml", "xml"),
    "sarif": ("application/sarif+json", "sarif"),
    "json": ("application/json", "json"),
    "terminal": ("text/plain", "txt"),
}


ROUTER: Final = APIRouter(prefix="/comparisons", tags=["comparisons"], route_class=Route)


@ROUTER.get("", response_model=models.Items[models.ComparisonItem])
def comparisons(
    request: Request,
    view: At,
    agent: str | None = None,
    version: str | None = None,
    classification: str | None = None,
    text: str | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> Response:
    """Comparisons, the newest first."""
    view.work_out_all()
    found = view.store.comparisons.page(
        limit=limit, after=cursor, agent=agent, version=version, classification=classification, text=text
    )
    return part(request, view.placed(found.items), found.after)


@ROUTER.get("/{id}", response_model=models.ComparisonHead)
def comparison(request: Request, view: At, id: str) -> Response:
    """A comparison without its cases."""
    return tell_bytes(request, view.head(view.store.one_pair(id)))


@ROUTER.get("/{id}/cases", response_model=models.Items[models.CaseItem])
def cases(
    request: Request,
    view: At,
    id: str,
    classification: str | None = None,
    severity: str | None = None,
    tag: str | None = None,
    text: str | None = None,
    sort: Literal["worst", "name"] = "worst",
    limit: Limit = 50,
    cursor: Annotated[int, Query(ge=0, le=2**31)] = 0,
) -> Response:
    """The cases of a comparison in short, worst first."""
    view.work_out(view.store.one_pair(id))
    found = view.store.comparisons.cases(
        id,
        limit=limit + 1,
        skip=cursor,
        classification=classification,
        severity=severity,
        tag=tag,
        text=text,
        by_name=sort == "name",
    )
    shown = [orjson.loads(item) for item in found[:limit]]
    return part(request, shown, str(cursor + limit) if len(found) > limit else None)


@ROUTER.get("/{id}/cases/{scenario}", response_model=models.CaseWhole)
def case(request: Request, view: At, id: str, scenario: str, trial: int = 1) -> Response:
    """One case whole, with the overrides of it."""
    return tell(request, _whole(view, view.store.one_pair(id), scenario, trial))


@ROUTER.post("/{id}/cases/{scenario}/overrides", response_model=models.CaseWhole, status_code=201)
def override(request: Request, view: At, id: str, scenario: str, given: models.OverrideIn) -> Response:
    """Sets the result of one expectation on one side, with a note; the original is kept beside it."""
    pair = view.store.one_pair(id)
    decided = Override(
        expectation=given.expectation,
        verdict=Verdict(given.verdict),
        note=given.note,
        by=view.identity.actor,
        at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    view.store.override(pair.runs[given.side], scenario, decided, trial=given.trial)
    view.events.tell("override.added", id=id, scenario=scenario, side=given.side)
    return tell(request, _whole(view, pair, scenario, given.trial), 201)


@ROUTER.get(
    "/{id}/report",
    response_class=Response,
    responses={200: {"content": {kind: {"schema": {"type": "string"}} for kind, _ in KINDS.values()}}},
)
def report(view: At, id: str, format: str = "html") -> Response:
    """The comparison as a file, in any format of the command line."""
    if format not in FORMATS:
        raise Refused(404, "unknown_format", f"There is no report format {format!r}.")
    kind, ending = KINDS[format]
    text = render(view.whole(view.store.one_pair(id)), format, page(columns=100))
    name = f'attachment; filename="comparison-{id}.{ending}"'
    return Response(text.encode(), media_type=f"{kind}; charset=utf-8", headers={"Content-Disposition": name})


def trend(view: View, request: Request, agent: str | None, limit: int) -> Response:
    """The classes of comparisons, oldest first."""
    view.work_out_all()
    found = view.store.comparisons.page(limit=limit, agent=agent)
    return tell(
        request,
        [
            {
                "comparison": item["id"],
                "baseline": item["baseline"]["version"],
                "candidate": item["candidate"]["version"],
                "created_at": item["created_at"],
                "counts": item["counts"],
            }
            for item in reversed(view.placed(found.items))
        ],
    )


def _whole(view: View, pair: StoredPair, scenario: str, trial: int) -> dict[str, Any]:
    return {**view.case(pair, scenario, trial), "overrides": list(_overrides(view, pair, scenario, trial))}


def _overrides(view: View, pair: StoredPair, scenario: str, trial: int) -> Iterator[dict[str, Any]]:
    for side, run in pair.runs.items():
        for item in view.store.overrides(run).get((scenario, trial), ()):
            yield {
                "side": side,
                "expectation": item.expectation,
                "verdict": item.verdict.value,
                "note": item.note,
                "by": item.by,
                "at": item.at,
            }
