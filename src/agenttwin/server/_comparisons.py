"""Comparisons: lists, one without its cases, one case, overrides, the report as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request, Response

from agenttwin.compare import CaseDocument
from agenttwin.evaluate import Verdict
from agenttwin.lab import reviewer
from agenttwin.report import FORMATS, page, render
from agenttwin.review import Override
from agenttwin.server import _models as models
from agenttwin.server._answers import page as part
from agenttwin.server._answers import tell
from agenttwin.server._at import At
from agenttwin.server._desk import Desk, when
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
WORST: Final = 10_000


ROUTER: Final = APIRouter(prefix="/comparisons", tags=["comparisons"])


@ROUTER.get("", response_model=models.Items[models.ComparisonItem])
def comparisons(
    request: Request,
    desk: At,
    agent: str | None = None,
    version: str | None = None,
    classification: str | None = None,
    text: str | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> Response:
    """Comparisons, the newest first."""

    def fits(item: dict[str, Any]) -> bool:
        sides = {item["baseline"]["version"], item["candidate"]["version"]}
        return (
            agent in (None, item["agent"])
            and (version is None or version in sides)
            and (classification is None or bool(item["counts"].get(classification)))
            and (not text or text.lower() in f"{item['agent']} {item['headline']} {' '.join(sides)}".lower())
        )

    items, after = _gathered(desk, fits, limit, cursor)
    return part(request, items, after)


@ROUTER.get("/{id}", response_model=models.ComparisonHead)
def comparison(request: Request, desk: At, id: str) -> Response:
    """A comparison without its cases."""
    pair = desk.pair(id)
    head = {**desk.comparison(pair), "cases": [], **_place(desk, pair)}
    return tell(request, head)


@ROUTER.get("/{id}/cases", response_model=models.Items[models.CaseItem])
def cases(
    request: Request,
    desk: At,
    id: str,
    classification: str | None = None,
    severity: str | None = None,
    tag: str | None = None,
    text: str | None = None,
    sort: Literal["worst", "name"] = "worst",
    limit: Limit = 50,
    cursor: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """The cases of a comparison in short, worst first."""
    found = [
        case
        for case in desk.comparison(desk.pair(id))["cases"]
        if classification in (None, case["classification"])
        and severity in (None, case["severity"])
        and (tag is None or tag in case["tags"])
        and (not text or text.lower() in f"{case['scenario']} {case['reason']}".lower())
    ]
    if sort == "name":
        found.sort(key=lambda case: case["scenario"])
    shown = [_case_item(case) for case in found[cursor : cursor + limit]]
    return part(request, shown, str(cursor + limit) if cursor + limit < len(found) else None)


@ROUTER.get("/{id}/cases/{scenario}", response_model=models.CaseWhole)
def case(request: Request, desk: At, id: str, scenario: str, trial: int = 1) -> Response:
    """One case whole, with the overrides of it."""
    return tell(request, _whole(desk, desk.pair(id), scenario, trial))


@ROUTER.post("/{id}/cases/{scenario}/overrides", response_model=models.CaseWhole, status_code=201)
def override(request: Request, desk: At, id: str, scenario: str, given: models.OverrideIn) -> Response:
    """Sets the result of one expectation on one side, with a note; the original is kept beside it."""
    pair = desk.pair(id)
    decided = Override(
        expectation=given.expectation,
        verdict=Verdict(given.verdict),
        note=given.note,
        by=reviewer(),
        at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    desk.session.store.override(pair.runs[given.side], scenario, decided, trial=given.trial)
    desk.events.tell("override.added", project="default", id=id, scenario=scenario, side=given.side)
    return tell(request, _whole(desk, pair, scenario, given.trial), 201)


@ROUTER.get("/{id}/report")
def report(desk: At, id: str, format: str = "html") -> Response:
    """The comparison as a file, in any format of the command line."""
    from agenttwin.server._errors import Refused

    if format not in FORMATS:
        raise Refused(404, "unknown_format", f"There is no report format {format!r}.")
    kind, ending = KINDS[format]
    text = render(desk.comparison(desk.pair(id)), format, page(columns=100))
    name = f'attachment; filename="comparison-{id}.{ending}"'
    return Response(text.encode(), media_type=f"{kind}; charset=utf-8", headers={"Content-Disposition": name})


def trend(desk: Desk, request: Request, agent: str | None, limit: int) -> Response:
    """The classes of comparisons, oldest first."""
    items, _ = _gathered(desk, lambda item: agent in (None, item["agent"]), limit, None)
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
            for item in reversed(items)
        ],
    )


def _gathered(
    desk: Desk, fits: Callable[[dict[str, Any]], bool], limit: int, cursor: str | None
) -> tuple[list[dict[str, Any]], str | None]:
    """Items that fit, and where to go on; only pairs that have cases are comparisons."""
    found: list[dict[str, Any]] = []
    after = cursor
    while True:
        stored = desk.session.store.pairs(limit=limit, after=after)
        for pair in stored.items:
            if pair.baseline.finished + pair.candidate.finished == 0:
                continue
            item = _item(desk, pair)
            if fits(item):
                found.append(item)
                if len(found) == limit:
                    return found, pair.id
        after = stored.after
        if after is None:
            return found, None


def _item(desk: Desk, pair: StoredPair) -> dict[str, Any]:
    sides = {
        name: {"version": run.version, "digest": run.digest, "model_kind": run.model_kind}
        for name, run in (("baseline", pair.baseline), ("candidate", pair.candidate))
    }
    return {
        **_place(desk, pair),
        "key": pair.key,
        "agent": pair.candidate.agent,
        **sides,
        **desk.summary(pair),
        "seed": pair.candidate.seed,
    }


def _place(desk: Desk, pair: StoredPair) -> dict[str, Any]:
    return {
        "id": pair.id,
        "state": desk.state(pair),
        "created_at": when(pair.created_at),
        "finished_at": when(pair.finished_at),
    }


def _case_item(case: CaseDocument) -> dict[str, Any]:
    parts = case["divergence"]
    worse = case["worse"][0] if case["worse"] else None
    reasons = {item["id"]: item["reason"] for item in case["candidate"]["evaluations"]}
    return {
        "scenario": case["scenario"],
        "trial": case["trial"],
        "severity": case["severity"],
        "tags": case["tags"],
        "classification": case["classification"],
        "reason": case["reason"],
        "why": reasons.get(worse or ""),
        "divergence": {key: parts[key] for key in ("step", "kind", "summary")} if parts else None,
        "baseline": _side_item(case["baseline"]),
        "candidate": _side_item(case["candidate"]),
        "overridden": any(_is_overridden(case[side]) for side in ("baseline", "candidate")),
    }


def _side_item(side: Any) -> dict[str, Any]:
    return {key: side[key] for key in ("verdict", "claimed_outcome", "tool_calls", "retries")}


def _is_overridden(side: Any) -> bool:
    return any(item.get("overridden") for item in side["evaluations"])


def _whole(desk: Desk, pair: StoredPair, scenario: str, trial: int) -> dict[str, Any]:
    return {**desk.case(pair, scenario, trial), "overrides": list(_overrides(desk, pair, scenario, trial))}


def _overrides(desk: Desk, pair: StoredPair, scenario: str, trial: int) -> Iterator[dict[str, Any]]:
    for side, run in pair.runs.items():
        for item in desk.session.store.overrides(run).get((scenario, trial), ()):
            yield {
                "side": side,
                "expectation": item.expectation,
                "verdict": item.verdict.value,
                "note": item.note,
                "by": item.by,
                "at": item.at,
            }
