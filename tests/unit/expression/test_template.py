"""Templates: placeholders keep their type alone and become text among text; what is missing is said."""

from typing import Any

import pytest

from agenttwin.expression import EvaluationError, Names, TemplateError, compile, compile_text
from agenttwin.values import MISSING, Tree
from tests.unit.expression._cel import NAMES, scope

ARGS = {"order_id": "O-1", "amount": 40.0, "tenant": "mine"}
ROOTS = {
    "value": {"user_id": "u-1", "none": None, "items": [{"id": "a"}, {"id": "b"}]},
    "state": {"orders": {"O-1": {"total": 5}}},
    "tenant": "demo",
    "settings": {"on": True, "rate": 0.5, "list": [1, {"b": 2.0, "a": None}]},
}


def render(template: Any, **args: object) -> Any:
    return compile(template, NAMES).render(scope(ARGS | args, **ROOTS))


def refusal(template: Any) -> TemplateError:
    with pytest.raises(TemplateError) as raised:
        compile(template, NAMES)
    return raised.value


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{order_id}", "O-1"),
        ("{amount}", 40.0),
        ("{ amount }", 40.0),
        ("{value}", ROOTS["value"]),
        ("{value.user_id}", "u-1"),
        ("{value.none}", None),
        ("{value.items[1].id}", "b"),
        ("{value.items[-1]['id']}", "b"),
        ("{value.items.length()}", 2),
        ("{args.order_id}", "O-1"),
        ("{args}", ARGS),
        ("{settings.on}", True),
        ("{tenant}", "mine"),
        ("{$tenant}", "demo"),
        ("{$state.orders.O-1.total}", 5),
        ("{= amount + 1 }", 41),
        ("{=amount}", 40),
        ("{= state.orders[order_id] }", {"total": 5}),
        ("{= {'a': {'b': '}'}} }", {"a": {"b": "}"}}),
        ("{= '}' // a comment with }\n }", "}"),
        ("{amount}\n", 40.0),
        ("{= amount }\n", 40),
    ],
)
def test_a_text_that_is_one_placeholder_keeps_the_type(template: str, expected: object):
    assert render(template) == expected
    assert type(render(template)) is type(expected)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("Order {order_id}", "Order O-1"),
        ("{order_id}{order_id}", "O-1O-1"),
        ("{amount} USD", "40 USD"),
        (" {amount}", " 40"),
        ("{settings.on}!", "true!"),
        ("[{value.none}]", "[]"),
        ("{settings.rate}/{settings.list}", '0.5/[1,{"a":null,"b":2}]'),
        ("{= amount * 2 } and {= 'a' + '}' }", "80 and a}"),
        ("{note?}.", "."),
        ("{value.x.y?}-{value.user_id?}", "-u-1"),
        ("{{order_id}}", "{order_id}"),
        ("{{{order_id}}}", "{O-1}"),
        ("{{}}", "{}"),
        ("}}{{", "}{"),
        ("a{{b", "a{b"),
        ("", ""),
        ("plain", "plain"),
        ("{order_id}\n\n", "O-1\n\n"),
        ("{order_id}\nnext", "O-1\nnext"),
    ],
)
def test_any_other_text_joins_the_text_forms(template: str, expected: str):
    assert render(template) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (
            {"id": "{order_id}", "n": [1, "{amount}", {"x": "{settings.on}"}]},
            {"id": "O-1", "n": [1, 40.0, {"x": True}]},
        ),
        ({"{order_id}": "{order_id}"}, {"{order_id}": "O-1"}),
        ({"b": "{order_id}", "a": 1, "c": "{order_id}"}, {"b": "O-1", "a": 1, "c": "O-1"}),
        ({"a": "{note?}", "b": 1, "c": "{note?}"}, {"b": 1}),
        (["{note?}", 1, "{note?}", "{order_id}", "{note?}"], [1, "O-1"]),
        ({"a": ["{note?}"]}, {"a": []}),
        ([[], {}, None, 1.5, True], [[], {}, None, 1.5, True]),
    ],
)
def test_objects_and_lists(template: Any, expected: Any):
    assert render(template) == expected
    if isinstance(expected, dict):
        assert list(render(template)) == list(expected)


def test_an_optional_placeholder_alone_may_be_missing():
    assert render("{note?}") is MISSING
    assert render("{value.items[7].id?}") is MISSING
    assert render("{value.user_id.deeper?}") is MISSING
    assert render("{note?}", note=None) is None
    assert render("{ note ? }", note=1) == 1


def test_text_is_text_even_if_it_is_one_placeholder():
    def text(template: str) -> Any:
        return compile_text(template, NAMES).render(scope(ARGS, **ROOTS))

    assert text("{amount}") == "40"
    assert text("{value.none}") == ""
    assert text("{note?}") == ""
    assert text("refund:{order_id}") == "refund:O-1"
    assert text("{{}}") == "{}"
    assert text("") == ""


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{note}", "{note} is missing"),
        ("a {note} b", "{note} is missing"),
        ("{value.nope}", "{value.nope} is missing"),
        ("{value.user_id.x}", "{value.user_id.x} is missing"),
        ("{args.note}", "{args.note} is missing"),
        ("{ value.items[9] }", "{ value.items[9] } is missing"),
        ("{= note }", "note is missing, in {= note }"),
        ({"a": [{"b": "{note}"}]}, "{note} is missing"),
    ],
)
def test_what_is_missing_fails_by_name(template: Any, words: str):
    with pytest.raises(EvaluationError) as raised:
        render(template)
    assert raised.value.message == words


@pytest.mark.parametrize(
    ("template", "position", "words"),
    [
        ("{oder_id}", 0, "{oder_id}: 'oder_id' is neither an argument nor a root; did you mean 'order_id'?"),
        ("ab {$vlaue.x}", 3, "{$vlaue.x}: '$vlaue' is no root; did you mean '$value'?"),
        ("a { b", 2, "'{' is not closed; a brace itself is doubled"),
        ("a } b", 2, "'}' closes nothing; a brace itself is doubled"),
        ("{a{b}", 0, "'{' is not closed; a brace itself is doubled"),
        ("{}", 0, "{} is no placeholder: it begins with a name; a brace itself is doubled"),
        ("{[0]}", 0, "{[0]} is no placeholder: it begins with a name; a brace itself is doubled"),
        ("{length()}", 0, "{length()} is no placeholder: it begins with a name; a brace itself is doubled"),
        ("{?}", 0, "{?} is no placeholder: it begins with a name; a brace itself is doubled"),
        ("x {= 1 + }", 9, "expected a value, but the expression ends"),
        ("x {= 1 ", 4, "the expression is not closed by '}'"),
        ("x {= {'a': 1 }", 4, "the expression is not closed by '}'"),
        (
            "x {= oder_id }",
            5,
            "oder_id: 'oder_id' is neither an argument nor a root; did you mean 'order_id'?",
        ),
        ("{= " + "1+" * 2100 + "1 }", 2, "an expression has at most 4,096 bytes, this one has 4,203"),
    ],
)
def test_what_is_no_template_is_refused_where_it_stands(template: str, position: int, words: str):
    problem = refusal(template)
    assert (problem.position, str(problem).partition(" (character")[0]) == (position, words)


def test_a_placeholder_with_a_strange_name_says_how_to_write_it():
    assert refusal("{two words}").message.startswith("{two words} is no placeholder: expected '.' or '['")
    assert compile("{['two words']}", Names()).render(scope({"two words": 1})) == 1


def test_all_problems_of_a_value_are_told():
    problem = refusal({"a": "{x}", "b": ["{order_id}", "{= y }"], "c": {"d": "}"}})
    assert [(each.path, each.value) for each in (problem, *problem.others)] == [
        (("a",), "x"),
        (("b", 1), "y"),
        (("c", "d"), None),
    ]


def test_what_never_changes_costs_nothing():
    value = {"a": [1, {"b": "text"}], "c": None}
    template = compile(value, NAMES)
    assert template.static
    assert template.render(scope()) is value
    assert template.names_used == frozenset()


def test_the_unchanging_parts_are_shared():
    part = {"b": "text"}
    template = compile({"a": part, "id": "{order_id}"}, NAMES)
    rendered = template.render(scope(ARGS))
    assert rendered["a"] is part
    rendered["id"] = "changed"
    assert template.render(scope(ARGS))["id"] == "O-1"


def test_doubled_braces_alone_are_static():
    template = compile(["{{a}}"], NAMES)
    assert template.static
    assert template.render(scope()) == ["{a}"]


def test_a_template_knows_its_names():
    template = compile(
        {"a": "{tenant} {value.x}", "b": "{= settings.on && has(note) }", "c": "{$state}"}, NAMES
    )
    assert template.names_used == {"tenant", "value", "settings", "note", "state"}
    assert template.shadowed == {"tenant"}
    assert not template.static


def test_without_declared_arguments_any_name_may_be_one():
    names = Names(roots=frozenset({"tenant"}))
    held = scope({"anything": 1, "tenant": "mine"}, tenant="demo")
    assert compile("{anything}-{tenant}", names).render(held) == "1-demo"


def test_the_nodes_of_a_tree_are_values():
    tree = Tree(ROOTS["state"])
    tree.set(("orders", "O-1", "total"), 7)
    held = scope(ARGS, state=tree.root)
    assert compile("{state.orders.O-1.total}", NAMES).render(held) == 7
    assert compile("{state.orders} ", NAMES).render(held) == '{"O-1":{"total":7}} '


def test_a_template_has_levels():
    deep: Any = "{order_id}"
    for _ in range(64):
        deep = [deep]
    assert compile(deep, NAMES).render(scope(ARGS))
    assert refusal([deep]).message == "a template has at most 64 levels"


def test_a_rendered_text_has_an_end():
    with pytest.raises(EvaluationError, match="is longer than 4,194,304"):
        render("{note}{note}", note="x" * (3 * 2**20))


def test_what_cannot_be_written_as_text_fails():
    with pytest.raises(EvaluationError, match="the value cannot be written as JSON"):
        render("x{note}", note=[2**60])
