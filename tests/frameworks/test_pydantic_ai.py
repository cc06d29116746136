"""Pydantic AI, with its function model."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from agenttwin.interception import ToolAnswerError, ToolConnectionError
from tests.frameworks._shop import (
    CALLED,
    CUT,
    DONE,
    GARBLED,
    LOST,
    PART,
    SLOW,
    TURNS,
    Late,
    Real,
    begin,
    in_order,
    paid_twice,
    served,
)


def answer(messages, info):
    del info
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    if turn < len(TURNS):
        return ModelResponse(parts=[ToolCallPart(name, arguments) for name, arguments in TURNS[turn]])
    return ModelResponse(parts=[TextPart(DONE)])


MODEL = FunctionModel(answer)


def own_agent():
    """An agent as its authors wrote it."""
    return Agent(MODEL, tools=[Real.lookup_order, Real.get_refund_policy, Real.refund_payment])


def read(result):
    """What the model was given back."""
    return [
        part
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart | RetryPromptPart)
    ]


def test_in_process():
    case = begin(LOST)
    result = Agent(MODEL, tools=case.tools(framework="pydantic-ai")).run_sync("Refund me.")
    assert result.output == DONE
    paid_twice(case)
    assert "TIMEOUT" in str(read(result)[2].content)


def test_the_agent_as_it_is():
    case, agent = begin(LOST), own_agent()
    with case.tools.stand_in(agent) as same:
        assert same is agent
        assert agent.run_sync("Refund me.").output == DONE
    paid_twice(case)
    assert Real.reached == []


@pytest.mark.parametrize(
    ("fault", "kind"), [(CUT, ToolConnectionError), (GARBLED, ToolAnswerError), (PART, ToolAnswerError)]
)
def test_a_wire_fault_is_raised_as_by_a_real_tool(fault, kind):
    case = begin(fault)
    with case.tools.stand_in(own_agent()) as agent, pytest.raises(kind):
        agent.run_sync("Refund me.")
    assert case.calls[0].tool == "lookup_order"


@pytest.mark.parametrize("own", [True, False])
def test_parallel_calls_are_recorded_in_order(own):
    case = begin()
    tools = Late(case)
    if own:
        with tools.stand_in(own_agent()) as agent:
            agent.run_sync("Refund me.")
    else:
        Agent(MODEL, tools=tools(framework="pydantic-ai")).run_sync("Refund me.")
    in_order(case)


def test_over_mcp():
    with served(LOST) as twin:
        agent = Agent(MODEL, toolsets=[MCPToolset(twin.mcp)])
        assert agent.run_sync("Refund me.").output == DONE
        twin.paid_twice()


@pytest.mark.parametrize(("fault", "met"), [(CUT, "Server disconnected"), (PART, "peer closed connection")])
def test_a_broken_wire_over_mcp_ends_the_run(fault, met):
    with served(fault) as twin, pytest.raises(Exception, match=met):
        Agent(MODEL, toolsets=[MCPToolset(twin.mcp)]).run_sync("Refund me.")


def test_a_broken_wire_over_mcp_that_carried_no_json_is_read_by_the_model():
    with served(GARBLED) as twin:
        result = Agent(MODEL, toolsets=[MCPToolset(twin.mcp)]).run_sync("Refund me.")
        assert twin.called == CALLED
    assert "Failed to parse JSON" in str(read(result)[0].content)


def test_parallel_calls_over_mcp_are_recorded_in_order():
    with served(SLOW) as twin:
        Agent(MODEL, toolsets=[MCPToolset(twin.mcp)]).run_sync("Refund me.")
        assert twin.called == CALLED
