"""Names, members, indices, and asking whether something is there."""

import pytest

from agenttwin.expression import EvaluationError, Lazy, Names, Scope, TemplateError, compile_expression
from agenttwin.values import MISSING, Tree
from tests.unit.expression._cel import NAMES, failure, refusal, scope, value

STATE = {"orders": {"O-1": {"items": [{"price": 5}, {"price": 7}], "note": None}}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("state.orders['O-1'].items[1].price", 7),
        ("state.orders[order_id].items[0]", {"price": 5}),
        ("state['orders']['O-1'].note", None),
        ("args.order_id", "O-1"),
        ("$state.orders == state.orders", True),
        ("has(state.orders)", True),
        ("has(state.users)", False),
        ("has(state.orders['O-1'].note)", True),
        ("has(state.orders[order_id])", True),
        ("has(state.orders['O-2'])", False),
        ("has(state.orders['O-1'].items[1])", True),
        ("has(state.orders['O-1'].items[2])", False),
        ("has(args.note)", False),
        ("has(order_id)", True),
        ("has(note)", False),
        ("has(value)", False),
        ("has(state)", True),
    ],
)
def test_access(text: str, expected: object):
    assert value(text, {"order_id": "O-1"}, state=STATE) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "state.orders['O-1'].total",
            'there is no "total" in {"items": [{"price": 5}, {"price": 7}], "note": null}',
        ),
        ("[1, 2][2]", "2 is no index of a list of 2"),
        ("[1, 2][-1]", "-1 is no index of a list of 2"),
        ("[1, 2][0.5]", "0.5 is no index of a list of 2"),
        ("[1, 2]['a']", '[1, 2] has no "a"'),
        ("[1, 2][true]", "[1, 2] has no true"),
        ("[1, 2].size", '[1, 2] has no "size"'),
        ("'abc'[0]", '"abc" has no 0'),
        ("'abc'.a", '"abc" has no "a"'),
        ("null.a", 'null has no "a"'),
        ("{'1': 2}[1]", 'there is no 1 in {"1": 2}'),
        ("{'a': 1}[true]", 'there is no true in {"a": 1}'),
        ("has('a'.b)", 'has() asks an object for "b", not "a"'),
        ("has([1].b)", 'has() asks an object for "b", not [1]'),
        ("has(null[0])", "has() asks an object or a list, not null"),
        ("has(state.users.x)", 'there is no "users" in {}'),
        ("note", "note is missing"),
        ("value", "value is missing"),
        ("tenant", "tenant is missing"),
    ],
)
def test_what_is_not_there_fails(text: str, words: str):
    given = {} if "{}" in words else STATE
    assert failure(text, {"order_id": "O-1"}, state=given) == words


def test_a_root_may_be_missing():
    assert failure("value", value=MISSING) == "value is missing"
    assert value("has(value)", value=MISSING) is False


@pytest.mark.parametrize(
    ("text", "message", "nearest"),
    [
        ("oder_id", "oder_id: 'oder_id' is neither an argument nor a root", "order_id"),
        ("staet.x", "staet: 'staet' is neither an argument nor a root", "state"),
        ("$ordr", "$ordr: '$ordr' is no root", None),
        ("$valu", "$valu: '$valu' is no root", "$value"),
        ("$order_id", "$order_id: '$order_id' is no root", None),
        ("[1].map(x, y)", "y: 'y' is neither an argument nor a root", None),
        ("x + [1].map(x, x)[0]", "x: 'x' is neither an argument nor a root", None),
        ("has(orders)", "orders: 'orders' is neither an argument nor a root", "order_id"),
        ("siz(1)", "there is no function 'siz'", "size"),
        ("'a'.startWith('a')", "there is no function 'startWith'", "startsWith"),
        ("'a'.has(1)", "has is written has(x.field)", None),
        ("zzzz(1)", "there is no function 'zzzz'", None),
        ("map([1], x, x)", "map is written list.map(x, condition?, value)", None),
    ],
)
def test_unknown_words_are_refused_with_the_nearest(text: str, message: str, nearest: str | None):
    problem = refusal(text)
    assert (problem.message, problem.nearest) == (message, nearest)


def test_the_nearest_word_is_said():
    assert str(refusal("1 + oder_id")) == (
        "oder_id: 'oder_id' is neither an argument nor a root; did you mean 'order_id'? (character 5)"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size()", "size(x) takes 1 argument, not 0"),
        ("'a'.size(1)", "size(x) takes 1 argument, not 2"),
        ("round(1, 2, 3)", "round(x, decimals?) takes 1 to 2 arguments, not 3"),
        ("zip([1])", "zip(list, list, …) takes 2 to 8 arguments, not 1"),
        ("[1].map(x)", "list.map(x, condition?, value) takes 2 to 3 arguments, not 1"),
        ("[1].all(x, true, true)", "list.all(x, condition) takes 2 arguments, not 3"),
        ("[1].all(x.y, true)", "list.all(x, condition): the first argument names the variable, a plain word"),
        ("[1].all('x', true)", "list.all(x, condition): the first argument names the variable, a plain word"),
        ("[1].all($x, true)", "list.all(x, condition): the first argument names the variable, a plain word"),
        ("[1].all(.x, true)", "list.all(x, condition): the first argument names the variable, a plain word"),
        ("has(1)", "has(x.field) asks for a field, an index or a name"),
        ("has()", "has(x.field) takes 1 argument, not 0"),
        ("[1].all(x, has(x))", "has(x.field) asks for a field, an index or a name"),
    ],
)
def test_what_cannot_be_called_so_is_refused(text: str, words: str):
    assert refusal(text).message == words


def test_a_declared_argument_wins_over_a_root():
    expression = compile_expression("[tenant, $tenant]", NAMES)
    assert expression.evaluate(scope({"tenant": "mine"}, tenant="demo")) == ["mine", "demo"]
    assert expression.names_used == {"tenant"}
    assert expression.shadowed == {"tenant"}


def test_an_argument_whose_name_starts_with_a_dollar_is_itself():
    names = Names(arguments=frozenset({"$filter", "$state"}), roots=frozenset({"state"}))
    assert compile_expression("$filter", names).evaluate(scope({"$filter": "x"})) == "x"
    assert compile_expression("$state", names).evaluate(scope({"$state": "x"}, state="root")) == "root"


def test_without_declared_arguments_any_name_but_a_root_may_be_one():
    names = Names(roots=frozenset({"state"}))
    assert compile_expression("anything", names).evaluate(scope({"anything": 1})) == 1
    assert compile_expression("state", names).evaluate(scope({"state": 1}, state=2)) == 2
    with pytest.raises(TemplateError):
        compile_expression("$anything", names)


def test_further_roots_come_into_reach():
    names = NAMES.with_roots("item", "total")
    assert compile_expression("item + total", names).evaluate(scope(item=1, total=2)) == 3


def test_a_lazy_root_is_computed_once_when_it_is_read():
    computed: list[int] = []
    lazy = Lazy(lambda: computed.append(1) or {"total": 5})
    assert value("true || value.total == 5", value=lazy) is True
    assert computed == []
    assert value("value.total + value.total", value=lazy) == 10
    assert computed == [1]


def test_a_lazy_root_that_fails_fails_wherever_it_is_read():
    held = scope()
    expression = compile_expression("value.x", NAMES)
    held.bind("value", Lazy(lambda: compile_expression("1 / 0", NAMES).evaluate(held)))
    for _ in range(2):
        with pytest.raises(EvaluationError, match=r"division by zero, in \{= 1 / 0 \}$"):
            expression.evaluate(held)


def test_a_lazy_root_cannot_need_itself():
    held = scope()
    held.bind("value", Lazy(lambda: compile_expression("value + 1", NAMES).evaluate(held)))
    with pytest.raises(EvaluationError, match="a value is needed to compute itself"):
        compile_expression("value", NAMES).evaluate(held)


def test_values_that_need_too_many_others_fail():
    held = scope()
    names = NAMES.with_roots(*(f"v{n}" for n in range(1001)))

    def reads(n: int) -> Lazy:
        return Lazy(lambda: compile_expression(f"v{n + 1} + 1", names).evaluate(held))

    for n in range(1000):
        held.bind(f"v{n}", reads(n))
    held.bind("v1000", 0)
    with pytest.raises(EvaluationError, match="too many values need one another"):
        compile_expression("v0", names).evaluate(held)
    assert compile_expression("v990", names).evaluate(held) == 10


def test_a_lazy_root_may_be_read_within_a_macro():
    held = scope(state=[1, 2])
    held.bind("value", Lazy(lambda: compile_expression("state.map(y, y * 10)", NAMES).evaluate(held)))
    assert compile_expression("state.map(x, value[0] + x)", NAMES).evaluate(held) == [11, 12]


def test_a_child_sees_further_roots_and_shares_the_budget():
    parent = scope(state=[1, 2, 3])
    child = parent.child(value=5)
    assert compile_expression("state.map(x, x + value)", NAMES).evaluate(child) == [6, 7, 8]
    assert parent.budget == child.budget == 100_000 - 4
    assert "value" not in parent.roots


def test_the_nodes_of_a_tree_are_objects_and_lists():
    tree = Tree({"a": {"b": [1, 2]}, "c": 1})
    tree.set(("a", "b", 0), 5)
    tree.append(("a", "b"), 3)
    tree.set(("a", "d"), {"e": 1})
    tree.delete(("c",))

    def of(text: str) -> object:
        return value(text, state=tree.root)

    assert of("state.a.b[0] + state['a'].b[2]") == 8
    assert of("state.a.b.map(x, x * 2)") == [10, 4, 6]
    assert of("sum(state.a.b) + size(state.a.b)") == 13
    assert of("state.a.b + [4]") == [5, 2, 3, 4]
    assert of("state.a.b == [5, 2, 3] && [5, 2, 3] == state.a.b")
    assert of("5 in state.a.b && 'd' in state.a && !('c' in state)")
    assert of("has(state.c) || has(state.a.b[3])") is False
    assert of("state.a.map(k, k)") == ["b", "d"]
    assert of("keys(state)") == ["a"]
    assert of("values(state.a)[1].e") == 1
    assert of("string(state.a)") == '{"b":[5,2,3],"d":{"e":1}}'
    assert of("zip(state.a.b, state.a.b)[0]") == [5, 5]
    assert of("merge(state.a, {'b': 1})") == {"b": 1, "d": {"e": 1}}
    assert failure("state.c", state=tree.root).startswith('there is no "c"')
    assert failure("state.a.b.c", state=tree.root) == '[5, 2, 3] has no "c"'


def test_a_scope_uses_the_dict_of_roots_as_it_is():
    roots: dict[str, object] = {"value": 1}
    held = Scope({}, roots)
    roots["value"] = 2
    assert compile_expression("value", NAMES).evaluate(held) == 2
