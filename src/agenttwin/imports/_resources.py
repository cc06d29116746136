"""Paths that look like resources, `/orders` and `/orders/{id}`: collections in the state of the twin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agenttwin.imports._arguments import Arguments
from agenttwin.imports._names import MAX_NAME, state_key, unique
from agenttwin.imports._operations import Operation
from agenttwin.imports._schemas import Schemas, fields_of, is_small

MAX_RECORDS: Final = 100
"""Examples that become the first records of a collection."""

_PARAMETER: Final = re.compile(r"^\{([^{}]+)\}$")
_VERSION: Final = re.compile(r"^(v\d+(\.\d+)*|api|rest)$", re.IGNORECASE)
IN_PAGE: Final = frozenset(
    {"limit", "per_page", "perpage", "page_size", "pagesize", "maxresults", "max_results", "size", "count"}
)
FROM: Final = frozenset({"offset", "skip", "start", "startindex", "start_index"})
PAGE: Final = frozenset({"page", "page_number", "pagenumber", "page_no"})
TOTAL: Final = frozenset({"total", "total_count", "totalcount", "count", "total_items", "totalitems"})
DEFAULT_PAGE: Final = 20
CREATED: Final = frozenset({"created_at", "createdat", "created", "date_created"})


@dataclass(slots=True, kw_only=True)
class Resource:
    """A collection: where its paths are, how a record is named, what a record is, and the first of them.

    ``id`` is the field of a record that holds its name, ``parameter`` the one of the path.
    """

    key: str
    collection: str
    item: str
    parameter: str
    id: str
    schema: dict[str, Any]
    parents: tuple[str, ...]
    records: dict[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a record, as far as the document tells them."""
        return fields_of(self.schema)

    @property
    def counts(self) -> bool:
        """Whether records are named by numbers."""
        kind = self.fields.get(self.id, {}).get("type")
        return kind in ("integer", "number")


def resources(found: Sequence[Operation], schemas: Schemas) -> dict[str, Resource]:
    """The resources of a document, by each of their two paths."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in found:
        by_path.setdefault(operation.path.rstrip("/") or "/", {})[operation.method] = operation
    made: dict[str, Resource] = {}
    taken: set[str] = set()
    for item, methods in by_path.items():
        collection, _, last = item.rpartition("/")
        parameter = _PARAMETER.match(last)
        if not parameter or not collection or "GET" not in methods:
            continue
        answer = schemas.closed(methods["GET"].answer)
        if answer.get("type") not in (None, "object") or _PARAMETER.match(collection.rpartition("/")[2]):
            continue
        resource = Resource(
            key=_key(collection, taken),
            collection=collection,
            item=item,
            parameter=parameter[1],
            id=_id_of(answer, parameter[1]),
            schema=answer,
            parents=tuple(
                part[1] for part in map(_PARAMETER.match, collection.split("/")) if part is not None
            ),
        )
        taken.add(resource.key)
        made[item] = made[collection] = resource
        _fill(resource, methods, by_path.get(collection, {}))
    return made


def _key(collection: str, taken: set[str]) -> str:
    static = [part for part in collection.split("/") if part and not _PARAMETER.match(part)]
    named = [part for part in static if not _VERSION.match(part)] or static or ["records"]
    short = state_key(named[-1], ())
    return short if short not in taken else state_key("_".join(named), taken)


def _id_of(schema: Mapping[str, Any], parameter: str) -> str:
    properties = fields_of(schema)
    if parameter in properties:
        return parameter
    for likely in ("id", "uuid", "name", "key", "code"):
        if likely in properties and (likely == "id" or parameter.lower().endswith(likely)):
            return likely
    return "id" if "id" in properties or not properties else parameter


def _fill(resource: Resource, item: Mapping[str, Operation], collection: Mapping[str, Operation]) -> None:
    """The document's examples as the first records."""
    shown = [
        example for operation in (*item.values(), *collection.values()) for example in operation.examples
    ]
    shown += [example for operation in collection.values() for example in operation.sent]
    for record in _records(shown):
        name = record.get(resource.id)
        if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
            continue
        if len(resource.records) < MAX_RECORDS and is_small(record):
            resource.records.setdefault(str(name), record)


def _records(shown: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for example in shown:
        if isinstance(example, list):
            yield from (item for item in example if isinstance(item, dict))
        elif isinstance(example, dict):
            inner = [value for value in example.values() if isinstance(value, list)]
            if len(inner) == 1 and all(isinstance(item, dict) for item in inner[0]) and inner[0]:
                yield from inner[0]
            else:
                yield example


# -- handlers


def handler(resource: Resource, operation: Operation, given: Arguments) -> dict[str, Any] | None:
    """How a method of a resource behaves; None for one that is none of the usual five."""
    at_item = (operation.path.rstrip("/") or "/") == resource.item
    if at_item:
        makers = {"GET": _read, "PUT": _update, "PATCH": _update, "DELETE": _delete}
    else:
        makers = {"GET": _list, "POST": _create}
    make = makers.get(operation.method)
    return make(resource, operation, given) if make is not None else None


ROOTS: Final = frozenset(
    {"args", "state", "value", "settings", "tenant", "now", "id", "call", "idempotency_key", "result"}
)
"""Names that a template knows already: an argument of such a name is called by its whole name."""


def _called(argument: str) -> str:
    """An argument as a placeholder names it, so that nobody has to think which one is meant."""
    return f"args.{argument}" if argument in ROOTS else argument


def _missing(resource: Resource, argument: str) -> dict[str, Any]:
    message = f"There is nothing called {{{_called(argument)}}} in {resource.key}."
    return {"status": 404, "code": "NOT_FOUND", "message": message}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the record of a call is, its argument, and the names that it takes to say so."""

    path: str
    argument: str
    let: dict[str, Any]

    def handler(self, kind: str, resource: Resource) -> dict[str, Any]:
        """The beginning of a handler that needs the record."""
        found: dict[str, Any] = {"kind": kind, "path": self.path}
        if self.let:
            found["let"] = self.let
        return found | {"notFound": _missing(resource, self.argument)}


def _place(resource: Resource, given: Arguments) -> Place:
    argument = given.path[resource.parameter]
    if given.schema["properties"][argument].get("type") == "string":
        return Place(f"{resource.key}[{{{_called(argument)}}}]", argument, {})
    key = _own("key", given)  # what may be a number would be an index
    return Place(f"{resource.key}[{{{key}}}]", argument, {key: f"{{= string(args.{argument}) }}"})


def _own(name: str, given: Arguments) -> str:
    """A name for a value of the handler's own, which no argument has."""
    return unique(name, given.schema.get("properties", {}), MAX_NAME)


def _read(resource: Resource, operation: Operation, given: Arguments) -> dict[str, Any] | None:
    if resource.parameter not in given.path:
        return None
    return _place(resource, given).handler("read", resource)


def _update(resource: Resource, operation: Operation, given: Arguments) -> dict[str, Any] | None:
    if resource.parameter not in given.path or not (given.fields or given.whole):
        return None
    place = _place(resource, given)
    value = _value(resource, given) if given.fields else f"{{{_called(str(given.whole))}}}"
    effects = [{"op": "merge", "path": place.path, "value": value}]
    return {**place.handler("mutate", resource), "effects": effects}


def _delete(resource: Resource, operation: Operation, given: Arguments) -> dict[str, Any] | None:
    if resource.parameter not in given.path:
        return None
    place = _place(resource, given)
    return {
        **place.handler("mutate", resource),
        "effects": [{"op": "delete", "path": place.path}],
        "response": {"deleted": f"{{{_called(place.argument)}}}"},
    }


def _value(resource: Resource, given: Arguments) -> dict[str, Any]:
    """What was sent, field by field; what was not sent stays as it is. The name of a record stays too."""
    sent = {name: argument for name, argument in given.fields.items() if name != resource.id}
    return {_literal(name): f"{{args.{argument}?}}" for name, argument in sent.items()}


def _create(resource: Resource, operation: Operation, given: Arguments) -> dict[str, Any] | None:
    if not (given.fields or given.whole):
        return None
    named = given.fields.get(resource.id)
    fresh = f"{{= {_fresh(resource)} }}"
    new, key = _own("new_id", given), _own("key", given)
    path = f"{resource.key}[{{{key}}}]"
    made: dict[str, Any] = {"kind": "mutate", "let": {new: fresh, key: f"{{= string({new}) }}"}}
    if named:
        made["let"][new] = f"{{= has(args.{named}) ? args.{named} : {_fresh(resource)} }}"
        there = {"status": 409, "code": "ALREADY_EXISTS", "message": "There is one of that name already."}
        made["preconditions"] = [{"that": f"!({key} in keys({_all(resource, given)}))", "error": there}]
    parents = {name: f"{{args.{given.path[name]}}}" for name in resource.parents if name in given.path}
    dates = {
        name: "{now}" for name in resource.fields if name.lower() in CREATED and name not in given.fields
    }
    fixed = {resource.id: f"{{{new}}}", **parents, **dates}
    if given.fields:
        effects = [{"op": "set", "path": path, "value": {**fixed, **_value(resource, given)}}]
    else:
        effects = [
            {"op": "set", "path": path, "value": f"{{{_called(str(given.whole))}}}"},
            {"op": "merge", "path": path, "value": fixed},
        ]
    made["effects"] = effects
    made["response"] = f"{{= {_state(given)}.{resource.key}[{key}] }}"
    return made


def _fresh(resource: Resource) -> str:
    return "1000 + call.number" if resource.counts else f"'{resource.key}-' + $id"


def _list(resource: Resource, operation: Operation, given: Arguments) -> dict[str, Any] | None:
    conditions = [*_filters(resource, given), *_of_parents(resource, given)]
    records = f"values({_all(resource, given)})"
    matching = f"{records}.filter(r, {' && '.join(conditions)})" if conditions else records
    page = _page(given)
    every, shown = _own("matching", given), _own("shown", given)
    made: dict[str, Any] = {"kind": "read", "let": {every: f"{{= {matching} }}"}}
    if page:
        size, first = _own("per_page", given), _own("first", given)
        made["let"] |= {
            size: f"{{= {page[0]} }}",
            first: f"{{= {page[1].format(size=size)} }}",
            shown: f"{{= slice({every}, {first}, {first} + {size}) }}",
        }
    made["response"] = _wrapped(operation, every, shown if page else every)
    return made


def _filters(resource: Resource, given: Arguments) -> Iterator[str]:
    """A condition for each parameter that is called as a field of a record."""
    names = {name.lower().replace("_", ""): name for name in resource.fields}
    for parameter, argument in given.query.items():
        name = names.get(parameter.lower().replace("_", ""), "")
        if _is_word(name):
            same = f"has(r.{name}) && string(r.{name}) == string(args.{argument})"
            yield f"(!has(args.{argument}) || ({same}))"


def _of_parents(resource: Resource, given: Arguments) -> Iterator[str]:
    """A condition for each record that the path leads through; one that no record names is none."""
    for name in resource.parents:
        if name in given.path and _is_word(name):
            yield f"(!has(r.{name}) || string(r.{name}) == string(args.{given.path[name]}))"


def _all(resource: Resource, given: Arguments) -> str:
    """The collection, also where the state has none."""
    place = f"{_state(given)}.{resource.key}"
    return f"has({place}) ? {place} : {{}}"


def _state(given: Arguments) -> str:
    return "$state" if "state" in given.schema.get("properties", {}) else "state"


def _page(given: Arguments) -> tuple[str, str] | None:
    """How many are shown, and from which on, as expressions; None where there is no paging."""
    told = {parameter.lower(): argument for parameter, argument in given.query.items()}
    size = next((told[word] for word in told if word in IN_PAGE), None)
    start = next((told[word] for word in told if word in FROM), None)
    number = next((told[word] for word in told if word in PAGE), None)
    if size is None and start is None and number is None:
        return None
    many = f"has(args.{size}) ? int(args.{size}) : {DEFAULT_PAGE}" if size else str(DEFAULT_PAGE)
    if start is not None:
        return many, f"has(args.{start}) ? int(args.{start}) : 0"
    if number is not None:
        return many, f"has(args.{number}) ? (max(int(args.{number}), 1) - 1) * {{size}} : 0"
    return many, "0"


def _wrapped(operation: Operation, every: str, shown: str) -> Any:
    """What is shown, as the document answers it: a list, or an object with a list in it."""
    answer = operation.answer if isinstance(operation.answer, Mapping) else {}
    properties = answer.get("properties")
    fields = properties if isinstance(properties, Mapping) else {}
    lists = [
        name for name, item in fields.items() if isinstance(item, Mapping) and item.get("type") == "array"
    ]
    if len(lists) != 1:
        return f"{{{shown}}}"
    made: dict[str, Any] = {_literal(lists[0]): f"{{{shown}}}"}
    return made | {_literal(name): f"{{= size({every}) }}" for name in fields if name.lower() in TOTAL}


def _is_word(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*", name) is not None and name.isascii()


def _literal(name: str) -> str:
    """A key that is no template."""
    return name.replace("{", "{{").replace("}", "}}")
