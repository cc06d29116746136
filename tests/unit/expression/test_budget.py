"""What an expression may take: steps, and the size of what it makes."""

import pytest

from agenttwin.expression import DEFAULT_BUDGET, BudgetExceeded, EvaluationError, Scope, compile_expression
from tests.unit.expression._cel import NAMES, failure, scope


def steps(text: str, **roots: object) -> int:
    held = scope(**roots)
    compile_expression(text, NAMES).evaluate(held)
    return DEFAULT_BUDGET - held.budget


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 == 3 && true", 0),
        ("size('abc')", 1),
        ("'abc'.startsWith('a')", 1),
        ("round(1.5, 1)", 1),
        ("size([1, 2, 3])", 1),
        ("sum([1, 2, 3])", 4),
        ("[1, 2, 3].map(x, x)", 4),
        ("[1, 2, 3].map(x, size('a'))", 7),
        ("[1, 2, 3].exists(x, x == 1)", 2),
        ("{'a': 1, 'b': 2}.all(k, true)", 3),
        ("[1, 2].map(x, [3, 4].map(y, x))", 9),
        ("zip([1, 2], [3])", 4),
        ("keys({'a': 1, 'b': 2})", 3),
        ("2 in [1, 2, 3]", 3),
        ("[1, 2] == [1, 3]", 2),
        ("'a' in {'a': 1}", 0),
        ("value[0]", 0),
    ],
)
def test_a_call_and_each_element_visited_cost_a_step(text: str, expected: int):
    assert steps(text, value=[1, 2, 3]) == expected


def test_the_budget_suffices_to_the_last_step():
    expression = compile_expression("value.map(x, x)", NAMES)
    assert expression.evaluate(scope(budget=4, value=[1, 2, 3])) == [1, 2, 3]
    with pytest.raises(BudgetExceeded, match="the call takes more steps than its budget allows"):
        expression.evaluate(scope(budget=3, value=[1, 2, 3]))


def test_the_budget_is_that_of_the_whole_call():
    held = Scope({}, {"value": list(range(40_000))})
    expression = compile_expression("sum(value)", NAMES)
    expression.evaluate(held)
    expression.evaluate(held.child(tenant="demo"))
    with pytest.raises(BudgetExceeded):
        expression.evaluate(held)
    assert held.budget == 0


@pytest.mark.parametrize(
    "text",
    [
        "sum(value) > 0 || true",
        "true || false && sum(value) > 0",
        "value.exists(x, sum(value) > 0 || x == 0)",
    ],
)
def test_no_operator_absorbs_the_end_of_the_budget(text: str):
    expression = compile_expression(f"({text}) && sum(value) >= 0", NAMES)
    with pytest.raises(BudgetExceeded):
        expression.evaluate(scope(budget=2, value=[0, 1, 2]))


def test_nested_loops_end_with_the_budget():
    text = "value.all(a, value.all(b, value.all(c, value.all(d, true))))"
    with pytest.raises(BudgetExceeded):
        compile_expression(text, NAMES).evaluate(scope(value=list(range(1000))))


def test_a_text_has_an_end():
    text, words = "x" * (3 * 2**20), "a text of 6,291,456 characters is longer than 4,194,304"
    assert failure("value + value", value=text) == words
    assert failure("[value, value].join()", value=text) == words
    assert (
        failure("'aa'.replace('a', value)", value=text)
        == "a text of 6,291,456 characters is longer than 4,194,304"
    )


def test_a_list_has_an_end():
    words = "a list of 120,000 elements is longer than 100,000"
    assert failure("value + value", value=[0] * 60_000) == words
    assert failure("flatten([value, value])", value=[0] * 60_000) == words
    assert failure("value.split(',')", value="," * 119_999) == words
    assert failure("value.split('')", value="," * 120_000) == words


def test_a_million_characters_are_searched_at_once():
    assert (
        compile_expression("value.matches('(a+)+$')", NAMES).evaluate(scope(value="a" * 10**6 + "b")) is False
    )


def test_deep_values_are_compared_and_written():
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    assert compile_expression("value == value", NAMES).evaluate(scope(value=deep)) is True
    for _ in range(200):
        deep = [deep]
    with pytest.raises(EvaluationError, match="the value cannot be written as JSON"):
        compile_expression("string(value)", NAMES).evaluate(scope(value=deep))
