"""Logic: commutative over errors, and only the boolean true is true."""

import pytest

from agenttwin.expression import EvaluationError, compile_expression
from tests.unit.expression._cel import NAMES, failure, scope, value

ERROR = "1 / 0 == 1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{ERROR} || true", True),
        (f"true || {ERROR}", True),
        (f"{ERROR} && false", False),
        (f"false && {ERROR}", False),
        (f"false || {ERROR} || true", True),
        (f"true && {ERROR} && false", False),
        ("1 || true", True),
        ("null && false", False),
        ("[0, 1].exists(i, 1 / i == 1)", True),
        ("[0, 1].all(i, 1 / i == 2)", False),
        ("[1, true].exists(x, x)", True),
        ("[1, false].all(x, x)", False),
        (f"true ? 1 : {ERROR}", 1),
        (f"false ? {ERROR} : 2", 2),
    ],
)
def test_an_error_yields_to_what_decides(text: str, expected: object):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{ERROR} || false", "division by zero"),
        (f"false || {ERROR}", "division by zero"),
        (f"true && {ERROR}", "division by zero"),
        (f"1 && {ERROR}", "a condition is true or false, not 1"),
        (f"{ERROR} && 1", "division by zero"),
        ("true && 1", "a condition is true or false, not 1"),
        ("'true' || false", 'a condition is true or false, not "true"'),
        ("!1", "a condition is true or false, not 1"),
        ("null ? 1 : 2", "a condition is true or false, not null"),
        (f"{ERROR} ? 1 : 2", "division by zero"),
        ("[0, 2].exists(i, 1 / i == 1)", "division by zero"),
        ("[1].all(x, x)", "a condition is true or false, not 1"),
        ("[true, 1].exists_one(x, x)", "a condition is true or false, not 1"),
        ("[1].filter(x, x)", "a condition is true or false, not 1"),
    ],
)
def test_an_error_stays_where_nothing_decides(text: str, words: str):
    assert failure(text) == words


@pytest.mark.parametrize(
    ("result", "true"),
    [("true", True), ("false", False), ("1", False), ("'true'", False), ("[true]", False), ("null", False)],
)
def test_only_the_boolean_true_is_true(result: str, true: bool):
    assert compile_expression(result, NAMES).is_true(scope()) is true


def test_asking_whether_an_error_is_true_fails():
    with pytest.raises(EvaluationError):
        compile_expression("1 / 0", NAMES).is_true(scope())


def test_a_failure_names_its_expression():
    with pytest.raises(EvaluationError) as raised:
        value(" value.total > 1 ", value={})
    assert str(raised.value) == 'there is no "total" in {}, in {= value.total > 1 }'


def test_a_failure_names_the_start_of_a_long_expression():
    with pytest.raises(EvaluationError) as raised:
        value("1 / 0" + " + 1" * 200)
    assert raised.value.message.endswith("+ 1 +… }")
    assert len(raised.value.message) < 250
