"""The gate: which calls are let in at all. Faults never touch what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from agenttwin.twin._answer import Sent, refuse
from agenttwin.twin._compile import CompiledTool, CompiledTwin
from agenttwin.twin._world import World
from agenttwin.values import Json, canonical, digest_bytes, nearest

MAX_RECORDED_BYTES: Final = 256 * 1024
"""Arguments are refused, and answers recorded by digest and length, beyond this."""

MAX_LEVELS: Final = 64
"""Levels of arguments, as of any JSON that others send: what is recorded of them nests deeper still."""

MAX_NAME: Final = 200
"""Characters kept of the name of a tool that does not exist: it may be anything."""

MAX_REASON: Final = 1_000
"""Characters kept of the words of a failure, which may be anybody's."""


@dataclass(slots=True)  # not frozen: one is made in every call
class Call:
    """What an agent asks for. The names of ``headers`` are compared without regard to case."""

    tool: str
    arguments: Json
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Asked:
    """A call as it came to the gate, out of its caller's reach.

    ``arguments`` are a copy, or what is recorded in place of arguments that are too large, too deep or no
    JSON; ``data`` is their canonical JSON, and ``broken`` says in a sentence why they cannot be taken.
    """

    name: str
    tool: CompiledTool | None
    arguments: Any
    data: bytes
    broken: str | None
    key: str | None


def receive(twin: CompiledTwin, call: Call) -> Asked:
    """Takes a call in, whatever its caller made it of."""
    name = call.tool if type(call.tool) is str else str(call.tool)
    tool = twin.tools.get(name)
    try:
        data = canonical(call.arguments)
    except Exception as error:  # a container may be the caller's own, and fail in its own way
        broken = f"The arguments are no JSON: {legible(str(error), MAX_REASON)}."
        return Asked(legible(name), tool, None, b"", broken, None)
    if len(data) > MAX_RECORDED_BYTES:
        return Asked(legible(name), tool, told(data), data, None, None)
    arguments = orjson.loads(data)
    if len(data) > 2 * MAX_LEVELS and _may_nest(data) and _nests_deeper(arguments):
        broken = f"The arguments nest deeper than {MAX_LEVELS} levels."
        return Asked(legible(name), tool, told(data), data, broken, None)
    key = _key(tool, arguments, call.headers) if tool is not None and tool.declares_idempotency else None
    return Asked(name if tool is not None else legible(name), tool, arguments, data, None, key)


def _may_nest(data: bytes) -> bool:
    """Whether there are brackets enough; cheaper than to look into the values."""
    return data.count(b"{") + data.count(b"[") > MAX_LEVELS


def _nests_deeper(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_LEVELS):
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for parts in inner for each in parts if isinstance(each, dict | list)]
    return bool(level)


def readable(text: str) -> str:
    """A text without halves of characters, which cannot be written down."""
    return text.encode("utf-8", "replace").decode()


def legible(text: str, characters: int = MAX_NAME) -> str:
    """The beginning of a text that may be anything, readable."""
    return readable(text[:characters])


def told(data: bytes) -> dict[str, Json]:
    """What is recorded of something too large."""
    return {"digest": digest_bytes(data), "bytes": len(data)}


def _key(tool: CompiledTool, arguments: Any, headers: Mapping[str, str]) -> str | None:
    if tool.key_argument is not None and isinstance(arguments, dict):
        key = arguments.get(tool.key_argument)
        if key is not None:
            return key if isinstance(key, str) else canonical(key).decode()
    if tool.key_header is not None:
        for name, value in (headers or {}).items():
            if isinstance(name, str) and name.lower() == tool.key_header:
                return readable(str(value))
    return None


def gate(twin: CompiledTwin, world: World, asked: Asked) -> Sent | None:
    """Why the call is refused, or None; the first reason is told."""
    name, tool = asked.name, asked.tool
    if tool is None:
        close = nearest(name, twin.tools)
        hint = f" Did you mean {close!r}?" if close else ""
        return refuse(404, "UNKNOWN_TOOL", f"There is no tool {name!r}.{hint}")
    if not world.leaky:
        if world.allowed_tools is not None and name not in world.allowed_tools:
            return refuse(403, "TOOL_NOT_ALLOWED", f"The tool {name!r} is not allowed here.")
        if tool.needs_approval and name not in world.approvals:
            return refuse(403, "ADMIN_ONLY", f"The tool {name!r} needs an administrator's approval.")
    refusal = _check_arguments(tool, asked)
    if refusal is None and world.tool_calls > world.call_limit:
        world.limit_exceeded = True
        return refuse(409, "CALL_LIMIT_EXCEEDED", f"A case may make {world.call_limit} calls.")
    return refusal


def _check_arguments(tool: CompiledTool, asked: Asked) -> Sent | None:
    if asked.broken is not None:
        return refuse(400, "INVALID_ARGUMENTS", asked.broken)
    if asked.data[:1] != b"{":
        return refuse(400, "INVALID_ARGUMENTS", "The arguments are not a JSON object.")
    if len(asked.data) > MAX_RECORDED_BYTES:
        return refuse(
            413, "ARGUMENTS_TOO_LARGE", f"The arguments have more than {MAX_RECORDED_BYTES:,} bytes."
        )
    problems = tool.check_arguments(asked.arguments) if tool.check_arguments is not None else None
    if problems:
        return refuse(422, "INVALID_ARGUMENTS", f"The arguments do not fit: {'; '.join(problems)}.")
    return None
