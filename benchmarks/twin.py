"""What a call costs on a small and a large world, beside a twin by hand that copies its state to diff.

Measured in time of the processor: nothing here waits for anything, and what else runs does not count.
"""

import json
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from statistics import median
from typing import Any

from _harness import ROOT, Figure, main

from agenttwin.document import read
from agenttwin.twin import Call, CompiledTwin, TwinDefinition, begin, compile, step

EXAMPLE = ROOT / "examples" / "support-refund" / "twin.yaml"
MODELS = {"TwinDefinition": TwinDefinition}

ORDER = "ORD-1001"
CALLS = 100
"""Calls of one case: the default limit is twice that."""

ROUNDS = 41
SIZES = {"1 kB": 4, "10 MB": 40_000}
"""Orders of a state; one is about 260 bytes of JSON."""


def state(orders: int) -> dict[str, Any]:
    """The shop of the example with so many orders, of which each has enough to refund."""
    order = {
        "tenant": "demo-co",
        "customer_id": "CUS-1",
        "status": "delivered",
        "delivered_on": "2025-12-20",
        "currency": "USD",
        "total": 10_000,
        "refundable_amount": 10_000,
        "refunded_amount": 0,
        "refund_count": 0,
        "eligible": True,
        "ineligible_reason": None,
    }
    ids = (f"ORD-{1001 + number}" for number in range(orders))
    return {"orders": {order_id: {"id": order_id} | order for order_id in ids}, "refunds": []}


SET_STATUS = {
    "name": "set_status",
    "tenantPath": "orders[{order_id}]",
    "inputSchema": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}, "status": {"type": "string"}},
        "required": ["order_id", "status"],
    },
    "handler": {
        "kind": "mutate",
        "path": "orders[{order_id}]",
        "effects": [{"op": "set", "path": "orders[{order_id}].status", "value": "{status}"}],
        "response": {"status": "{status}"},
    },
}
"""A write of one effect, which the example has only on lists."""


def support_twin() -> CompiledTwin:
    """The twin of the example, and one tool more."""
    document = deepcopy(read(EXAMPLE.read_bytes(), file=EXAMPLE.name, models=MODELS).source.value)
    assert isinstance(document, dict)
    document["spec"]["tools"].append(SET_STATUS)  # type: ignore[index, call-overload, union-attr]
    return compile(read(json.dumps(document), file=EXAMPLE.name, models=MODELS).model)


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
        return {"status": status}

    def refund_payment(self, order_id: str, amount: float, idempotency_key: str) -> dict[str, Any]:
        order = self.state["orders"][order_id]
        if amount > order["refundable_amount"]:
            return {"error": "AMOUNT_EXCEEDS_REFUNDABLE"}
        order["refunded_amount"] += amount
        order["refund_count"] += 1
        order["refundable_amount"] -= amount
        refund_id = f"RF-{len(self.state['refunds']) + 1:04}"
        self.state["refunds"].append({"id": refund_id, "order_id": order_id, "amount": amount})
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
        what="refund (guard, four effects, key)",
        arguments=lambda n: {"amount": 40, "idempotency_key": f"k{n}"},
        at_most=50e-6,
    ),
)


def seconds_a_call(twin: CompiledTwin, value: dict[str, Any], measured: Measured) -> float:
    """Seconds a call takes in a case of `CALLS` calls, records kept."""
    calls = [Call(measured.tool, arguments) for arguments in measured.calls()]
    world = begin(twin, state=value, replace_state=True, tenant="demo-co")
    started = time.thread_time()
    for call in calls:
        step(twin, world, call)
    seconds = (time.thread_time() - started) / CALLS
    assert world.calls[-1].ok, world.calls[-1].body
    return seconds


def seconds_by_hand(value: dict[str, Any], measured: Measured, calls: int) -> float:
    twin = ByHand(deepcopy(value))
    arguments = measured.calls()[:calls]
    started = time.thread_time()
    for each in arguments:
        twin.call(measured.tool, each)
    return (time.thread_time() - started) / calls


def figures() -> Iterator[Figure]:
    twin = support_twin()
    states = {size: state(orders) for size, orders in SIZES.items()}
    for measured in MEASURED:
        # In turns, so that a busy moment of the machine meets all alike.
        turns = [[seconds_a_call(twin, value, measured) for value in states.values()] for _ in range(ROUNDS)]
        ours = dict(zip(states, (median(seconds) for seconds in zip(*turns, strict=True)), strict=True))
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
