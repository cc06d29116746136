"""JSON Schemas of others as schemas of arguments: closed in themselves, of the draft that twins use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs

from agenttwin.imports._references import References
from agenttwin.values import MAX_INTEGER

MAX_SCHEMA_DEPTH: Final = 20
MAX_SCHEMA_NODES: Final = 2_000
"""Of one tool. What goes beyond is left out, and marked."""

MAX_EXAMPLE_NODES: Final = 2_000
"""Values of one example, or of one enumeration."""

MAX_TEXT: Final = 1_000
"""Characters of a description."""

TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
NUMBERS: Final = ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")
COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
SCHEMAS: Final = ("items", "not", "additionalProperties", "contains", "if", "then", "else", "propertyNames")
LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
LEFT_OUT: Final[Mapping[str, Any]] = {"description": "Left out here: it is nested too deeply, or too large."}


class Schemas:
    """Makes schemas, each with a budget of its own."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._left = MAX_SCHEMA_NODES

    def closed(self, schema: Any) -> dict[str, Any]:
        """A schema without references, which the validator of twins takes."""
        self._left = MAX_SCHEMA_NODES
        made = self._made(schema, (), 0)
        found: dict[str, Any] = made if isinstance(made, dict) else {}
        if not _compiles(found):
            found = _without(found, "pattern")
        return found if _compiles(found) else {}

    def _made(self, schema: Any, inside: tuple[str, ...], depth: int) -> Any:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            return {}
        self._left -= 1
        if depth > MAX_SCHEMA_DEPTH or self._left < 0:
            return dict(LEFT_OUT)
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference in inside:
                name = reference.rsplit("/", 1)[-1]
                return {"description": f"{name} again, which leads back to itself."}
            return self._made(self._references.target(reference), (*inside, reference), depth + 1)
        return self._plain(schema, inside, depth)

    def _plain(self, schema: Mapping[str, Any], inside: tuple[str, ...], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if (kinds := _types(schema)) is not None:
            found["type"] = kinds
        if isinstance(schema.get("description"), str):
            found["description"] = schema["description"][:MAX_TEXT]
        if isinstance(schema.get("enum"), list) and schema["enum"] and is_small(schema["enum"]):
            found["enum"] = [*_distinct(schema["enum"]), *([None] if schema.get("nullable") is True else [])]
        if "const" in schema and is_small(schema["const"]):
            found["const"] = schema["const"]
        found |= _bounds(schema)
        for word in ("format", "pattern"):
            if isinstance(schema.get(word), str):
                found[word] = schema[word]
        if schema.get("uniqueItems") is True:
            found["uniqueItems"] = True
        if "default" in schema and not isinstance(schema["default"], Mapping | list):
            found["default"] = schema["default"]
        for word in SCHEMAS:
            if isinstance(schema.get(word), Mapping | bool):
                found[word] = self._made(schema[word], inside, depth + 1)
        for word in LISTS:
            if isinstance(schema.get(word), list) and schema[word]:
                found[word] = [self._made(item, inside, depth + 1) for item in schema[word]]
        return found | self._members(schema, inside, depth)

    def _members(self, schema: Mapping[str, Any], inside: tuple[str, ...], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            found["properties"] = {
                name: self._made(item, inside, depth + 1) for name, item in properties.items()
            }
        required = schema.get("required")
        if isinstance(required, list):
            names = [name for name in _distinct(required) if isinstance(name, str)]
            if names:
                found["required"] = names
        return found


def _types(schema: Mapping[str, Any]) -> Any:
    """The type or types; of OpenAPI's own, `file` is text and `nullable` one more."""
    given = schema.get("type")
    kinds = given if isinstance(given, list) else [given]
    known = [{"file": "string"}.get(kind, kind) for kind in kinds if isinstance(kind, str)]
    known = [kind for kind in _distinct(known) if kind in TYPES]
    if known and schema.get("nullable") is True and "null" not in known:
        known.append("null")
    if not known:
        return None
    return known[0] if len(known) == 1 else known


def _bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Bounds of numbers and counts that are some; earlier drafts wrote `exclusiveMinimum: true`."""
    found = {word: schema[word] for word in NUMBERS if _is_number(schema.get(word))}
    found |= {
        word: schema[word]
        for word in COUNTS
        if _is_number(schema.get(word)) and schema[word] >= 0 and schema[word] == int(schema[word])
    }
    for word, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(word) is True and plain in found:
            found[word] = found.pop(plain)
    if found.get("multipleOf", 1) <= 0:
        del found["multipleOf"]
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_INTEGER


def _distinct(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(value == other and type(value) is type(other) for other in found):
            found.append(value)
    return found


def _compiles(schema: Any) -> bool:
    try:
        jsonschema_rs.validator_for(schema)
    except Exception:
        return False
    return True


def _without(value: Any, word: str) -> Any:
    if isinstance(value, dict):
        return {key: _without(item, word) for key, item in value.items() if key != word}
    return [_without(item, word) for item in value] if isinstance(value, list) else value


def is_small(value: Any) -> bool:
    """Whether an example has few enough values to be written down: an alias may stand for any number."""
    left, waiting = MAX_EXAMPLE_NODES, [value]
    while waiting:
        item = waiting.pop()
        left -= 1
        if left < 0:
            return False
        parts = item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ()
        if len(parts) > left:
            return False
        waiting.extend(parts)
    return True


def fields_of(schema: Any, depth: int = 0) -> dict[str, Any]:
    """The fields of an object, those that `allOf` adds among them."""
    if not isinstance(schema, Mapping) or depth > MAX_SCHEMA_DEPTH:
        return {}
    parts = schema.get("allOf", ())
    found = {name: item for part in parts for name, item in fields_of(part, depth + 1).items()}
    return found | {
        name: item for name, item in schema.get("properties", {}).items() if isinstance(item, dict)
    }


def sample(schema: Any, depth: int = 0) -> Any:
    """A value that a closed schema describes: its example would be better, where it has one."""
    if not isinstance(schema, Mapping) or depth > 6:
        return None
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    if schema.get("enum"):
        return schema["enum"][0]
    fields = fields_of(schema)
    for word in ("allOf", "oneOf", "anyOf"):
        if schema.get(word) and not fields:
            return sample(schema[word][0], depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or fields:
        return {name: sample(item, depth + 1) for name, item in fields.items()}
    if kind == "array":
        return []
    return {"string": "text", "integer": schema.get("minimum", 1), "number": schema.get("minimum", 1)}.get(
        str(kind), True if kind == "boolean" else None
    )
