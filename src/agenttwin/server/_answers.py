"""Answers: encoded once, named by what they hold, and not sent again to who has them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import orjson
from fastapi import Request, Response


def tell(request: Request, value: Any, status: int = 200) -> Response:
    """A value as JSON; 304 where the caller has it already."""
    return tell_bytes(request, orjson.dumps(value, default=_dumped), status)


def tell_bytes(request: Request, body: bytes, status: int = 200) -> Response:
    """JSON that is written already."""
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    if request.method == "GET" and tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={"ETag": tag})
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    return Response(body, status, headers, "application/json")


def page(request: Request, items: list[Any], after: str | None) -> Response:
    """Part of a list."""
    return tell(request, {"items": items, "next_cursor": after})


def _dumped(value: Any) -> Any:
    return value.model_dump(mode="json")
