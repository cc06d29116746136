"""Google's Agent Development Kit, with a model that is scripted."""

from __future__ import annotations

import asyncio

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from agenttwin.interception import ToolConnectionError
from tests.frameworks._shop import CUT, DONE, LOST, TURNS, Real, begin, paid_twice, served


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


def test_a_wire_fault_is_raised_as_by_a_real_tool():
    agent = own_agent(begin(CUT).tools(framework="google-adk"))
    with pytest.raises(ToolConnectionError):
        asyncio.run(converse(agent))


def test_a_wire_fault_reaches_the_frameworks_own_error_callback():
    met = []

    async def on_error(tool, args, tool_context, error):
        met.append(type(error))
        return {"error": "unreachable"}

    agent = own_agent(begin(CUT).tools(framework="google-adk"))
    agent.on_tool_error_callback = on_error
    _, read = asyncio.run(converse(agent))
    assert met == [ToolConnectionError]
    assert read[0] == {"error": "unreachable"}


def test_over_mcp():
    from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams

    async def there(twin):
        toolset = McpToolset(connection_params=StreamableHTTPConnectionParams(url=twin.mcp))
        try:
            return await converse(own_agent([toolset]))
        finally:
            await toolset.close()

    with served(LOST) as twin:
        said, _ = asyncio.run(there(twin))
        assert said == DONE
        twin.paid_twice()
