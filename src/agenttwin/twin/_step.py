"""One call of a tool: the gate, the fault, the handler, the commit, the answer, the record, in that order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from agenttwin.expression import EvaluationError, Scope
from agenttwin.transcript import Commit, Result, Risk, ToolCall
from agenttwin.twin._answer import Sent, read_result, send
from agenttwin.twin._choice import CompiledRule, choose
from agenttwin.twin._compile import CompiledTool, CompiledTwin
from agenttwin.twin._effect import EffectError, FirstDone, Target, lazily
from agenttwin.twin._fault import Answer, Wire
from agenttwin.twin._handler import Answered, refuse
from agenttwin.twin._world import Late, Stored, World
from agenttwin.values import (
    MISSING,
    Change,
    Json,
    Tree,
    TreeError,
    canonical,
    digest_bytes,
    encode,
    format_path,
    nearest,
)

MAX_RECORDED_BYTES: Final = 256 * 1024
"""Arguments are refused and answers recorded by digest and length beyond this."""


@dataclass(frozen=True, slots=True)
class Call:
    """What an agent asks for. ``headers`` names are compared without regard to case."""

    tool: str
    arguments: Json
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the caller sees. ``status`` and ``body`` are None where nothing came; ``body`` is as sent.

    ``wire`` and ``delay_ms`` say how it travels; a surface with a real wire makes them so.
    """

    status: int | None
    headers: Mapping[str, str]
    body: bytes | None
    wire: Wire
    delay_ms: int
    result: Result

    @property
    def ok(self) -> bool:
        """Whether a complete success came."""
        return self.result is Result.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call done: what the caller sees, and what was recorded (the call, and its redelivery if any)."""

    reply: Reply
    records: tuple[ToolCall, ...]


TWIN_FAILURES: Final = (EvaluationError, EffectError, TreeError)


def step(twin: CompiledTwin, world: World, call: Call) -> Step:
    """Answers one call and records it; changes ``world``. Never raises for what the caller did."""
    world.seq += 1
    world.tool_calls += 1
    _land_due(world)
    tool = twin.tools.get(call.tool)
    data = _copy_of(call.arguments)
    refusal = _gate(twin, world, call.tool, tool, data)
    if refusal is not None:
        return _refused(world, call, tool, data, refusal)
    assert tool is not None
    assert isinstance(data, bytes)
    arguments: dict[str, Json] = orjson.loads(data)
    return _Execution(world, tool, arguments, call.headers).run()


def finish(world: World) -> None:
    """The end of the case: what is still late is executed now."""
    for late in world.late:
        _land(world, late, at=0)
    world.late.clear()


# -- the gate


def _copy_of(arguments: Json) -> bytes | str:
    """The arguments as canonical JSON, which nobody can change any more; text says why there are none."""
    try:
        return canonical(arguments)
    except ValueError as error:
        return str(error)


def _gate(
    twin: CompiledTwin, world: World, name: str, tool: CompiledTool | None, data: bytes | str
) -> Answered | None:
    if tool is None:
        close = nearest(name, twin.tools)
        hint = f" Did you mean {close!r}?" if close else ""
        return refuse(404, "UNKNOWN_TOOL", f"There is no tool {name!r}.{hint}")
    if not world.leaky:
        if world.allowed_tools is not None and name not in world.allowed_tools:
            return refuse(403, "TOOL_NOT_ALLOWED", f"The tool {name!r} is not allowed here.")
        if tool.risk is Risk.ADMIN and name not in world.approvals:
            return refuse(403, "ADMIN_ONLY", f"The tool {name!r} needs an administrator's approval.")
    refusal = _check_arguments(tool, data)
    if refusal is not None:
        return refusal
    if world.tool_calls > world.call_limit:
        world.limit_exceeded = True
        return refuse(409, "CALL_LIMIT", f"A case may make {world.call_limit} calls.")
    return None


def _check_arguments(tool: CompiledTool, data: bytes | str) -> Answered | None:
    if isinstance(data, str):
        return refuse(400, "INVALID_ARGUMENTS", f"The arguments are no JSON: {data}.")
    if data[:1] != b"{":
        return refuse(400, "INVALID_ARGUMENTS", "The arguments are not a JSON object.")
    if len(data) > MAX_RECORDED_BYTES:
        return refuse(413, "ARGUMENTS_TOO_LARGE", f"The arguments have more than {MAX_RECORDED_BYTES:,} bytes.")
    problems = tool.check_arguments(orjson.loads(data)) if tool.check_arguments else ()
    if problems:
        return refuse(422, "INVALID_ARGUMENTS", f"The arguments do not fit: {'; '.join(problems)}.")
    return None


def _refused(
    world: World, call: Call, tool: CompiledTool | None, data: bytes | str, refusal: Answered
) -> Step:
    body = encode(refusal.body)
    result = Result.UNKNOWN_TOOL if tool is None else read_result(refusal.status, Wire.WHOLE)
    record = ToolCall(
        seq=world.seq,
        number=None,
        tool=call.tool[:MAX_TOOL_NAME],
        arguments=_recorded_arguments(data),
        status=refusal.status,
        result=result,
        code=refusal.code,
        answer=body,
        headers={},
        risk=tool.risk if tool else Risk.WRITE_IRREVERSIBLE,
        role=tool.role if tool else None,
        declares_idempotency=tool.declares_idempotency if tool else False,
        refusal=refusal.code,
    )
    world.records.append(record)
    reply = Reply(
        status=refusal.status, headers={}, body=body, wire=Wire.WHOLE, delay_ms=0, result=result
    )
    return Step(reply=reply, records=(record,))


MAX_TOOL_NAME: Final = 200
"""Of an unknown tool's name, which may be anything."""


def _recorded_arguments(data: bytes | str) -> Json:
    if isinstance(data, str):
        return None
    if len(data) > MAX_RECORDED_BYTES:
        return {"digest": digest_bytes(data), "bytes": len(data)}
    value: Json = orjson.loads(data)
    return value


# -- the call itself


class _Execution:
    """One accepted call on its way; lives for one step."""

    __slots__ = ("arguments", "effect_key", "key", "mark", "number", "roots", "rule", "scope", "tool", "world")

    def __init__(
        self, world: World, tool: CompiledTool, arguments: dict[str, Json], headers: Mapping[str, str]
    ) -> None:
        self.world = world
        self.tool = tool
        self.arguments = arguments
        self.key = _key(tool, arguments, headers)
        counts = world.counters.calls
        self.number = counts[tool.name] = counts.get(tool.name, 0) + 1
        self.rule: CompiledRule | None = choose(world, tool, arguments, self.number) if world.rules else None
        self.roots: dict[str, object] = {
            "state": world.tree.root,
            "settings": world.settings,
            "tenant": world.tenant,
            "now": world.now,
            "call": {"number": self.number, "seq": world.seq},
            "idempotency_key": self.key,
        }
        self.scope = Scope(arguments, self.roots)
        self.mark = world.tree.mark()
        self.effect_key: str | None = None

    def run(self) -> Step:
        try:
            if self.tool.effect_key is not None:
                self.effect_key = str(self.tool.effect_key.render(self.scope))
            if self.rule is not None and not self.rule.kind.reaches:
                return self.unreached()
            return self.reached()
        except TWIN_FAILURES as error:
            return self.failed(str(error))
        except Exception as error:  # a custom adapter is code from outside: whatever it raises is the twin's fault
            return self.failed(f"{type(error).__name__}: {error}")

    # -- the dependency is never reached

    def unreached(self) -> Step:
        assert self.rule is not None
        sent = send(self.rule, None, self.scope, previous=None, stale=None)
        return self.done(sent, None, committed=Commit.NONE if self.tool.handler.writes else None, took_effect=True)

    # -- the dependency is reached

    def reached(self) -> Step:
        stored = self.stored()
        if stored is not None:
            return self.answered_before(stored)
        denied = self.foreign_record()
        if denied is not None:
            return self.conclude(denied, cross_tenant="denied")
        answered = self.execute(self.world.tree, self.scope)
        return self.conclude(answered)

    def stored(self) -> Stored | None:
        if self.key is None:
            return None
        return self.world.stored.get((self.tool.name, self.key))

    def answered_before(self, stored: Stored) -> Step:
        if stored.arguments != self.arguments_without_key():
            message = "This idempotency key was used with other arguments."
            return self.conclude(refuse(409, "IDEMPOTENCY_CONFLICT", message))
        computed = Sent(stored.status, {"Idempotent-Replayed": "true"}, stored.body, Wire.WHOLE, None)
        sent = self.sent(computed, success=True, stale=None)
        took_effect = self.differs(sent, computed)
        return self.done(sent, computed, committed=self.nothing(), took_effect=took_effect, replayed=True)

    def arguments_without_key(self) -> bytes:
        key = self.tool.key_argument
        return canonical({name: value for name, value in self.arguments.items() if name != key})

    def nothing(self) -> Commit | None:
        return Commit.NONE if self.tool.handler.writes else None

    def foreign_record(self) -> Answered | None:
        world, path = self.world, self.tool.tenant_path
        if path is None or world.leaky or world.tenant is None or world.twin.tenant_key is None:
            return None
        record = world.tree.get(path.resolve(self.scope))
        owner = _owner(record, world.twin.tenant_key)
        if owner is MISSING or owner == world.tenant:
            return None
        return refuse(403, "ACCESS_DENIED", "This record belongs to another tenant.")

    def execute(self, tree: Tree, scope: Scope, first_only: bool = False) -> Answered:
        """Runs the handler on ``tree``; what is no success is taken back."""
        counts = self.world.counters.executions
        counts[self.tool.name] = counts.get(self.tool.name, 0) + 1
        scope.roots["id"] = f"{counts[self.tool.name]:04}"
        mark = tree.mark()
        try:
            answered = self.tool.handler.handle(tree, scope, first_only)
        except FirstDone:
            return Answered(200, None)
        if not answered.success:
            tree.undo(mark)
        elif self.tool.check_answer is not None:
            problems = self.tool.check_answer(orjson.loads(encode(answered.body)))
            if problems:
                raise EvaluationError(f"the answer breaks the tool's outputSchema: {'; '.join(problems)}")
        return answered

    def conclude(self, answered: Answered, cross_tenant: str | None = None) -> Step:
        """Decides how much is kept and what is sent."""
        tree, rule = self.world.tree, self.rule
        body = encode(answered.body)
        computed = Sent(answered.status, {}, body, Wire.WHOLE, answered.code)
        if answered.success and cross_tenant is None:
            cross_tenant = self.holds_foreign(body)
        changes = tree.changes(self.mark) if self.tool.handler.writes else ()
        stale = self.stale(answered) if rule is not None and rule.kind.answer is Answer.STALE else None
        if rule is None:
            kept, committed, late = changes, self.whole(changes), False
        else:
            kept, committed, late = self.commit(rule.kind.commit, changes)
        self.keep_answer(answered, body, changes, committed, late)
        sent = self.sent(computed, success=answered.success, stale=stale)
        redelivered, committed = self.deliver_again(answered, committed)
        took_effect = self.differs(sent, computed) or (bool(changes) and committed is not self.whole(changes))
        self.world.previous[self.tool.name] = (answered.status, body)
        return self.done(
            sent, computed, committed=committed, took_effect=took_effect, changes=kept, count=len(changes),
            cross_tenant=cross_tenant, redelivered=redelivered, late=late,
        )  # fmt: skip

    # -- how much is committed

    def whole(self, changes: tuple[Change, ...]) -> Commit | None:
        return (Commit.ALL if changes else Commit.NONE) if self.tool.handler.writes else None

    def commit(self, plan: Commit, changes: tuple[Change, ...]) -> tuple[tuple[Change, ...], Commit | None, bool]:
        """Keeps what the fault lets happen: the changes kept, how much that is, whether the rest comes late."""
        if not changes or plan in (Commit.ALL, Commit.TWICE):
            return changes, self.whole(changes), False
        tree = self.world.tree
        tree.undo(self.mark)
        if plan is Commit.FIRST:
            self.again(tree, first_only=True)
            return tree.changes(self.mark), Commit.FIRST, False
        if plan is Commit.LATE:
            return (), Commit.LATE, True
        return (), Commit.NONE, False

    def again(self, tree: Tree, *, first_only: bool) -> None:
        """Executes once more what was computed and taken back, under the same id."""
        counts = self.world.counters.executions
        counts[self.tool.name] -= 1
        self.roots["state"] = tree.root
        self.execute(tree, Scope(self.arguments, self.roots), first_only)

    def keep_answer(
        self, answered: Answered, body: bytes, changes: tuple[Change, ...], committed: Commit | None, late: bool
    ) -> None:
        complete = late or committed is self.whole(changes)
        if self.key is not None and answered.success and complete:
            stored = Stored(self.arguments_without_key(), answered.status, body)
            self.world.stored[(self.tool.name, self.key)] = stored

    def deliver_again(
        self, answered: Answered, committed: Commit | None
    ) -> tuple[ToolCall | None, Commit | None]:
        """The second arrival of a duplicated message: a record of its own."""
        rule, world = self.rule, self.world
        if rule is None or rule.kind.commit is not Commit.TWICE or not answered.success:
            return None, committed
        mark = world.tree.mark()
        replayed = self.stored() is not None
        changes: tuple[Change, ...] = ()
        second = answered
        if not replayed:
            self.roots["state"] = world.tree.root
            second = self.execute(world.tree, Scope(self.arguments, self.roots))
            changes = world.tree.changes(mark) if self.tool.handler.writes else ()
        sent = Sent(second.status, {}, encode(second.body), Wire.WHOLE, second.code)
        record = self.record(sent, committed=self.whole(changes), took_effect=bool(changes), changes=changes,
                             count=len(changes), replayed=replayed, redelivered=True)  # fmt: skip
        twice = bool(changes) and committed is Commit.ALL
        return record, Commit.TWICE if twice else committed

    # -- what is sent

    def sent(self, computed: Sent, *, success: bool, stale: Sent | None) -> Sent:
        if self.rule is None:
            return computed
        keeps_refusal = self.rule.kind.answer not in (Answer.ERROR, Answer.NOTHING) and not success
        previous = None if keeps_refusal else self.world.previous.get(self.tool.name)
        return send(
            self.rule, computed, self.scope, previous=previous, stale=stale, keep_computed=keeps_refusal
        )

    def stale(self, answered: Answered) -> Sent | None:
        """The answer on the state as it was when the case began."""
        if not answered.success:
            return None
        tree = self.world.before.fork()
        roots = {**self.roots, "state": tree.root}
        roots.pop("value", None)
        self.world.counters.executions[self.tool.name] -= 1
        old = self.execute(tree, Scope(self.arguments, roots))
        return Sent(old.status, {}, encode(old.body), Wire.WHOLE, old.code)

    def differs(self, sent: Sent, computed: Sent) -> bool:
        rule = self.rule
        if rule is None:
            return False
        changed = sent.status != computed.status or sent.body != computed.body or sent.headers != computed.headers
        return changed or sent.wire not in (Wire.WHOLE, Wire.SLOW, Wire.DRIPPING) or rule.delay_ms > 0

    def holds_foreign(self, body: bytes) -> str | None:
        world = self.world
        key = world.twin.tenant_key
        if key is None or world.tenant is None or key.encode() not in body:
            return None
        return "allowed" if _names_other(orjson.loads(body), key, world.tenant) else None

    # -- the end

    def failed(self, message: str) -> Step:
        """The twin itself is at fault: everything is taken back, and the case cannot be judged."""
        world = self.world
        world.tree.undo(self.mark)
        world.twin_error = world.twin_error or f"{self.tool.name}: {message}"
        self.rule = None
        body = encode(refuse(500, "TWIN_ERROR", f"The twin failed: {message}.").body)
        sent = Sent(500, {}, body, Wire.WHOLE, "TWIN_ERROR")
        return self.done(sent, sent, committed=self.nothing(), took_effect=False)

    def done(
        self,
        sent: Sent,
        computed: Sent | None,
        *,
        committed: Commit | None,
        took_effect: bool,
        changes: tuple[Change, ...] = (),
        count: int = 0,
        replayed: bool = False,
        cross_tenant: str | None = None,
        redelivered: ToolCall | None = None,
        late: bool = False,
    ) -> Step:
        world, rule = self.world, self.rule
        if rule is not None:
            world.fired[rule.name] = world.fired.get(rule.name, False) or took_effect
        record = self.record(sent, committed=committed, took_effect=took_effect, changes=changes, count=count,
                             replayed=replayed, cross_tenant=cross_tenant)  # fmt: skip
        world.records.append(record)
        if late and rule is not None:
            before = world.seq + rule.behavior.lands_before_call
            roots = {key: value for key, value in self.roots.items() if key not in ("state", "value")}
            world.late.append(Late(len(world.records) - 1, self.tool, self.arguments, roots, before))
        records: tuple[ToolCall, ...] = (record,)
        if redelivered is not None:
            world.records.append(redelivered)
            records = (record, redelivered)
        delay = rule.delay_ms if rule is not None and took_effect else 0
        world.advance(delay)
        reply = Reply(
            status=sent.status, headers=sent.headers, body=sent.body, wire=sent.wire, delay_ms=delay,
            result=record.result,
        )  # fmt: skip
        return Step(reply=reply, records=records)

    def record(
        self,
        sent: Sent,
        *,
        committed: Commit | None,
        took_effect: bool,
        changes: tuple[Change, ...],
        count: int,
        replayed: bool,
        cross_tenant: str | None = None,
        redelivered: bool = False,
    ) -> ToolCall:
        tool, rule = self.tool, self.rule
        return ToolCall(
            seq=self.world.seq,
            number=self.number,
            tool=tool.name,
            arguments=self.arguments,
            status=sent.status,
            result=read_result(sent.status, sent.wire),
            code=sent.code,
            answer=_recorded_answer(sent.body),
            headers=sent.headers,
            risk=tool.risk,
            role=tool.role,
            fault=rule.type if rule else None,
            rule=rule.name if rule else None,
            took_effect=took_effect,
            knowable=rule is None or not took_effect or rule.kind.knowable,
            idempotency_key=self.key,
            declares_idempotency=tool.declares_idempotency,
            effect_key=self.effect_key,
            record=self.record_path(),
            computed_changes=count,
            committed=committed,
            replayed=replayed,
            redelivered=redelivered,
            changes=changes,
            cross_tenant=cross_tenant,
            approved=tool.name in self.world.approvals,
            delay_ms=rule.delay_ms if rule and took_effect else 0,
        )

    def record_path(self) -> str | None:
        path = self.tool.handler.record
        if path is None:
            return None
        try:
            return format_path(path.resolve(self.scope))
        except EvaluationError:
            return None


def _key(tool: CompiledTool, arguments: dict[str, Json], headers: Mapping[str, str]) -> str | None:
    if tool.key_argument is not None:
        key = arguments.get(tool.key_argument)
        if key is not None:
            return key if isinstance(key, str) else canonical(key).decode()
    if tool.key_header is not None:
        return next((value for name, value in headers.items() if name.lower() == tool.key_header), None)
    return None


def _owner(record: Any, tenant_key: str) -> Any:
    get = getattr(record, "get", None)
    return get(tenant_key, MISSING) if get is not None else MISSING


def _names_other(value: Json, key: str, tenant: str) -> bool:
    if isinstance(value, dict):
        if isinstance(value.get(key), str) and value[key] != tenant:
            return True
        return any(_names_other(item, key, tenant) for item in value.values())
    return isinstance(value, list) and any(_names_other(item, key, tenant) for item in value)


def _recorded_answer(body: bytes | None) -> bytes | None:
    if body is None or len(body) <= MAX_RECORDED_BYTES:
        return body
    return orjson.dumps({"digest": digest_bytes(body), "bytes": len(body)})


# -- late effects


def _land_due(world: World) -> None:
    due = [late for late in world.late if late.before <= world.seq]
    if not due:
        return
    world.late = [late for late in world.late if late.before > world.seq]
    for late in due:
        _land(world, late, at=world.seq)


def _land(world: World, late: Late, *, at: int) -> None:
    """Executes an accepted call now: its guards are not asked again."""
    tree = world.tree
    mark = tree.mark()
    roots: dict[str, object] = {**late.roots, "state": tree.root}
    scope = Scope(late.arguments, roots)
    try:
        _execute_late(tree, late, scope)
    except (*TWIN_FAILURES, Exception) as error:
        tree.undo(mark)
        world.twin_error = world.twin_error or f"{late.tool.name}: a late effect failed: {error}"
    record = world.records[late.record]
    assert isinstance(record, ToolCall)
    world.records[late.record] = replace(record, changes=tree.changes(mark), landed=at)


def _execute_late(tree: Tree, late: Late, scope: Scope) -> None:
    handler = late.tool.handler
    if handler.effects is None:
        handler.handle(tree, scope, False)
        return
    path = None
    if handler.record is not None:
        path = handler.record.resolve(scope)
        scope.roots["value"] = tree.get(path)
    for lazy in lazily(handler.lets, scope):
        lazy.get()
    handler.effects(Target(tree, path), scope)
