"""An accepted call on its way: what the dependency does, what is kept of it, what is sent and recorded."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import orjson

from agenttwin.expression import EvaluationError, Scope
from agenttwin.transcript import Commit, ToolCall, without_key
from agenttwin.twin._answer import Sent, differs, read_result, refuse, send
from agenttwin.twin._choice import CompiledRule, choose
from agenttwin.twin._compile import CompiledTool
from agenttwin.twin._effect import EffectError, FirstDone, Target
from agenttwin.twin._fault import Answer
from agenttwin.twin._gate import MAX_REASON, MAX_RECORDED_BYTES, legible, told
from agenttwin.twin._idempotency import KeyRules, Stored
from agenttwin.twin._reply import Reply, Step
from agenttwin.twin._tenancy import Tenancy
from agenttwin.twin._world import Late, World
from agenttwin.values import Change, Json, Segments, Tree, TreeError, encode, equal, format_path


@dataclass(slots=True)  # not frozen: one is made in every call
class Computed:
    """What the dependency did, all of it, and the true answer: a fault has not touched it yet.

    ``executed``: it is the handler's answer; otherwise the call ended before.
    """

    sent: Sent
    changes: tuple[Change, ...] = ()
    executed: bool = False
    replayed: bool = False
    cross_tenant: str | None = None

    @property
    def success(self) -> bool:
        """Whether the tool did what it was asked to, now or before."""
        return self.sent.success


REPLAYED: Final = {"Idempotent-Replayed": "true"}

# members of an enumeration are slow to look up
_NONE, _FIRST, _ALL, _TWICE, _LATE = Commit.NONE, Commit.FIRST, Commit.ALL, Commit.TWICE, Commit.LATE

NO_CHANGES: Final[tuple[Change, ...]] = ()


class Execution:
    """One accepted call; lives for one step."""

    __slots__ = (
        "arguments", "effect_key", "key", "mark", "number", "place_of_owner", "roots", "rule", "scope",
        "target", "tool", "world",
    )  # fmt: skip

    def __init__(self, world: World, tool: CompiledTool, arguments: dict[str, Json], key: str | None) -> None:
        self.world = world
        self.tool = tool
        self.arguments = arguments
        self.key = key
        counts = world.counters.calls
        self.number = counts[tool.name] = counts.get(tool.name, 0) + 1
        self.rule = choose(world, tool, arguments, self.number) if world.rules else None
        self.roots: dict[str, Any] = {
            "state": world.tree.root,
            "settings": world.settings,
            "tenant": world.tenant,
            "now": world.now,
            "call": {"number": self.number, "seq": world.seq},
            "idempotency_key": key,
        }
        self.scope = Scope(arguments, self.roots)
        self.mark = world.tree.mark()
        self.effect_key: str | None = None
        self.target: Target | None = None
        self.place_of_owner: Segments | None = None

    def run(self) -> Step:
        """Does all of it. A failure of the definition or of an adapter ends in a 500, undone."""
        rule = self.rule
        try:
            if self.tool.effect_key is not None:
                self.effect_key = self.tool.effect_key.render(self.scope)
            if rule is None:
                return self.untouched()
            return self.befallen(rule) if rule.kind.reaches else self.unreached(rule)
        except (EvaluationError, EffectError, TreeError) as error:
            return self.failed(str(error))
        except Exception as error:  # an adapter is code from outside, and raises what it likes
            return self.failed(f"{type(error).__name__}: {error}")

    # how it goes

    def untouched(self) -> Step:
        """No fault: everything is kept, and the true answer is sent."""
        computed = self.compute()
        return self.done(computed.sent, self.whole(computed.changes), computed.changes, computed)

    def unreached(self, rule: CompiledRule) -> Step:
        """The fault ends the call before the dependency hears of it."""
        sent = send(rule, None, self.scope)
        took_effect = rule.delay_ms > 0 or self.would_differ(sent)
        return self.done(sent, self.whole(NO_CHANGES), took_effect=took_effect)

    def would_differ(self, sent: Sent) -> bool:
        """Whether the call would have gone otherwise without the fault, which may imitate a refusal."""
        if sent.status is None or self.tool.handler.foreign:
            return True
        counts, name = self.world.counters.executions, self.tool.name
        executions = counts.get(name, 0)
        try:
            computed = self.compute()
        except Exception:
            return True
        finally:
            self.world.tree.undo(self.mark)
            counts[name] = executions
        return bool(computed.changes) or differs(sent, computed.sent)

    def befallen(self, rule: CompiledRule) -> Step:
        """The dependency is reached, and a fault decides what becomes of it."""
        computed = self.compute()
        kept, committed = self.commit(rule.kind.commit, computed)
        other = self.other_answer(rule.kind.answer, computed) if computed.success else None
        self.show_state()
        sent = send(rule, computed.sent, self.scope, success=computed.success, other=other)
        redelivered = None
        if rule.kind.commit is _TWICE and computed.success:
            redelivered = self.deliver_again(computed)
            if committed is _ALL and redelivered.changes:
                committed = _TWICE
        took_effect = (
            rule.delay_ms > 0 or differs(sent, computed.sent) or committed is not self.whole(computed.changes)
        )
        return self.done(sent, committed, kept, computed, took_effect=took_effect, redelivered=redelivered)

    def failed(self, reason: str) -> Step:
        """The twin itself is at fault: everything is taken back, and the case cannot be judged."""
        world = self.world
        world.tree.undo(self.mark)
        reason = legible(reason, MAX_REASON)
        world.twin_error = world.twin_error or f"{self.tool.name}: {reason}"
        refusal = refuse(500, "TWIN_ERROR", f"The twin failed: {reason}.")
        return self.done(refusal, self.whole(NO_CHANGES))

    # what the dependency does

    def compute(self) -> Computed:
        """The true answer, with everything that the call changes done in the state."""
        world, tool, tenancy = self.world, self.tool, self.world.tenancy
        if tool.keys is not None:
            known = self.answer_by_key(tool.keys)
            if known is not None:
                return known
        foreign = tenancy is not None and self.is_foreign(tenancy)
        if foreign and not world.leaky:
            refusal = refuse(403, "ACCESS_DENIED", "This record belongs to another tenant.")
            return Computed(refusal, cross_tenant="denied")
        self.roots["id"] = self.next_id()
        sent = self.execute(world.tree, self.scope)
        changes = world.tree.changes(self.mark) if tool.handler.land is not None else NO_CHANGES
        crossed = tenancy is not None and sent.success and (foreign or tenancy.shows_foreign(sent.body))
        return Computed(sent, changes, True, cross_tenant="allowed" if crossed else None)

    def answer_by_key(self, rules: KeyRules) -> Computed | None:
        """What a key alone decides: it is refused, in conflict, or the call is answered again."""
        world, key = self.world, self.key
        if rules.picky:
            refused = rules.refuse_key(key, self.scope)
            if refused is not None:
                return Computed(refused)
        if key is None:
            return None
        stored = world.stored.get(rules.slot(world.tenant, key))
        if stored is None or rules.is_expired(stored, world.clock):
            return None
        if rules.mismatch is not None and self.is_other(stored):
            return Computed(rules.mismatch(self.scope))
        if rules.in_flight is not None and any(late.record == stored.late for late in world.late):
            return Computed(rules.in_flight(self.scope))
        return self.answer_again(stored)

    def is_other(self, stored: Stored) -> bool:
        """Whether the key was used for another call than this."""
        key = self.tool.key_argument
        return stored.tool != self.tool.name or not equal(
            without_key(stored.arguments, key), without_key(self.arguments, key)
        )

    def answer_again(self, stored: Stored) -> Computed:
        tenancy = self.world.tenancy
        sent = Sent(stored.sent.status, dict(REPLAYED), stored.sent.body, stored.sent.code)
        crossed = tenancy is not None and tenancy.shows_foreign(sent.body)
        return Computed(sent, replayed=True, cross_tenant="allowed" if crossed else None)

    def is_foreign(self, tenancy: Tenancy) -> bool:
        """Whether the record that the tool's tenant path leads to belongs to another tenant."""
        path = self.tool.tenant_path
        if path is None:
            return False
        place = self.place_of_owner = path.resolve(self.scope)
        return tenancy.is_foreign_at(self.world.tree, place)

    def next_id(self) -> str:
        """The running number of the tool's executions in this case."""
        counts = self.world.counters.executions
        number = counts[self.tool.name] = counts.get(self.tool.name, 0) + 1
        return f"{number:04}"

    def execute(self, tree: Tree, scope: Scope, *, first_only: bool = False) -> Sent:
        """Runs the handler on a state; gives its answer."""
        tool = self.tool
        target = Target(tree, first_only)
        if self.target is None:  # the true execution comes first, on the state that tenancy was asked of
            self.target = target
            if tool.owner_is_record:
                target.record = self.place_of_owner
        sent = tool.handler.handle(target, scope)
        if tool.check_answer is not None and sent.success:
            problems = tool.check_answer(orjson.loads(sent.body or b"null"))
            if problems:
                raise EvaluationError(f"the answer breaks the tool's outputSchema: {'; '.join(problems)}")
        return sent

    def anew(self, tree: Tree, **roots: object) -> Scope:
        """What another execution of the same call sees, on ``tree``."""
        return Scope(self.arguments, {**self.roots, "state": tree.root, **roots})

    # what the fault makes of it

    def commit(self, plan: Commit, computed: Computed) -> tuple[tuple[Change, ...], Commit | None]:
        """Keeps as much as the plan says: the changes kept, and how much that is."""
        whole = self.whole(computed.changes)
        if plan in (_ALL, _TWICE) or not computed.success or computed.replayed or whole is None:
            return computed.changes, whole
        tree = self.world.tree
        tree.undo(self.mark)
        if plan is _LATE:
            return NO_CHANGES, _LATE
        if plan is _NONE:
            return NO_CHANGES, _NONE
        with suppress(FirstDone):
            self.execute(tree, self.anew(tree), first_only=True)
        kept = tree.changes(self.mark)
        return kept, whole if kept == computed.changes else _FIRST

    def whole(self, changes: tuple[Change, ...]) -> Commit | None:
        """How much is kept where all of ``changes`` is; None for a tool that can change nothing."""
        if self.tool.handler.land is None:
            return None
        return _ALL if changes else _NONE

    def other_answer(self, answer: Answer, computed: Computed) -> Sent | None:
        """The answer to another question, where the fault sends one."""
        if answer is Answer.PREVIOUS:
            return self.world.previous.get(self.tool.name)
        if answer is Answer.STALE and not computed.replayed:
            tree = self.world.before.fork()
            return self.execute(tree, self.anew(tree))
        return None

    def show_state(self) -> None:
        """Lets the texts of a fault see the state as it is left."""
        self.roots["state"] = self.world.tree.root
        if self.target is not None and self.target.record is not None:
            self.roots["value"] = self.world.tree.get(self.target.record)

    def deliver_again(self, computed: Computed) -> ToolCall:
        """The second arrival of a duplicated message: a record of its own, a replay where a key was sent."""
        if self.key is not None:
            sent, changes = Sent(computed.sent.status, dict(REPLAYED), computed.sent.body), NO_CHANGES
        else:
            tree = self.world.tree
            mark = tree.mark()
            sent = self.execute(tree, self.anew(tree, id=self.next_id()))
            changes = tree.changes(mark) if self.tool.handler.writes else NO_CHANGES
        second = Computed(sent, changes, replayed=self.key is not None, cross_tenant=computed.cross_tenant)
        record = self.recorded(sent, self.whole(changes), changes, second, took_effect=bool(changes))
        record.redelivered = True
        return record

    # the end

    def done(
        self,
        sent: Sent,
        committed: Commit | None,
        changes: tuple[Change, ...] = NO_CHANGES,
        computed: Computed | None = None,
        *,
        took_effect: bool = False,
        redelivered: ToolCall | None = None,
    ) -> Step:
        """Remembers what later calls depend on, records what happened, and lets the time pass."""
        world, rule = self.world, self.rule
        if computed is not None:
            self.remember(computed, committed, sent)
        record = self.recorded(sent, committed, changes, computed, took_effect=took_effect)
        if rule is not None:
            self.note_fault(rule, record)
        records = (record,) if redelivered is None else (record, redelivered)
        world.records += records
        reply = Reply(sent.status, sent.headers, sent.body, sent.wire, record.delay_ms, record.result)
        return Step(reply, records)

    def remember(self, computed: Computed, committed: Commit | None, sent: Sent) -> None:
        """Keeps the answer: as the tool's previous one, and under its key if the tool's rules say so."""
        world, tool, key = self.world, self.tool, self.key
        world.previous[tool.name] = computed.sent
        if key is None or tool.keys is None or not computed.executed:
            return
        late = committed is _LATE
        whole = late or committed is self.whole(computed.changes)
        kept = tool.keys.kept(computed.sent, sent, whole=whole)
        if kept is not None:
            world.stored[tool.keys.slot(world.tenant, key)] = Stored(
                tool.name, self.arguments, kept, world.clock, len(world.records) if late else None
            )

    def note_fault(self, rule: CompiledRule, record: ToolCall) -> None:
        """What a fault leaves behind, when its record is about to be appended."""
        world = self.world
        world.fired[rule.index] = world.fired.get(rule.index, False) or record.took_effect
        if record.committed is _LATE:
            due = world.tool_calls + rule.behavior.lands_before_call
            world.late.append(Late(len(world.records), self.tool, self.arguments, self.roots, due))
        world.advance(record.delay_ms)

    def place(self) -> Segments | None:
        """Where the record is that the call is about, whether or not it came to an execution."""
        if self.target is not None:
            return self.target.record
        locate = self.tool.handler.locate
        if locate is None:
            return None
        try:
            return locate(self.scope)
        except EvaluationError:
            return None

    def recorded(
        self,
        sent: Sent,
        committed: Commit | None,
        changes: tuple[Change, ...],
        computed: Computed | None,
        *,
        took_effect: bool,
    ) -> ToolCall:
        world, tool = self.world, self.tool
        body, place = sent.body, self.place()
        record = ToolCall(
            seq=world.seq,
            number=self.number,
            tool=tool.name,
            arguments=self.arguments,
            status=sent.status,
            result=read_result(sent.status, sent.wire),
            code=sent.code,
            answer=body if body is None or len(body) <= MAX_RECORDED_BYTES else encode(told(body)),
            headers=sent.headers,
            risk=tool.risk,
            role=tool.role,
            idempotency_key=self.key,
            key_argument=tool.key_argument,
            declares_idempotency=tool.declares_idempotency,
            effect_key=self.effect_key,
            record=format_path(place) if place is not None else None,
            committed=committed,
            changes=changes,
            approved=tool.name in world.approvals,
        )
        if computed is not None:
            record.computed_changes = len(computed.changes)
            record.replayed = computed.replayed
            record.cross_tenant = computed.cross_tenant
        if self.rule is not None:
            _tell_fault(record, self.rule, took_effect)
        return record


def _tell_fault(record: ToolCall, rule: CompiledRule, took_effect: bool) -> None:
    record.fault = rule.behavior.type
    record.rule = rule.name
    record.took_effect = took_effect
    record.knowable = rule.kind.knowable or not took_effect
    record.delay_ms = rule.delay_ms if took_effect else 0
