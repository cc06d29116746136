"""Pydantic AI, with its function model."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from agenttwin.interception import ToolAnswerError, ToolConnectionError
from tests.frameworks._shop import CUT, DONE, GARBLED, LOST, TURNS, Real, begin, paid_twice, served


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


def test_in_process():
    case = begin(LOST)
    result = Agent(MODEL, tools=case.tools(framework="pydantic-ai")).run_sync("Refund me.")
    assert result.output == DONE
    paid_twice(case)
    read = [
        part
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart | RetryPromptPart)
    ]
    assert "TIMEOUT" in str(read[2].content)


def test_the_agent_as_it_is():
    case, agent = begin(LOST), own_agent()
    with case.tools.stand_in(agent) as same:
        assert same is agent
        assert agent.run_sync("Refund me.").output == DONE
    paid_twice(case)
    assert Real.reached == []


@pytest.mark.parametrize(("fault", "kind"), [(CUT, ToolConnectionError), (GARBLED, ToolAnswerError)])
def test_a_wire_fault_is_raised_as_by_a_real_tool(fault, kind):
    case = begin(fault)
    with case.tools.stand_in(own_agent()) as agent, pytest.raises(kind):
        agent.run_sync("Refund me.")
    assert case.calls[0].tool == "lookup_order"


def test_over_mcp():
    from pydantic_ai.mcp import MCPToolset

    with served(LOST) as twin:
        agent = Agent(MODEL, toolsets=[MCPToolset(twin.mcp)])
        assert agent.run_sync("Refund me.").output == DONE
        twin.paid_twice()
