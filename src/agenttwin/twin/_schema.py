"""JSON Schemas of arguments, answers and states: prepared once, and kept within their document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

import jsonschema_rs

from agenttwin.document import Finding
from agenttwin.errors import quote
from agenttwin.values import Json, nearest

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
            found.append(_cut(f"{where}: {error.message}" if where else error.message))
            if len(found) == MAX_SCHEMA_PROBLEMS:
                break
        return found

    return check


def _cut(message: str) -> str:
    return message if len(message) <= MAX_SHOWN else message[: MAX_SHOWN - 1] + "…"


# before a case begins


def schema_findings(schema: Mapping[str, Any], at: At, *, patterns: bool = False) -> Findings:
    """What is wrong with a schema, or not supported in it; patternProperties only with ``patterns``."""
    refused = [
        finding
        for finding in _refused_words(schema, schema, at)
        if not (patterns and finding.code == "unsupported_schema")
    ]
    yield from refused or _misspelled(schema, at)


def _misspelled(schema: Mapping[str, Any], at: At) -> Findings:
    try:
        jsonschema_rs.meta.validate(dict(schema))
        schema_validator(schema)
    except jsonschema_rs.ValidationError as error:
        path = tuple(error.instance_path)
        word = _within(schema, path)
        if isinstance(word, str) and "type" in path[-2:]:
            message = f"{quote(word)} is no type of JSON Schema"
            yield Finding(
                at=(*at, *path),
                code="invalid_schema",
                message=message,
                value=word,
                nearest=nearest(word, TYPES),
                valid=TYPES,
            )
        else:
            yield Finding(
                at=(*at, *path), code="invalid_schema", message=f"{NO_SCHEMA}: {_cut(error.message)}"
            )
    except ValueError as error:
        yield Finding(at=at, code="invalid_schema", message=f"{NO_SCHEMA}: {_cut(str(error))}")


TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
NO_SCHEMA: Final = "this is no JSON Schema"


def _within(value: Any, path: At) -> Any:
    """What stands at a path of a value, or None."""
    for segment in path:
        inside = isinstance(value, Mapping) and segment in value
        inside = inside or (isinstance(value, list) and isinstance(segment, int) and segment < len(value))
        if not inside:
            return None
        value = value[segment]
    return value


def arguments_findings(schema: Mapping[str, Any], at: At) -> Findings:
    """What keeps a schema from describing arguments."""
    said = schema.get("type", "object")
    if said != "object" and not (isinstance(said, list) and "object" in said):
        yield Finding(at=at, code="invalid_schema", message="arguments are always an object", value=str(said))


DATA_WORDS: Final = frozenset({"enum", "const", "default", "examples"})
"""What stands under these words of a schema is data, not schema."""

NAMING_WORDS: Final = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
"""What stands under these words are schemas by name."""


def _refused_words(root: Mapping[str, Any], schema: object, at: At) -> Findings:
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from _refused_words(root, item, (*at, index))
    if not isinstance(schema, Mapping):
        return
    for word, value in schema.items():
        here = (*at, word)
        if word == "$ref" and isinstance(value, str) and not value.startswith("#"):
            message = f"the reference {value!r} leads out of the document; nothing is fetched"
            yield Finding(at=here, code="remote_reference", message=message, value=value)
        elif word == "$ref" and isinstance(value, str) and _leads_nowhere(root, value):
            message = f"the reference {value!r} leads nowhere"
            yield Finding(at=here, code="invalid_schema", message=message, value=value)
        elif word == "patternProperties":
            message = "patternProperties is not supported; name the properties, or use additionalProperties"
            yield Finding(at=here, code="unsupported_schema", message=message, key=True)
        elif word in NAMING_WORDS and isinstance(value, Mapping):
            for name, part in value.items():
                yield from _refused_words(root, part, (*here, name))
        elif word not in DATA_WORDS:
            yield from _refused_words(root, value, here)


def _leads_nowhere(root: Mapping[str, Any], reference: str) -> bool:
    """Whether a pointer into the document has no target; an anchor may have one anywhere."""
    names = unquote(reference).removeprefix("#/").split("/")
    path = (name.replace("~1", "/").replace("~0", "~") for name in names)
    here: Any = root
    for name in path if reference.startswith("#/") else ():
        here = _within(here, (int(name) if isinstance(here, list) and name.isdecimal() else name,))
    return here is None
