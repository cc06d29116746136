"""Calling what can be called without harm, and without being told what to ask for: tools that only read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from agenttwin.transcript import Risk
from agenttwin.twin import Call, CompiledTwin, Tool, TwinDefinition, World, begin, step

_RECORD: Final = re.compile(r"^([A-Za-z_]\w*)\[\{(?:args\.)?(\w+)\}\]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a tool answered."""

    tool: str
    ok: bool
    status: int | None
    body: Any


def probe(twin: TwinDefinition, compiled: CompiledTwin) -> Iterator[Answered]:
    """The answers of reading tools that need no argument, or the name of a record of which there is one."""
    world = begin(compiled)
    for tool in twin.spec.tools:
        if tool.actual_risk is not Risk.READ:
            continue
        arguments = _arguments(tool, world)
        if arguments is not None:
            reply = step(compiled, world, Call(tool.name, arguments, {})).reply
            body = orjson.loads(reply.body) if reply.ok and reply.body else None
            yield Answered(tool=tool.name, ok=reply.ok, status=reply.status, body=body)


def _arguments(tool: Tool, world: World) -> dict[str, Any] | None:
    """Arguments that are sure to be answered; None where nobody can know some."""
    schema: Mapping[str, Any] = tool.input_schema or {}
    required = tuple(schema.get("required", ()))
    if not required:
        return {}
    found = _RECORD.match(tool.handler.path or "") if tool.handler.kind == "read" else None
    if found is None or set(required) != {found[2]}:
        return None
    state = world.tree.plain()
    records = state.get(found[1]) if isinstance(state, dict) else None
    if not isinstance(records, dict) or not records:
        return None
    name = next(iter(records))
    numeric = schema.get("properties", {}).get(found[2], {}).get("type") in ("integer", "number")
    return {found[2]: int(name) if numeric and name.isdigit() else name}
