"""The language of handlers: one short example for each construct, run while the page is made."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agenttwin.document import read
from agenttwin.transcript import ToolCall
from agenttwin.twin import (
    AdapterAnswer,
    Call,
    CompiledTwin,
    TwinDefinition,
    World,
    begin,
    compile,
    finish,
    step,
)
from agenttwin.values import MISSING, Json

from ._markdown import code, fence, join, page, table

STATE: Final = """
orders:
  A-1: {id: A-1, owner: us, status: paid, total: 40, lines: [{sku: mug, count: 2}, {sku: cup, count: 1}], note: null}
  B-2: {id: B-2, owner: them, status: sent, total: 15, lines: [], note: Ring twice}
stock: {mug: 5, cup: 1}
log: [opened]
"""

Calls = tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A construct: what it does, a tool that uses it, and the arguments of calls of that tool.

    ``spec`` is what the twin says beside its tool; ``tenant`` whose case it is.
    """

    name: str
    says: str
    tool: str
    calls: Calls = ({},)
    spec: str = ""
    tenant: str | None = None


def _kind(name: str, says: str, tool: str, *calls: Mapping[str, Json], **more: Any) -> Example:
    return Example(name=name, says=says, tool=tool, calls=calls or ({},), **more)


KINDS: Final = (
    _kind(
        "static", "Always the same answer, a template.",
        "handler: {kind: static, response: {status: up, at: '{now}'}}",
    ),
    _kind("echo", "Gives back the tool's name and the arguments.", "handler: {kind: echo}", {"a": 1}),
    _kind(
        "read", "Answers the value at `path`.",
        "handler: {kind: read, path: 'orders[{order_id}].status', notFound: {message: 'There is no {order_id}.'}}", {"order_id": "A-1"}, {"order_id": "C-3"},
    ),
    _kind(
        "mutate", "Changes the state. Without `response` it answers the record at `path` as it is after.",
        """
handler:
  kind: mutate
  path: "stock"
  effects: [{op: increment, path: "stock.{sku}", by: "{count}"}]
""",
        {"sku": "mug", "count": 3},
    ),
    _kind(
        "recorded", "Answers what was recorded. The first fixture whose `match` the arguments contain answers.",
        """
handler:
  kind: recorded
  fixtures:
    - {match: {city: Ulm}, response: {rate: 7}}
    - {match: {city: Bonn}, status: 202, response: {rate: null}}
    - {match: {city: Nowhere}, error: {status: 422, code: NO_SUCH_CITY, message: There is no such city.}}
""",
        {"city": "Ulm", "weight": 2}, {"city": "Bonn"}, {"city": "Nowhere"}, {"city": "Rome"},
    ),
    _kind(
        "custom", "Calls a function that is registered in Python. This one adds up `numbers`.",
        "handler: {kind: custom, adapter: add}", {"numbers": [1, 2]},
    ),
)  # fmt: skip

PARTS: Final = (
    _kind(
        "response", "Shapes the answer. In `mutate` it sees the state after the effects.",
        """
handler:
  kind: mutate
  path: "orders[{order_id}]"
  effects: [{op: set, path: "orders[{order_id}].status", value: closed}]
  response: {order: "{order_id}", now: "{value.status}", open: "{= values(state.orders).filter(o, o.status != 'closed').size() }"}
""",
        {"order_id": "A-1"},
    ),
    _kind(
        "response without path", "A search or a sum reads the state as a whole.",
        """
handler:
  kind: read
  let: {totals: "{= values(state.orders).map(order, order.total) }"}
  response: {orders: "{= size(totals) }", worth: "{= sum(totals) }"}
""",
    ),
    _kind(
        "notFound", "The answer where nothing stands at `path`. Default: 404 `NOT_FOUND`.",
        """
handler:
  kind: mutate
  path: "orders[{order_id}]"
  notFound: {status: 410, code: ORDER_GONE, message: "{order_id} is gone."}
  effects: [{op: set, path: "orders[{order_id}].status", value: closed}]
""",
        {"order_id": "C-3"},
    ),
    _kind(
        "let", "Names for values, computed when first used, on the state before the effects. They may use one another.",
        """
handler:
  kind: mutate
  path: "orders[{order_id}]"
  let:
    rest: "{= value.total - amount }"
    small: "{= rest < 10 }"
  effects: [{op: set, path: "orders[{order_id}].total", value: "{rest}"}]
  response: {rest: "{rest}", small: "{small}"}
""",
        {"order_id": "A-1", "amount": 35},
    ),
    _kind(
        "spec.let", "Names that tools share, as if they stood in the `let` of each handler that uses them.",
        "handler: {kind: read, path: 'orders[{order_id}]', response: {pieces: '{pieces}'}}",
        {"order_id": "A-1"},
        spec='let: {pieces: "{= sum(value.lines.map(line, line.count)) }"}',
    ),
    _kind(
        "spec.settings", "Constants under `settings`. A case may put others over them.",
        "handler: {kind: static, response: {limit: '{settings.limit}'}}",
        spec="settings: {limit: 100}",
    ),
)  # fmt: skip


def _guard(name: str, says: str, guard: str, *calls: Mapping[str, Json]) -> Example:
    tool = (
        f"handler:\n  kind: read\n  path: 'orders[{{order_id}}]'\n  preconditions: [{guard}]\n  response: ok"
    )
    return _kind(name, says, tool, *(calls or ({"order_id": "A-1"}, {"order_id": "B-2"})))


GUARDS: Final = (
    _guard("that", "An expression. Only exactly true lets the call pass.", "{that: value.total >= amount}",
           {"order_id": "A-1", "amount": 40}, {"order_id": "A-1", "amount": 41}),
    _guard("error", "What the guard answers. Default: 409 `PRECONDITION_FAILED`.",
           "{that: value.owner == 'us', error: {status: 403, code: NOT_OURS, message: '{order_id} is not ours.'}}"),
    _guard("equals", "The value at `path` is this.", "{path: 'orders[{order_id}].status', equals: paid}"),
    _guard("notEquals", "The value is another.", "{path: 'orders[{order_id}].status', notEquals: sent}"),
    _guard("in", "The value is one of these.", "{path: 'orders[{order_id}].status', in: [paid, packed]}"),
    _guard("exists", "Whether something is there; null is something. With no comparator it is `true`.",
           "{path: 'orders[{order_id}].lines[0]', exists: true}"),
    _guard("gte and lte", "At least, at most.", "{path: 'orders[{order_id}].total', gte: 20, lte: '{limit}'}",
           {"order_id": "A-1", "limit": 50}, {"order_id": "A-1", "limit": 30}),
    _guard("gt and lt", "More than, less than.", "{path: 'orders[{order_id}].lines.length()', gt: 0, lt: 10}"),
    _guard("matches", "A regular expression (RE2) occurs in the text.", "{path: 'orders[{order_id}].id', matches: '^A-[0-9]+$'}"),
    _guard("contains", "A part of a text, an element of a list, a key of an object.",
           "{path: 'orders[{order_id}].note', contains: Ring}"),
    _kind(
        "several", "They are asked in order; the first that does not hold answers, and no effect is made.",
        """
handler:
  kind: mutate
  path: "orders[{order_id}]"
  preconditions:
    - {path: "orders[{order_id}].owner", equals: us, error: {status: 403, code: NOT_OURS}}
    - {that: amount <= value.total, error: {code: TOO_MUCH, message: "{value.total} at most."}}
  effects: [{op: decrement, path: "orders[{order_id}].total", by: "{amount}"}]
  response: {left: "{value.total}"}
""",
        {"order_id": "A-1", "amount": 30}, {"order_id": "A-1", "amount": 30}, {"order_id": "B-2", "amount": 90},
    ),
)  # fmt: skip


def _effect(name: str, says: str, effect: str, *calls: Mapping[str, Json]) -> Example:
    return _kind(name, says, f"handler:\n  kind: mutate\n  effects:\n    - {effect}", *calls)


EFFECTS: Final = (
    _effect("set", "Writes a value; objects on the way are made.", "{op: set, path: 'orders[{order_id}].shipping.city', value: '{city}'}",
            {"order_id": "A-1", "city": "Ulm"}),
    _effect("increment", "Adds `by`, 1 if it is not said. Missing counts as 0.", "{op: increment, path: 'sold[{sku}]', by: '{count}'}",
            {"sku": "mug", "count": 2}),
    _effect("decrement", "Takes `by` away.", "{op: decrement, path: 'stock[{sku}]'}", {"sku": "mug"}),
    _effect("append", "Adds an element to a list. Missing counts as empty.", "{op: append, path: log, value: {entry: '{id}', text: '{text}'}}",
            {"text": "paid"}),
    _effect("delete", "Removes what is there; what is not there is no mistake.", "{op: delete, path: 'orders[{order_id}]'}",
            {"order_id": "B-2"}, {"order_id": "B-2"}),
    _effect("merge", "Merges an object as RFC 7396 says: null removes a member.",
            "{op: merge, path: 'orders[{order_id}]', value: {status: packed, note: null, by: Ada}}", {"order_id": "B-2"}),
    _effect("if", "Only where the expression is exactly true, on the state as it is by then.",
            "{op: set, path: 'stock[{sku}]', value: 0, if: 'state.stock[sku] < 3'}", {"sku": "mug"}, {"sku": "cup"}),
    _effect("forEach", "A block for each element of a list, once taken.",
            "forEach: {in: '{= state.orders[order_id].lines }', as: line}\n"
            "      effects: [{op: decrement, path: 'stock[{line.sku}]', by: '{line.count}'}]", {"order_id": "A-1"}),
    _effect("let in a block", "Names for the block, computed anew for each element, on the state as it is by then.",
            "forEach: {in: '{skus}', as: sku}\n"
            "      let: {left: '{= state.stock[sku] - 1 }'}\n"
            "      if: left >= 0\n"
            "      effects: [{op: set, path: 'stock[{sku}]', value: '{left}'}, {op: append, path: log, value: '{sku}: {left}'}]",
            {"skus": ["cup", "cup", "mug"]}),
    _effect("blocks in blocks", "A block may hold blocks.",
            "forEach: {in: '{= values(state.orders) }', as: order}\n"
            "      effects:\n"
            "        - forEach: {in: '{order.lines}', as: line}\n"
            "          effects: [{op: append, path: log, value: '{order.id} {line.sku}'}]"),
    _kind(
        "all or nothing", "An effect that cannot be done is a mistake of the twin: nothing of the call is kept, and the case is "
        "ERRORED.",
        "handler:\n  kind: mutate\n  effects:\n    - {op: append, path: log, value: begun}\n    - {op: increment, path: 'orders.A-1.status'}",
    ),
)  # fmt: skip

ABOUT: Final = (
    _kind(
        "effectKey", "Names what a call does to the world, from its arguments. Two effects of one name are a duplicate: here the "
        "same refund, twice.",
        """
effectKey: "refund:{order_id}"
handler: {kind: mutate, effects: [{op: append, path: log, value: "refund {order_id}"}]}
""",
        {"order_id": "A-1"}, {"order_id": "A-1"},
    ),
    _kind(
        "tenantPath", "Leads to the record that must belong to the case's tenant; its owner stands in the field `tenantKey`.",
        """
tenantPath: "orders[{order_id}]"
handler: {kind: read, path: "orders[{order_id}].status"}
""",
        {"order_id": "A-1"}, {"order_id": "B-2"},
        spec="tenantKey: owner", tenant="us",
    ),
    _kind(
        "inputSchema", "What arguments must be. Calls that do not fit are refused before anything else.",
        """
inputSchema: {type: object, properties: {count: {type: integer, minimum: 1}}, required: [count], additionalProperties: false}
handler: {kind: echo}
""",
        {"count": 0}, {"cuont": 1},
    ),
    _kind(
        "outputSchema", "What a success must be. An answer that breaks it is a mistake of the twin.",
        """
outputSchema: {type: object, required: [status]}
handler: {kind: static, response: {state: up}}
""",
    ),
    _kind(
        "idempotency", "How a repeated call is recognised. [All its rules](../how-to/model-idempotency.md).",
        """
idempotency: {argument: key}
handler: {kind: mutate, effects: [{op: decrement, path: stock.mug}], response: {left: "{state.stock.mug}"}}
""",
        {"key": "k"}, {"key": "k"},
    ),
)  # fmt: skip

SECTIONS: Final = (
    ("Kinds", "", KINDS),
    ("What a handler says", "", PARTS),
    (
        "Preconditions",
        "Guards of `read` and `mutate`, asked in order before the effects. Each has `path` with comparators, or `that`.",
        GUARDS,
    ),
    (
        "Effects",
        "They happen in order, all or none. Each sees the state as those before it have left it.",
        EFFECTS,
    ),
    ("What a tool says about its handler", "", ABOUT),
)
EXAMPLES: Final = tuple(example for _, _, examples in SECTIONS for example in examples)


def handlers() -> str:
    """The page of handlers."""
    return page(
        "Handlers",
        "A handler says what a tool answers and what it changes. It is data: nothing in it is executed as code. Every field is in "
        "[TwinDefinition](twin-definition.md), and [templates](templates.md) say what `{order_id}` and `{= … }` mean; here each "
        "construct is in use. The examples on this page are run while it is made, each on this state, its calls one after the other:",
        fence("yaml", STATE),
        *(
            join((f"## {title}", says, *(_shown(example) for example in examples)))
            for title, says, examples in SECTIONS
        ),
    )


def _shown(example: Example) -> str:
    written = "\n".join(part.strip("\n") for part in (_of_spec(example), example.tool) if part)
    return join(
        (
            f"### {example.name}",
            example.says,
            fence("yaml", written),
            table(("call", "answer", "changes"), (_row(call) for call in played(example).calls)),
        )
    )


def _of_spec(example: Example) -> str:
    return f"# in spec\n{example.spec}\n# the tool" if example.spec else ""


def _row(call: ToolCall) -> tuple[str, str, str]:
    assert isinstance(call.arguments, dict)
    arguments = ", ".join(f"{name}={json.dumps(value)}" for name, value in call.arguments.items())
    answer = json.dumps(json.loads(call.answer or b"null"), ensure_ascii=False)
    told = f"{call.status} {code(answer)}" + (", a replay" if call.replayed else "")
    return code(f"({arguments})"), told, "<br>".join(_changes(call)) or "–"


def _changes(call: ToolCall) -> Iterator[str]:
    for change in call.changes:
        before, after = (
            "nothing" if side is MISSING else code(json.dumps(side, ensure_ascii=False))
            for side in (change.before, change.after)
        )
        yield f"{code(change.path)}: {before} → {after}"


def _add(arguments: dict[str, Json], state: dict[str, Json], context: Mapping[str, Json]) -> AdapterAnswer:
    return AdapterAnswer(body={"sum": sum(arguments["numbers"])})  # type: ignore[arg-type]


def definition(example: Example) -> TwinDefinition:
    """The twin of an example; DocumentError where it has a problem."""
    tool = "\n".join(f"      {line}" for line in example.tool.strip("\n").splitlines())
    spec = "\n".join(f"  {line}" for line in example.spec.strip("\n").splitlines())
    state = "\n".join(f"    {line}" for line in STATE.strip("\n").splitlines())
    text = (
        "apiVersion: agenttwin.dev/v1\nkind: TwinDefinition\nmetadata: {name: example}\n"
        f"spec:\n  initialState:\n{state}\n{spec}\n  tools:\n    - name: t\n{tool}\n"
    )
    return read(text, file=f"{example.name}.yaml", models={"TwinDefinition": TwinDefinition}).model


def played(example: Example) -> World:
    """The world after the calls of an example."""
    twin: CompiledTwin = compile(definition(example), adapters={"add": _add})
    world = begin(twin, tenant=example.tenant)
    for arguments in example.calls:
        step(twin, world, Call("t", dict(arguments)))
    finish(world)
    return world
