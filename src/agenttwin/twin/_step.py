"""One call of a tool: in at the gate, on to its execution, and late effects in between."""

from __future__ import annotations

from dataclasses import replace

from agenttwin.expression import Scope
from agenttwin.transcript import Result, Risk, ToolCall
from agenttwin.twin._answer import Sent, read_result
from agenttwin.twin._compile import CompiledTwin
from agenttwin.twin._effect import Target
from agenttwin.twin._execution import Execution
from agenttwin.twin._fault import Wire
from agenttwin.twin._gate import MAX_REASON, Asked, Call, gate, legible, receive
from agenttwin.twin._reply import Reply, Step
from agenttwin.twin._world import Late, World


def step(twin: CompiledTwin, world: World, call: Call) -> Step:
    """Answers one call and records it; changes ``world``. Never raises for what the caller did."""
    world.seq += 1
    world.tool_calls += 1
    if world.late:
        _land_due(world)
    asked = receive(twin, call)
    refusal = gate(twin, world, asked)
    if refusal is not None:
        return _refused(world, asked, refusal)
    assert asked.tool is not None
    return Execution(world, asked.tool, asked.arguments, asked.key).run()


def _refused(world: World, asked: Asked, refusal: Sent) -> Step:
    """A call that the gate turned away: recorded, without a call number."""
    tool = asked.tool
    record = ToolCall(
        seq=world.seq,
        number=None,
        tool=asked.name,
        arguments=asked.arguments,
        status=refusal.status,
        result=read_result(refusal.status, Wire.WHOLE) if tool is not None else Result.UNKNOWN_TOOL,
        code=refusal.code,
        answer=refusal.body,
        headers={},
        risk=tool.risk if tool is not None else Risk.WRITE_IRREVERSIBLE,
        role=tool.role if tool is not None else None,
        declares_idempotency=tool is not None and tool.declares_idempotency,
        idempotency_key=asked.key,
        key_argument=tool.key_argument if tool is not None else None,
        refusal=refusal.code,
        approved=asked.name in world.approvals,
    )
    world.records.append(record)
    reply = Reply(
        status=record.status,
        headers=record.headers,
        body=record.answer,
        wire=Wire.WHOLE,
        delay_ms=0,
        result=record.result,
    )
    return Step(reply=reply, records=(record,))


def finish(world: World) -> None:
    """The end of the case: what is still late is executed now, in the order in which it was due."""
    late, world.late = world.late, []
    for each in sorted(late, key=lambda each: each.due):
        _land(world, each, at=0)


def _land_due(world: World) -> None:
    due = [late for late in world.late if late.due <= world.tool_calls]
    world.late = [late for late in world.late if late.due > world.tool_calls]
    for late in due:
        _land(world, late, at=world.seq)


def _land(world: World, late: Late, *, at: int) -> None:
    """Executes an accepted call now, and adds what it changed to its record."""
    tree = world.tree
    mark = tree.mark()
    try:
        _execute(world, late)
    except Exception as error:  # a failure of the definition, or of an adapter
        tree.undo(mark)
        reason = legible(str(error), MAX_REASON)
        world.twin_error = world.twin_error or f"{late.tool.name}: an accepted call failed later: {reason}"
    record = world.records[late.record]
    assert isinstance(record, ToolCall)
    world.records[late.record] = replace(record, changes=tree.changes(mark), landed=at)


def _execute(world: World, late: Late) -> None:
    land = late.tool.handler.land
    assert land is not None
    scope = Scope(late.arguments, {**late.roots, "state": world.tree.root, "now": world.now})
    land(Target(world.tree), scope)
