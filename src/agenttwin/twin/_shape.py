"""Where in the state something can be: by the state's schema, else by what is written there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agenttwin.twin._model import TwinDefinition, head_of
from agenttwin.values import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Misplaced:
    """A path that leads nowhere. ``certain``: the schema says so; otherwise it only looks like it."""

    message: str
    nearest: str | None
    certain: bool


def state_problem(
    definition: TwinDefinition,
    shape: tuple[str | int | None, ...],
    *,
    state: Mapping[str, Any] | None = None,
    more: Collection[str] = (),
) -> Misplaced | None:
    """What is wrong with a path into the twin's state. ``shape`` has None where a call decides the segment.

    ``state`` is the initial state, where the definition keeps it in a file of its own; ``more`` are further
    first segments that may exist.
    """
    schema = definition.spec.state_schema
    if schema is not None:
        return _against_schema(schema, shape)
    initial = definition.spec.initial_state if definition.spec.initial_state is not None else state
    head = shape[0] if shape else None
    if initial is None or not isinstance(head, str):
        return None
    kb = head_of(definition.spec.retrieval.state_path)
    if head in initial or head in definition.effect_heads or head in more or head == kb:
        return None
    known = {*initial, *definition.effect_heads, *more, kb}
    message = f"the state has no {head!r}, and no effect makes it"
    return Misplaced(message=message, nearest=nearest(head, sorted(known)), certain=False)


def _against_schema(schema: Mapping[str, Any], shape: tuple[str | int | None, ...]) -> Misplaced | None:
    here: Any = schema
    for segment in shape:
        here = _followed(schema, here)
        if not isinstance(here, Mapping) or not OPEN_WORDS.isdisjoint(here) or not _is_sound(here):
            return None
        if not _may_hold(here, segment):
            said = here["type"] if isinstance(here["type"], str) else " or ".join(here["type"])
            message = f"the state's schema says {said} here, which has no {segment!r}"
            return Misplaced(message=message, nearest=None, certain=True)
        below = _part(here, segment)
        if below is False and isinstance(segment, str):
            close = nearest(segment, sorted(here.get("properties", ())))
            message = f"the state's schema has no {segment!r} here"
            return Misplaced(message=message, nearest=close, certain=True)
        here = below
    return None


def _is_sound(schema: Mapping[str, Any]) -> bool:
    """Whether the words that are followed here have types that make sense; others are told elsewhere."""
    said = schema.get("type", "object")
    return isinstance(schema.get("properties", {}), Mapping) and (
        isinstance(said, str) or (isinstance(said, list) and all(isinstance(word, str) for word in said))
    )


def _part(schema: Mapping[str, Any], segment: str | int | None) -> Any:
    """The schema of a part: False where there can be none, True where it can be anything."""
    properties = schema.get("properties", {})
    if isinstance(segment, int):
        return schema.get("items", True)
    if segment is None:
        return schema.get("additionalProperties", schema.get("items", True))
    # properties that are named are all there are, unless the schema says that there may be others
    return (
        properties[segment] if segment in properties else schema.get("additionalProperties", not properties)
    )


OPEN_WORDS: Final = frozenset({"$ref", "anyOf", "oneOf", "allOf", "if", "not", "dependentSchemas"})
"""Words by which a schema says what its parts are in a way that is not followed here."""

MAX_REFERENCES: Final = 16
"""References from one to the next; more are a circle."""


def _followed(root: Mapping[str, Any], schema: Any) -> Any:
    """What a schema refers to within the document, where a reference is all it says."""
    for _ in range(MAX_REFERENCES):
        target = schema.get("$ref") if isinstance(schema, Mapping) and len(schema) == 1 else None
        if not isinstance(target, str) or not target.startswith("#/"):
            break
        schema = root
        for name in target[2:].split("/"):
            key = name.replace("~1", "/").replace("~0", "~")
            schema = schema.get(key) if isinstance(schema, Mapping) else None
    return schema


def _may_hold(schema: Mapping[str, Any], segment: str | int | None) -> bool:
    """Whether a value of the schema's type can have such a part at all."""
    said = schema.get("type", ["object", "array"])
    types = {said} if isinstance(said, str) else set(said)
    wanted = {str: {"object"}, int: {"array"}}.get(type(segment), {"object", "array"})
    return not wanted.isdisjoint(types)
