"""The grammar: what each literal means, what binds tighter, and what is refused with which sentence."""

import pytest

from agenttwin.expression import MAX_EXPRESSION_BYTES
from tests.unit.expression._cel import failure, refusal, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12),
        ("0x1F", 31),
        ("0XaB", 171),
        ("007", 7),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000),
        ("2.5E-1", 0.25),
        ("9007199254740992", 2**53),
        ("true", True),
        ("false", False),
        ("null", None),
        ("[]", []),
        ("[1, 'a', [null]]", [1, "a", [None]]),
        ("[1, 2,]", [1, 2]),
        ("{}", {}),
        ("{'b': 1, 'a': {'c': [2]},}", {"b": 1, "a": {"c": [2]}}),
        ("{'a' + 'b': 1}", {"ab": 1}),
    ],
)
def test_literals(text: str, expected: object):
    assert value(text) == expected
    assert type(value(text)) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'a'", "a"),
        ('"it\'s"', "it's"),
        (r"'\a\b\f\n\r\t\v\\\?\"\'\`'", "\a\b\f\n\r\t\v\\?\"'`"),
        (r"'\x41\X42\u00e9\U0001F600\101'", "ABé😀A"),
        (r"r'\n'", r"\n"),
        (r'R"\x"', r"\x"),
        ("'''a\n'b' c'''", "a\n'b' c"),
        ('"""a"b\\n"""', 'a"b\n'),
        ("r'''\\n\n'''", "\\n\n"),
        ("''", ""),
        ("'''''' + 'a'", "a"),
        ("'{}}{'", "{}}{"),
        ("'é' + '😀'", "é😀"),
    ],
)
def test_texts(text: str, expected: str):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 2 - 3", 5),
        ("24 / 4 / 2", 3),
        ("7 - 4 % 3", 6),
        ("-2 * -3", 6),
        ("- -2", 2),
        ("--2", 2),
        ("!!true", True),
        ("1 + 1 == 2 && 3 > 2", True),
        ("true || false && false", True),
        ("(true || false) && false", False),
        ("1 < 2 == true", True),
        ("2 in [1, 2] && 'a' in {'a': 1}", True),
        ("false ? 1 : true ? 2 : 3", 2),
        ("true ? (false ? 1 : 2) : 3", 2),
        ("(false ? true : false) ? 1 : 2", 2),
        ("!true || true", True),
        ("-[1, 2][1]", -2),
        ("{'a': {'b': [5]}}.a['b'][0]", 5),
        ("1 // one\n + 2 // two", 3),
        ("\t1\r\n+\f2 ", 3),
        ("{'if': 1}.if", 1),
        ("{'x-y': 1}.`x-y`", 1),
        ("[[1, 2], [3]].map(x, x.map(y, y * 10))", [[10, 20], [30]]),
        ("[1].map(x, [2].map(x, x))", [[2]]),
        ("[1].map(x, [2].map(x, x) + [x])", [[2, 1]]),
        ("[1].map(x, [2].map(y, [3].map(x, x + y)) + [x])", [[[5], 1]]),
    ],
)
def test_structure(text: str, expected: object):
    assert value(text) == expected


def test_a_leading_dot_looks_past_the_variables_of_macros():
    assert value("[1].map(tenant, .tenant)", {"tenant": "demo"}) == ["demo"]


def test_a_variable_may_hide_an_argument():
    assert value("[1].map(amount, amount + 1)", {"amount": 50}) == [2]


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "expected a value, but the expression ends"),
        ("1 +", 3, "expected a value, but the expression ends"),
        ("(1", 2, "expected ')', but the expression ends"),
        ("1 2", 2, "expected an operator or the end, not '2'"),
        ("a.1", 1, "expected an operator or the end, not '.1'"),
        ("{'a'}", 4, "expected ':', not '}'"),
        ("[1 2]", 3, "expected ',', not '2'"),
        ("size(1,)", 7, "expected a value, not ')'"),
        ("true ? 1", 8, "expected ':', but the expression ends"),
        ("value.in", 6, "expected a field name, not 'in'"),
        ("value.$a", 6, "expected a field name, not '$a'"),
        ("1 = 1", 2, "unexpected '='; equality is =="),
        ("true & true", 5, "unexpected '&'; and is &&"),
        ("true | true", 5, "unexpected '|'; or is ||"),
        ("true and true", 5, "expected an operator or the end, not 'and'; and is &&"),
        ("1 # 2", 2, "unexpected '#'"),
        ("1u", 0, "1u: there are no unsigned integers, numbers are JSON numbers"),
        ("0x1fU", 0, "0x1fu: there are no unsigned integers, numbers are JSON numbers"),
        ("1x", 1, "unexpected 'x' after the number 1"),
        ("1.5e", 3, "unexpected 'e' after the number 1.5"),
        ("0x", 1, "unexpected 'x' after the number 0"),
        ("1e999", 0, "1e999 is beyond the largest number"),
        (
            "9007199254740993",
            0,
            "9007199254740993 is beyond 2^53, where integers are not exact; write ids as text",
        ),
        ("b'a'", 0, "there are no bytes, JSON has only text"),
        ("rB'a'", 0, "there are no bytes, JSON has only text"),
        ("1 + 'a", 4, "the text is not closed by '"),
        ("'a\nb'", 0, "the text is not closed by '"),
        ("'''a'", 0, "the text is not closed by '''"),
        (r"'ab\q'", 3, r"'\\q' is no escape"),
        (r"'\u12'", 1, r"'\\u' is no escape"),
        (r"'\ud800'", 1, r"'\\ud800' is no escape"),
        (r"'\U00110000'", 1, r"'\\U00110000' is no escape"),
        ("1 + if", 4, "'if' is a reserved word; an argument of that name is args.if"),
        ("{= 1 }", 0, "an expression stands here as it is, without {= }"),
        ("value{a: 1}", 5, "there are no message types; write an object, {'key': value}"),
        ("{1: 2}", 1, "a key is text in quotes"),
        ("{'a': 1, 'a': 2}", 9, "the key 'a' stands twice"),
    ],
)
def test_what_is_no_expression_is_refused_where_it_stands(text: str, position: int, words: str):
    problem = refusal(text)
    assert (problem.message, problem.position) == (words, position)


def test_a_key_that_stands_twice_only_at_run_time_fails():
    assert failure("{'a': 1, 'a' + '': 2}") == 'the key "a" stands twice in one object'


def test_a_computed_key_is_text():
    assert failure("{'a' in ['a'] ? 1 : 2: 3}") == "a key is text, not 1"


def test_an_expression_has_four_kibibytes_and_no_more():
    text = "'" + "é" * (MAX_EXPRESSION_BYTES // 2 - 1) + "'"
    assert len(value(text)) == MAX_EXPRESSION_BYTES // 2 - 1
    assert refusal(text + " ").message == "an expression has at most 4,096 bytes, this one has 4,097"


@pytest.mark.parametrize(
    ("opening", "closing"), [("(", ")"), ("[", "]"), ("size([", "])"), ("{'a':", "}"), ("!", ""), ("-", "")]
)
def test_nesting_ends_with_a_sentence(opening: str, closing: str):
    text = opening * 500 + "1" + closing * 500
    assert refusal(text).message == "the expression nests deeper than 50 levels"


def test_operators_within_parentheses_are_nesting_too():
    step = "1 || 1 && 1 == 1 + 1 * ("
    assert refusal(step * 40 + "1" + ")" * 40).message == "the expression nests deeper than 50 levels"


@pytest.mark.parametrize("step", [".a", "[0]", ".size()"])
def test_a_long_way_into_a_value_is_nesting_too(step: str):
    assert refusal("value" + step * 60).message == "the expression nests deeper than 50 levels"


def test_what_stands_side_by_side_is_not_nested():
    assert value("+".join(["1"] * 2000)) == 2000
    assert value("&&".join(["true"] * 600)) is True
    assert value("false ? 0 : " * 300 + "1") == 1
