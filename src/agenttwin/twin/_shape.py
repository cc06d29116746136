"""Where in the state something can be: by the state's schema, else by what is written there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

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
        if not isinstance(here, Mapping) or _is_open(here):
            return None
        properties = here.get("properties", {})
        if isinstance(segment, int):
            here = here.get("items", True)
        elif segment is None:
            here = here.get("additionalProperties", here.get("items", True))
        elif segment in properties:
            here = properties[segment]
        elif here.get("additionalProperties", not properties) is not False:
            here = here.get("additionalProperties", True)
        else:
            message = f"the state's schema has no {segment!r} here"
            return Misplaced(message=message, nearest=nearest(segment, sorted(properties)), certain=True)
    return None


def _is_open(schema: Mapping[str, Any]) -> bool:
    """Whether the schema says what its parts are in a way that is not followed here."""
    return any(
        word in schema for word in ("$ref", "anyOf", "oneOf", "allOf", "if", "not", "dependentSchemas")
    )
