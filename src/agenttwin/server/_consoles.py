"""Twins in one's hands: cases whose tools a person calls from the browser."""

from __future__ import annotations

import secrets
import threading
from dataclasses import asdict, dataclass
from typing import Any, Final

import orjson
from fastapi import APIRouter, Request, Response

from agenttwin.compare import change_document
from agenttwin.errors import LimitExceeded, NotFound
from agenttwin.lab import Case
from agenttwin.server import _models as models
from agenttwin.server._answers import page, tell
from agenttwin.server._at import At
from agenttwin.server._route import Route
from agenttwin.server._view import View
from agenttwin.transcript import redact

OPEN: Final = 50
"""Consoles that are open at a time; the one that was used least recently gives way."""

CALLS: Final = 2_000


@dataclass(slots=True)
class Console:
    """One case, and who may use it at a time."""

    id: str
    twin: str
    tenant: str | None
    case: Case
    lock: threading.Lock
    secrets: tuple[str, ...]


ROUTER: Final = APIRouter(prefix="/consoles", tags=["consoles"], route_class=Route)


def _found(view: View, id: str) -> Console:
    consoles = view.consoles
    if id not in consoles:
        raise NotFound("unknown_console", f"There is no console {id!r}; it may have been closed.")
    consoles.move_to_end(id)
    one: Console = consoles[id]
    return one


@ROUTER.post("", response_model=models.ConsoleOut, status_code=201)
def open_console(request: Request, view: At, given: models.ConsoleIn) -> Response:
    """Begins a case of a twin."""
    twin = view.session.twin(given.twin)
    case = twin.start(tenant=given.tenant, call_limit=CALLS)
    console = Console(
        secrets.token_hex(8),
        given.twin,
        given.tenant,
        case,
        threading.Lock(),
        tuple(twin.definition.spec.secrets),
    )
    view.consoles[console.id] = console
    while len(view.consoles) > OPEN:
        view.consoles.popitem(last=False)
    return tell(request, _told(console, list(twin.tools)), 201)


@ROUTER.get("/{id}", response_model=models.ConsoleOut)
def console(request: Request, view: At, id: str) -> Response:
    """One console."""
    one = _found(view, id)
    return tell(request, _told(one, list(view.session.twin(one.twin).tools)))


@ROUTER.get("/{id}/state", response_model=models.StateOut)
def state(request: Request, view: At, id: str) -> Response:
    """The world as it is now."""
    one = _found(view, id)
    with one.lock:
        value = {"state": one.case.state, "changes": _changes(one.case), "now": one.case.now}
        return tell(request, redact(value, one.secrets))


@ROUTER.get("/{id}/calls")
def calls(request: Request, view: At, id: str) -> Response:
    """The record of every call."""
    one = _found(view, id)
    with one.lock:
        return page(request, redact([_record(call) for call in one.case.calls], one.secrets), None)


@ROUTER.post("/{id}/calls", response_model=models.CallOut)
def call(request: Request, view: At, id: str, given: models.CallIn) -> Response:
    """Calls a tool."""
    one = _found(view, id)
    with one.lock:
        if len(one.case.calls) >= CALLS:
            raise LimitExceeded("too_many_events", f"This console has made {CALLS:,} calls: reset it.")
        reply = one.case.call(given.tool, given.arguments)
        value = {**asdict(reply), "record": _record(one.case.calls[-1]), "changes": _changes(one.case)}
        return tell(request, redact(value, one.secrets))


@ROUTER.post("/{id}/faults", response_model=models.ConsoleOut)
def arm(request: Request, view: At, id: str, given: models.FaultIn) -> Response:
    """One fault for the next call of a tool, in the place of those that were armed."""
    one = _found(view, id)
    with one.lock:
        made = sum(call.tool == given.tool and call.refusal is None for call in one.case.calls)
        one.case.arm(
            [
                {
                    "target": given.tool,
                    "when": {"callNumber": made + 1},
                    "behavior": {"type": given.type},
                }
            ]
        )
    return tell(request, _told(one, list(view.session.twin(one.twin).tools)))


@ROUTER.post("/{id}/reset", response_model=models.ConsoleOut)
def reset(request: Request, view: At, id: str) -> Response:
    """Begins anew."""
    one = _found(view, id)
    twin = view.session.twin(one.twin)
    with one.lock:
        one.case = twin.start(tenant=one.tenant, call_limit=CALLS)
    return tell(request, _told(one, list(twin.tools)))


@ROUTER.delete("/{id}", status_code=204)
def close_console(view: At, id: str) -> Response:
    """Closes a console."""
    view.consoles.pop(_found(view, id).id, None)
    return Response(status_code=204)


def _told(console: Console, tools: list[str]) -> dict[str, Any]:
    return {"id": console.id, "twin": console.twin, "tenant": console.tenant, "tools": tools}


def _changes(case: Case) -> list[Any]:
    return [change_document(change) for change in case.changes]


def _record(call: Any) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(
        orjson.dumps({name: getattr(call, name) for name in call.__dataclass_fields__}, default=_plain)
    )
    return found


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
