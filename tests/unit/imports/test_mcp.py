"""A twin out of a list of tools: hints kept, names legal, and nobody is taken at better than their word."""

from __future__ import annotations

import pytest

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.imports import from_mcp, write
from agenttwin.transcript import Risk
from tests.unit.imports._drafts import listed, usable


@pytest.mark.parametrize(
    ("hints", "meta", "risk"),
    [
        (None, None, Risk.WRITE_IRREVERSIBLE),
        ({}, {}, Risk.WRITE_IRREVERSIBLE),
        ({"readOnlyHint": True}, None, Risk.READ),
        ({"readOnlyHint": "yes"}, None, Risk.WRITE_IRREVERSIBLE),
        ({"destructiveHint": False}, None, Risk.WRITE_REVERSIBLE),
        ({"destructiveHint": True}, None, Risk.WRITE_IRREVERSIBLE),
        ({"readOnlyHint": True}, {"agenttwin/risk": "EXECUTE"}, Risk.EXECUTE),
        ({"readOnlyHint": True}, {"agenttwin/risk": "NONE"}, Risk.READ),
        (["odd"], "odd", Risk.WRITE_IRREVERSIBLE),
    ],
)
def test_a_risk_is_what_the_hints_come_to_at_their_worst(hints, meta, risk):
    (tool,) = listed({"name": "t", "annotations": hints, "_meta": meta}).tools
    assert tool.risk is risk


def test_annotations_and_meta_are_kept_as_comments():
    text = write(listed({"name": "t", "annotations": {"title": "T"}, "_meta": {"x/y": 1}}))
    assert '# annotations: {"title":"T"}' in text
    assert '# _meta: {"x/y":1}' in text


def test_odd_lists_make_usable_twins():
    made = listed(
        {"name": "a b", "inputSchema": {"$ref": "#/$defs/X", "$defs": {"X": {"type": "object"}}}},
        {
            "name": "a/b",
            "inputSchema": {"anyOf": [{"type": "object"}]},
            "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
        },
        {"name": "a b", "inputSchema": None, "description": 7},
        {"name": "", "inputSchema": {"type": "object", "properties": {"p": {"pattern": "["}}}},
        {},
        "no tool",
    )
    assert [tool.name for tool in made.tools] == ["a_b", "a_b_2", "a_b_3", "tool", "tool_2"]
    case = usable(made).start()
    assert case.call("a_b_2", {}).body == {"n": 1}
    assert made.notes[0] == "The tool 'a b' is called a_b here."


@pytest.mark.parametrize(
    "listing", [[{"name": "t"}], {"tools": [{"name": "t"}]}, {"result": {"tools": [{"name": "t"}]}}]
)
def test_a_list_may_be_wrapped_as_it_travels(listing):
    assert len(from_mcp(listing, origin="x").tools) == 1


@pytest.mark.parametrize("odd", [None, 7, {}, [], {"tools": {}}, ["a"]])
def test_what_is_no_list_is_refused(odd):
    with pytest.raises(AgentTwinError) as caught:
        from_mcp(odd, origin="x")
    assert caught.value.code == "no_tool_list"


def test_too_many_tools_are_refused_with_their_number():
    with pytest.raises(LimitExceeded, match="5,001 tools"):
        from_mcp([{"name": "t"}] * 5_001, origin="x")
