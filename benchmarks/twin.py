"""What a call costs on a small and a large world, beside a twin by hand that copies its state to diff."""

import json
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from statistics import median
from typing import Any

from _harness import Figure, main

from agenttwin.document import read
from agenttwin.twin import Call, CompiledTwin, TwinDefinition, World, begin, compile, step

ORDER = "ORD-1001"
CALLS = 100
"""Calls of one case: the default limit is twice that."""

ROUNDS = 41


def state(orders: int) -> dict[str, Any]:
    """A shop with so many orders; one is about 160 bytes of JSON."""
    order = {
        "tenant": "demo-co",
        "total": 1000,
        "refunded_amount": 0,
        "refund_count": 0,
        "refundable_amount": 1000,
    }
    ids = (f"ORD-{1001 + number}" for number in range(orders))
    return {
        "orders": {order_id: order | {"id": order_id, "status": "delivered"} for order_id in ids},
        "refunds": [],
    }


def tool(name: str, handler: dict[str, Any], arguments: dict[str, str], **more: object) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {argument: {"type": kind} for argument, kind in arguments.items()},
        "required": ["order_id"],
        "additionalProperties": False,
    }
    path = "orders[{order_id}]"
    return {
        "name": name,
        "tenantPath": path,
        "inputSchema": schema,
        "handler": {"path": path} | handler,
    } | more


TOOLS = [
    tool("lookup_order", {"kind": "read"}, {"order_id": "string"}),
    tool(
        "set_status",
        {
            "kind": "mutate",
            "effects": [{"op": "set", "path": "orders[{order_id}].status", "value": "{status}"}],
        },
        {"order_id": "string", "status": "string"},
    ),
    tool(
        "refund_payment",
        {
            "kind": "mutate",
            "let": {"left": "{= value.refundable_amount - amount }"},
            "preconditions": [{"that": "left >= 0"}],
            "effects": [
                {"op": "increment", "path": "orders[{order_id}].refunded_amount", "by": "{amount}"},
                {"op": "increment", "path": "orders[{order_id}].refund_count", "by": 1},
                {"op": "set", "path": "orders[{order_id}].refundable_amount", "value": "{left}"},
                {"op": "append", "path": "refunds", "value": {"id": "RF-{id}", "amount": "{amount}"}},
            ],
            "response": {"refund_id": "RF-{id}", "status": "succeeded"},
        },
        {"order_id": "string", "amount": "number", "idempotency_key": "string"},
        idempotency={"argument": "idempotency_key"},
        effectKey="refund:{order_id}",
    ),
]
DOCUMENT = {
    "apiVersion": "agenttwin.dev/v1",
    "kind": "TwinDefinition",
    "metadata": {"name": "shop"},
    "spec": {"tenantKey": "tenant", "tools": TOOLS},
}


class ByHand:
    """The same tools as one writes them for a test: functions over a dict, and a copy to compare with."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.state = value
        self.stored: dict[str, Any] = {}
        self.records: list[Any] = []

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        before = deepcopy(self.state)
        key = arguments.get("idempotency_key")
        answer = self.stored[key] if key in self.stored else getattr(self, name)(**arguments)
        if key is not None:
            self.stored[key] = answer
        self.records.append((name, arguments, json.dumps(answer), list(differences("", before, self.state))))
        return answer

    def lookup_order(self, order_id: str) -> Any:
        return self.state["orders"][order_id]

    def set_status(self, order_id: str, status: str) -> Any:
        self.state["orders"][order_id]["status"] = status
        return self.state["orders"][order_id]

    def refund_payment(self, order_id: str, amount: float, idempotency_key: str) -> dict[str, Any]:
        order = self.state["orders"][order_id]
        if amount > order["refundable_amount"]:
            return {"error": "PRECONDITION_FAILED"}
        order["refunded_amount"] += amount
        order["refund_count"] += 1
        order["refundable_amount"] -= amount
        refund_id = f"RF-{len(self.state['refunds']) + 1:04}"
        self.state["refunds"].append({"id": refund_id, "amount": amount})
        return {"refund_id": refund_id, "status": "succeeded"}


def differences(path: str, before: object, after: object) -> Iterator[tuple[str, object, object]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            yield from differences(f"{path}.{key}", before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(f"{path}[{index}]", old, new)
    elif before != after:
        yield path, before, after


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A tool, the arguments of its n-th call, and what a call may cost."""

    tool: str
    what: str
    arguments: Callable[[int], dict[str, Any]]
    at_most: float

    def calls(self) -> list[dict[str, Any]]:
        return [{"order_id": ORDER} | self.arguments(number) for number in range(CALLS)]


MEASURED = (
    Measured(tool="lookup_order", what="read", arguments=lambda n: {}, at_most=20e-6),
    Measured(
        tool="set_status", what="one-effect write", arguments=lambda n: {"status": f"s{n}"}, at_most=20e-6
    ),
    Measured(
        tool="refund_payment",
        what="refund (guard, four effects, key, let)",
        arguments=lambda n: {"amount": 2.5, "idempotency_key": f"k{n}"},
        at_most=50e-6,
    ),
)


def seconds_a_call(twin: CompiledTwin, measured: Measured) -> float:
    """Seconds a call takes in a case of `CALLS` calls, records kept."""
    calls = [Call(measured.tool, arguments) for arguments in measured.calls()]
    world: World = begin(twin, tenant="demo-co")
    started = time.perf_counter()
    for call in calls:
        step(twin, world, call)
    seconds = (time.perf_counter() - started) / CALLS
    assert world.calls[-1].ok, world.calls[-1].body
    return seconds


def seconds_by_hand(value: dict[str, Any], measured: Measured, calls: int) -> float:
    twin = ByHand(deepcopy(value))
    arguments = measured.calls()[:calls]
    started = time.perf_counter()
    for each in arguments:
        twin.call(measured.tool, each)
    return (time.perf_counter() - started) / calls


def figures() -> Iterator[Figure]:
    definition = read(json.dumps(DOCUMENT), file="twin.json", models={"TwinDefinition": TwinDefinition}).model
    states = {"1 kB": state(orders=6), "10 MB": state(orders=68_000)}
    twins = {size: compile(definition, initial_state=value) for size, value in states.items()}
    for measured in MEASURED:
        # In turns, so that a busy moment of the machine meets all alike.
        turns = [[seconds_a_call(twin, measured) for twin in twins.values()] for _ in range(ROUNDS)]
        ours = dict(zip(twins, (median(seconds) for seconds in zip(*turns, strict=True)), strict=True))
        for size, value in states.items():
            yield Figure(
                name=f"{measured.what}, {size}",
                ours=ours[size],
                peer=seconds_by_hand(value, measured, calls=CALLS if size == "1 kB" else 2),
                peer_name="dict by hand, deepcopy",
                at_most=measured.at_most,
            )
        yield Figure(
            name=f"{measured.what}, 10 MB beside 1 kB",
            ours=ours["10 MB"],
            peer=ours["1 kB"],
            peer_name="1 kB",
            ratio_at_most=1.5,
        )


if __name__ == "__main__":
    main("Twin: what a call costs", figures)
