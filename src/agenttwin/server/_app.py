"""The application: routes, errors, the guard around them, and the app's files."""

from __future__ import annotations

import re
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Final

from fastapi import APIRouter, FastAPI, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.middleware.gzip import GZipMiddleware

from agenttwin.server import _comparisons as comparisons
from agenttwin.server import _consoles as consoles
from agenttwin.server import _imports as imports
from agenttwin.server import _library as library
from agenttwin.server import _models as models
from agenttwin.server import _running as running
from agenttwin.server import _settings as settings
from agenttwin.server._access import methods_of
from agenttwin.server._answers import tell
from agenttwin.server._at import At
from agenttwin.server._desk import Desk
from agenttwin.server._errors import handle_errors
from agenttwin.server._guard import Guard
from agenttwin.server._measuring import serve_metrics
from agenttwin.server._openapi import described
from agenttwin.server._route import PREFIX, Route
from agenttwin.server._static import serve_app

LOCAL: Final = frozenset({"127.0.0.1", "localhost", "::1"})
FEATURES: Final = ("runs", "consoles", "overrides", "keys", "projects", "audit", "retention")
SMALLEST_GZIP: Final = 1_000
GZIP_LEVEL: Final = 4
"""Nine takes five times as long, for a tenth less."""


def create_app(desk: Desk, *, hosts: frozenset[str] = LOCAL, web: Path | None = None) -> Any:
    """The server of a workspace as an ASGI application. ``hosts`` are the names that it answers to."""
    return Guard(
        GZipMiddleware(_routes(desk, web), minimum_size=SMALLEST_GZIP, compresslevel=GZIP_LEVEL),
        hosts,
        desk.metrics,
    )


def _routes(desk: Desk, web: Path | None) -> FastAPI:
    app = FastAPI(
        title="AgentTwin",
        version=version("agenttwin"),
        description="What ran in a workspace, and running it again.",
        docs_url=None,
        redoc_url=None,
        responses={"default": {"model": models.Error}},  # so that its shape is among the components
    )
    app.state.desk = desk
    handle_errors(app, lambda path: methods_of(path.removeprefix(PREFIX)))
    for router in (
        ABOUT,
        *(part.ROUTER for part in (comparisons, library, consoles, settings, imports)),
        running.PAIRS,
        running.RUNS,
    ):
        app.include_router(router, prefix=PREFIX)
    serve_metrics(app)
    serve_app(app, web)
    app.openapi = partial(described, app)  # type: ignore[method-assign]
    return app


def openapi_document() -> dict[str, Any]:
    """The OpenAPI document of the API; no workspace is opened for it."""
    desk: Any = SimpleNamespace(root=Path("workspace"))
    document: dict[str, Any] = _routes(desk, None).openapi()
    return document


# -- the server itself: its health, who asks, the trend, and what happens


ABOUT: Final = APIRouter(route_class=Route)


@ABOUT.get("/health", response_model=models.Health, tags=["server"])
def health(request: Request) -> Response:
    """The server answers."""
    return tell(request, {"status": "ok", "version": version("agenttwin")})


@ABOUT.get("/ready", response_model=models.Health, tags=["server"])
def ready(request: Request, view: At) -> Response:
    """The store answers too, and has the schema that this version knows."""
    view.store.pairs(limit=1)
    return tell(request, {"status": "ok", "version": version("agenttwin")})


@ABOUT.get("/me", response_model=models.Me, tags=["server"])
def me(request: Request, view: At) -> Response:
    """Who is asking, and what there is."""
    return tell(
        request,
        {
            "project": settings.shown(view, view.store.access.project()),
            "projects": [settings.shown(view, item) for item in settings.visible(view)],
            "scopes": list(view.identity.scopes),
            "actor": view.identity.actor,
            "authentication": view.desk.sign_in,
            "workspace": {"name": view.desk.root.resolve().name} if view.has_workspace else None,
            "features": list(FEATURES),
            "version": version("agenttwin"),
        },
    )


@ABOUT.get("/trend", response_model=list[models.TrendItem], tags=["comparisons"])
def trend(
    request: Request, view: At, agent: str | None = None, limit: Annotated[int, Query(ge=1, le=200)] = 50
) -> Response:
    """The classes of the latest comparisons, oldest first."""
    return comparisons.trend(view, request, agent, limit)


@ABOUT.get(
    "/events",
    tags=["server"],
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def events(
    request: Request,
    view: At,
    after: Annotated[int | None, Query(ge=0)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """What happens, as server-sent events; `Last-Event-ID` or `after` tells what was heard last."""
    number = last_event_id is not None and re.fullmatch("[0-9]{1,18}", last_event_id)
    heard = int(number[0]) if number else after
    return StreamingResponse(
        view.desk.counted(view.events.stream(heard), request.headers.get("authorization")),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store"},
    )
