"""The arguments of a tool out of the parameters and the body of a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from agenttwin.imports._names import argument_name
from agenttwin.imports._operations import Operation, Parameter
from agenttwin.imports._schemas import Schemas, fields_of

SENT_BY_CLIENTS: Final = frozenset(
    {"authorization", "accept", "content-type", "user-agent", "host", "content-length", "accept-encoding"}
)
"""Headers that no agent chooses."""

KEYS: Final = frozenset({"idempotency-key", "x-idempotency-key", "idempotencykey", "x-request-id"})
"""Headers by which services know a request again."""

BODY: Final = "body"


@dataclass(slots=True, kw_only=True)
class Arguments:
    """A tool's arguments: their schema, and how each is called by where it comes from.

    ``fields`` are those of the body, by their name there; ``whole`` is the argument that is the body, where
    it has no fields. ``key_header`` is the header that makes a call the same as an earlier one.
    """

    schema: dict[str, Any]
    path: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    whole: str | None = None
    key_header: str | None = None


def arguments(operation: Operation, schemas: Schemas) -> Arguments:
    """The arguments of an operation, those of the path first."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    made = Arguments(schema={"type": "object"})
    for parameter in sorted(operation.parameters, key=lambda item: item.where != "path"):
        lower = parameter.name.lower()
        if parameter.where == "cookie" or (parameter.where == "header" and lower in SENT_BY_CLIENTS):
            continue
        if parameter.where == "header" and lower in KEYS:
            made.key_header = parameter.name
            continue
        name = argument_name(parameter.name, properties)
        properties[name] = _described(parameter, schemas, name)
        if parameter.required:
            required.append(name)
        {"path": made.path, "query": made.query}.get(parameter.where, {})[parameter.name] = name
    if operation.body is not None:
        _add_body(operation, schemas.closed(operation.body), properties, required, made)
    if properties:
        made.schema["properties"] = properties
    if required:
        made.schema["required"] = required
    return made


def _required(schema: dict[str, Any]) -> tuple[str, ...]:
    """The fields that must be sent, those that `allOf` adds among them."""
    own = tuple(schema.get("required", ()))
    return own + tuple(
        name for part in schema.get("allOf", ()) if isinstance(part, dict) for name in _required(part)
    )


def _described(parameter: Parameter, schemas: Schemas, name: str) -> dict[str, Any]:
    schema = schemas.closed(parameter.schema)
    told = parameter.description or schema.get("description", "")
    if name != parameter.name:
        told = f"`{parameter.name}` of the {parameter.where}. {told}".strip()
    return {**schema, "description": told} if told else schema


def _add_body(
    operation: Operation,
    schema: dict[str, Any],
    properties: dict[str, Any],
    required: list[str],
    made: Arguments,
) -> None:
    """Each field of the body as an argument of its own; the body as one where it has none."""
    fields = fields_of(schema)
    if not fields:
        made.whole = argument_name(BODY, properties)
        properties[made.whole] = schema
        if operation.body_required:
            required.append(made.whole)
        return
    needed = _required(schema) if operation.body_required or operation.method != "PATCH" else ()
    for field_name, item in fields.items():
        name = argument_name(field_name, properties)
        properties[name] = item
        made.fields[field_name] = name
        if field_name in needed:
            required.append(name)
