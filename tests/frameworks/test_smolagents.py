"""smolagents' tool-calling agent, with a model that is scripted."""

from __future__ import annotations

import uuid

from smolagents import ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)

from tests.frameworks._shop import CUT, DONE, LOST, TURNS, Real, begin


class Scripted(Model):
    def __init__(self):
        super().__init__(model_id="scripted")
        self.turn = 0

    def generate(self, messages, **options):
        calls = TURNS[self.turn] if self.turn < len(TURNS) else [("final_answer", {"answer": DONE})]
        self.turn += 1
        return ChatMessage(
            role=MessageRole.ASSISTANT,
            content="",
            tool_calls=[
                ChatMessageToolCall(
                    id=uuid.uuid4().hex,
                    type="function",
                    function=ChatMessageToolCallFunction(name=name, arguments=given),
                )
                for name, given in calls
            ],
        )


@tool
def refund_payment(order_id: str, amount: float) -> str:
    """Refund a payment.

    Args:
        order_id: The order.
        amount: How much.
    """
    return Real.refund_payment(order_id, amount)


def agent_with(tools):
    return ToolCallingAgent(tools=tools, model=Scripted(), verbosity_level=0, max_tool_threads=1)


def paid(case):
    assert [call.tool for call in case.calls] == [name for turn in TURNS for name, _ in turn]
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 2


def errors(agent):
    return [str(step.error) for step in agent.memory.steps if getattr(step, "error", None)]


def test_in_process():
    case = begin(LOST)
    agent = agent_with(case.tools(framework="smolagents"))
    assert agent.run("Refund me.") == DONE
    paid(case)
    assert "ToolTimeoutError" in errors(agent)[0]


def test_the_agent_as_it_is():
    case, agent = begin(LOST), agent_with([refund_payment])
    with case.tools.stand_in(agent) as same:
        assert same is agent
        assert agent.run("Refund me.") == DONE
    paid(case)
    assert set(agent.tools) == {"refund_payment", "final_answer"}
    assert Real.reached == []


def test_a_wire_fault_reaches_the_frameworks_own_error_handling():
    agent = agent_with(begin(CUT).tools(framework="smolagents"))
    agent.run("Refund me.")
    assert "connection was lost" in errors(agent)[0]
