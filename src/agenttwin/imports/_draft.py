"""A drafted twin, and its text: YAML that a person goes on with, saying why each risk was chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, Final

import yaml

from agenttwin.document import API_VERSION
from agenttwin.transcript import Risk

WIDTH: Final = 110
MAX_NOTES: Final = 50
SHORT_OBJECT: Final = 90
SHORT_LIST: Final = 90
"""Characters of an object or a list that stands on one line."""

ORDER: Final = tuple(Risk)
"""Risks, the least first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftTool:
    """A tool as it was drafted: the fields of its YAML, why it has its risk, and what is to be looked at.

    ``stateful`` says that its handler reads or changes the state; ``answer`` is the schema of a success.
    """

    name: str
    description: str
    risk: Risk
    why: str
    schema: Mapping[str, Any]
    handler: Mapping[str, Any]
    idempotency: Mapping[str, Any] | None = None
    notes: Sequence[str] = ()
    stateful: bool = False
    answer: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A twin as it was drafted, out of ``origin``; ``notes`` are sentences about what was left out."""

    name: str
    origin: str
    source: str
    description: str
    tools: Sequence[DraftTool]
    state: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()


def raised(risk: Risk, other: Risk) -> Risk:
    """The greater of two risks."""
    return max(risk, other, key=ORDER.index)


def write(draft: Draft, risks: Mapping[str, Risk] | None = None) -> str:
    """The draft as the text of a TwinDefinition; ``risks`` are given by hand, by tool, and hold."""
    head = [f"# Drafted from {_line(draft.origin)}. It is yours from here on: read it once, and correct it."]
    notes = list(draft.notes)
    if len(notes) > MAX_NOTES:
        notes = [*notes[:MAX_NOTES], f"… and {len(notes) - MAX_NOTES} more like these."]
    head += [f"# - {_line(note)}" for note in notes]
    metadata = {"name": draft.name, "description": draft.description, "source": draft.source}
    lines = [*head, f"apiVersion: {API_VERSION}", "kind: TwinDefinition"]
    lines += _dumped({"metadata": {key: value for key, value in metadata.items() if value}}, 0)
    lines.append("spec:")
    if draft.state:
        lines += ["  # The world before the first call."]
        lines += _dumped({"initialState": dict(draft.state)}, 2)
    lines.append("  tools:")
    for tool in draft.tools:
        lines += _tool(tool, (risks or {}).get(tool.name))
    return "\n".join(lines) + "\n"


def _tool(tool: DraftTool, given: Risk | None) -> list[str]:
    risk, why = (tool.risk, tool.why) if given is None else (given, "as you said")
    fields: dict[str, Any] = {"name": tool.name}
    if tool.description:
        fields["description"] = tool.description
    fields["risk"] = risk.value
    if tool.idempotency:
        fields["idempotency"] = dict(tool.idempotency)
    fields["inputSchema"] = tool.schema
    fields["handler"] = tool.handler
    lines = [""]
    for number, (name, value) in enumerate(fields.items()):
        part = _dumped({name: value}, 6)
        if name == "risk":
            part[0] += f"  # {_line(why)}"
        if name == "handler":
            part = [*(f"      # {_line(note)}" for note in tool.notes), *part]
        if number == 0:
            part[0] = f"    - {part[0].lstrip()}"
        lines += part
    return lines


def _line(text: str) -> str:
    """A text as a comment: one line, without what a terminal could obey."""
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))[:400]


class _Dumper(yaml.SafeDumper):
    """Block style outside, flow style inside, no aliases: the reader of documents refuses them."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        return super().increase_indent(flow, False)

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> Any:
        node = super().represent_mapping(tag, mapping, flow_style)
        parts = [part for pair in node.value for part in pair]
        node.flow_style = _is_short(parts, SHORT_OBJECT)
        return node

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:
        node = super().represent_sequence(tag, sequence, flow_style)
        node.flow_style = _is_short(node.value, SHORT_LIST)
        return node


def _is_short(parts: Sequence[Any], longest: int) -> bool:
    """Whether values fit on one line: plain ones, or short ones that do themselves."""
    length = 0
    for part in parts:
        if isinstance(part, yaml.ScalarNode):
            if part.style == "|":
                return False
            length += len(part.value) + 2
        elif not part.value or (part.flow_style and longest == SHORT_OBJECT):
            length += _length(part) + 2
        else:
            return False
    return length <= longest


def _length(node: Any) -> int:
    if isinstance(node, yaml.ScalarNode):
        return len(node.value)
    pairs = (
        node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
    )
    return sum(_length(part) + 2 for part in pairs)


_PLAIN: Final = re.compile(r"^[A-Za-z_$][\w $/.,()'…-]*$")
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan"})


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    """A text that no reader takes for a number or a word of YAML."""
    plain = _PLAIN.match(value) and value.lower() not in _WORDS and not value.endswith(" ")
    style = None if plain else ("|" if "\n" in value and _fits_block(value) else '"')
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _fits_block(value: str) -> bool:
    lines = value.split("\n")
    return not value.startswith((" ", "\n")) and all(
        line == line.rstrip() and all(char.isprintable() for char in line) for line in lines
    )


_Dumper.add_representer(str, _text)


def _dumped(value: Mapping[str, Any], indent: int) -> list[str]:
    """The members of an object, each on lines of its own."""
    text = "".join(_member(name, item, WIDTH - indent) for name, item in value.items())
    return [f"{' ' * indent}{line}" if line else "" for line in text.rstrip("\n").split("\n")]


def _member(name: str, value: Any, width: int) -> str:
    dumper = _Dumper(io := StringIO(), width=width, allow_unicode=True, sort_keys=False)
    try:
        dumper.open()
        node: Any = dumper.represent_data({name: value})
        node.flow_style = False
        dumper.serialize(node)
        dumper.close()
    finally:
        dumper.dispose()
    return io.getvalue()
