"""The OpenAPI document: what FastAPI makes of the routes, and what is the same for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI

from agenttwin.server._access import RULES
from agenttwin.server._links import LINKS, Operation
from agenttwin.server._route import PREFIX

PROJECT: Final = {
    "name": "project",
    "in": "query",
    "required": False,
    "schema": {"type": "string"},
    "description": "The project that is asked for; by default that of the key, or `default`.",
}
AGAIN: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[ -~]+$"},
    "description": "A word of the sender: the same request under it is carried out once within a day.",
}
ERROR: Final = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}

ALWAYS: Final = (400, 421, 431)
"""What any request may be answered: its form is wrong, its Host unknown, its headers too many."""

NAMED: Final = (401, 403, 404, 422)
"""What a request in a project may be answered besides."""

WRITING: Final = (409, 413)
"""What a request that changes something may be answered besides."""


def described(app: FastAPI) -> dict[str, Any]:
    """The document."""
    document = FastAPI.openapi(app)
    if "securitySchemes" in document["components"]:
        return document  # FastAPI keeps what it made, and here it was completed
    document["components"]["securitySchemes"] = {
        "key": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key (`atk_…`). On loopback, without `--sign-in`, none is needed.",
        }
    }
    names = {
        (method.upper(), path.removeprefix(PREFIX)): operation["operationId"]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            which = (method.upper(), path.removeprefix(PREFIX))
            _complete(operation, which, names)
    return document


def _complete(operation: dict[str, Any], which: Operation, names: dict[Operation, str]) -> None:
    method, rule = which[0], RULES[which]
    responses = operation["responses"]
    responses.pop("default", None)
    responses.update(_errors(ALWAYS))
    if method == "GET" and "application/json" in next(iter(responses.values()))["content"]:
        responses["304"] = {"description": "It is what `If-None-Match` says."}
    if rule.scope is not None:
        operation["security"] = [{"key": []}, {}]
        operation["x-scope"] = rule.scope
        shared = [PROJECT] if method == "GET" else [PROJECT, AGAIN]
        operation["parameters"] = [*operation.get("parameters", []), *shared]
        responses.update(_errors(NAMED))
        if method != "GET":
            responses.update(_errors(WRITING))
    for link in LINKS.get(which, ()):
        for status, response in responses.items():
            if status in ("200", "201", "202"):
                shown = {"operationId": names[link.to], "parameters": dict(link.parameters)}
                response.setdefault("links", {})[link.name] = shown
    operation["responses"] = dict(sorted(responses.items()))


def _errors(statuses: Iterable[int]) -> dict[str, Any]:
    return {str(status): {"description": HTTPStatus(status).phrase, "content": ERROR} for status in statuses}
