"""Projects, keys, and what was done: the part of the API that administers the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from agenttwin.errors import NotFound
from agenttwin.server import _models as models
from agenttwin.server._access import OWNER
from agenttwin.server._answers import page, tell
from agenttwin.server._at import At
from agenttwin.server._errors import Refused
from agenttwin.server._route import Route
from agenttwin.server._shown import when
from agenttwin.server._view import View
from agenttwin.storage import Project, StoredKey

Limit = Annotated[int, Query(ge=1, le=200)]

ROUTER: Final = APIRouter(tags=["settings"], route_class=Route)


@ROUTER.get("/projects", response_model=models.Items[models.Project])
def projects(request: Request, view: At) -> Response:
    """The projects that whoever asks may see."""
    return page(request, [shown(view, item) for item in visible(view)], None)


@ROUTER.post("/projects", response_model=models.Project, status_code=201)
def create_project(request: Request, view: At, given: models.ProjectIn) -> Response:
    """A new project."""
    return tell(request, shown(view, view.store.access.create_project(given.name, given.title)), 201)


@ROUTER.get("/projects/{name}", response_model=models.Project)
def project(request: Request, view: At, name: str) -> Response:
    """One project."""
    return tell(request, shown(view, view.store.access.project(_seen(view, name))))


@ROUTER.patch("/projects/{name}", response_model=models.Project)
def change_project(request: Request, view: At, name: str, given: models.ProjectChange) -> Response:
    """Sets the title, or for how many days runs are kept."""
    values = given.model_dump(exclude_unset=True)
    if values.get("title", "") is None:
        del values["title"]
    return tell(request, shown(view, view.store.access.change_project(_seen(view, name), **values)))


@ROUTER.delete("/projects/{name}", status_code=204)
def delete_project(view: At, name: str) -> Response:
    """Deletes a project with its runs, comparisons, keys and audit log."""
    view.store.access.delete_project(_seen(view, name))
    return Response(status_code=204)


@ROUTER.get("/keys", response_model=models.Items[models.KeyOut])
def keys(request: Request, view: At) -> Response:
    """The keys of the project, newest first."""
    return page(request, [_key(item) for item in view.store.access.every_key()], None)


@ROUTER.post("/keys", response_model=models.KeyMade, status_code=201)
def create_key(request: Request, view: At, given: models.KeyIn) -> Response:
    """A new key. Its secret is in this answer and in no other; nobody gives more than they have."""
    missing = [scope for scope in given.scopes if not view.identity.may(scope)]
    if missing:
        raise Refused(403, "forbidden", f"A key that may {missing[0]} is made by whoever may.")
    made, secret = view.store.access.create_key(
        given.name, given.scopes, by=view.identity.actor, expires_at=_moment(given.expires_at)
    )
    return tell(request, {"key": _key(made), "secret": secret}, 201)


@ROUTER.delete("/keys/{id}", response_model=models.KeyOut)
def revoke_key(request: Request, view: At, id: str) -> Response:
    """Ends a key at once."""
    return tell(request, _key(view.store.access.revoke(id)))


@ROUTER.get("/audit", response_model=models.Items[models.AuditItem])
def audit(request: Request, view: At, limit: Limit = 50, cursor: str | None = None) -> Response:
    """What was done in the project, newest first."""
    found = view.store.access.audited(limit=limit, after=cursor)
    items = [
        {
            "id": item.id,
            "at": when(item.at),
            "actor": item.actor,
            "action": item.action,
            "target": item.target,
            "detail": dict(item.detail),
        }
        for item in found.items
    ]
    return page(request, items, found.after)


def visible(view: View) -> list[Project]:
    """The projects that whoever asks may see: all, or their own."""
    if view.identity.may(OWNER):
        return view.store.access.projects()
    return [view.store.access.project(view.project)]


def shown(view: View, project: Project) -> dict[str, Any]:
    """A project as it travels; the workspace's own is titled by its folder where nobody titled it."""
    own = view.desk.root.resolve().name if project.name == "default" else project.name
    return {
        "id": project.name,
        "name": project.name,
        "title": project.title or own,
        "retention_days": project.retention_days,
        "created_at": when(project.created_at) if project.created_at else None,
    }


def _seen(view: View, name: str) -> str:
    """A name that whoever asks may know; NotFound for every other one, whether or not it is there."""
    if name != view.project and not view.identity.may(OWNER):
        raise NotFound("unknown_project", f"There is no project {name!r}.")
    return name


def _key(key: StoredKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "hint": key.hint,
        "scopes": list(key.scopes),
        "created_at": when(key.created_at),
        "created_by": key.created_by,
        "expires_at": when(key.expires_at),
        "revoked_at": when(key.revoked_at),
        "last_used_at": when(key.used_at),
    }


def _moment(text: str | None) -> int | None:
    """Milliseconds since 1970; a time without a zone is UTC."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        message = f"{text!r} is no time, such as 2027-01-01T00:00:00Z."
        raise Refused(422, "invalid_request", message) from None
    return int(found.replace(tzinfo=found.tzinfo or UTC).timestamp() * 1000)
