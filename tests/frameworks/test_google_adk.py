"""Google's Agent Development Kit, with a model that is scripted."""

from __future__ import annotations

import asyncio

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams
from google.genai import types

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


class Scripted(BaseLlm):
    model: str = "scripted"

    async def generate_content_async(self, llm_request, stream=False):
        turn = sum(content.role == "model" for content in llm_request.contents)
        calls = TURNS[turn] if turn < len(TURNS) else []
        parts = [types.Part.from_function_call(name=name, args=given) for name, given in calls]
        yield LlmResponse(
            content=types.Content(role="model", parts=parts or [types.Part.from_text(text=DONE)])
        )


def own_agent(tools=(Real.lookup_order, Real.get_refund_policy, Real.refund_payment)):
    return LlmAgent(name="shop", model=Scripted(), tools=list(tools))


async def converse(agent):
    """The last words, and everything that the model was given back."""
    runner = InMemoryRunner(agent=agent, app_name="shop")
    session = await runner.session_service.create_session(app_name="shop", user_id="u")
    message = types.Content(role="user", parts=[types.Part.from_text(text="Refund me.")])
    said, read = "", []
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        for part in (event.content.parts if event.content else None) or []:
            said = part.text or said
            if part.function_response:
                read.append(part.function_response.response)
    return said, read


def test_in_process():
    case = begin(LOST)
    said, read = asyncio.run(converse(own_agent(case.tools(framework="google-adk"))))
    assert said == DONE
    paid_twice(case)
    assert read[2]["error"]["code"] == "TIMEOUT"


def test_the_agent_as_it_is():
    case, agent = begin(LOST), own_agent()
    with case.tools.stand_in(agent) as same:
        assert same is agent
        assert asyncio.run(converse(agent))[0] == DONE
    paid_twice(case)
    assert agent.before_tool_callback is None
    assert Real.reached == []


BROKEN = [(CUT, ToolConnectionError), (GARBLED, ToolAnswerError), (PART, ToolAnswerError)]


@pytest.mark.parametrize(("fault", "kind"), BROKEN)
def test_a_wire_fault_is_raised_as_by_a_real_tool(fault, kind):
    agent = own_agent(begin(fault).tools(framework="google-adk"))
    with pytest.raises(kind):
        asyncio.run(converse(agent))


@pytest.mark.parametrize(("fault", "kind"), BROKEN)
def test_a_wire_fault_reaches_the_frameworks_own_error_callback(fault, kind):
    met = []

    async def on_error(tool, args, tool_context, error):
        met.append(type(error))
        return {"error": "unreachable"}

    agent = own_agent(begin(fault).tools(framework="google-adk"))
    agent.on_tool_error_callback = on_error
    _, read = asyncio.run(converse(agent))
    assert met == [kind]
    assert read[0] == {"error": "unreachable"}


@pytest.mark.parametrize("own", [True, False])
def test_parallel_calls_are_recorded_in_order(own):
    case = begin()
    tools = Late(case)
    if own:
        with tools.stand_in(own_agent()) as agent:
            asyncio.run(converse(agent))
    else:
        asyncio.run(converse(own_agent(tools(framework="google-adk"))))
    in_order(case)


async def over_mcp(twin):
    toolset = McpToolset(connection_params=StreamableHTTPConnectionParams(url=twin.mcp))
    try:
        return await converse(own_agent([toolset]))
    finally:
        await toolset.close()


def test_over_mcp():
    with served(LOST) as twin:
        said, _ = asyncio.run(over_mcp(twin))
        assert said == DONE
        twin.paid_twice()


@pytest.mark.parametrize(
    ("fault", "met"),
    [(CUT, "Connection closed"), (GARBLED, "Failed to parse JSON"), (PART, "Connection closed")],
)
def test_a_broken_wire_over_mcp_is_read_by_the_model(fault, met):
    with served(fault) as twin:
        said, read = asyncio.run(over_mcp(twin))
    assert said == DONE
    assert met in read[0]["error"]


def test_parallel_calls_over_mcp_are_recorded_in_order():
    with served(SLOW) as twin:
        asyncio.run(over_mcp(twin))
        assert twin.called == CALLED
