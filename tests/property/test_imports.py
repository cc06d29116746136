"""Documents with parts dropped, doubled, retyped or led astray: a draft or a sentence, never a crash."""

from __future__ import annotations

import copy

import yaml
from hypothesis import given
from hypothesis import strategies as st

from agenttwin.errors import AgentTwinError
from agenttwin.imports import from_mcp, from_openapi
from tests.unit.imports._drafts import SHOP, usable

DOCUMENT = yaml.safe_load(SHOP)
TOOLS = [
    {
        "name": "pay",
        "description": "Pays.",
        "inputSchema": {
            "type": "object",
            "properties": {"to": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"type": "string"}},
        },
        "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
        "annotations": {"readOnlyHint": False},
        "_meta": {"agenttwin/risk": "READ"},
    }
]
ODD = st.sampled_from(
    [None, True, 0, -1, 1.5, 2**70, "", "x", "{x}", "#/paths", [], [1], {}, {"$ref": "#"}, {"$ref": "#/components/schemas/Order"},
     {"$ref": "other.yaml#/x"}, {"$ref": 7}, {"type": []}, {"type": {"a": 1}}]
)  # fmt: skip


def places(value, path=()):
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


@st.composite
def broken(draw, document):
    """The document after a few such accidents."""
    made = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from([place for place in places(made) if place]))
        holder = made
        for key in path[:-1]:
            holder = holder[key]
        act = draw(st.sampled_from(["drop", "odd", "double", "rename"]))
        if act == "drop":
            del holder[path[-1]]
        elif act == "odd":
            holder[path[-1]] = draw(ODD)
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[path[-1]]))
        elif act == "rename":
            holder[draw(st.text(max_size=8))] = holder.pop(path[-1])
        else:
            holder[draw(st.sampled_from(["get", "post", "x", "/y/{z}", "properties", "$ref"]))] = holder[
                path[-1]
            ]
        if not isinstance(made, dict) or len([*places(made)]) < 2:
            break
    return made


def written(document):
    return yaml.safe_dump(document, allow_unicode=True).encode("utf-8", "replace")


def draft_of(make, codes):
    """What is drafted; None where it is refused, with one of the codes."""
    try:
        return make()
    except AgentTwinError as refused:
        error = refused
    assert error.code in codes
    return None


@given(broken(DOCUMENT))
def test_a_broken_document_is_drafted_or_refused(document):
    made = draft_of(lambda: from_openapi(written(document), file="api.yaml"), {"no_openapi", "not_json"})
    assert made is None or usable(made)


@given(broken({"tools": TOOLS}))
def test_a_broken_list_is_drafted_or_refused(listing):
    made = draft_of(lambda: from_mcp(listing, origin="shop"), {"no_tool_list"})
    assert made is None or usable(made)
