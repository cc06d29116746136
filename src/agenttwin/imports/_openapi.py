"""A twin out of an OpenAPI document: 2.0, 3.0 or 3.1, JSON or YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.imports._arguments import Arguments, arguments
from agenttwin.imports._draft import Draft, DraftTool
from agenttwin.imports._names import document_name, tool_name
from agenttwin.imports._operations import Operation, operations
from agenttwin.imports._references import References
from agenttwin.imports._resources import Resource, handler, resources
from agenttwin.imports._schemas import Schemas, is_small, sample
from agenttwin.imports._text import read_loose
from agenttwin.transcript import Risk

MAX_OPERATIONS: Final = 5_000
MAX_DESCRIPTION: Final = 2_000

RISKS: Final[Mapping[str, tuple[Risk, str]]] = {
    "GET": (Risk.READ, "GET reads"),
    "HEAD": (Risk.READ, "HEAD reads"),
    "OPTIONS": (Risk.READ, "OPTIONS reads"),
    "TRACE": (Risk.READ, "TRACE reads"),
    "QUERY": (Risk.READ, "QUERY reads"),
    "PUT": (Risk.WRITE_REVERSIBLE, "PUT writes over what can be written again"),
    "PATCH": (Risk.WRITE_REVERSIBLE, "PATCH changes what can be changed back"),
    "POST": (Risk.WRITE_IRREVERSIBLE, "POST creates or acts, and nothing says that it can be taken back"),
    "DELETE": (Risk.WRITE_IRREVERSIBLE, "DELETE: what is deleted is gone"),
}
"""What a method says of an operation, and why."""


def from_openapi(data: bytes, *, file: str, name: str | None = None) -> Draft:
    """The draft of a document's twin.

    AgentTwinError for what is no OpenAPI document; LimitExceeded for more than `MAX_OPERATIONS`.
    """
    document = read_loose(data, file=file)
    if not isinstance(document, Mapping) or not ({"swagger", "openapi"} & document.keys()):
        message = f"{file} is no OpenAPI document: it says neither `openapi` nor `swagger`."
        raise AgentTwinError("no_openapi", message)
    references = References(document)
    found = list(operations(document, references))
    if len(found) > MAX_OPERATIONS:
        message = f"{file} has {len(found):,} operations; a twin has at most {MAX_OPERATIONS:,} tools."
        raise LimitExceeded("too_many_operations", message)
    if not found:
        raise AgentTwinError("no_openapi", f"{file} has no operations under `paths`.")
    schemas = Schemas(references)
    made = resources(found, schemas)
    taken: set[str] = set()
    tools = []
    for operation in found:
        tools.append(_tool(operation, schemas, made, taken))
        taken.add(tools[-1].name)
    info = document.get("info")
    title = str(info.get("title") or "") if isinstance(info, Mapping) else ""
    kept = {resource.key: resource.records for resource in made.values()}
    notes = [*references.notes(), *_left_out(document)]
    return Draft(
        name=name or document_name(title or file),
        origin=file,
        source="openapi",
        description=title[:MAX_DESCRIPTION],
        tools=tools,
        state=kept,
        notes=notes,
    )


def _left_out(document: Mapping[str, Any]) -> list[str]:
    hooks = document.get("webhooks")
    if isinstance(hooks, Mapping) and hooks:
        return [f"Its {len(hooks)} webhooks are calls that the service makes, and no tools."]
    return []


def _tool(operation: Operation, schemas: Schemas, made: Mapping[str, Resource], taken: set[str]) -> DraftTool:
    given = arguments(operation, schemas)
    risk, why = RISKS[operation.method]
    found, notes = _handler(operation, given, made, schemas)
    return DraftTool(
        name=tool_name(operation.id or f"{operation.method.lower()}{operation.path}", taken),
        description=operation.description[:MAX_DESCRIPTION],
        risk=risk,
        why=why,
        schema=given.schema,
        handler=found,
        idempotency={"header": given.key_header} if given.key_header else None,
        notes=[f"{operation.method} {operation.path}", *notes],
        stateful=found["kind"] != "static",
        answer=schemas.closed(operation.answer),
    )


def _handler(
    operation: Operation, given: Arguments, made: Mapping[str, Resource], schemas: Schemas
) -> tuple[dict[str, Any], list[str]]:
    """How the tool behaves, and what is to be said of it."""
    resource = made.get(operation.path.rstrip("/") or "/")
    found = handler(resource, operation, given) if resource is not None else None
    if found is not None:
        return found, []
    examples = [example for example in operation.examples if is_small(example)]
    shown = examples[0] if examples else sample(schemas.closed(operation.answer))
    answer = literal(shown) if shown is not None else {"ok": True}
    if operation.method in ("GET", "HEAD", "OPTIONS", "TRACE", "QUERY"):
        return {"kind": "static", "response": answer}, ["It always answers the same."]
    return {"kind": "static", "response": answer}, ["It changes nothing yet: say what it does in `effects`."]


def literal(value: Any) -> Any:
    """A value as a template that gives it back."""
    if isinstance(value, str):
        return value.replace("{", "{{").replace("}", "}}")
    if isinstance(value, dict):
        return {literal(key): literal(item) for key, item in value.items()}
    return [literal(item) for item in value] if isinstance(value, list) else value
