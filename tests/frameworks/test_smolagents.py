"""smolagents' tool-calling agent, with a model that is scripted."""

from __future__ import annotations

import uuid

import pytest
from smolagents import MCPClient, ToolCallingAgent, ToolCollection, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)

from tests.frameworks._shop import (
    CALLED,
    CUT,
    DONE,
    GARBLED,
    KEYED,
    LOST,
    PART,
    SLOW,
    TURNS,
    Late,
    Real,
    begin,
    in_order,
    served,
    waits_for_ever,
)


class Scripted(Model):
    def __init__(self, turns=TURNS):
        super().__init__(model_id="scripted")
        self.turns = turns
        self.turn = 0

    def generate(self, messages, **options):
        calls = self.turns[self.turn] if self.turn < len(self.turns) else [("final_answer", {"answer": DONE})]
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


def agent_with(tools, *, turns=TURNS, threads=1):
    return ToolCallingAgent(tools=tools, model=Scripted(turns), verbosity_level=0, max_tool_threads=threads)


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


@pytest.mark.parametrize(
    ("fault", "met"), [(CUT, "connection was lost"), (GARBLED, "is no JSON"), (PART, "is no JSON")]
)
def test_a_wire_fault_reaches_the_frameworks_own_error_handling(fault, met):
    agent = agent_with(begin(fault).tools(framework="smolagents"))
    agent.run("Refund me.")
    assert met in errors(agent)[0]


@pytest.mark.parametrize("own", [True, False])
def test_parallel_calls_are_recorded_in_order(own):
    case = begin()
    tools = Late(case)
    if own:
        with tools.stand_in(agent_with([refund_payment])) as agent:
            agent.run("Refund me.")
    else:
        agent_with(tools(framework="smolagents")).run("Refund me.")
    in_order(case)


def test_calls_in_threads_are_recorded_as_they_arrive():
    """With more threads than one this framework promises no order."""
    case = begin()
    agent_with(Late(case)(framework="smolagents"), threads=2).run("Refund me.")
    assert [call.tool for call in case.calls[:2]] == CALLED[1::-1]


def over_mcp(url):
    """Its client takes every argument for a required one, so that the model makes keys."""
    given = {"client_session_timeout_seconds": 5.0}  # a whole number is taken for none
    shop = {"url": url, "transport": "streamable-http"}
    with MCPClient(shop, adapter_kwargs=given, structured_output=False) as tools:
        agent = agent_with(tools, turns=KEYED)
        agent.run("Refund me.")
        return agent


def test_over_mcp():
    with served(LOST) as twin:
        agent = over_mcp(twin.mcp)
        twin.paid_twice()
    assert agent.memory.steps[-1].observations == DONE
    assert "McpError: The request timed out." in errors(agent)[0]


def test_over_mcp_as_a_collection():
    with served(LOST) as twin:
        shop = {"url": twin.mcp, "transport": "streamable-http"}
        with ToolCollection.from_mcp(shop, trust_remote_code=True, structured_output=False) as collection:
            assert agent_with(list(collection.tools), turns=KEYED).run("Refund me.") == DONE
        twin.paid_twice()


@pytest.mark.parametrize("fault", [GARBLED, PART])
def test_a_broken_wire_over_mcp_reaches_the_frameworks_own_error_handling(fault):
    with served(fault) as twin:
        agent = over_mcp(twin.mcp)
        assert twin.called == CALLED
    assert "McpError: Timed out" in errors(agent)[0]


def over_mcp_as_it_comes(url):
    with MCPClient({"url": url, "transport": "streamable-http"}, structured_output=False) as tools:
        agent_with(tools).run("Refund me.")


@pytest.mark.parametrize(
    ("fault", "converse"), [(CUT, over_mcp), (GARBLED, over_mcp_as_it_comes), (PART, over_mcp_as_it_comes)]
)
def test_a_wire_that_broke_over_mcp_is_waited_for(fault, converse):
    with served(fault) as twin:
        assert waits_for_ever(twin, converse)


def test_over_mcp_every_argument_is_demanded():
    shop = {"transport": "streamable-http"}
    with served() as twin, MCPClient(shop | {"url": twin.mcp}, structured_output=False) as tools:
        agent = agent_with(tools)
        agent.run("Refund me.")
        assert twin.called == CALLED[:2]
    assert "Argument idempotency_key is required" in errors(agent)[0]


def test_parallel_calls_over_mcp_are_recorded_in_order():
    """In the one thread that it has here."""
    with served(SLOW) as twin:
        over_mcp(twin.mcp)
        assert twin.called == CALLED
