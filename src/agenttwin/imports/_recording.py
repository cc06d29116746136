"""A twin out of what was recorded: a tool for each kind of request, which answers what was answered then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agenttwin.errors import AgentTwinError
from agenttwin.imports._draft import Draft, DraftTool
from agenttwin.imports._exchange import Exchange
from agenttwin.imports._names import argument_name, document_name, tool_name
from agenttwin.imports._openapi import RISKS
from agenttwin.transcript import Risk
from agenttwin.values import encode

MAX_FIXTURES: Final = 500
"""Of one tool; what was recorded beyond is left out, and told."""

_NAME: Final = re.compile(
    r"^(\d+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27,}|[0-9a-fA-F]{16,}|(?=.*\d)[A-Za-z0-9]+([-_][A-Za-z0-9]+)*)$"
)
_WORD: Final = re.compile(r"^(v\d+|[a-z]+\d?)$")

TYPES: Final[Mapping[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


@dataclass(slots=True)
class Kind:
    """Requests that are calls of one tool."""

    method: str
    template: str
    exchanges: list[tuple[dict[str, Any], Exchange]] = field(default_factory=list)


def from_recording(recorded: Sequence[Exchange], *, origin: str, name: str | None = None) -> Draft:
    """The draft of a twin that answers what was recorded, by the arguments; AgentTwinError for no exchange.

    A part of a path that looks like the name of a record is an argument. Of two answers to the same
    arguments the first is kept, and that there were others is said.
    """
    kinds: dict[tuple[str, str], Kind] = {}
    for item in recorded:
        if item.tool is not None:
            template, arguments = item.tool, dict(item.sent) if isinstance(item.sent, dict) else {}
        else:
            template, arguments = _split(item)
        kind = kinds.setdefault((item.method, template), Kind(item.method, template))
        kind.exchanges.append((arguments, item))
    if not kinds:
        raise AgentTwinError("not_a_recording", f"{origin} holds no exchange.")
    taken: set[str] = set()
    tools = []
    for kind in kinds.values():
        tools.append(_tool(kind, taken))
        taken.add(tools[-1].name)
    return Draft(
        name=name or document_name(origin.rpartition(".")[0] or origin),
        origin=origin,
        source="recorded",
        description=f"What {origin} holds of {len(recorded)} exchanges",
        tools=tools,
        notes=["It knows what was recorded, and nothing else: any other call is told which was the nearest."],
    )


def call_of(item: Exchange) -> tuple[str, dict[str, Any]]:
    """The tool of an exchange as a draft of its recording names it, and its arguments."""
    if item.tool is not None:
        return tool_name(item.tool, ()), dict(item.sent) if isinstance(item.sent, dict) else {}
    template, arguments = _split(item)
    return tool_name(f"{item.method.lower()}{template}", ()), arguments


def _split(item: Exchange) -> tuple[str, dict[str, Any]]:
    """The path with arguments for names of records, and all arguments of the request."""
    parts: list[str] = []
    arguments: dict[str, Any] = {}
    before = "item"
    for part in item.path.split("/"):
        if part and _NAME.match(part) and not _WORD.match(part):
            name = argument_name(f"{_singular(before)}_id", arguments)
            arguments[name] = part
            parts.append(f"{{{name}}}")
        else:
            before = part or before
            parts.append(part)
    for name, value in item.query.items():
        arguments[argument_name(name, arguments)] = value
    if isinstance(item.sent, dict):
        for name, value in item.sent.items():
            arguments[argument_name(name, arguments)] = value
    elif item.sent is not None:
        arguments[argument_name("body", arguments)] = item.sent
    return "/".join(parts), arguments


def _singular(word: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "_", word).strip("_")
    return plain[:-1] if plain.endswith("s") and not plain.endswith("ss") else plain or "item"


def _tool(kind: Kind, taken: set[str]) -> DraftTool:
    answered = [(arguments, item) for arguments, item in kind.exchanges if item.status is not None]
    fixtures: list[dict[str, Any]] = []
    seen: dict[bytes, bytes] = {}
    others = 0
    for arguments, item in answered:
        key = encode(arguments)
        if key in seen:
            others += seen[key] != encode([item.status, item.received])
        elif len(fixtures) < MAX_FIXTURES:
            seen[key] = encode([item.status, item.received])
            fixtures.append(_fixture(arguments, item))
    # The more a fixture asks for, the earlier it is tried: the first that fits answers.
    fixtures.sort(key=lambda fixture: -len(fixture["match"]))
    lost = len(kind.exchanges) - len(answered)
    notes = [kind.template if kind.method == "MCP" else f"{kind.method} {kind.template}"]
    notes += [f"{others} more answers to the same arguments differed, and were left out."] if others else []
    notes += [f"{lost} requests were never answered, and were left out."] if lost else []
    risk, why = RISKS.get(kind.method, (Risk.WRITE_IRREVERSIBLE, "nothing says that it is harmless"))
    plain = kind.template if kind.method == "MCP" else f"{kind.method.lower()}{kind.template}"
    empty = [{"match": {}, "status": 503, "response": {"error": "nothing was ever answered"}}]
    return DraftTool(
        name=tool_name(plain, taken),
        description="",
        risk=risk,
        why=why,
        schema=_schema(arguments for arguments, _ in kind.exchanges),
        handler={"kind": "recorded", "fixtures": fixtures or empty},
        notes=notes,
    )


def _fixture(arguments: dict[str, Any], item: Exchange) -> dict[str, Any]:
    found: dict[str, Any] = {"match": arguments}
    if item.status != 200:
        found["status"] = item.status
    return found | {"response": item.received}


def _schema(seen: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The arguments that were seen, with the types that they had; those that were always there are needed."""
    calls = list(seen)
    kinds: dict[str, list[str]] = {}
    for arguments in calls:
        for name, value in arguments.items():
            kind = TYPES.get(type(value), "string")
            if kind not in kinds.setdefault(name, []):
                kinds[name].append(kind)
    schema: dict[str, Any] = {"type": "object"}
    if kinds:
        schema["properties"] = {
            name: {"type": found[0] if len(found) == 1 else found} for name, found in kinds.items()
        }
    needed = [name for name in kinds if all(name in arguments for arguments in calls)]
    return schema | ({"required": needed} if needed else {})
