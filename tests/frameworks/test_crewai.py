"""CrewAI, with a model that is scripted; as text it makes one call a turn, and several as what models call tools."""

from __future__ import annotations

import json
import re
import sys

import pytest
from crewai import Agent, BaseLLM, Crew, Task
from crewai.mcp import MCPServerHTTP
from crewai.tools import tool
from crewai_tools import MCPServerAdapter

from tests.frameworks._shop import (
    CALLED,
    CUT,
    DONE,
    GARBLED,
    KEYED,
    LOST,
    PART,
    TURNS,
    Late,
    Real,
    begin,
    served,
    waits_for_ever,
)


class Scripted(BaseLLM):
    def __init__(self, turns=TURNS):
        super().__init__(model="scripted")
        self._calls = [call for turn in turns for call in turn]
        self._turn = 0
        self._read = []

    def supports_function_calling(self):
        return False

    def call(self, messages, *args, **options):
        told = json.dumps(messages)
        self._read.append(told)
        turn, self._turn = self._turn, self._turn + 1
        if turn < len(self._calls):
            name, given = self._calls[turn]
            name = re.search(rf"Tool Name: (\w*{name})", told).group(
                1
            )  # its own client puts the address before
            return f"Thought: I act.\nAction: {name}\nAction Input: {json.dumps(given)}"
        return f"Thought: I now know the final answer\nFinal Answer: {DONE}"


class Several(BaseLLM):
    """Calls the tools of a turn in one answer."""

    def __init__(self):
        super().__init__(model="scripted")
        self._turn = 0

    def supports_function_calling(self):
        return True

    def call(self, messages, *args, **options):
        turn, self._turn = self._turn, self._turn + 1
        calls = TURNS[turn] if turn < len(TURNS) else []
        made = [
            {"id": f"{turn} {name}", "name": name, "arguments": json.dumps(given)} for name, given in calls
        ]
        return made or DONE


@tool("refund_payment")
def refund_payment(order_id: str, amount: float) -> str:
    """Refund a payment."""
    return Real.refund_payment(order_id, amount)


def agent_with(tools=(), turns=TURNS, llm=None, **more):
    about = {"role": "clerk", "goal": "refunds", "backstory": "a clerk"}
    return Agent(**about, llm=llm or Scripted(turns), tools=list(tools), cache=False, **more)


def run(agent):
    task = Task(description="Refund me.", expected_output="what was done", agent=agent)
    return str(Crew(agents=[agent], tasks=[task], cache=False).kickoff())


def paid(case):
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 2
    assert [call.tool for call in case.calls if call.ok or call.status == 504] == CALLED


def test_in_process():
    case = begin(LOST)
    assert DONE in run(agent_with(case.tools(framework="crewai")))
    paid(case)


def test_the_agent_as_it_is():
    case, agent = begin(LOST), agent_with([refund_payment])
    with case.tools.stand_in(agent) as same:
        assert same is agent
        assert DONE in run(agent)
    assert [item.name for item in agent.tools] == ["refund_payment"]
    paid(case)
    assert Real.reached == []


@pytest.mark.parametrize(
    ("fault", "met"), [(CUT, "connection was lost"), (GARBLED, "is no JSON"), (PART, "is no JSON")]
)
def test_a_wire_fault_reaches_the_frameworks_own_error_handling(fault, met):
    agent = agent_with(begin(fault).tools(framework="crewai"))
    run(agent)
    assert met in "".join(agent.llm._read)


def test_calls_in_threads_are_recorded_as_they_arrive():
    """The calls of one answer go to threads: this framework promises no order."""
    case = begin()
    assert DONE in run(agent_with(Late(case)(framework="crewai"), llm=Several()))
    assert [call.tool for call in case.calls[:2]] == CALLED[1::-1]


def over_mcp(url):
    """Its client sends null for an argument that is left out, so that the model makes keys."""
    with MCPServerAdapter({"url": url, "transport": "streamable-http"}) as tools:
        return run(agent_with(tools, KEYED))


def test_over_mcp():
    """The framework repeats the call that timed out, under the key that it had; the model pays a second time."""
    with served(LOST) as twin:
        assert DONE in over_mcp(twin.mcp)
        calls = twin.get("calls")
        assert [call["tool"] for call in calls] == [*CALLED, "refund_payment"]
        assert [call["arguments"]["idempotency_key"] for call in calls[2:]] == ["turn 1", "turn 1", "turn 2"]
        assert twin.get("state")["orders"]["ORD-1001"]["refund_count"] == 2


def test_over_mcp_an_argument_that_is_left_out_is_null():
    with served() as twin, MCPServerAdapter({"url": twin.mcp, "transport": "streamable-http"}) as tools:
        run(agent_with(tools))
        refund = next(call for call in twin.get("calls") if call["tool"] == "refund_payment")
    assert refund["arguments"]["idempotency_key"] is None
    assert refund["result"] == "invalid"


@pytest.mark.parametrize("fault", [CUT, GARBLED, PART])
def test_a_wire_that_broke_over_mcp_is_waited_for(fault):
    with served(fault) as twin:
        assert waits_for_ever(twin, over_mcp)


def with_its_own_client(twin):
    """One refund, which the model asks for once; what the model was given back."""
    agent = agent_with(turns=TURNS[:2], mcps=[MCPServerHTTP(url=twin.mcp)])
    assert DONE in run(agent)
    return agent.llm._read[-1]


if sys.version_info >= (3, 12):

    def test_over_mcp_its_own_client_pays_twice():
        """It repeats the call that timed out by itself: of the timeout the model reads nothing."""
        with served(LOST) as twin:
            assert "timed out" not in with_its_own_client(twin)
            twin.paid_twice()

else:

    def test_its_own_client_fails_after_every_call():
        """Its streams are opened in one task and closed in another: the call is carried out, and then raises."""
        with served() as twin:
            assert "Error during MCP client disconnect" in with_its_own_client(twin)
            assert twin.called.count("lookup_order") > 1
