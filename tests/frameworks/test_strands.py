"""Strands Agents, with a model that is scripted."""

from __future__ import annotations

import json
import uuid

from strands import Agent, tool
from strands.models import Model

from tests.frameworks._shop import CUT, DONE, LOST, TURNS, Real, begin, paid_twice, served


class Scripted(Model):
    def update_config(self, **config):
        del config

    def get_config(self):
        return {}

    def structured_output(self, *args, **options):
        raise NotImplementedError

    async def stream(self, messages, *args, **options):
        turn = sum(message["role"] == "assistant" for message in messages)
        calls = TURNS[turn] if turn < len(TURNS) else []
        yield {"messageStart": {"role": "assistant"}}
        for name, given in calls:
            use = {"name": name, "toolUseId": uuid.uuid4().hex}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(given)}}}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": DONE}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


def agent_with(tools):
    return Agent(model=Scripted(), tools=tools, callback_handler=None)


OWN = [tool(Real.lookup_order), tool(Real.get_refund_policy), tool(Real.refund_payment)]


def results(agent):
    """What the model was given back."""
    return [
        part["toolResult"]
        for message in agent.messages
        for part in message["content"]
        if "toolResult" in part
    ]


def test_in_process():
    case = begin(LOST)
    agent = agent_with(case.tools(framework="strands"))
    assert str(agent("Refund me.")).strip() == DONE
    paid_twice(case)
    assert [result["status"] for result in results(agent)] == ["success", "success", "error", "success"]


def test_the_agent_as_it_is():
    case, agent = begin(LOST), agent_with(OWN)
    with case.tools.stand_in(agent) as same:
        assert same is agent
        assert str(agent("Refund me.")).strip() == DONE
    paid_twice(case)
    assert Real.reached == []


def test_a_wire_fault_reaches_the_frameworks_own_error_handling():
    agent = agent_with(begin(CUT).tools(framework="strands"))
    agent("Refund me.")
    first = results(agent)[0]
    assert first["status"] == "error"
    assert "connection was lost" in json.dumps(first["content"])


def test_over_mcp():
    from mcp.client.streamable_http import streamable_http_client
    from strands.tools.mcp import MCPClient

    with served(LOST) as twin, MCPClient(lambda: streamable_http_client(twin.mcp)) as client:
        assert str(agent_with(client.list_tools_sync())("Refund me.")).strip() == DONE
        twin.paid_twice()
