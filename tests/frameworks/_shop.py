"""One conversation about a refund, played by the scripted model of each framework against the demo's twin.

The model looks two things up in one turn, refunds, and refunds again when the first answer was a timeout: a
double refund, of which the model's words say nothing.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from agenttwin.frameworks import GivenTools, ToolSpec
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
"""What comes is no JSON."""

PART = {"target": "lookup_order", "behavior": {"type": "partial_response"}}
"""The answer breaks off half-way: over HTTP its body is shorter than its length says."""

SLOW = {"target": "lookup_order", "behavior": {"type": "delay", "delayMs": 400}}
"""The order is read at once, and the answer comes later than that of the call beside it."""

KEYED = [
    [
        (name, {**given, "idempotency_key": f"turn {turn}"} if name == "refund_payment" else given)
        for name, given in calls
    ]
    for turn, calls in enumerate(TURNS)
]
"""The same, by a model that makes a new key for each attempt, where a framework demands every argument."""


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


def in_order(case: Case) -> None:
    """The calls of the turn stand in the order in which the model made them."""
    assert [call.tool for call in case.calls[:2]] == CALLED[:2]


def told(error: BaseException) -> str:
    """What an exception says, with those that it holds and those that it came from."""
    inner = [*(error.exceptions if isinstance(error, BaseExceptionGroup) else ()), error.__cause__]
    return " ".join([f"{type(error).__name__}: {error}", *(told(item) for item in inner if item is not None)])


class Late(GivenTools):
    """The tools of a case, where the first call of a turn takes its time to get there.

    Calls that an adapter answers one after the other keep their order all the same. Ones that it handed to
    threads, or recorded when they are through, would not.
    """

    __slots__ = ("_case",)

    SECONDS: ClassVar = 0.3

    def __init__(self, case: Case) -> None:
        self._case = case

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return self._case.tools.specs

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        if tool == CALLED[0]:
            time.sleep(self.SECONDS)
        return self._case.tools.call(tool, arguments, **named)

    def search(self, query: str) -> list[Any]:
        return self._case.tools.search(query)


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

    @property
    def called(self) -> list[str]:
        """The tools that were called, in the order of the record."""
        return [call["tool"] for call in self.get("calls")]

    def paid_twice(self) -> None:
        assert self.called == CALLED
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


def waits_for_ever(twin: Served, converse: Callable[[str], None]) -> bool:
    """Whether an agent that the twin has heard of still waits for its answer long after that.

    It runs in a process of its own, which can be ended; ``converse`` is given the address.
    """
    agent = multiprocessing.get_context("spawn").Process(target=converse, args=(twin.mcp,))
    agent.start()
    try:
        heard = time.monotonic() + 60
        while not twin.called and time.monotonic() < heard:
            time.sleep(0.1)
        agent.join(LONG)
        return bool(twin.called) and agent.is_alive()
    finally:
        agent.kill()
        agent.join()


LONG = 8.0
"""Seconds: more than the five after which a client of `mcpadapt` says that it gives up."""
