"""The OpenAI Agents SDK, with a model that is scripted."""

from __future__ import annotations

import asyncio
import json
import uuid

import pytest
from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agenttwin.errors import UsageError
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
    told,
)

set_tracing_disabled(True)


class Scripted(Model):
    def __init__(self):
        self.turn = 0
        self.read = []

    async def get_response(self, system_instructions, input, *args, **options):
        self.read.append(input)
        calls = TURNS[self.turn] if self.turn < len(TURNS) else []
        self.turn += 1
        output = [
            ResponseFunctionToolCall(
                type="function_call", name=name, arguments=json.dumps(given), call_id=uuid.uuid4().hex
            )
            for name, given in calls
        ]
        if not calls:
            text = ResponseOutputText(type="output_text", text=DONE, annotations=[])
            output = [
                ResponseOutputMessage(
                    type="message", id="m", role="assistant", status="completed", content=[text]
                )
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *args, **options):
        raise NotImplementedError


def run(agent):
    return asyncio.run(Runner.run(agent, "Refund me.")).final_output


OWN = [
    function_tool(Real.lookup_order),
    function_tool(Real.get_refund_policy),
    function_tool(Real.refund_payment),
]


def test_in_process():
    case, model = begin(LOST), Scripted()
    assert run(Agent(name="shop", model=model, tools=case.tools(framework="openai-agents"))) == DONE
    paid_twice(case)
    assert "TIMEOUT" in str(model.read[2])


def test_a_copy_of_the_agent_as_it_is():
    case = begin(LOST)
    agent = Agent(name="shop", model=Scripted(), tools=OWN)
    with case.tools.stand_in(agent) as copy:
        assert run(copy) == DONE
    paid_twice(case)
    assert agent.tools == OWN
    assert Real.reached == []


def test_agents_that_hand_over_to_one_another_are_copied_too():
    first, second = Agent(name="first", tools=OWN), Agent(name="second", tools=OWN)
    first.handoffs, second.handoffs = [second], [first]
    with begin().tools.stand_in(first) as copy:
        assert copy.handoffs[0] is not second
        assert copy.handoffs[0].handoffs == [copy]
        assert not {id(tool) for tool in OWN} & {id(tool) for tool in copy.handoffs[0].tools}


def test_what_cannot_be_seen_through_is_refused():
    from agents import handoff

    agent = Agent(name="first", handoffs=[handoff(Agent(name="second", tools=OWN))])
    with pytest.raises(UsageError, match="hands over"), begin().tools.stand_in(agent):
        raise AssertionError


@pytest.mark.parametrize(
    ("fault", "met"), [(CUT, "connection was lost"), (GARBLED, "is no JSON"), (PART, "is no JSON")]
)
def test_a_wire_fault_reaches_the_frameworks_own_error_handling(fault, met):
    case, model = begin(fault), Scripted()
    with pytest.raises(Exception, match="lookup_order") as caught:
        run(Agent(name="shop", model=model, tools=case.tools(framework="openai-agents")))
    assert met in told(caught.value)


@pytest.mark.parametrize("own", [True, False])
def test_parallel_calls_are_recorded_in_order(own):
    case = begin()
    tools = Late(case)
    if own:
        with tools.stand_in(Agent(name="shop", model=Scripted(), tools=OWN)) as copy:
            run(copy)
    else:
        run(Agent(name="shop", model=Scripted(), tools=tools(framework="openai-agents")))
    in_order(case)


def test_arguments_that_are_no_json_are_refused_by_the_twin():
    case = begin()
    tool = next(item for item in case.tools(framework="openai-agents") if item.name == "lookup_order")
    assert "INVALID" in asyncio.run(tool.on_invoke_tool(None, "{no json"))
    assert case.calls[0].status == 400


async def over_mcp(twin, model):
    async with MCPServerStreamableHttp(params={"url": twin.mcp}) as server:
        agent = Agent(name="shop", model=model, mcp_servers=[server])
        return (await Runner.run(agent, "Refund me.")).final_output


def test_over_mcp():
    with served(LOST) as twin:
        assert asyncio.run(over_mcp(twin, Scripted())) == DONE
        twin.paid_twice()


@pytest.mark.parametrize("fault", [CUT, PART])
def test_a_broken_wire_over_mcp_ends_the_run(fault):
    with served(fault) as twin, pytest.raises(Exception, match="Connection closed"):
        asyncio.run(over_mcp(twin, Scripted()))


def test_a_broken_wire_over_mcp_that_carried_no_json_is_read_by_the_model():
    model = Scripted()
    with served(GARBLED) as twin:
        asyncio.run(over_mcp(twin, model))
        assert twin.called == CALLED
    first = next(item for item in model.read[1] if item.get("type") == "function_call_output")
    assert "An error occurred while running the tool" in first["output"]


def test_parallel_calls_over_mcp_are_recorded_in_order():
    """Of one server, this client awaits each answer before the next call."""
    with served(SLOW) as twin:
        asyncio.run(over_mcp(twin, Scripted()))
        assert twin.called == CALLED
