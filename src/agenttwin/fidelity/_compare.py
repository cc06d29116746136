"""A twin held against what is known of the real thing, which was drafted from its own document or list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import jsonschema_rs

from agenttwin.fidelity._probe import Answered, probe
from agenttwin.imports import ORDER, Draft, DraftTool
from agenttwin.twin import CompiledTwin, Tool, TwinDefinition

What: TypeAlias = Literal["tool", "argument", "type", "required", "values", "risk", "status", "field"]

MAX_FIELDS: Final = 20
"""Differences of one answer that are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing on which twin and real thing disagree: of which tool, what, where, and what each has."""

    tool: str
    what: What
    where: str
    twin: str
    real: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """What came out: how many comparisons agreed, what differs, and the tools that were not called."""

    agrees: int
    differences: tuple[Difference, ...]
    untried: tuple[str, ...]


def hold(twin: TwinDefinition, compiled: CompiledTwin, real: Draft) -> Fidelity:
    """Holds a twin against the real thing.

    Compared are the tools by name, each argument's type, values and whether it must be given, the risk where
    the twin's is lower, and the answers of reading tools that can be called, against what the real ones
    answer. Names are the same where only case and punctuation differ.
    """
    ours = {plain_name(tool.name): tool for tool in twin.spec.tools}
    theirs = {plain_name(tool.name): tool for tool in real.tools}
    tally = _Tally()
    answers = {answered.tool: answered for answered in probe(twin, compiled)}
    untried = []
    for name in [*theirs, *(name for name in ours if name not in theirs)]:
        mine, other = ours.get(name), theirs.get(name)
        if mine is None or other is None:
            there = other.name if other is not None else mine.name if mine is not None else name
            tally.differs(there, "tool", "", "there" if mine else "missing", "there" if other else "missing")
            continue
        tally.agreed()
        _arguments(mine, other, tally)
        _risk(mine, other, tally)
        answered = answers.get(mine.name)
        if answered is None or not other.answer:
            untried.append(mine.name)
        else:
            _answer(answered, other, tally)
    return Fidelity(agrees=tally.agrees, differences=tuple(tally.differences), untried=tuple(untried))


class _Tally:
    """Counts what agrees, and keeps what does not."""

    def __init__(self) -> None:
        self.agrees = 0
        self.differences: list[Difference] = []

    def agreed(self) -> None:
        self.agrees += 1

    def differs(self, tool: str, what: What, where: str, twin: str, real: str) -> None:
        self.differences.append(Difference(tool=tool, what=what, where=where, twin=twin, real=real))


def plain_name(name: str) -> str:
    """A name without case and punctuation."""
    return "".join(char for char in name.lower() if char.isalnum())


def _arguments(mine: Tool, other: DraftTool, tally: _Tally) -> None:
    """Argument by argument; one that a twin knows beside them is a difference as well."""
    ours, theirs = _fields(mine.input_schema or {}), _fields(other.schema)
    names = {plain_name(name): name for name in ours}
    for name, there in theirs.items():
        own = names.pop(plain_name(name), None)
        if own is None:
            tally.differs(mine.name, "argument", name, "missing", _kind(there))
            continue
        before = len(tally.differences)
        for what, twin, real in _aspects(ours[own], there):
            tally.differs(mine.name, what, own, twin, real)
        needed = own in (mine.input_schema or {}).get("required", ())
        if needed != (name in other.schema.get("required", ())):
            words = ("required", "may be left out")
            tally.differs(mine.name, "required", own, words[not needed], words[needed])
        if len(tally.differences) == before:
            tally.agreed()
    for own in names.values():
        if mine.idempotency is None or mine.idempotency.argument != own:
            tally.differs(mine.name, "argument", own, _kind(ours[own]), "missing")


def _fields(schema: Mapping[str, Any]) -> dict[str, Any]:
    found = schema.get("properties", {})
    return {name: item if isinstance(item, dict) else {} for name, item in found.items()}


def _aspects(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[tuple[What, str, str]]:
    """Types where both name some, and the values that are allowed where the real thing lists them."""
    mine, other = _kinds(ours), _kinds(theirs)
    if mine and other and not _covers(mine, other):
        yield "type", _kind(ours), _kind(theirs)
    if "enum" in theirs:
        known = ours.get("enum")
        if known is not None and {repr(item) for item in known} != {repr(item) for item in theirs["enum"]}:
            yield "values", _listed(known), _listed(theirs["enum"])


def _kinds(schema: Mapping[str, Any]) -> frozenset[str]:
    kind = schema.get("type")
    return frozenset(kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else ())


def _covers(mine: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the kinds are the same; an integer is a number."""
    wide = [{"number" if kind == "integer" else kind for kind in kinds} for kinds in (mine, other)]
    return wide[0] == wide[1]


def _kind(schema: Mapping[str, Any]) -> str:
    return " or ".join(sorted(_kinds(schema))) or "anything"


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values[:8])) + (" …" if len(values) > 8 else "")


def _risk(mine: Tool, other: DraftTool, tally: _Tally) -> None:
    """A twin may say more of a risk than a document can, and never less than it hints at."""
    if ORDER.index(mine.actual_risk) < ORDER.index(other.risk) and mine.risk is not None:
        tally.differs(mine.name, "risk", "", mine.actual_risk.value, f"{other.risk.value} ({other.why})")
    else:
        tally.agreed()


def _answer(answered: Answered, other: DraftTool, tally: _Tally) -> None:
    """What the twin answers, against the schema of the real answer."""
    if not answered.ok:
        tally.differs(answered.tool, "status", "", str(answered.status), "a success")
        return
    tally.agreed()
    validator = jsonschema_rs.validator_for(dict(other.answer))
    wrong = list(validator.iter_errors(answered.body))
    if not wrong:
        tally.agreed()
    for error in wrong[:MAX_FIELDS]:
        where = ".".join(map(str, error.instance_path))
        tally.differs(
            answered.tool, "field", where or "the answer", _cut(str(error.message)), "as documented"
        )


def _cut(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:159]}…"
