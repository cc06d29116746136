"""JSON Schemas of the documents, for editors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel

from agenttwin.values import Json

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema(models: Mapping[str, type[BaseModel]]) -> dict[str, dict[str, Json]]:
    """The JSON Schema (2020-12) of each kind, by kind."""
    return {kind: schema_of(model, title=kind) for kind, model in models.items()}


def schema_of(model: type[BaseModel], *, title: str) -> dict[str, Json]:
    """The JSON Schema of one model, with the names that files use.

    A field that can hold only one word, such as the kind of an expectation, is described by what it makes of
    the mapping around it: editors show that where the word is chosen.
    """
    body = model.model_json_schema(by_alias=True, mode="validation")
    for each in (body, *body.get("$defs", {}).values()):
        for field in _constants(each):
            field.setdefault("description", each.get("description", ""))
    return {"$schema": DIALECT, **body, "title": title}


def _constants(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    return (field for field in schema.get("properties", {}).values() if "const" in field)
