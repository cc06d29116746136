"""Every error in one shape, whoever found it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Any, Final

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from agenttwin.errors import AgentTwinError, Conflict, Denied, LimitExceeded, NotFound

LOG: Final = logging.getLogger("agenttwin.server")

STATUS: Final = ((NotFound, 404), (Conflict, 409), (Denied, 403), (LimitExceeded, 413))
"""The status of each kind of refusal; every other one is 400."""


class Refused(AgentTwinError):  # noqa: N818 - reads as what happened
    """A refusal with a status of its own."""

    def __init__(self, status: int, code: str, message: str, hint: str = "") -> None:
        super().__init__(code, message, hint)
        self.status = status


def answer(
    status: int, code: str, message: str, where: str | None = None, hint: str | None = None
) -> Response:
    """An error as it travels."""
    body = {"code": code, "message": message, "where": where, "hint": hint or None}
    return Response(orjson.dumps(body), status, media_type="application/json")


def as_answer(error: AgentTwinError, *, status: int | None = None) -> Response:
    """A refusal as it travels."""
    fitting = next((word for kind, word in STATUS if isinstance(error, kind)), 400)
    number = status or int(getattr(error, "status", fitting))
    told = answer(number, error.code, error.message, hint=error.remedy)
    if number == 401:
        told.headers["WWW-Authenticate"] = 'Bearer realm="AgentTwin"'
    return told


def handle_errors(app: FastAPI, allowed: Callable[[str], Collection[str]]) -> None:
    """Answers whatever is raised in a route; ``allowed`` are the methods that a path of the API has."""

    @app.exception_handler(AgentTwinError)
    async def ours(request: Request, error: AgentTwinError) -> Response:
        return as_answer(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first: dict[str, Any] = dict(error.errors()[0])
        where = ".".join(str(part) for part in first["loc"])
        return answer(422, "invalid_request", f"{where}: {first['msg']}.", where)

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> Response:
        code = {404: "no_such_route", 405: "no_such_method"}.get(error.status_code, "refused")
        message = f"There is no {request.method} {request.url.path}."
        told = answer(error.status_code, code, message if error.status_code < 500 else str(error.detail))
        if error.status_code == 405:
            told.headers["Allow"] = ", ".join(allowed(request.url.path)) or "GET, HEAD"
        return told

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        LOG.exception("%s %s failed", request.method, request.url.path)
        return answer(500, "server_error", "This is a fault of AgentTwin itself. Please report it.")
