"""The functions: what each gives, and what it refuses. The table's own examples are true."""

import pytest

from agenttwin.expression import FUNCTIONS, MACROS
from tests.unit.expression._cel import failure, refusal, value


@pytest.mark.parametrize("row", [*FUNCTIONS.values(), *MACROS.values()], ids=lambda row: row.name)
def test_the_example_of_each_row_is_true(row):
    assert row.name in row.example
    assert value(row.example) is True
    assert row.summary.endswith(".")


def test_the_tables_hold_what_the_reference_lists():
    functions = "sum round abs zip sorted count values keys lower upper string calculate size contains"
    assert set(functions.split()) <= set(FUNCTIONS)
    macros = "all exists exists_one map filter firstWhere indexWhere toObject"
    assert set(macros.split()) <= set(MACROS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("size('a😀')", 2),
        ("size([1, 2])", 2),
        ("size({'a': 1})", 1),
        ("{'a': 1}.size()", 1),
        ("string(null)", ""),
        ("string(true)", "true"),
        ("string(12)", "12"),
        ("string(0.1)", "0.1"),
        ("string(1e21)", "1e+21"),
        ("string('a')", "a"),
        ("string({'b': 1.0, 'a': [null]})", '{"a":[null],"b":1}'),
        ("int(1.9)", 1),
        ("int(-1.9)", -1),
        ("int('-12')", -12),
        ("int('+7')", 7),
        ("int('x', null)", None),
        ("int(true, -1)", -1),
        ("double(3)", 3),
        ("double('.5')", 0.5),
        ("double('1e2')", 100),
        ("double('ten', 10)", 10),
        ("bool(true)", True),
        ("bool('FALSE')", False),
        ("bool('1')", True),
        ("bool('maybe', false)", False),
        ("abs(-3)", 3),
        ("abs(2.5)", 2.5),
        ("floor(2.9)", 2),
        ("floor(-2.1)", -3),
        ("floor(1e300)", 1e300),
        ("ceil(2.1)", 3),
        ("min(3, 1.5, 2)", 1.5),
        ("max(['a', 'c', 'b'])", "c"),
        ("min([true, false])", False),
        ("max(7)", 7),
        ("fixed(40, 2)", "40.00"),
        ("fixed(2.675, 2)", "2.67"),
        ("fixed(-0.001, 2)", "0.00"),
        ("fixed(-1.5, 0)", "-2"),
    ],
)
def test_conversions_and_numbers(text: str, expected: object):
    assert value(text) == expected
    assert type(value(text)) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("round(2.5)", 2),
        ("round(3.5)", 4),
        ("round(-2.5)", -2),
        ("round(0.125, 2)", 0.12),
        ("round(2.675, 2)", 2.67),
        ("round(1.005, 2)", 1.0),
        ("round(1e300, 2)", 1e300),
        ("round(7, 2)", 7),
        ("round(1250, -2)", 1200),
        ("round(1251.0, -1)", 1250),
        ("(2.0 / 3).round(3)", 0.667),
        ("round(0.1 + 0.2, 15)", 0.3),
    ],
)
def test_rounding_is_half_to_even_on_the_double(text: str, expected: float):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'abc'.contains('')", True),
        ("contains('abc', 'bd')", False),
        ("[1, 2].contains(1.0)", True),
        ("[1].contains(true)", False),
        ("'abc'.startsWith('ab')", True),
        ("endsWith('abc', 'ab')", False),
        ("'abc'.matches('b')", True),
        ("matches('abc', '^b')", False),
        ("lower('ÀB')", "àb"),
        ("'straße'.upper()", "STRASSE"),
        ("trim('\\t a b\\n')", "a b"),
        ("'aaa'.replace('a', 'b')", "bbb"),
        ("'aaa'.replace('a', 'b', 2)", "bba"),
        ("'aaa'.replace('a', 'b', 0)", "aaa"),
        ("'ab'.replace('', '-')", "-a-b-"),
        ("'a,b,c'.split(',')", ["a", "b", "c"]),
        ("'a,b,c'.split(',', 2)", ["a", "b,c"]),
        ("'a,b'.split(',', 1)", ["a,b"]),
        ("'a,b'.split(',', 0)", []),
        ("'a,b'.split(',', -1)", ["a", "b"]),
        ("''.split(',')", [""]),
        ("'abc'.split('')", ["a", "b", "c"]),
        ("'abc'.split('', 2)", ["a", "bc"]),
        ("''.split('')", []),
        ("['a', 'b'].join()", "ab"),
        ("[].join('-')", ""),
        ("'abc'.substring(1)", "bc"),
        ("'abc'.substring(0, 2)", "ab"),
        ("'abc'.substring(3)", ""),
        ("'abcb'.indexOf('b')", 1),
        ("'abcb'.indexOf('b', 2)", 3),
        ("'abc'.indexOf('z')", -1),
    ],
)
def test_text(text: str, expected: object):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum([])", 0),
        ("sum([0.1, 0.2, 0.3])", 0.6000000000000001),
        ("[1, 2, 3].sum()", 6),
        ("count([1, 2, 3])", 3),
        ("['a', 'b', 'a'].count('a')", 2),
        ("count([1, true, 1.0], 1)", 2),
        ("sorted([3, 1.5, 2])", [1.5, 2, 3]),
        ("sorted(['b', 'Z', 'a'])", ["Z", "a", "b"]),
        ("sorted([true, false])", [False, True]),
        ("sorted([])", []),
        ("reverse([1, 2])", [2, 1]),
        ("distinct([2, 1, 2.0, true, '1', null, null])", [2, 1, True, "1", None]),
        ("flatten([1, [2, [3]], []])", [1, 2, [3]]),
        ("slice([1, 2, 3], 1)", [2, 3]),
        ("slice([1, 2, 3], 0, 2)", [1, 2]),
        ("slice([1, 2, 3], 2, 1)", []),
        ("slice([1], 5, 9)", []),
        ("zip([1, 2, 3], ['a', 'b'])", [[1, "a"], [2, "b"]]),
        ("[1].zip([2], [3])", [[1, 2, 3]]),
        ("keys({'b': 1, 'a': 2})", ["b", "a"]),
        ("{'b': 1, 'a': 2}.values()", [1, 2]),
        ("merge({'a': {'b': 1, 'c': 2}}, {'a': {'b': null}})", {"a": {"c": 2}}),
    ],
)
def test_lists_and_objects(text: str, expected: object):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size(1)", "size(x) takes text, a list or an object, not 1"),
        ("lower(null)", "lower(text) takes text, not null"),
        ("'a'.startsWith(1)", "startsWith(text, start) takes text, not 1"),
        ("'a'.contains(1)", "a text contains text, not 1"),
        ("abs('1')", 'abs(x) takes a number, not "1"'),
        ("abs(true)", "abs(x) takes a number, not true"),
        ("round(1.5, 16)", "16 is not an integer from -15 to 15"),
        ("round(1.5, 0.5)", "0.5 is not an integer from -15 to 15"),
        ("fixed(1, -1)", "-1 is not an integer from 0 to 15"),
        ("int('1.0')", '"1.0" is not an integer'),
        ("int(true)", "true is not an integer"),
        ("int('')", '"" is not an integer'),
        ("int('99999999999999999')", '"99999999999999999" is not an integer within 2^53'),
        ("int(1e300)", "1e+300 is not an integer within 2^53"),
        ("double('1,5')", '"1,5" is not a number'),
        ("double('nan')", '"nan" is not a number'),
        ("double('1e999')", "the result is beyond the largest number"),
        ("double(null)", "null is not a number"),
        ("bool(1)", "1 is not a boolean"),
        ("bool('yes')", '"yes" is not a boolean'),
        ("min([])", "an empty list has neither a least nor a greatest element"),
        ("min(1, 'a')", "only numbers, only texts or only booleans have an order"),
        ("max([[1]])", "only numbers, only texts or only booleans have an order"),
        ("sorted([1, true])", "only numbers, only texts or only booleans have an order"),
        ("sorted([null])", "only numbers, only texts or only booleans have an order"),
        ("sum([1, 'a'])", 'sum takes a list of numbers, and one element is "a"'),
        ("sum('abc')", 'sum(numbers) takes a list, not "abc"'),
        ("[1].join('')", "join takes a list of texts, and one element is 1"),
        ("slice([1], -1)", "-1 is not an integer from 0 to 9007199254740992"),
        ("'abc'.substring(4)", "4 is not an integer from 0 to 3"),
        ("'abc'.substring(2, 1)", "2 is not an integer from 0 to 1"),
        ("'abc'.split(',', -2)", "-2 is not an integer from -1 to 9007199254740992"),
        ("keys([1])", "keys(object) takes an object, not [1]"),
        ("zip([1], 'a')", 'zip(list, list, …) takes a list, not "a"'),
        ("'a'.matches(value)", "'(' is not a pattern: missing ): ("),
    ],
)
def test_what_does_not_fit_fails(text: str, words: str):
    assert failure(text, value="(") == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("'a'.matches('(')", "'(' is not a pattern: missing ): ("),
        ("timestamp('yesterday')", '"yesterday" is not a point in time such as 2026-01-31T12:00:00Z'),
        ("duration('1 day')", '"1 day" is not a span of time such as 1h30m or PT24H'),
    ],
)
def test_texts_written_out_are_checked_when_reading(text: str, words: str):
    assert refusal(text).message == words


@pytest.mark.parametrize(
    ("arithmetic", "expected"),
    [
        ("2 + 3", 5),
        ("3131.1 + 4777.75 + 367.38", 3131.1 + 4777.75 + 367.38),
        ("(100 - 50) * 2", 100),
        ("10 / 4", 2.5),
        ("7 % 4", 3),
        ("-(2 - 5)", 3),
        ("--2", 2),
        ("\t.5 * 1e1 ", 5),
        ("0.1 + 0.2", 0.30000000000000004),
    ],
)
def test_arithmetic_in_a_text(arithmetic: str, expected: float):
    assert value("calculate(note)", {"note": arithmetic}) == expected


@pytest.mark.parametrize(
    ("arithmetic", "words"),
    [
        ("", '"" is no arithmetic'),
        ("2 +", '"2 +" is no arithmetic: expected a value, but the expression ends'),
        ("2 ** 3", "\"2 ** 3\" is no arithmetic: expected a value, not '*'"),
        ("4 // 2", '"4 // 2" is no arithmetic'),
        ("two", '"two" is no arithmetic'),
        ("1 == 1", '"1 == 1" is no arithmetic'),
        ("e", '"e" is no arithmetic'),
        ("1.e", '"1.e" is no arithmetic'),
        ("e()", '"e()" is no arithmetic'),
        ("1 / 0", "division by zero"),
        ("1e308 * 10", "the result is beyond the largest number"),
        ("(" * 90 + "1" + ")" * 90, None),
        ("1 + " * 2000 + "1", None),
    ],
)
def test_what_is_no_arithmetic_fails_or_falls_back(arithmetic: str, words: str | None):
    assert failure("calculate(note)", {"note": arithmetic}) == words or words is None
    assert value("calculate(note, null)", {"note": arithmetic}) is None


def test_a_fallback_covers_only_the_conversion():
    assert failure("int(1 / 0, 5)") == "division by zero"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("timestamp('1970-01-01T00:00:00Z')", 0),
        ("timestamp('1970-01-01T00:00:00.5Z')", 0.5),
        ("timestamp('1970-01-01T01:00:00+01:00')", 0),
        ("timestamp('1970-01-02')", 86400),
        ("timestamp('1970-01-01 00:01:00')", 60),
        ("timestamp('1969-12-31t23:59:59z')", -1),
        ("timestamp('2026-01-01T00:00:00.123456Z')", 1767225600.123456),
        ("timestamp('so' + 'on', null)", None),
        ("duration('1h30m5s')", 5405),
        ("duration('-1.5s')", -1.5),
        ("duration('250ms')", 0.25),
        ("duration('5us')", 5e-6),
        ("duration('1ns')", 1e-9),
        ("duration('P30D')", 30 * 86400),
        ("duration('P1W')", 7 * 86400),
        ("duration('PT24H')", 86400),
        ("duration('P1DT12H30M0.5S')", 86400 + 45000.5),
        ("duration('-PT1M')", -60),
        ("duration('a' + 'while', 0)", 0),
        ("isoTime(0)", "1970-01-01T00:00:00Z"),
        ("isoTime(0.5)", "1970-01-01T00:00:00.500000Z"),
        ("isoTime(timestamp('2026-01-01T00:00:00Z') + duration('P30D'))", "2026-01-31T00:00:00Z"),
        ("timestamp('2026-02-01') - timestamp('2026-01-01') > duration('720h')", True),
        ("'2026-01-02T00:00:00Z' > '2026-01-01T23:59:59Z'", True),
    ],
)
def test_time(text: str, expected: object):
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-01",
        "2026-02-30T00:00:00Z",
        "2026-01-01T25:00:00Z",
        "2026-W01",
        "20260101",
        "٢٠٢٦-01-01",
        "2026-01-01T00:00:00+99:99",
        "",
    ],
)
def test_what_is_no_time_fails(text: str):
    assert '"' in failure("timestamp(note)", {"note": text})


@pytest.mark.parametrize("text", ["", "P", "PT", "-P", "1", "1d", "P1Y", "P1M", "h", "1h 2m", "PT1D"])
def test_what_is_no_span_of_time_fails(text: str):
    assert failure("duration(note)", {"note": text}).endswith("is not a span of time such as 1h30m or PT24H")


@pytest.mark.parametrize("seconds", ["1e300", "-1e12", "253402300800"])
def test_times_stay_within_four_digit_years(seconds: str):
    assert failure(f"isoTime({seconds})").endswith("is beyond the years 1 to 9999")
