"""The world behind the tools of one case: its state, clock and counters, and the record of every call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from agenttwin.errors import LimitExceeded, UsageError
from agenttwin.transcript import FaultUse, Retrieval, Setting, ToolCall
from agenttwin.twin._answer import Sent
from agenttwin.twin._choice import CompiledRule, compile_rules
from agenttwin.twin._clock import END_OF_TIME, clock_text, read_clock
from agenttwin.twin._compile import CompiledTool, CompiledTwin
from agenttwin.twin._fault import FaultRule
from agenttwin.twin._idempotency import Slot, Stored
from agenttwin.twin._tenancy import Tenancy
from agenttwin.values import Change, Json, Tree, TreeError, canonical, encode, merge

DEFAULT_CALL_LIMIT: Final = 200
MAX_STATE_BYTES: Final = 64 * 1024 * 1024
SHARED_STATE_BYTES: Final = 64 * 1024
"""States larger than this are copied once and recognised when they are handed in again."""

_KEPT_STATES: Final = 8


@dataclass(frozen=True, slots=True)
class Late:
    """An accepted call whose effects are executed later: before the ``due``-th call of the case.

    ``record`` is the index of its record; ``roots`` are the names it sees, but for the state and the time.
    """

    record: int
    tool: CompiledTool
    arguments: dict[str, Json]
    roots: dict[str, Any]
    due: int


@dataclass(slots=True)
class Counters:
    """What has been counted so far: calls and executions by tool, calls that fit a rule by its index."""

    calls: dict[str, int] = field(default_factory=dict)
    executions: dict[str, int] = field(default_factory=dict)
    fitting: dict[int, int] = field(default_factory=dict)
    within_quota: dict[int, int] = field(default_factory=dict)

    def copy(self) -> Counters:
        """Counters of their own with the same counts."""
        return Counters(dict(self.calls), dict(self.executions), dict(self.fitting), dict(self.within_quota))


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
    tenancy: Tenancy | None = None
    stored: dict[Slot, Stored] = field(default_factory=dict)
    previous: dict[str, Sent] = field(default_factory=dict)
    late: list[Late] = field(default_factory=list)
    records: list[ToolCall | Retrieval] = field(default_factory=list)
    fired: dict[int, bool] = field(default_factory=dict)
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
                type=rule.behavior.type,
                target=rule.target,
                fired=rule.index in self.fired,
                took_effect=self.fired.get(rule.index, False),
            )
            for rule in self.rules
        )

    def advance(self, milliseconds: int) -> None:
        """Moves the clock forward, at most to the end of the year 9999."""
        if milliseconds > 0:
            self.clock += min(timedelta(milliseconds=milliseconds), END_OF_TIME - self.clock)
            self.now = clock_text(self.clock)

    def act_for(self, tenant: str | None) -> None:
        """From the next call on, calls are made for another tenant: one twin may serve several."""
        self.tenant = tenant
        self.tenancy = Tenancy.of(self.twin.tenant_key, tenant)

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
        """Replaces the fault rules, from the next call on; what the old ones counted is forgotten."""
        self.rules = compile_rules(rules)
        self.counters.fitting.clear()
        self.counters.within_quota.clear()
        self.fired.clear()


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
    and merged once; the same object handed in again is recognised, so change a copy and not the object.
    ``documents`` join the knowledge base, and are not trusted unless they say so. ``leaky`` turns tenancy
    and the gate's permissions off, for self-tests. UsageError where the state is no JSON object, its
    knowledge base is no list, or ``now`` is no time; LimitExceeded beyond 64 MiB of state.
    """
    tree = _first_tree(twin, state, replace_state)
    _join(tree, twin.knowledge, documents)
    clock = read_clock(now if now is not None else twin.clock_start)
    return World(
        twin=twin,
        tree=tree,
        before=tree.fork(),
        start=tree.mark(),
        tenant=tenant,
        tenancy=Tenancy.of(twin.tenant_key, tenant),
        clock=clock,
        now=clock_text(clock),
        settings={**twin.settings, **_copied(settings or {}, "settings")},
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


def _first_tree(twin: CompiledTwin, state: Mapping[str, Json] | None, replace_state: bool) -> Tree:
    if state is None:
        return Tree(twin.base)
    base = None if replace_state else twin.base
    kept = _states.get((id(state), id(base)))
    if kept is not None and kept[0] is state and kept[1] is base:
        return Tree(kept[2])
    given, size = _frozen(state)
    if size > SHARED_STATE_BYTES:
        return Tree(_kept(state, base, given))
    tree = Tree(given if replace_state else base)
    if not replace_state:
        tree.merge((), given)
    return tree


def _join(tree: Tree, path: Sequence[str | int], documents: Sequence[Mapping[str, Json]]) -> None:
    try:
        for document in documents:
            tree.append(path, {"trusted": False, **_copied(document, "document")})
    except TreeError as error:
        raise UsageError("invalid_state", f"The documents cannot join the knowledge base: {error}.") from None


# the state that a case brings

_states: dict[tuple[int, int], tuple[object, Json, Json]] = {}
"""Large states, by the identities of the object they were copied from and of what they were merged on (None:
nothing). Both are kept beside them, so that the identities stay taken."""


def _kept(state: object, base: Json, given: dict[str, Json]) -> Json:
    """What a large state makes of the initial state, kept for the next time."""
    whole: Json = given if base is None else merge(base, given)
    while len(_states) >= _KEPT_STATES:
        _states.pop(next(iter(_states), (0, 0)), None)
    _states[id(state), id(base)] = (state, base, whole)
    return whole


def _frozen(state: Mapping[str, Json]) -> tuple[dict[str, Json], int]:
    """A copy that the caller cannot reach, and its bytes."""
    data = _spelled(state, "state")
    if len(data) > MAX_STATE_BYTES:
        message = f"The state has {len(data):,} bytes; {MAX_STATE_BYTES:,} are allowed."
        raise LimitExceeded("state_too_large", message)
    return _read(data, state, "state"), len(data)


def _copied(value: Mapping[str, Json], what: str) -> dict[str, Json]:
    return _read(_spelled(value, what), value, what)


def _spelled(value: object, what: str) -> bytes:
    try:
        return encode(value)
    except TypeError as error:
        raise UsageError("invalid_state", f"The {what} is no JSON: {error}.") from None


def _read(data: bytes, value: object, what: str) -> dict[str, Json]:
    """The copy; UsageError where it is no object, or not what was given: the encoder makes null of NaN."""
    copy = orjson.loads(data)
    if not isinstance(copy, dict):
        raise UsageError("invalid_state", f"The {what} is no JSON object.")
    if copy != value:
        try:
            canonical(value)
        except ValueError as error:
            raise UsageError("invalid_state", f"The {what} is no JSON: {error}.") from None
    return copy
