"""The world behind the tools of one case: its state, its clock, its counters, and the record of every call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from agenttwin.errors import LimitExceeded, UsageError
from agenttwin.transcript import FaultUse, Retrieval, Setting, ToolCall
from agenttwin.twin._choice import CompiledRule, compile_rules
from agenttwin.twin._compile import CompiledTool, CompiledTwin, knowledge_path
from agenttwin.twin._fault import FaultRule
from agenttwin.values import MISSING, Change, Json, Tree, plain

DEFAULT_CALL_LIMIT: Final = 200
MAX_STATE_BYTES: Final = 64 * 1024 * 1024
SHARED_STATE_BYTES: Final = 64 * 1024
"""States larger than this are copied once and recognised when they are handed in again."""

_KEPT_STATES: Final = 8


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer that the idempotency store keeps, and the arguments it answered."""

    arguments: bytes
    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Late:
    """An accepted call whose effects are executed later: before the call with sequence ``before``."""

    record: int
    tool: CompiledTool
    arguments: dict[str, Json]
    roots: dict[str, Any]
    before: int


@dataclass(slots=True)
class Counters:
    """What has been counted so far; a mutable part of a world."""

    calls: dict[str, int] = field(default_factory=dict)
    executions: dict[str, int] = field(default_factory=dict)
    fitting: dict[str, int] = field(default_factory=dict)
    admitted: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Counters:
        """Counters of their own with the same counts."""
        return Counters(dict(self.calls), dict(self.executions), dict(self.fitting), dict(self.admitted))


@dataclass(slots=True, kw_only=True)
class World:
    """Everything that a case changes. Mutable, and for one caller at a time.

    ``tree`` is the state; ``before`` the state when the case began, which is never written to; ``start`` the
    mark in the tree of that moment. ``records`` are what happened, in order of arrival.
    """

    twin: CompiledTwin
    tree: Tree
    before: Tree
    start: int
    tenant: str | None
    clock: datetime
    now: str
    settings: Mapping[str, Json]
    rules: tuple[CompiledRule, ...]
    allowed_tools: frozenset[str] | None
    approvals: frozenset[str]
    seed: str
    call_limit: int
    leaky: bool
    seq: int = 0
    tool_calls: int = 0
    limit_exceeded: bool = False
    twin_error: str | None = None
    counters: Counters = field(default_factory=Counters)
    stored: dict[tuple[str, str], Stored] = field(default_factory=dict)
    previous: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    late: list[Late] = field(default_factory=list)
    records: list[ToolCall | Retrieval] = field(default_factory=list)
    fired: dict[str, bool] = field(default_factory=dict)
    setting: Setting = field(default_factory=Setting)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The records of tool calls."""
        return tuple(record for record in self.records if isinstance(record, ToolCall))

    @property
    def changes(self) -> tuple[Change, ...]:
        """What differs from the start of the case."""
        return self.tree.changes(self.start)

    @property
    def fault_uses(self) -> tuple[FaultUse, ...]:
        """Each rule of the case: whether it was chosen, whether it made a difference."""
        return tuple(
            FaultUse(
                rule=rule.name,
                type=rule.type,
                target=rule.target,
                fired=rule.name in self.fired,
                took_effect=self.fired.get(rule.name, False),
            )
            for rule in self.rules
        )

    def advance(self, milliseconds: int) -> None:
        """Moves the clock forward."""
        if milliseconds:
            self.clock += timedelta(milliseconds=milliseconds)
            self.now = clock_text(self.clock)

    def fork(self) -> World:
        """A world of its own that goes on from here; costs what changed, not what it holds."""
        return replace(
            self,
            tree=self.tree.fork(),
            counters=self.counters.copy(),
            stored=dict(self.stored),
            previous=dict(self.previous),
            late=list(self.late),
            records=list(self.records),
            fired=dict(self.fired),
        )

    def arm(self, rules: Sequence[FaultRule]) -> None:
        """Replaces the fault rules, from the next call on."""
        self.rules = compile_rules(rules)


def begin(
    twin: CompiledTwin,
    *,
    state: Mapping[str, Json] | None = None,
    replace_state: bool = False,
    tenant: str | None = None,
    now: str | None = None,
    faults: Sequence[FaultRule] = (),
    allowed_tools: Sequence[str] | None = None,
    approvals: Sequence[str] = (),
    seed: str = "",
    settings: Mapping[str, Json] | None = None,
    documents: Sequence[Mapping[str, Json]] = (),
    input_texts: Sequence[str] = (),
    call_limit: int = DEFAULT_CALL_LIMIT,
    leaky: bool = False,
) -> World:
    """A world at the start of a case.

    ``state`` is merged on the initial state (RFC 7396), or replaces it. One larger than 64 KiB is copied
    once; the same object handed in again is recognised, so change a copy and not the object. ``documents``
    join the knowledge base. ``leaky`` turns tenancy and the gate's permissions off, for self-tests.
    """
    given = _frozen(state) if state is not None else None
    tree = Tree(given if replace_state and given is not None else twin.base)
    if given is not None and not replace_state:
        tree.merge((), given)
    _join(tree, knowledge_path(twin), documents)
    clock = read_clock(now or twin.clock_start)
    return World(
        twin=twin,
        tree=tree,
        before=tree.fork(),
        start=tree.mark(),
        tenant=tenant,
        clock=clock,
        now=clock_text(clock),
        settings={**twin.settings, **(settings or {})},
        rules=compile_rules(faults),
        allowed_tools=frozenset(allowed_tools) if allowed_tools is not None else None,
        approvals=frozenset(approvals),
        seed=seed,
        call_limit=call_limit,
        leaky=leaky,
        setting=Setting(
            tenant=tenant, tenant_key=twin.tenant_key, secrets=twin.secrets, input_texts=tuple(input_texts)
        ),
    )


def clock_text(clock: datetime) -> str:
    """The world's time as text, in UTC: seconds, and milliseconds where there are any."""
    text = clock.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{clock.microsecond // 1000:03}Z" if clock.microsecond else f"{text}Z"


def read_clock(text: str) -> datetime:
    """A time in UTC; UsageError where the text is none."""
    try:
        clock = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError("invalid_time", f"{text!r} is no time such as 2026-01-01T00:00:00Z.") from None
    return clock.astimezone(UTC) if clock.tzinfo else clock.replace(tzinfo=UTC)


def _join(tree: Tree, path: tuple[str | int, ...], documents: Sequence[Mapping[str, Json]]) -> None:
    for document in documents:
        if tree.get(path) is MISSING:
            tree.set(path, [])
        tree.append(path, plain(document))


_states: dict[int, tuple[object, Json]] = {}


def _frozen(state: Mapping[str, Json]) -> Json:
    """A copy that the caller cannot reach. Large ones are kept, with the object they were copied from."""
    kept = _states.get(id(state))
    if kept is not None and kept[0] is state:
        return kept[1]
    try:
        data = orjson.dumps(state)
    except TypeError as error:
        raise UsageError("invalid_state", f"The state is no JSON: {error}.") from None
    if len(data) > MAX_STATE_BYTES:
        raise LimitExceeded("state_too_large", f"The state has {len(data):,} bytes; {MAX_STATE_BYTES:,} are allowed.")
    copy: Json = orjson.loads(data)
    if len(data) > SHARED_STATE_BYTES:
        while len(_states) >= _KEPT_STATES:
            _states.pop(next(iter(_states)))
        _states[id(state)] = (state, copy)
    return copy
