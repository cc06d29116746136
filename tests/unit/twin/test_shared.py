"""Names that tools share: `spec.let`, as if it stood in each handler that uses it."""

import json

import pytest

from agenttwin.document import read
from agenttwin.errors import DocumentError
from agenttwin.twin import TwinDefinition
from tests.unit.twin._cases import Case, definition, fault, twin
from tests.unit.twin.test_check import findings, mutate, read_of

ORDERS = {"orders": {"A": {"n": 1, "items": [2, 3]}, "B": {"n": 5, "items": []}}}
BY_ORDER = {"type": "object", "properties": {"order": {"type": "string"}}}


def case(*tools, let, **spec):
    return Case(
        twin(*({"inputSchema": BY_ORDER} | tool for tool in tools), let=let, initialState=ORDERS, **spec)
    )


def test_two_tools_use_one_name_each_with_its_own_arguments():
    let = {"total": "{= sum($state.orders[order].items) }"}
    shop = case(
        {"name": "sum", "handler": {"kind": "read", "response": "{total}"}},
        {"name": "twice", "handler": {"kind": "read", "response": "{= total * 2 }"}},
        let=let,
    )
    assert (shop("sum", order="A").body, shop("twice", order="A").body, shop("sum", order="B").body) == (
        5,
        10,
        0,
    )


def test_shared_names_use_one_another_in_any_order():
    let = {
        "last": "{= items[size(items) - 1] }",
        "items": "{= state.orders.A.items }",
        "unused": "{= 1 / 0 }",
    }
    assert case({"handler": {"kind": "read", "response": "{last}"}}, let=let)().body == 3


def test_a_name_that_a_call_does_not_reach_is_not_computed():
    let = {"broken": "{= 1 / 0 }"}
    handler = {
        "kind": "read",
        "preconditions": [{"that": "order == 'A'", "error": {"code": "OTHER"}}],
        "response": "{broken}",
    }
    shop = case({"handler": handler}, let=let)
    assert shop(order="B").code == "OTHER"
    assert shop(order="A").code == "TWIN_ERROR"


def test_a_shared_name_shows_the_state_before_the_effects_as_one_of_the_handler_does():
    handler = {
        "kind": "mutate",
        "path": "orders[{order}]",
        "effects": [{"op": "increment", "path": "orders[{order}].n"}],
        "response": {"shared": "{before}", "own": "{own}", "after": "{value.n}"},
    }
    shop = case({"handler": handler | {"let": {"own": "{value.n}"}}}, let={"before": "{value.n}"})
    assert shop(order="A").body == {"shared": 1, "own": 1, "after": 2}


def test_a_shared_name_stands_in_paths_guards_effects_and_refusals():
    handler = {
        "kind": "mutate",
        "path": "orders[{which}]",
        "preconditions": [
            {"path": "orders[{which}].n", "lt": "{most}", "error": {"message": "{most} at most"}}
        ],
        "effects": [{"op": "set", "path": "orders[{which}].n", "value": "{most}"}],
        "response": "{value.n}",
    }
    shop = case({"handler": handler}, let={"which": "{= upper(order) }", "most": 4})
    assert shop(order="a").body == 4
    assert shop(order="b").body["error"]["message"] == "4 at most"


def test_a_static_answer_may_use_a_shared_name():
    assert case(
        {"handler": {"kind": "static", "response": {"at": "{at}"}}}, let={"at": "day {now}"}
    )().body == {"at": "day 2026-01-01T00:00:00Z"}


def test_an_accepted_call_computes_its_shared_names_when_it_lands():
    add = mutate({"op": "append", "path": "orders.A.items", "value": 4})["handler"]
    take = mutate({"op": "set", "path": "orders.B.n", "value": "{sum}"})["handler"]
    compiled = twin(
        {"name": "take", "handler": take},
        {"name": "add", "handler": add},
        let={"sum": "{= sum(state.orders.A.items) }"},
        initialState=ORDERS,
    )
    late = Case(compiled, faults=[fault("late_mutation", target="take", landsBeforeCall=9)])
    late("take")
    late("add")
    assert late.end().state["orders"]["B"]["n"] == 2 + 3 + 4


# what is found when it is read


def told(*tools, **spec):
    return [(finding.at, finding.code) for finding in findings(*tools, **spec)]


def test_a_shared_text_is_read_with_the_names_of_each_tool_that_uses_it():
    tools = (
        {"name": "good", "inputSchema": BY_ORDER} | read_of(response="{which}"),
        {"name": "bad", "inputSchema": {"properties": {"ordr": {}}}} | read_of(response="{which}"),
        {"name": "worse", "inputSchema": {"properties": {}}} | read_of(response="{which}"),
    )
    (finding,) = findings(*tools, let={"which": "{order}"})
    assert (finding.at, finding.code, finding.nearest) == (("spec", "let", "which"), "unknown_name", "ordr")
    assert finding.message.endswith("in the tool 'bad'")


@pytest.mark.parametrize(
    ("let", "code"),
    [
        ({"state": 1}, "hidden_root"),
        ({"x": "{= 1 + }"}, "invalid_template"),
        ({"x": "{nobody}"}, "unknown_name"),
        ({"x": ["{= nothing( }"]}, "invalid_template"),
    ],
)
def test_what_is_wrong_with_a_shared_text_is_told_where_it_stands(let, code):
    (name,) = let
    uses = {"inputSchema": BY_ORDER} | read_of(response="{$x}" if name == "x" else 1)
    found = [(at[:3], what) for at, what in told(uses, let=let) if what != "unused_let"]
    assert found == [(("spec", "let", name), code)]


def test_a_name_that_no_tool_uses_is_a_warning_and_its_text_is_read_all_the_same():
    (warning,) = findings(read_of(path="log"), let={"spare": "{anything}"})
    assert (warning.code, warning.warning) == ("unused_let", True)
    assert told(read_of(path="log"), let={"spare": "{= 1 + }"})[0] == (
        ("spec", "let", "spare"),
        "invalid_template",
    )


def test_a_let_of_a_handler_may_not_hide_a_shared_one():
    tool = mutate(let={"x": 2}, response="{x}")
    assert (("spec", "tools", 0, "handler", "let", "x"), "hidden_root") in told(tool, let={"x": 1})


def test_an_argument_of_the_same_name_wins_and_that_is_told():
    tool = {"inputSchema": BY_ORDER} | read_of(response="{order}")
    assert [code for _, code in told(tool, let={"order": 1})] == ["ambiguous_name", "unused_let"]


def test_problems_come_with_line_and_column():
    text = json.dumps(definition({"inputSchema": BY_ORDER} | read_of(response="{x}"), let={"x": "{y}"}))
    with pytest.raises(
        DocumentError, match=r"twin\.json:1:\d+: spec\.let\.x: \{y\}: 'y' is neither an argument"
    ):
        read(text, file="twin.json", models={"TwinDefinition": TwinDefinition})
