"""The operations of an OpenAPI document, the same for every version of the format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agenttwin.imports._references import References

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
JSON_LIKE: Final = ("application/json", "+json", "application/x-www-form-urlencoded", "multipart/form-data")
IN_PATH: Final = re.compile(r"\{([^{}]+)\}")
MAX_EXAMPLES: Final = 50
"""Of one operation that become records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An argument of the request outside of its body; ``where`` is path, query, header or cookie."""

    name: str
    where: str
    schema: Any
    required: bool
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path. ``answer`` is the schema of a success, ``examples`` its examples."""

    method: str
    path: str
    id: str
    description: str
    parameters: tuple[Parameter, ...]
    body: Any
    body_required: bool
    answer: Any
    examples: tuple[Any, ...] = ()
    sent: tuple[Any, ...] = field(default=())


def operations(document: Mapping[str, Any], references: References) -> Iterator[Operation]:
    """Every operation under `paths`. Callbacks and webhooks are calls of the service, and no tools."""
    paths = document.get("paths")
    for path, given in paths.items() if isinstance(paths, Mapping) else ():
        item = references.followed(given)
        if not isinstance(item, Mapping) or not path.startswith("/"):
            continue
        for method in METHODS:
            found = item.get(method)
            if isinstance(found, Mapping):
                yield _operation(document, references, path, method, item, found)


def _operation(
    document: Mapping[str, Any],
    references: References,
    path: str,
    method: str,
    item: Mapping[str, Any],
    found: Mapping[str, Any],
) -> Operation:
    given = [
        references.followed(parameter)
        for parameter in [*_list(item, "parameters"), *_list(found, "parameters")]
    ]
    parameters = [parameter for parameter in given if isinstance(parameter, Mapping)]
    body, required, sent = _body(references, found, parameters)
    answer, examples = _answer(references, found)
    return Operation(
        method=method.upper(),
        path=path,
        id=found["operationId"] if isinstance(found.get("operationId"), str) else "",
        description=_told(found),
        parameters=tuple(_parameters(parameters, path)),
        body=body,
        body_required=required,
        answer=answer,
        examples=tuple(examples)[:MAX_EXAMPLES],
        sent=tuple(sent)[:MAX_EXAMPLES],
    )


def _told(found: Mapping[str, Any]) -> str:
    parts = [found.get(word) for word in ("summary", "description")]
    told = list(dict.fromkeys(part.strip() for part in parts if isinstance(part, str) and part.strip()))
    return "\n".join(told)


def _parameters(given: list[Mapping[str, Any]], path: str) -> Iterator[Parameter]:
    """Those of the operation in the place of those of its path that have the same name and place.

    What only the path names is a parameter too.
    """
    named: dict[tuple[Any, Any], Any] = {
        ("path", name): {"in": "path", "name": name, "type": "string"} for name in IN_PATH.findall(path)
    }
    last = {**named, **{(item.get("in"), item.get("name")): item for item in given}}
    for (where, name), item in last.items():
        if not isinstance(name, str) or where not in ("path", "query", "header", "cookie"):
            continue
        content = item.get("content")
        schema = item.get("schema", _media(content).get("schema"))
        yield Parameter(
            name=name,
            where=str(where),
            schema=item if schema is None else schema,  # Swagger 2.0 writes the type beside the name
            required=item.get("required") is True or where == "path",
            description=item["description"] if isinstance(item.get("description"), str) else "",
        )


def _body(
    references: References, found: Mapping[str, Any], parameters: list[Mapping[str, Any]]
) -> tuple[Any, bool, list[Any]]:
    """The schema of what is sent, whether it must be, and examples of it."""
    asked = references.followed(found.get("requestBody"))
    if isinstance(asked, Mapping) and asked:
        media = _media(asked.get("content"))
        return media.get("schema"), asked.get("required") is True, list(_examples(references, media))
    for parameter in parameters:
        if parameter.get("in") == "body":
            schema = references.followed(parameter.get("schema"))
            return (
                parameter.get("schema"),
                parameter.get("required") is True,
                list(_examples(references, schema)),
            )
    form = [item for item in parameters if item.get("in") == "formData" and isinstance(item.get("name"), str)]
    if not form:
        return None, False, []
    fields = {str(item["name"]): item for item in form}
    needed = [name for name, item in fields.items() if item.get("required") is True]
    return {"type": "object", "properties": fields, "required": needed}, bool(needed), []


def _answer(references: References, found: Mapping[str, Any]) -> tuple[Any, Iterator[Any]]:
    """The schema of the first success that has one, and examples."""
    responses = found.get("responses")
    if not isinstance(responses, Mapping):
        return None, iter(())
    for status in sorted(responses, key=str):
        if not str(status).startswith("2"):
            continue
        response = references.followed(responses[status])
        if not isinstance(response, Mapping):
            continue
        media = _media(response.get("content")) if "content" in response else response
        if media.get("schema") is not None or "example" in media or "examples" in media:
            return media.get("schema"), _examples(references, media)
    return None, iter(())


def _media(content: Any) -> Mapping[str, Any]:
    """The JSON of several contents, or the first of them."""
    if not isinstance(content, Mapping):
        return {}
    likely = [value for kind in JSON_LIKE for name, value in content.items() if kind in str(name)]
    found = next((item for item in [*likely, *content.values()] if isinstance(item, Mapping)), {})
    return found


def _examples(references: References, media: Any) -> Iterator[Any]:
    """What the document shows: beside the content, in its schema, and in the schema of its elements."""
    if not isinstance(media, Mapping):
        return
    if "example" in media:
        yield media["example"]
    several = media.get("examples")
    if isinstance(several, Mapping):
        for kind, item in several.items():
            shown = references.followed(item)
            if isinstance(shown, Mapping) and "value" in shown:
                yield shown["value"]
            elif "/" in kind:  # Swagger 2.0 writes them by the kind of content
                yield shown
    elif isinstance(several, list):
        yield from several
    schema = references.followed(media.get("schema"))
    if isinstance(schema, Mapping) and schema:
        yield from _examples(
            references, {key: schema[key] for key in ("example", "examples") if key in schema}
        )
        items = references.followed(schema.get("items"))
        if isinstance(items, Mapping) and "example" in items:
            yield [items["example"]]


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []
