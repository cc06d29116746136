"""Where in the state something can be: the state's schema says so, else what is written there."""

import pytest

from agenttwin.twin import state_problem
from agenttwin.values import Path
from tests.unit.twin._cases import definition, loaded

ORDER = {"type": "object", "properties": {"total": {"type": "number"}, "tags": {"type": "array"}}}
SCHEMA = {
    "type": "object",
    "properties": {
        "orders": {"type": "object", "additionalProperties": {"$ref": "#/$defs/order"}},
        "log": {"type": ["array", "null"], "items": {"$ref": "#/$defs/order"}},
        "open": {"anyOf": [{"type": "object"}, {"type": "array"}]},
        "round": {"$ref": "#/properties/round"},
    },
    "$defs": {"order": ORDER},
}
CHANGE = {"kind": "mutate", "effects": [{"op": "set", "path": "made.by.effect", "value": 1}]}


def problem(path, **more):
    described = loaded(definition({"handler": CHANGE}, initialState={"orders": {}}))
    return state_problem(described, Path.parse(path).segments, **more)


def in_schema(path):
    described = loaded(definition({"handler": {"kind": "echo"}}, initialState={}, stateSchema=SCHEMA))
    return state_problem(described, Path.parse(path).segments)


@pytest.mark.parametrize(
    "path",
    ["orders", "orders.A", "orders.A.total", "log[0].tags[3]", "open.x[1]", "round.x", "log[-1]"],
)
def test_a_place_that_the_schema_describes_or_leaves_open_is_none(path):
    assert in_schema(path) is None


@pytest.mark.parametrize(
    ("path", "message", "nearest"),
    [
        ("ordrs", "the state's schema has no 'ordrs' here", "orders"),
        ("orders.A.totl", "the state's schema has no 'totl' here", "total"),
        ("log[0].totl", "the state's schema has no 'totl' here", "total"),
        ("orders[0]", "the state's schema says object here, which has no 0", None),
        ("log.first", "the state's schema says array or null here, which has no 'first'", None),
        ("orders.A.total.cents", "the state's schema says number here, which has no 'cents'", None),
    ],
)
def test_a_place_that_the_schema_has_not_is_a_problem(path, message, nearest):
    found = in_schema(path)
    assert (found.message, found.nearest, found.certain) == (message, nearest, True)


@pytest.mark.parametrize("path", ["orders.x", "made.anything", "kb[0]", "", "[0]"])
def test_without_a_schema_a_first_segment_that_is_written_somewhere_will_do(path):
    assert problem(path) is None


def test_another_first_segment_only_looks_wrong():
    found = problem("ordes.x")
    assert (found.message, found.nearest, found.certain) == (
        "the state has no 'ordes', and no effect makes it",
        "orders",
        False,
    )


def test_what_a_scenario_adds_may_be_there():
    assert problem("coupons.x", more={"coupons": {}}) is None
