"""JSON is read strictly, whether it is a document or comes from outside."""

import pytest

from agenttwin.document import parse, parse_json
from agenttwin.errors import DocumentError
from agenttwin.values import Json
from tests.unit.document._told import SMALL, told

VALUES: dict[str, Json] = {
    "null": None,
    "-0": 0,
    "1.0": 1,
    "1E5": 100000,
    "0.5": 0.5,
    "1e20": 1e20,
    "9007199254740992": 2**53,
    '"\\ud83d\\ude00"': "😀",
    '"\\/\\u0041"': "/A",
    '"9007199254740993"': "9007199254740993",
    '\t{"a"\t:\r\n[1 , 2]}\n': {"a": [1, 2]},
    '{"a": {"b": 1}, "b": ":"}': {"a": {"b": 1}, "b": ":"},
    '{"yes": "NaN", "~": "null"}': {"yes": "NaN", "~": "null"},
    '"2026-01-01"': "2026-01-01",
}

FLAWS = {
    "": ["1:1: this is not JSON: expected a value [not_json]"],
    "   ": ["1:4: this is not JSON: expected a value [not_json]"],
    '{"a":1,}': [
        "1:8: this is not JSON: expected a key in double quotes; no comma follows the last entry [not_json]"
    ],
    "{'a':1}": ["1:2: this is not JSON: texts and keys stand in double quotes [not_json]"],
    "[1,\n 2": ["2:3: this is not JSON: expected ',' or the end of the list or mapping [not_json]"],
    "[1] x": ["1:5: this is not JSON: something follows after the end of the value [not_json]"],
    "01": ["1:2: this is not JSON: something follows after the end of the value [not_json]"],
    '"\x01"': [
        "1:2: this is not JSON: a text cannot hold this character; write an escape such as \\n [not_json]"
    ],
    '"a': ["1:1: this is not JSON: the text that begins here is not closed [not_json]"],
    "yes": ["1:1: this is not JSON: expected a value [not_json]"],
    "\ufeff1": [
        "1:1: the file begins with a byte order mark; save it as UTF-8 without one [byte_order_mark]"
    ],
    "[NaN]": ["1:2: 'NaN' is no finite number [number_not_finite]"],
    "-Infinity": ["1:1: '-Infinity' is no finite number [number_not_finite]"],
    "[1e400]": ["1:2: [0]: '1e400' is no finite number [number_not_finite]"],
    '["\\ud83d"]': ["1:2: '\\ud83d' is half of a surrogate pair [lone_surrogate]"],
    '["\\ude00\\ud83d"]': ["1:2: '\\ude00' is half of a surrogate pair [lone_surrogate]"],
    '{"a": 1, "a": 2}': ["1:10: a: the key 'a' stands twice in this mapping [duplicate_key]"],
    '{"a": 1, "\\u0061": 2}': ["1:10: a: the key 'a' stands twice in this mapping [duplicate_key]"],
    '{"k": "\\u003a", "k": 1}': ["1:17: k: the key 'k' stands twice in this mapping [duplicate_key]"],
    '{"a": 12345678901234567890123}': [
        "1:7: a: '12345678901234567890123' is beyond ±2^53, where integers are not exact; ids are text"
        " [integer_too_large]"
    ],
    '{"a": 1, "a": 2, "b": [-9007199254740993]}': [
        "1:10: a: the key 'a' stands twice in this mapping [duplicate_key]",
        "1:24: b[0]: '-9007199254740993' is beyond ±2^53, where integers are not exact; ids are text"
        " [integer_too_large]",
    ],
    '{"a": 1, "a": 2, b}': [
        "1:18: this is not JSON: expected a key in double quotes; no comma follows the last entry [not_json]"
    ],
}


@pytest.mark.parametrize(("text", "value"), VALUES.items())
def test_a_json_text_is_read_the_same_as_document_and_from_outside(text: str, value: Json) -> None:
    found = parse(text, file="a.json").value
    assert found == value
    assert type(found) is type(value)
    assert parse_json(text.encode()) == value


@pytest.mark.parametrize(("text", "problems"), FLAWS.items())
def test_what_is_not_read_is_told_with_its_place(text: str, problems: list[str]) -> None:
    assert told(text, file="a.json") == problems


@pytest.mark.parametrize("text", FLAWS)
def test_what_comes_from_outside_is_refused_for_the_same_reasons(text: str) -> None:
    with pytest.raises(DocumentError) as refusal:
        parse_json(text, file="a.json")
    assert [str(each).removeprefix("a.json:") for each in refusal.value.problems] == FLAWS[text]


def test_a_text_from_outside_is_named_where_nothing_else_is_said() -> None:
    with pytest.raises(DocumentError, match=r"^JSON:1:2: "):
        parse_json("[")


def test_limits_can_be_given_to_what_comes_from_outside() -> None:
    assert parse_json("[[[1]]]", limits=SMALL) == [[[1]]]
    with pytest.raises(DocumentError, match="nests deeper than 3 levels"):
        parse_json("[[[[1]]]]", limits=SMALL)
