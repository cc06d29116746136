"""LangChain's `create_agent`, which is a graph of LangGraph, with a chat model that is scripted."""

from __future__ import annotations

import asyncio
import uuid
from datetime import timedelta

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langchain_mcp_adapters.client import MultiServerMCPClient

from agenttwin.errors import UsageError
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
    told,
    waits_for_ever,
)

ASKED = {"messages": [("user", "Refund me.")]}


class Scripted(BaseChatModel):
    turns: int = len(TURNS)

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **options):
        del tools, options
        return self

    def _generate(self, messages, stop=None, run_manager=None, **options):
        turn = sum(isinstance(message, AIMessage) for message in messages)
        calls = TURNS[turn] if turn < self.turns else []
        message = AIMessage(
            content="" if calls else DONE,
            tool_calls=[{"name": name, "args": args, "id": uuid.uuid4().hex} for name, args in calls],
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


OWN = [tool(Real.lookup_order), tool(Real.get_refund_policy), tool(Real.refund_payment)]


def said(state):
    return state["messages"][-1].content


def test_in_process():
    case = begin(LOST)
    agent = create_agent(Scripted(), case.tools(framework="langchain"))
    state = asyncio.run(agent.ainvoke(ASKED))
    assert said(state) == DONE
    paid_twice(case)
    (failed,) = [
        item for item in state["messages"] if isinstance(item, ToolMessage) and item.status == "error"
    ]
    assert "TIMEOUT" in failed.content


def test_in_process_without_a_loop():
    case = begin(LOST)
    assert said(create_agent(Scripted(), case.tools(framework="langchain")).invoke(ASKED)) == DONE
    assert sorted(call.tool for call in case.calls[:2]) == ["get_refund_policy", "lookup_order"]
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 2


@pytest.mark.parametrize("asynchronous", [True, False])
def test_own_tools_stay_declared_and_are_never_run(asynchronous):
    case = begin(LOST)
    agent = create_agent(Scripted(), OWN, middleware=[case.tools.middleware()])
    state = asyncio.run(agent.ainvoke(ASKED)) if asynchronous else agent.invoke(ASKED)
    assert said(state) == DONE
    assert Real.reached == []
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 2
    if asynchronous:
        paid_twice(case)


@pytest.mark.parametrize(
    ("fault", "kind"), [(CUT, ToolConnectionError), (GARBLED, ToolAnswerError), (PART, ToolAnswerError)]
)
def test_a_wire_fault_is_raised_as_by_a_real_tool(fault, kind):
    for make in (
        lambda tools: create_agent(Scripted(), tools(framework="langchain")),
        lambda tools: create_agent(Scripted(), OWN, middleware=[tools.middleware()]),
    ):
        with pytest.raises(kind):
            make(begin(fault).tools).invoke(ASKED)


@pytest.mark.parametrize("declared", [True, False])
def test_parallel_calls_are_recorded_in_order(declared):
    case = begin()
    tools = Late(case)
    if declared:
        agent = create_agent(Scripted(), OWN, middleware=[tools.middleware()])
    else:
        agent = create_agent(Scripted(), tools(framework="langchain"))
    asyncio.run(agent.ainvoke(ASKED))
    in_order(case)


def test_calls_in_threads_are_recorded_as_they_arrive():
    """Without a loop this framework calls the tools of a turn in threads, and promises no order."""
    case = begin()
    create_agent(Scripted(), Late(case)(framework="langchain")).invoke(ASKED)
    assert [call.tool for call in case.calls[:2]] == CALLED[1::-1]


def test_a_compiled_graph_cannot_be_changed_and_says_so():
    with pytest.raises(UsageError, match="middleware"):
        begin().tools.stand_in(create_agent(Scripted(), OWN))


def test_over_mcp_the_frameworks_own_retry_pays_twice():
    """Over MCP a timeout is an error of the protocol, which this framework raises, and here repeats blindly."""
    from langchain.agents.middleware import ToolRetryMiddleware

    async def converse(twin):
        client = MultiServerMCPClient({"shop": {"transport": "streamable_http", "url": twin.mcp}})
        retry = ToolRetryMiddleware(max_retries=1, initial_delay=0)
        agent = create_agent(Scripted(turns=2), await client.get_tools(), middleware=[retry])
        return await agent.ainvoke(ASKED)

    with served(LOST) as twin:
        assert said(asyncio.run(converse(twin))) == DONE
        twin.paid_twice()


async def over_mcp(url, **session):
    shop = {"transport": "streamable_http", "url": url, "session_kwargs": session}
    client = MultiServerMCPClient({"shop": shop})
    return await create_agent(Scripted(), await client.get_tools()).ainvoke(ASKED)


@pytest.mark.parametrize(
    ("fault", "met"), [(CUT, "Server disconnected"), (GARBLED, "Timed out"), (PART, "Timed out")]
)
def test_a_broken_wire_over_mcp_ends_the_run(fault, met):
    with served(fault) as twin, pytest.raises(Exception) as caught:  # noqa: PT011 - a group, or none
        asyncio.run(over_mcp(twin.mcp, read_timeout_seconds=timedelta(seconds=5)))
    assert met in told(caught.value)


def without_a_limit(url):
    asyncio.run(over_mcp(url))


@pytest.mark.parametrize("fault", [GARBLED, PART])
def test_an_answer_that_came_broken_is_waited_for_without_a_limit(fault):
    with served(fault) as twin:
        assert waits_for_ever(twin, without_a_limit)


def test_parallel_calls_over_mcp_are_recorded_in_order():
    with served(SLOW) as twin:
        asyncio.run(over_mcp(twin.mcp))
        assert twin.called == CALLED
