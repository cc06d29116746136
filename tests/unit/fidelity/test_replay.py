"""A recording played again: answers that agree are counted, each difference is told with its exchange."""

from __future__ import annotations

import dataclasses

import pytest

from agenttwin.fidelity import replay
from agenttwin.imports import Exchange, from_openapi
from tests.unit.imports._drafts import SHOP, usable


def said(tool, sent, received, status=200):
    return Exchange(method="MCP", path="", tool=tool, sent=sent, status=status, received=received)


RECORDED = (
    said(
        "getOrder",
        {"order_id": "O-1"},
        {"id": "O-1", "status": "open", "amount": 12.5, "customer": {"name": "Ada"}},
    ),
    said("createOrder", {"amount": 3}, {"id": "R-77", "created_at": "2025-05-05T05:05:05Z", "amount": 3}),
    said(
        "updateOrder",
        {"order_id": "O-1", "status": "paid"},
        {"id": "O-1", "status": "paid", "amount": 12.5, "customer": {"name": "Ada"}},
    ),
    said(
        "getOrder",
        {"order_id": "O-1"},
        {"id": "O-1", "status": "paid", "amount": 12.5, "customer": {"name": "Ada"}},
    ),
    said(
        "getOrder",
        {"order_id": "O-9"},
        {"error": {"code": "NOT_FOUND", "message": "There is nothing called O-9 in orders."}},
        404,
    ),
)


@pytest.fixture(scope="module")
def twin():
    return usable(from_openapi(SHOP, file="api.yaml")).compiled


def test_a_twin_that_behaves_as_it_was_recorded_agrees(twin):
    found = replay(twin, RECORDED)
    assert found.differences == ()
    assert (found.agrees, found.untried) == (5, ())


@pytest.mark.parametrize(
    ("number", "change", "what", "where", "twin_has", "real_has"),
    [
        (0, {"received": {"id": "O-1", "status": "open", "amount": 12.5}}, "field", "exchange 1: customer", '{"name":"Ada"}', "missing"),
        (0, {"status": 404}, "status", "exchange 1", "200", "404"),
        (1, {"received": {"id": 7, "created_at": "2025-05-05T05:05:05Z", "amount": 3}}, "field", "exchange 2: id", '"orders-0001"', "7"),
        (3, {"received": {"id": "O-1", "status": "open", "amount": 12.5, "customer": {"name": "Ada"}}}, "field", "exchange 4: status", '"paid"', '"open"'),
    ],
)  # fmt: skip
def test_each_difference_is_told_with_its_exchange(twin, number, change, what, where, twin_has, real_has):
    recorded = [
        dataclasses.replace(item, **change) if n == number else item for n, item in enumerate(RECORDED)
    ]
    (difference,) = replay(twin, recorded).differences
    assert (difference.what, difference.where) == (what, where)
    assert (difference.twin, difference.real) == (twin_has, real_has)


def test_what_was_never_answered_is_no_comparison_and_what_the_twin_lacks_is_a_difference(twin):
    found = replay(twin, [said("getOrder", {}, None, None), said("nothing", {}, {})])
    assert found.agrees == 0
    assert [(each.tool, each.what) for each in found.differences] == [("nothing", "tool")]
