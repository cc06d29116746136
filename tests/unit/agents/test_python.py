"""Agents that are Python functions of this process, and agents that are data."""

import functools
from typing import Any

from agenttwin.agents import ScriptedAgent, ScriptedCall
from agenttwin.transcript import Ending
from tests.unit.run._scene import record


class Planner:
    def __call__(self, request: Any, tools: Any) -> str:
        return f"Status {tools.call('balance', account='A-1').status}."


class AwaitedPlanner:
    async def __call__(self, request: Any, tools: Any) -> str:
        return f"Status {(await tools.call('balance', account='A-1')).status}."


async def asks(word: str, request: Any, tools: Any) -> str:
    return f"{word} {(await tools.call('balance', account='A-1')).status}."


def test_anything_that_can_be_called_is_an_agent() -> None:
    for agent in (Planner(), AwaitedPlanner(), functools.partial(asks, "Status")):
        assert record(agent).claim.answer == "Status 200."


def test_a_function_may_give_back_something_to_await() -> None:
    async def later() -> str:
        return "Later."

    assert record(lambda request, tools: later()).claim.answer == "Later."


def test_a_reply_may_say_more_than_text() -> None:
    reply = {
        "output": "Done.",
        "claimed_outcome": "PARTIAL",
        "business_outcome": "half_paid",
        "tool_calls": [{"tool": "pay", "arguments": {"amount": 10}, "result": "ok"}],
        "usage": {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5},
    }
    found = record(lambda request, tools: reply)
    assert (found.claim.outcome, found.claim.inferred) == ("PARTIAL", False)
    assert found.claim.business_outcome == "half_paid"
    assert [call.tool for call in found.claim.own_calls] == ["pay"]
    assert (found.measured["tokens"], found.measured["cost_usd"]) == (7, 0.5)


def test_what_an_agent_does_to_its_reply_afterwards_changes_nothing() -> None:
    arguments: dict[str, Any] = {"amount": 10}
    found = record(
        lambda request, tools: {"output": "Done.", "tool_calls": [{"tool": "pay", "arguments": arguments}]}
    )
    arguments["amount"] = 1_000
    assert found.claim.own_calls[0].arguments == {"amount": 10}


def test_a_script_makes_its_calls_whatever_comes_back() -> None:
    script = ScriptedAgent(
        calls=[
            ScriptedCall(search="fees"),
            ScriptedCall(tool="unknown"),
            ScriptedCall(tool="pay", arguments={"account": "A-1", "amount": 10}),
        ],
        reply={"output": "Done.", "claimed_outcome": "SUCCESS"},
    )
    found = record(script)
    assert found.transcript.ending is Ending.FINISHED
    assert [call.status for call in found.transcript.calls] == [404, 200]
    assert [event.query for event in found.transcript.retrievals] == ["fees"]
    assert found.claim.outcome == "SUCCESS"
