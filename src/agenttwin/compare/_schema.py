"""The published JSON Schemas of results, read off the types that write them."""

from __future__ import annotations

from typing import Any, Final

from agenttwin.compare._document import ComparisonDocument, RunDocument
from agenttwin.values import Json

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def comparison_schema() -> dict[str, Json]:
    """The JSON Schema (2020-12) of `comparison/1`."""
    return _schema(ComparisonDocument)


def run_schema() -> dict[str, Json]:
    """The JSON Schema (2020-12) of `run/1`."""
    return _schema(RunDocument)


def _schema(document: Any) -> dict[str, Json]:
    from pydantic import TypeAdapter  # only whoever asks for a schema pays for making one

    schema = TypeAdapter(document).json_schema()
    return {"$schema": DIALECT, **_closed(schema)}


def _closed(schema: Any) -> Any:
    """The schema with every object of named fields closed, and without the titles that repeat their names."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(part) for name, part in schema.items() if name != "title"}
    if "properties" in closed:
        closed["additionalProperties"] = False
    return closed
