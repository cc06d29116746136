"""Taking in what was run elsewhere: the body is what `agenttwin push` sends."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body, Request, Response

from agenttwin.server import _models as models
from agenttwin.server._answers import tell
from agenttwin.server._at import At
from agenttwin.server._route import Route
from agenttwin.storage import StoredPair

ROUTER: Final = APIRouter(prefix="/imports", tags=["runs"], route_class=Route)


@ROUTER.post(
    "",
    response_model=models.Imported,
    status_code=201,
    responses={200: {"model": models.Imported, "description": "All of it was there."}},
)
def import_bundle(
    request: Request, view: At, given: Annotated[bytes, Body(media_type="application/gzip")]
) -> Response:
    """A pair or run with every case, document, claim and override; the same one twice is there once."""
    stored, new = view.store.take_in(given)
    kind = "pair" if isinstance(stored, StoredPair) else "run"
    view.events.tell("import.done", id=stored.id, of=kind)
    told = {
        "id": stored.id,
        "kind": kind,
        "key": stored.key,
        "new": new,
        "comparison": f"/api/v1/comparisons/{stored.id}" if kind == "pair" else None,
    }
    return tell(request, told, 201 if new else 200)
