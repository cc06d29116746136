"""Strands Agents, with a model that is scripted."""

from __future__ import annotations

import json
import uuid

import pytest
from mcp.client.streamable_http import streamable_http_client
from strands import Agent, tool
from strands.models import Model
from strands.tools.mcp import MCPClient

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


@pytest.mark.parametrize(
    ("fault", "met"), [(CUT, "connection was lost"), (GARBLED, "is no JSON"), (PART, "is no JSON")]
)
def test_a_wire_fault_reaches_the_frameworks_own_error_handling(fault, met):
    agent = agent_with(begin(fault).tools(framework="strands"))
    agent("Refund me.")
    first = results(agent)[0]
    assert first["status"] == "error"
    assert met in json.dumps(first["content"])


@pytest.mark.parametrize("own", [True, False])
def test_parallel_calls_are_recorded_in_order(own):
    case = begin()
    tools = Late(case)
    if own:
        with tools.stand_in(agent_with(OWN)) as agent:
            agent("Refund me.")
    else:
        agent_with(tools(framework="strands"))("Refund me.")
    in_order(case)


def test_over_mcp():
    with served(LOST) as twin, MCPClient(lambda: streamable_http_client(twin.mcp)) as client:
        assert str(agent_with(client.list_tools_sync())("Refund me.")).strip() == DONE
        twin.paid_twice()


def over_mcp(twin):
    with MCPClient(lambda: streamable_http_client(twin.mcp)) as client:
        agent = agent_with(client.list_tools_sync())
        agent("Refund me.")
    return agent


@pytest.mark.parametrize(("fault", "met"), [(CUT, "Server disconnected"), (PART, "peer closed connection")])
def test_a_broken_wire_over_mcp_ends_the_run(fault, met):
    with served(fault) as twin, pytest.raises(RuntimeError) as caught:
        over_mcp(twin)
    assert met in told(caught.value)


def test_a_broken_wire_over_mcp_that_carried_no_json_is_read_by_the_model():
    with served(GARBLED) as twin:
        first = results(over_mcp(twin))[0]
        assert twin.called == CALLED
    assert first["status"] == "error"
    assert "Failed to parse JSON" in json.dumps(first["content"])


def test_parallel_calls_over_mcp_are_recorded_in_order():
    with served(SLOW) as twin:
        over_mcp(twin)
        assert twin.called == CALLED
