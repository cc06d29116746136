"""A twin at a prompt: lines of text in, lines of text out; whatever is written, it goes on."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import orjson

from agenttwin.errors import AgentTwinError
from agenttwin.lab._twin import Case, Twin
from agenttwin.transcript import ToolCall
from agenttwin.twin import FAULTS
from agenttwin.values import encode, nearest

MAX_SHOWN: Final = 2_000
"""Characters of an answer or of a part of the state that are shown."""

MAX_VALUE: Final = 120
"""Of a value in a change."""

MAX_CALLS: Final = 1_000_000

HELP: Final = """\
TOOL name=value …     calls a tool; or TOOL {"name": value}
:tools [TOOL]         which tools there are, or what one takes
:fault KIND TOOL      the next call of the tool meets this fault; :fault lists the kinds
:state [path]         the world as it is now, or a part of it
:changes              what differs from the start
:calls                every call so far, as it was recorded
:search words         what the knowledge base finds
:reset                begins anew
:quit                 ends"""


class Console:
    """One case of a twin, told line by line. ``answer`` gives what is to be shown."""

    def __init__(
        self, twin: Twin, *, tenant: str | None = None, now: str | None = None, seed: str = "0"
    ) -> None:
        self.over = False
        self._twin = twin
        self._start = partial(twin.start, tenant=tenant, now=now, seed=seed, call_limit=MAX_CALLS)
        self._case: Case = self._start()

    @property
    def words(self) -> tuple[str, ...]:
        """What a line can begin with, for completion."""
        return (*_COMMANDS, *self._twin.tools)

    def answer(self, text: str) -> Iterator[str]:
        """What a line comes to; nothing for an empty one."""
        line = text.strip()
        if not line or line.startswith("#"):
            return
        try:
            word, _, rest = line.partition(" ")
            if not word.startswith(":"):
                yield from self._call(word, rest.strip())
            elif word in _COMMANDS:
                yield from _COMMANDS[word](self, rest.strip())
            else:
                yield _unknown("command", word, _COMMANDS)
        except AgentTwinError as error:
            yield str(error)

    # -- calling

    def _call(self, tool: str, rest: str) -> Iterator[str]:
        arguments = self._arguments(tool, rest)
        if isinstance(arguments, str):
            yield arguments
            return
        before = {change.path: change.after for change in self._case.changes}
        reply = self._case.call(tool, arguments)
        call = self._case.calls[-1]
        yield f"{_status(call)}  {_cut(reply.text) if reply.text else '(nothing came)'}"
        yield from (f"  {line}" for line in _done(call))
        for change in self._case.changes:
            old = before.get(change.path, change.before)
            if change.path not in before or old != change.after:
                yield f"  {_change(change.path, old, change.after)}"

    def _arguments(self, tool: str, rest: str) -> dict[str, Any] | str:
        """The arguments of a call, or what is wrong with them."""
        if rest.startswith("{"):
            try:
                given = orjson.loads(rest)
            except orjson.JSONDecodeError as error:
                return f"The arguments are no JSON: {error}."
            return given if isinstance(given, dict) else "The arguments are no JSON object."
        try:
            parts = shlex.split(rest)
        except ValueError as error:
            return f"The arguments cannot be read: {error}."
        kinds = self._kinds(tool)
        found: dict[str, Any] = {}
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals:
                return f"Write name=value, not {part!r}; :tools {tool} says what it takes."
            found[name] = value if kinds.get(name) == "string" else _json(value)
        return found

    def _kinds(self, tool: str) -> Mapping[str, Any]:
        declared = self._twin.definition.tool(tool)
        schema = declared.input_schema if declared is not None else None
        fields = (schema or {}).get("properties", {})
        return {name: field.get("type") for name, field in fields.items() if isinstance(field, dict)}

    # -- commands

    def _help(self, _: str) -> Iterator[str]:
        yield HELP

    def _tools(self, name: str) -> Iterator[str]:
        tools = self._twin.definition.spec.tools
        if not name:
            width = max(len(tool.name) for tool in tools)
            for tool in tools:
                told = tool.description.splitlines()[0] if tool.description else ""
                yield f"{tool.name.ljust(width)}  {tool.actual_risk.value.lower()}  {told}".rstrip()
            return
        found = self._twin.definition.tool(name)
        if found is None:
            yield _unknown("tool", name, self._twin.tools)
            return
        yield f"{found.name}  {found.actual_risk.value.lower()}"
        if found.description:
            yield f"  {found.description}"
        schema = found.input_schema or {}
        for field, told in schema.get("properties", {}).items():
            kind = told.get("type", "any") if isinstance(told, dict) else "any"
            needed = "" if field in schema.get("required", ()) else ", may be left out"
            yield f"  {field}: {kind}{needed}"
        if found.effect_key:
            yield f"  effect {found.effect_key}"

    def _fault(self, rest: str) -> Iterator[str]:
        kind, _, tool = rest.partition(" ")
        tool = tool.strip().removeprefix("on ").strip()
        if not rest:
            width = max(map(len, FAULTS))
            yield from (f"{name.ljust(width)}  {_told(name)}" for name in FAULTS)
        elif kind not in FAULTS:
            yield _unknown("kind of fault", kind, FAULTS)
        elif tool not in self._twin.tools:
            yield _unknown("tool", tool, self._twin.tools) if tool else "Say on which tool: :fault KIND TOOL."
        else:
            number = 1 + sum(call.tool == tool and call.number is not None for call in self._case.calls)
            behavior: dict[str, Any] = {"type": kind}
            self._case.arm([{"target": tool, "when": {"callNumber": number}, "behavior": behavior}])
            yield f"The next call of {tool} meets {kind}: {_told(kind)}"

    def _state(self, path: str) -> Iterator[str]:
        value = self._case.state
        for part in filter(None, path.replace("[", ".").replace("]", "").split(".")):
            if isinstance(value, dict) and part in value:
                value = value[part]
            elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
                value = value[int(part)]
            else:
                known = ", ".join(map(str, list(value)[:20])) if isinstance(value, dict) else ""
                yield f"There is no {part!r}" + (f"; there is {known}." if known else ".")
                return
        yield _cut(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())

    def _changes(self, _: str) -> Iterator[str]:
        for change in self._case.changes:
            yield _change(change.path, change.before, change.after)
        if not self._case.changes:
            yield "Nothing has changed."

    def _calls(self, _: str) -> Iterator[str]:
        if not self._case.calls:
            yield "Nothing was called yet."
        for call in self._case.calls:
            yield f"{call.seq:>3}  {call.tool}({encode(call.arguments).decode()})  {_status(call)}"
            yield from (f"       {line}" for line in _done(call))

    def _search(self, query: str) -> Iterator[str]:
        found = self._case.search(query)
        if not found:
            yield "Nothing is found."
        for document in found:
            yield _cut(encode(document).decode())

    def _reset(self, _: str) -> Iterator[str]:
        self._case = self._start()
        yield "The world is as it was at the start."

    def _quit(self, _: str) -> Iterator[str]:
        self.over = True
        yield from ()


_COMMANDS: Final[Mapping[str, Callable[[Console, str], Iterator[str]]]] = {
    ":help": Console._help,
    ":tools": Console._tools,
    ":fault": Console._fault,
    ":state": Console._state,
    ":changes": Console._changes,
    ":calls": Console._calls,
    ":search": Console._search,
    ":reset": Console._reset,
    ":quit": Console._quit,
}


def _status(call: ToolCall) -> str:
    told = f"{call.status}" if call.status is not None else "–"
    return f"{told} {call.result.value}"


def _done(call: ToolCall) -> Iterator[str]:
    """What the dependency did, where that is not what the answer says."""
    if call.refusal is not None:
        yield f"refused before the tool was reached: {call.refusal}"
    if call.fault is not None and call.took_effect:
        yield f"fault {call.fault}: committed {call.committed.value if call.committed else 'nothing'}"
    if call.replayed:
        yield "replayed: the key was known, and nothing was done again"


def _change(path: str, before: Any, after: Any) -> str:
    return f"{path}  {_value(before)} → {_value(after)}"


def _value(value: Any) -> str:
    """A value on one line; what is not there is a dash."""
    there = isinstance(value, dict | list | str | int | float | None)
    return _cut(encode(value).decode(), MAX_VALUE) if there else "–"


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _cut(text: str, longest: int = MAX_SHOWN) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _unknown(what: str, name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    close = nearest(name, known)
    hint = f"Did you mean {close!r}?" if close else ":help says what there is."
    return f"There is no {what} {name!r}. {hint}"


def _told(kind: str) -> str:
    return FAULTS[kind].description.replace("`", "")
