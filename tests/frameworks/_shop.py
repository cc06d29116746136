"""One conversation about a refund, played by the scripted model of each framework against the demo's twin.

The model looks two things up in one turn, refunds, and refunds again when the first answer was a timeout: a
double refund, of which the model's words say nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from agenttwin.lab import Case, Twin, example_folder

TWIN = example_folder("support-refund") / "twin.yaml"
TENANT = "demo-co"

REFUND = ("refund_payment", {"order_id": "ORD-1001", "amount": 40})
TURNS = [
    [("lookup_order", {"order_id": "ORD-1001"}), ("get_refund_policy", {"order_id": "ORD-1001"})],
    [REFUND],
    [REFUND],
]
"""The calls of each turn of the model; after them it says `DONE`."""

DONE = "Done! I've refunded 40.00 USD."
CALLED = [name for turn in TURNS for name, _ in turn]

LOST = {"target": "refund_payment", "when": {"callNumber": 1}, "behavior": {"type": "timeout_after_mutation"}}
"""The refund is carried out, and the answer is a timeout."""

CUT = {"target": "lookup_order", "behavior": {"type": "dropped_connection"}}
"""No answer comes at all."""

GARBLED = {"target": "lookup_order", "behavior": {"type": "malformed_json"}}


def begin(*faults: dict[str, Any]) -> Case:
    """A case in this process."""
    return Twin.load(TWIN).start(tenant=TENANT, faults=faults)


def paid_twice(case: Case) -> None:
    """What the record must show, whatever the model said."""
    assert [call.tool for call in case.calls] == CALLED
    assert [(call.status, call.committed.value if call.committed else None) for call in case.calls[2:]] == [
        (504, "all"),
        (200, "all"),
    ]
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 2


class Real:
    """The agent's own tools, which must not be reached: each would do the real thing."""

    reached: ClassVar[list[str]] = []

    @classmethod
    def lookup_order(cls, order_id: str) -> str:
        """Look an order up."""
        cls.reached.append("lookup_order")
        raise AssertionError

    @classmethod
    def get_refund_policy(cls, order_id: str) -> str:
        """Read the refund policy."""
        cls.reached.append("get_refund_policy")
        raise AssertionError

    @classmethod
    def refund_payment(cls, order_id: str, amount: float) -> str:
        """Refund a payment."""
        cls.reached.append("refund_payment")
        raise AssertionError


@dataclass
class Served:
    """The twin behind MCP, in a process of its own."""

    address: str

    @property
    def mcp(self) -> str:
        return f"{self.address}/t/dev/mcp"

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.address}/t/dev/{path}") as answer:
            return json.load(answer)

    def arm(self, *faults: dict[str, Any]) -> None:
        request = urllib.request.Request(
            f"{self.address}/t/dev/faults",
            json.dumps(list(faults)).encode(),
            {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(request).close()

    def paid_twice(self) -> None:
        calls = self.get("calls")
        calls = calls["calls"] if isinstance(calls, dict) else calls
        assert [call["tool"] for call in calls] == CALLED
        assert self.get("state")["orders"]["ORD-1001"]["refund_count"] == 2


@contextmanager
def served(*faults: dict[str, Any]) -> Iterator[Served]:
    """The twin over MCP. The server runs in the developers' environment: this one has the framework's pins."""
    command = [os.environ["AGENTTWIN_SERVER"], "twin", "serve", str(TWIN), "--port", "0", "--tenant", TENANT]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        address = next(word for word in line.split() if word.startswith("http")).rstrip(".,/")
        found = Served(address.split("/t/")[0])
        found.arm(*faults)
        yield found
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()
