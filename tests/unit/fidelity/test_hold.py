"""A twin held against what the real thing says of itself: each kind of disagreement is found, and told once."""

from __future__ import annotations

import json
import re

import pytest

from agenttwin.document import read
from agenttwin.fidelity import hold
from agenttwin.imports import write
from agenttwin.lab import Twin
from agenttwin.twin import TwinDefinition
from tests.unit.imports._drafts import SHOP, draft, listed

REAL = draft(SHOP)
TEXT = write(REAL)


def held(text, real=REAL):
    document = read(text, file="twin.yaml", models={"TwinDefinition": TwinDefinition})
    return hold(document.model, Twin(document.model).compiled, real)


def changed(old, new, number=1):
    assert old in TEXT
    return TEXT.replace(old, new, number)


def told(found):
    return [(each.tool, each.what, each.where) for each in found.differences]


def test_a_fresh_draft_agrees_with_what_it_was_drafted_from():
    found = held(TEXT)
    assert found.differences == ()
    assert found.agrees == 30
    assert set(found.untried) == {"createOrder", "updateOrder", "deleteOrder", "refund_order"}


@pytest.mark.parametrize(
    ("old", "new", "differences"),
    [
        ("name: getOrder", "name: readOrder", [("getOrder", "tool", ""), ("readOrder", "tool", "")]),
        ("name: getOrder", "name: get_order", []),
        ("status: {type: string}", "status: {type: integer}", [("listOrders", "type", "status")]),
        ("limit: {type: integer,", "limit: {type: number,", []),
        ("status: {type: string}\n          limit", "limit", [("listOrders", "argument", "status")]),
        ("status: {type: string}\n", "status: {type: string}\n          mine: {type: string}\n", [("listOrders", "argument", "mine")]),
        ("enum: [open, paid]", "enum: [open]", [("createOrder", "values", "status")]),
        ("required: [order_id, amount]", "required: [order_id]", [("refund_order", "required", "amount")]),
        ("risk: WRITE_IRREVERSIBLE  # DELETE", "risk: READ  # DELETE", [("deleteOrder", "risk", "")]),
        ("risk: READ  # GET reads", "risk: ADMIN", []),
        ("amount: 7}", 'amount: "7"}', [("listOrders", "field", "items.1.amount")]),
        ("path: \"orders[{order_id}]\"\n        notFound", "path: \"order[{order_id}]\"\n        notFound", []),
        ("response: {items: \"{shown}\"", "response: {rows: \"{shown}\"", []),
    ],
)  # fmt: skip
def test_each_disagreement_is_found(old, new, differences):
    assert told(held(changed(old, new))) == differences


def test_an_answer_that_is_no_success_is_a_difference():
    broken = re.sub(
        r"(name: listOrders[\s\S]*?handler:\n        kind: read\n)",
        r"\1        preconditions: [{that: 'false'}]\n",
        TEXT,
        count=1,
    )
    assert told(held(broken)) == [("listOrders", "status", "")]


def test_a_twin_is_held_against_a_list_of_tools_too():
    real = listed(
        {
            "name": "pay",
            "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
        },
        {
            "name": "look",
            "annotations": {"readOnlyHint": True},
            "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        },
    )
    text = write(real)
    assert held(text, real).differences == ()
    assert told(held(text.replace('"n": 1', '"m": 1'), real)) == [("look", "field", "the answer")]
    more = listed(*[{"name": "pay", "inputSchema": {}}, {"name": "look"}, {"name": "new"}])
    assert ("new", "tool", "") in told(held(text, more))


def test_an_idempotency_key_of_the_twins_own_is_no_difference():
    real = listed(
        {"name": "pay", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}}}
    )
    text = write(real).replace(
        "inputSchema: {type: object, properties: {to: {type: string}}}",
        "idempotency: {argument: key}\n      inputSchema: {type: object, properties: {to: {type: string}, key: {type: string}}}",
    )
    assert held(text, real).differences == ()


def test_what_is_told_is_plain_data():
    found = held(changed("status: {type: string}", "status: {type: integer}"))
    assert json.dumps([each.twin + each.real for each in found.differences])
