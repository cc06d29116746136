"""Drafts made, read again as twins, and started."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agenttwin.document import read
from agenttwin.imports import Draft, from_mcp, from_openapi, write
from agenttwin.lab import Twin
from agenttwin.twin import TwinDefinition

SHOP = (Path(__file__).parent / "shop.yaml").read_bytes()


def draft(document: Any, **more: Any) -> Draft:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return from_openapi(data, file="api.yaml", **more)


def listed(*tools: Any, **more: Any) -> Draft:
    return from_mcp({"tools": list(tools)}, origin="shop", **more)


def usable(made: Draft) -> Twin:
    """The draft as a twin: its text is read without a problem or a warning."""
    document = read(write(made), file="twin.yaml", models={"TwinDefinition": TwinDefinition})
    assert [str(problem) for problem in document.warnings] == []
    return Twin(document.model)


def api(paths: Any, **more: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "info": {"title": "Little API"}, "paths": paths, **more}


def posted(schema: Any) -> dict[str, Any]:
    """A document with one operation that is sent a schema."""
    return api(
        {
            "/x": {
                "post": {
                    "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}
                }
            }
        }
    )
