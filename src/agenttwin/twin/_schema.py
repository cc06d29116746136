"""JSON Schemas of arguments, answers and states: prepared once, and kept within their document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import jsonschema_rs

from agenttwin.document import Finding
from agenttwin.values import Json

At: TypeAlias = tuple[str | int, ...]
Findings: TypeAlias = Iterator[Finding]

MAX_SCHEMA_PROBLEMS: Final = 3
"""Named in the answer to arguments that do not fit: enough to mend a call, short enough to read."""

MAX_SHOWN: Final = 200
"""Characters of one such problem: a value that does not fit may be large."""

Check: TypeAlias = Callable[[Json], list[str]]
"""Gives what is wrong with a value, in short sentences; empty where nothing is."""


def schema_validator(schema: Mapping[str, Any]) -> Any:
    """A validator of JSON Schema 2020-12; ValueError where the schema itself is wrong. Nothing is fetched."""
    try:
        return jsonschema_rs.Draft202012Validator(dict(schema), retriever=_fetch_nothing)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise ValueError(str(error).splitlines()[0].rpartition(_WHAT_WE_SAID)[2]) from None


_WHAT_WE_SAID: Final = "retrieving it failed: ValueError: "
"""What jsonschema_rs puts before the refusal to fetch."""


def _fetch_nothing(reference: str) -> Any:
    raise ValueError(f"the reference {reference!r} leads out of the document; nothing is fetched")


def checker(schema: Mapping[str, Any] | None) -> Check | None:
    """The check of a schema, if there is one; ValueError as schema_validator."""
    if schema is None:
        return None
    validator = schema_validator(schema)

    def check(value: Json) -> list[str]:
        if validator.is_valid(value):
            return []
        found = []
        for error in validator.iter_errors(value):
            where = ".".join(str(part) for part in error.instance_path)
            message = f"{where}: {error.message}" if where else error.message
            found.append(message if len(message) <= MAX_SHOWN else message[: MAX_SHOWN - 1] + "…")
            if len(found) == MAX_SCHEMA_PROBLEMS:
                break
        return found

    return check


# before a case begins


def schema_findings(schema: Mapping[str, Any], at: At) -> Findings:
    """What is wrong with a schema, or not supported in it."""
    refused = list(_refused_words(schema, at))
    yield from refused
    if refused:
        return
    try:
        schema_validator(schema)
    except ValueError as error:
        yield Finding(at=at, code="invalid_schema", message=f"this is no JSON Schema: {error}")


def arguments_findings(schema: Mapping[str, Any], at: At) -> Findings:
    """What keeps a schema from describing arguments."""
    said = schema.get("type", "object")
    if said != "object" and not (isinstance(said, list) and "object" in said):
        yield Finding(at=at, code="invalid_schema", message="arguments are always an object", value=str(said))


DATA_WORDS: Final = frozenset({"enum", "const", "default", "examples"})
"""What stands under these words of a schema is data, not schema."""

NAMING_WORDS: Final = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
"""What stands under these words are schemas by name."""


def _refused_words(schema: object, at: At) -> Findings:
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from _refused_words(item, (*at, index))
    if not isinstance(schema, Mapping):
        return
    for word, value in schema.items():
        here = (*at, word)
        if word == "$ref" and isinstance(value, str) and not value.startswith("#"):
            message = f"the reference {value!r} leads out of the document; nothing is fetched"
            yield Finding(at=here, code="remote_reference", message=message, value=value)
        elif word == "patternProperties":
            message = "patternProperties is not supported; name the properties, or use additionalProperties"
            yield Finding(at=here, code="unsupported_schema", message=message, key=True)
        elif word in NAMING_WORDS and isinstance(value, Mapping):
            for name, part in value.items():
                yield from _refused_words(part, (*here, name))
        elif word not in DATA_WORDS:
            yield from _refused_words(value, here)
