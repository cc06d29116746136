"""What is the same around every route: who asks, whether they may, whether they asked before."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from hashlib import sha256
from typing import Any, Final

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from agenttwin.errors import AgentTwinError
from agenttwin.server._access import Identity, Rule, allow, identify, rule_of
from agenttwin.server._errors import Refused, answer, as_answer
from agenttwin.server._view import View
from agenttwin.storage import Answer

PREFIX: Final = "/api/v1"
MAX_KEY: Final = 200
REPLAYED: Final = "Idempotency-Replayed"
"""The header of an answer that was given before."""

SAFE: Final = frozenset({"GET", "HEAD"})
KEPT: Final = frozenset({"content-type", "etag", "location"})
"""The headers of an answer that are kept with it."""

MAX_DETAIL: Final = 200

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Route(APIRoute):
    """A route of the API. One that stands in no row of RULES cannot be made."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        super().__init__(path, endpoint, **more)
        self.rule = rule_of(self.methods or (), self.path_format)

    def get_route_handler(self) -> Handler:
        """The route's own, with what is the same for all around it."""
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            rule = self.rule
            if rule.scope is None:
                request.state.view = request.app.state.desk.open_view()
                return await inner(request)
            try:
                view = await run_in_threadpool(_admitted, request, rule)
            except AgentTwinError as error:
                return as_answer(error)
            request.state.view = view
            told = await _once(request, view, rule, inner)
            carried_out = told.status_code < 400 and REPLAYED not in told.headers
            if rule.action is not None and carried_out:
                await run_in_threadpool(_noted, request, view, rule.action, told)
            return told

        return handle


def _admitted(request: Request, rule: Rule) -> View:
    desk = request.app.state.desk
    header = request.headers.get("authorization")
    identity = identify(desk.store, header, request.query_params.get("project"), sign_in=desk.sign_in)
    allow(identity, rule)
    request.state.identity = identity
    view: View = desk.seen_by(identity)
    return view


async def _once(request: Request, view: View, rule: Rule, inner: Handler) -> Response:
    """The answer; the one that was given before, where the request comes again under its key."""
    key = request.headers.get("idempotency-key")
    if key is None or request.method in SAFE:
        return await inner(request)
    if not 0 < len(key) <= MAX_KEY or not key.isascii() or not key.isprintable():
        message = f"An Idempotency-Key has 1 to {MAX_KEY} characters, without control characters."
        return answer(400, "invalid_idempotency_key", message)
    body = await request.body()
    digest = sha256(b"\0".join((request.method.encode(), str(request.url).encode(), body))).hexdigest()
    access, actor = view.store.access, _actor(view.identity)
    try:
        there = await run_in_threadpool(access.begin, actor, key, digest)
    except AgentTwinError as error:
        status = 422 if error.code == "key_reused" else 409
        return as_answer(error, status=status)
    if there is not None:
        headers = {**there.headers, REPLAYED: "true"}
        return Response(there.body, there.status, headers)
    told: Response | None = None
    try:
        told = await _answered(inner, request)
        return told
    finally:
        kept = _kept(told, rule)
        await run_in_threadpool(access.answered, actor, key, kept)


async def _answered(inner: Handler, request: Request) -> Response:
    """An answer, of a refusal too: it is the same when the request comes again."""
    try:
        return await inner(request)
    except AgentTwinError as error:
        return as_answer(error)


def _kept(told: Response | None, rule: Rule) -> Answer | None:
    """What is kept of an answer; nothing where it failed and may be tried again."""
    if told is None or told.status_code >= 500 or told.status_code in (409, 429):
        return None
    if rule.told_once and told.status_code < 400:
        message = "This was carried out, and its secret was told then; it is kept nowhere."
        told = answer(409, "told_once", message)
    headers = {name: value for name, value in told.headers.items() if name.lower() in KEPT}
    return Answer(status=told.status_code, headers=headers, body=bytes(told.body))


def _noted(request: Request, view: View, action: str, told: Response) -> None:
    """Writes down what was done, and to what."""
    target = "/".join(str(value) for value in request.path_params.values())
    if not target and told.body:
        target = view.named_in(bytes(told.body))
    view.store.access.audit(view.identity.actor, action, target[:MAX_DETAIL], {"key": view.identity.key})


def _actor(identity: Identity) -> str:
    """Whose Idempotency-Keys they are."""
    return identity.key or identity.actor


__all__ = ["PREFIX", "Refused", "Route"]
