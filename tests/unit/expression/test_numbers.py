"""The number rule: exact integers within 2^53, else one double operation at a time."""

import pytest

from tests.unit.expression._cel import failure, value

TOP = 2**53


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 3", 5),
        ("0.5 + 0.5", 1),
        ("0.1 + 0.2", 0.30000000000000004),
        ("0.1 + 0.2 + 0.3", 0.6000000000000001),
        ("0.1 + (0.2 + 0.3)", 0.6),
        ("1 + 0.5", 1.5),
        ("2 * 0.5", 1),
        ("7 / 2", 3.5),
        ("6 / 2", 3),
        ("1 / 3", 1 / 3),
        ("-0.0", 0),
        ("0 * -1", 0),
        ("-(0.0)", 0),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("-6 % 3", 0),
        ("5.5 % 2", 1.5),
        ("-5.5 % 2", -1.5),
        (f"{TOP} - 1", TOP - 1),
        (f"-{TOP}", -TOP),
        (f"{TOP} + 1", float(TOP)),
        (f"{TOP} + 3", float(TOP + 4)),
        (f"{TOP} * 3", float(TOP) * 3),
        ("3037000500 * 3037000500", float(3037000500**2)),
        ("100000000 * 100000000 - 1", 1e16 - 1),
        ("1e300", 1e300),
        ("1e300 / 1e300", 1),
    ],
)
def test_arithmetic(text: str, expected: float):
    assert value(text) == expected
    assert repr(value(text)) == repr(
        int(expected) if expected == int(expected) and abs(expected) <= TOP else expected
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 / 0", "division by zero"),
        ("1 / 0.0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("1e308 * 10", "the result is beyond the largest number"),
        ("-1e308 - 1e308", "the result is beyond the largest number"),
        ("1e308 / 0.01", "the result is beyond the largest number"),
        ("1 + 'a'", '+ takes two numbers, two texts or two lists, not 1 and "a"'),
        ("true + 1", "+ takes two numbers, two texts or two lists, not true and 1"),
        ("1 - null", "- takes two numbers, not 1 and null"),
        ("'a' * 2", '* takes two numbers, not "a" and 2'),
        ("true / 1", "/ takes two numbers, not true and 1"),
        ("'5' % 2", '% takes two numbers, not "5" and 2'),
        ("-'a'", '- takes a number, not "a"'),
        ("-true", "- takes a number, not true"),
    ],
)
def test_what_has_no_result_fails(text: str, words: str):
    assert failure(text) == words


def test_numbers_of_the_state_follow_the_rule_too():
    assert repr(value("value", value=40.0)) == "40"
    assert repr(value("value + 1", value=40.0)) == "41"
    assert value("value[1.0]", value=[1, 2]) == 2


def test_an_integer_that_is_out_of_range_counts_as_the_nearest_double():
    assert value("value + 0", value=TOP + 1) == float(TOP)
    assert failure("value + 0.5", value=10**400) == "a number is beyond the largest number"
    assert failure("value * value", value=10**400) == "the result is beyond the largest number"
    assert failure("fixed(value, 2)", value=10**400) == "the result is beyond the largest number"
    assert failure("-value", value=10**400) == "the result is beyond the largest number"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 == 1.0", True),
        ("1 == true", False),
        ("0 == false", False),
        ("null == false", False),
        ("'1' == 1", False),
        ("'a' == 'a'", True),
        ("[1, {'a': 1.0}] == [1.0, {'a': 1}]", True),
        ("[true] == [1]", False),
        ("{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", True),
        ("1 != 2", True),
        ("[1] != [1]", False),
        ("1 < 1.5", True),
        ("2 <= 2.0", True),
        ("'a' < 'b'", True),
        ("'Z' < 'a'", True),
        ("'😀' > '\uffff'", True),
        ("false < true", True),
        ("1 in [1.0]", True),
        ("1 in [true]", False),
        ("true in [1]", False),
        ("'a' in ['a']", True),
        ("{'a': 1} in [{'a': 1.0}]", True),
        ("null in [null]", True),
        ("'a' in {'a': null}", True),
        ("1 in {'1': 1}", False),
    ],
)
def test_comparison(text: str, expected: bool):
    assert value(text) is expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 < 'a'", '< cannot compare 1 with "a"'),
        ("1 < true", "< cannot compare 1 with true"),
        ("null <= null", "<= cannot compare null with null"),
        ("[1] > [0]", "> cannot compare [1] with [0]"),
        ("'a' in 'abc'", 'in cannot look for "a" in "abc"'),
        ("[1] in {'a': 1}", 'in cannot look for [1] in {"a": 1}'),
    ],
)
def test_what_has_no_order_is_not_compared(text: str, words: str):
    assert failure(text) == words


def test_lists_and_texts_are_joined():
    assert value("'a' + 'b' + 'c'") == "abc"
    assert value("[1] + value + [3]", value=[2]) == [1, 2, 3]


def test_joining_does_not_change_what_is_joined():
    held = [1]
    value("value + [2]", value=held)
    assert held == [1]
