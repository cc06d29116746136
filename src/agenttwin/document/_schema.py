"""JSON Schemas of the documents, for editors."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from agenttwin.values import Json

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(models: Mapping[str, type[BaseModel]]) -> dict[str, dict[str, Json]]:
    """The JSON Schema (2020-12) of each kind, by kind."""
    return {kind: schema_of(model, title=kind) for kind, model in models.items()}


def schema_of(model: type[BaseModel], *, title: str) -> dict[str, Json]:
    """The JSON Schema of one model, with the names that files use."""
    body = model.model_json_schema(by_alias=True, schema_generator=GenerateJsonSchema, mode="validation")
    return {"$schema": DIALECT, **body, "title": title}
