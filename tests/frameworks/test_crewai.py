"""CrewAI, with a model that is scripted; it makes one call a turn."""

from __future__ import annotations

import json

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

from tests.frameworks._shop import CALLED, CUT, DONE, LOST, TURNS, Real, begin

CALLS = [call for turn in TURNS for call in turn]


class Scripted(BaseLLM):
    def __init__(self):
        super().__init__(model="scripted")
        self._turn = 0
        self._read = []

    def supports_function_calling(self):
        return False

    def call(self, messages, *args, **options):
        self._read.append(json.dumps(messages))
        turn, self._turn = self._turn, self._turn + 1
        if turn < len(CALLS):
            name, given = CALLS[turn]
            return f"Thought: I act.\nAction: {name}\nAction Input: {json.dumps(given)}"
        return f"Thought: I now know the final answer\nFinal Answer: {DONE}"


@tool("refund_payment")
def refund_payment(order_id: str, amount: float) -> str:
    """Refund a payment."""
    return Real.refund_payment(order_id, amount)


def agent_with(tools):
    return Agent(role="clerk", goal="refunds", backstory="a clerk", llm=Scripted(), tools=tools, cache=False)


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


def test_a_wire_fault_reaches_the_frameworks_own_error_handling():
    agent = agent_with(begin(CUT).tools(framework="crewai"))
    run(agent)
    assert "connection was lost" in "".join(agent.llm._read)
