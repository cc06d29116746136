"""The OpenAPI document: what FastAPI makes of the routes, and what is the same for all of them."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI

from agenttwin.server._access import RULES
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


def described(app: FastAPI) -> dict[str, Any]:
    """The document."""
    document = app.openapi()
    document["components"]["securitySchemes"] = {
        "key": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key (`atk_…`). On loopback, without `--sign-in`, none is needed.",
        }
    }
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            rule = RULES[method.upper(), path.removeprefix(PREFIX)]
            if rule.scope is None:
                continue
            operation["security"] = [{"key": []}, {}]
            operation["x-scope"] = rule.scope
            shared = [PROJECT] if method == "get" else [PROJECT, AGAIN]
            operation["parameters"] = [*operation.get("parameters", []), *shared]
    return document
