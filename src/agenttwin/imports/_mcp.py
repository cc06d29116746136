"""A twin out of a list of tools, as a server of MCP gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.imports._draft import Draft, DraftTool
from agenttwin.imports._names import document_name, tool_name
from agenttwin.imports._openapi import MAX_DESCRIPTION, MAX_OPERATIONS, literal
from agenttwin.imports._references import References
from agenttwin.imports._schemas import Schemas, sample
from agenttwin.imports._text import tame
from agenttwin.transcript import Risk
from agenttwin.values import encode

RISK: Final = "agenttwin/risk"
"""The key in `_meta` by which one of our own servers says a risk exactly."""


def from_mcp(listed: Any, *, origin: str, name: str | None = None) -> Draft:
    """The draft of a twin of the tools that ``listed`` holds: a list, or an object with `tools`.

    AgentTwinError for what is no list of tools; LimitExceeded for more than `MAX_OPERATIONS`.
    """
    listed = tame(listed, origin)
    for key in ("result", "tools"):
        if isinstance(listed, Mapping) and key in listed:
            listed = listed[key]
    found = [item for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    if not found:
        raise AgentTwinError("no_tool_list", f"{origin} holds no list of tools.")
    if len(found) > MAX_OPERATIONS:
        message = f"{origin} has {len(found):,} tools; a twin has at most {MAX_OPERATIONS:,}."
        raise LimitExceeded("too_many_operations", message)
    taken: set[str] = set()
    tools = []
    for item in found:
        tools.append(_tool(item, taken))
        taken.add(tools[-1].name)
    renamed = [
        f"The tool {given.get('name')!r} is called {made.name} here."
        for given, made in zip(found, tools, strict=True)
        if given.get("name") != made.name
    ]
    return Draft(
        name=name or document_name(origin),
        origin=origin,
        source="mcp",
        description=f"Tools of {origin}",
        tools=tools,
        notes=renamed,
    )


def _tool(item: Mapping[str, Any], taken: set[str]) -> DraftTool:
    references = References(item.get("inputSchema"))
    schema = Schemas(references).closed(item.get("inputSchema") or {})
    answers = item.get("outputSchema")
    answer = Schemas(References(answers)).closed(answers) if isinstance(answers, Mapping) else {}
    shown = sample(answer) if answer else None
    risk, why = _risk(item)
    description = item.get("description") if isinstance(item.get("description"), str) else ""
    kept = {key: item[key] for key in ("title", "annotations", "_meta") if item.get(key)}
    notes = [f"{key}: {encode(value).decode()}" for key, value in kept.items()]
    return DraftTool(
        name=tool_name(str(item.get("name") or ""), taken),
        description=str(description)[:MAX_DESCRIPTION],
        risk=risk,
        why=why,
        schema={**schema, "type": "object"},
        answer=answer,
        handler={"kind": "static", "response": literal(shown) if shown is not None else {"ok": True}},
        notes=[*notes, *references.notes(), "It always answers the same: say what it reads or changes."],
    )


def _risk(item: Mapping[str, Any]) -> tuple[Risk, str]:
    """What the hints come to; a server that says nothing is taken at its worst, as the protocol has it."""
    meta, hints = item.get("_meta"), item.get("annotations")
    exact = meta.get(RISK) if isinstance(meta, Mapping) else None
    if exact in tuple(Risk):
        return Risk(exact), f"`{RISK}` says so"
    told = hints if isinstance(hints, Mapping) else {}
    if told.get("readOnlyHint") is True:
        return Risk.READ, "readOnlyHint"
    if told.get("destructiveHint") is False:
        return Risk.WRITE_REVERSIBLE, "destructiveHint is false"
    if told.get("destructiveHint") is True:
        return Risk.WRITE_IRREVERSIBLE, "destructiveHint"
    return Risk.WRITE_IRREVERSIBLE, "no hint says that it is harmless"
