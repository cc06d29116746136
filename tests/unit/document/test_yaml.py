"""YAML is read by the rules of YAML 1.2, without its surprises, and with every flaw at once."""

import pytest

from agenttwin.values import Json
from tests.unit.document._told import told, yaml

SCALARS: dict[str, Json] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "nULL": "nULL",
    "true": True,
    "True": True,
    "TRUE": True,
    "tRUE": "tRUE",
    "false": False,
    "yes": "yes",
    "no": "no",
    "NO": "NO",
    "on": "on",
    "off": "off",
    "y": "y",
    "2026-01-01": "2026-01-01",
    "2026-01-01T00:00:00Z": "2026-01-01T00:00:00Z",
    "12:30:45": "12:30:45",
    "1_000": "1_000",
    "0": 0,
    "-0": 0,
    "+5": 5,
    "012": 12,
    "0o17": 15,
    "0o8": "0o8",
    "0x1F": 31,
    "0b11": "0b11",
    "1.0": 1,
    "-0.0": 0,
    "1.5": 1.5,
    "1.": 1,
    ".5": 0.5,
    "1e3": 1000,
    "1E-7": 1e-7,
    "1e20": 1e20,
    "1e": "1e",
    ".": ".",
    "-": [None],
    "--": "--",
    "...x": "...x",
    "1.2.3": "1.2.3",
    "9007199254740992": 2**53,
    "-9007199254740992": -(2**53),
    "0o400000000000000000": 2**53,
    "'1'": "1",
    '"true"': "true",
    "'~'": "~",
    '"\\u00e9\\x41\\/"': "éA/",
    "<<": "<<",
    "a b": "a b",
}


@pytest.mark.parametrize(("text", "value"), SCALARS.items())
def test_a_scalar_means_what_yaml_1_2_says(text: str, value: Json) -> None:
    found = yaml(f"k:\n  {text}\n")
    assert found == {"k": value}
    assert type(found["k"]) is type(value)  # type: ignore[index, call-overload]


WHOLE: dict[str, Json] = {
    "": None,
    "# only a comment": None,
    "---\na: 1\n...\n": {"a": 1},
    "%YAML 1.2\n---\na": "a",
    "- - - a\n- b:\n  - c": [[["a"]], {"b": ["c"]}],
    "{a: 1, b}": {"a": 1, "b": None},
    "{}": {},
    "[]": [],
    '{"a":1,"b":[true,null]}': {"a": 1, "b": [True, None]},
    '{\n\t"a":\t1}': {"a": 1},
    "a:\tb": {"a": "b"},
    '"<<": 1': {"<<": 1},
    '"1": one': {"1": "one"},
    "? a\n: b": {"a": "b"},
    "a: |\n  x\n  y\n": {"a": "x\ny\n"},
    "a: >-\n  x\n  y\n": {"a": "x y"},
    "a: |\n  x\ty\n": {"a": "x\ty\n"},
    "é: 😀": {"é": "😀"},
}


@pytest.mark.parametrize(("text", "value"), WHOLE.items())
def test_a_whole_text(text: str, value: Json) -> None:
    assert yaml(text) == value
    assert yaml(text.encode()) == value


FLAWS = {
    "a: !!int 7": ["1:4: a: the tag '!!int' is not read; write the plain value [tag_not_allowed]"],
    "a: !custom 7": ["1:4: a: the tag '!custom' is not read; write the plain value [tag_not_allowed]"],
    "a: ! 7": ["1:4: a: the tag '!' is not read; write the plain value [tag_not_allowed]"],
    "a: ! [7]": ["1:4: a: the tag '!' is not read; write the plain value [tag_not_allowed]"],
    "!!map {a: 1}": ["1:1: the tag '!!map' is not read; write the plain value [tag_not_allowed]"],
    "a: &x 1": ["1:4: a: the anchor '&x' is not read; leave it out [anchor_not_allowed]"],
    "a: &x [1]": ["1:4: a: the anchor '&x' is not read; leave it out [anchor_not_allowed]"],
    "a: *x": ["1:4: a: the alias '*x' is not read; write the value itself [alias_not_allowed]"],
    "*x : 1": ["1:1: the alias '*x' is not read; write the value itself [alias_not_allowed]"],
    "<<: {a: 1}": ["1:1: the merge key << is not read; write the fields themselves [merge_key_not_allowed]"],
    "a: 1\na: 2": ["2:1: a: the key 'a' stands twice in this mapping [duplicate_key]"],
    "a: 1\n'a': 2": ["2:1: a: the key 'a' stands twice in this mapping [duplicate_key]"],
    "{1: one}": ["1:2: the key 1 is not text; put it in quotes [key_not_text]"],
    "true: one": ["1:1: the key true is not text; put it in quotes [key_not_text]"],
    "~: one": ["1:1: the key null is not text; put it in quotes [key_not_text]"],
    "1.5: one": ["1:1: the key 1.5 is not text; put it in quotes [key_not_text]"],
    "? [a, b]\n: one": ['1:3: the key ["a", "b"] is not text; put it in quotes [key_not_text]'],
    "{{a: 1}: one}": ['1:2: the key {"a": 1} is not text; put it in quotes [key_not_text]'],
    "a: .inf": ["1:4: a: '.inf' is no finite number [number_not_finite]"],
    "a: -.INF": ["1:4: a: '-.INF' is no finite number [number_not_finite]"],
    "a: .nan": ["1:4: a: '.nan' is no finite number [number_not_finite]"],
    "a: 1e400": ["1:4: a: '1e400' is no finite number [number_not_finite]"],
    "a: 9007199254740993": [
        "1:4: a: '9007199254740993' is beyond ±2^53, where integers are not exact; ids are text"
        " [integer_too_large]"
    ],
    "- -9007199254740993": [
        "1:3: [0]: '-9007199254740993' is beyond ±2^53, where integers are not exact; ids are text"
        " [integer_too_large]"
    ],
    "--- 1\n--- 2": ["2:1: a second document begins here; one file holds one [several_documents]"],
    "\ufeffa: 1": [
        "1:1: the file begins with a byte order mark; save it as UTF-8 without one [byte_order_mark]"
    ],
    "a: \ud800": ["1:4: '\\ud800' is half of a surrogate pair [lone_surrogate]"],
}


@pytest.mark.parametrize(("text", "problems"), FLAWS.items())
def test_what_is_not_read_is_told_with_its_place(text: str, problems: list[str]) -> None:
    assert told(text) == problems


SYNTAX = {
    "a: [1, 2": "1:9: the list of line 1 goes on with ',' or ends with ']'",
    "a: {b: 1": "1:9: the mapping of line 1 goes on with ',' or ends with '}'",
    "[a, [b}": "1:7: the list of line 1 goes on with ',' or ends with ']'",
    "a: b: c": "1:5: a ':' cannot stand here; put the text in quotes",
    "a: @x": "1:4: a plain text cannot begin with '@'; put it in quotes",
    "a: `x`": "1:4: a plain text cannot begin with '`'; put it in quotes",
    "a: %x": "1:4: a plain text cannot begin with '%'; put it in quotes",
    "a:\n\tb: 1": "2:1: a tab cannot indent; use spaces",
    "a:\n  b: 1\n\tc: 2": "3:1: a tab cannot indent; use spaces",
    "-\ta": "1:2: a tab cannot indent; use spaces",
    "a: |\n\tx": "2:1: a tab cannot indent; use spaces",
    "a: 'x": "1:6: the quotes of line 1 are not closed",
    'a: "x\n--- y': "2:1: the quotes of line 1 are not closed",
    'a: "\\q"': "1:5: no such escape in double quotes; use single quotes or \\\\",
    'a: "\\ud83d\\ude00"': "1:7: the escape is no character; write the character itself",
    "a: 1\n b: 2": "2:3: a ':' cannot stand here; put the text in quotes",
    "a: 'x' y\n": "1:8: expected a key of the mapping of line 1, indented alike",
    "- a\nb: 1": "2:1: expected a '-' of the list of line 1, indented alike",
    "a: 1\nb\n": "3:1: the key of line 2 lacks its ':'",
    "a: - b": "1:4: a list begins on a line of its own",
    "...\n": "1:1: expected a value",
    '"a":1': "1:4: expected the end of the document",
    "a: b\0": "1:5: the character '\\x00' cannot stand in YAML",
    "a: '\x07'": "1:5: the character '\\x07' cannot stand in YAML",
}


@pytest.mark.parametrize(("text", "problem"), SYNTAX.items())
def test_a_syntax_error_is_told_alone_and_in_plain_words(text: str, problem: str) -> None:
    assert told(text) == [f"{problem} [syntax_error]"]


def test_bytes_that_are_not_utf8_are_told_where_they_stand() -> None:
    assert told(b"a: 1\nb: \xff") == ["2:4: the byte 0xff is not UTF-8 here [not_utf8]"]
    assert told("a: 1".encode("utf-16")) == ["1:1: the byte 0xff is not UTF-8 here [not_utf8]"]
    assert told("a: é".encode("latin-1")) == ["1:4: the byte 0xe9 is not UTF-8 here [not_utf8]"]


def test_flaws_are_told_together_in_the_order_of_the_text() -> None:
    text = "a: !!int 7\nb: &x {c: 1, c: 2}\nd: [*x, .inf, 9007199254740993]\n<<: {}\n1: {e: .nan}\n"
    assert [line.partition(" ")[2].rpartition(" ")[2] for line in told(text)] == [
        "[tag_not_allowed]",
        "[anchor_not_allowed]",
        "[duplicate_key]",
        "[alias_not_allowed]",
        "[number_not_finite]",
        "[integer_too_large]",
        "[merge_key_not_allowed]",
        "[key_not_text]",
        "[number_not_finite]",
    ]


def test_the_path_of_a_flaw_ends_where_the_document_stops_making_sense() -> None:
    assert told("a:\n  1:\n    b: .inf\n")[1].startswith("3:8: a: '.inf'")


def test_what_follows_a_second_document_is_not_looked_at() -> None:
    assert len(told("--- 1\n--- [")) == 1
