"""The application: routes, errors, the guard around them, and the app's files."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Final

from fastapi import APIRouter, FastAPI, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.middleware.gzip import GZipMiddleware

from agenttwin.lab import reviewer
from agenttwin.server import _comparisons as comparisons
from agenttwin.server import _consoles as consoles
from agenttwin.server import _library as library
from agenttwin.server import _models as models
from agenttwin.server import _running as running
from agenttwin.server._answers import tell
from agenttwin.server._at import At
from agenttwin.server._desk import Desk
from agenttwin.server._errors import handle_errors
from agenttwin.server._guard import Guard
from agenttwin.server._static import serve_app

PREFIX: Final = "/api/v1"
LOCAL: Final = frozenset({"127.0.0.1", "localhost", "::1"})
FEATURES: Final = ("runs", "consoles", "overrides")
SMALLEST_GZIP: Final = 1_000


def create_app(desk: Desk, *, hosts: frozenset[str] = LOCAL, web: Path | None = None) -> Any:
    """The server of a workspace as an ASGI application. ``hosts`` are the names that it answers to."""
    return Guard(GZipMiddleware(_routes(desk, web), minimum_size=SMALLEST_GZIP), hosts)


def _routes(desk: Desk, web: Path | None) -> FastAPI:
    app = FastAPI(
        title="AgentTwin",
        version=version("agenttwin"),
        description="What ran in a workspace, and running it again.",
        docs_url=None,
        redoc_url=None,
        responses={"default": {"model": models.Error, "description": "What is wrong, and what to do."}},
    )
    app.state.desk = desk
    handle_errors(app)
    api = APIRouter(prefix=PREFIX)
    for router in (
        ABOUT,
        *(part.ROUTER for part in (comparisons, library, consoles)),
        running.PAIRS,
        running.RUNS,
    ):
        api.include_router(router)
    app.include_router(api)
    serve_app(app, web)
    return app


def openapi_document() -> dict[str, Any]:
    """The OpenAPI document of the API; no workspace is opened for it."""
    desk: Any = SimpleNamespace(root=Path("workspace"))
    found: dict[str, Any] = _routes(desk, None).openapi()
    return found


# -- the server itself: its health, who asks, the trend, and what happens


ABOUT: Final = APIRouter()


@ABOUT.get("/health", response_model=models.Health, tags=["server"])
def health(request: Request) -> Response:
    """The server answers."""
    return tell(request, {"status": "ok", "version": version("agenttwin")})


@ABOUT.get("/ready", response_model=models.Health, tags=["server"])
def ready(request: Request, desk: At) -> Response:
    """The store answers too."""
    desk.session.store.pairs(limit=1)
    return tell(request, {"status": "ok", "version": version("agenttwin")})


@ABOUT.get("/me", response_model=models.Me, tags=["server"])
def me(request: Request, desk: At) -> Response:
    """Who is asking, and what there is."""
    return tell(
        request,
        {
            "project": _project(desk),
            "projects": [_project(desk)],
            "scopes": ["read", "write", "run"],
            "actor": reviewer(),
            "authentication": False,
            "workspace": {"name": desk.root.resolve().name},
            "features": list(FEATURES),
            "version": version("agenttwin"),
        },
    )


@ABOUT.get("/projects", response_model=models.Items[models.Project], tags=["server"])
def projects(request: Request, desk: At) -> Response:
    """The projects; a server in a workspace has the one."""
    return tell(request, {"items": [_project(desk)], "next_cursor": None})


@ABOUT.get("/trend", response_model=list[models.TrendItem], tags=["comparisons"])
def trend(
    request: Request, desk: At, agent: str | None = None, limit: Annotated[int, Query(ge=1, le=200)] = 50
) -> Response:
    """The classes of the latest comparisons, oldest first."""
    return comparisons.trend(desk, request, agent, limit)


@ABOUT.get("/events", tags=["server"])
async def events(
    desk: At,
    after: Annotated[int | None, Query(ge=0)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """What happens, as server-sent events; `Last-Event-ID` or `after` tells what was heard last."""
    heard = int(last_event_id) if last_event_id is not None and last_event_id.isdigit() else after
    return StreamingResponse(
        desk.events.stream(heard), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


def _project(desk: Desk) -> dict[str, str]:
    """The one project of a server in a workspace."""
    return {"id": "default", "name": "default", "title": desk.root.resolve().name}
