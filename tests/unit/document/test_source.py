"""A place in a value is found in the text again: line and column, of the value or of its key."""

import pytest

from agenttwin.document import parse
from agenttwin.values import digest

YAML = """\
# a comment
spec:
  tools:
    - name: get_order
      risk: READ
    - {name: "pay", é: 😀, risk: ADMIN}
  state: {orders: {A: [1, [2, 3], {x: y}]}}
  empty:
  text: |
    two
    lines
  'quoted key': last
"""

JSON = """\
{
  "spec": {
    "tools": [{"name": "get_order", "risk": "READ"},
              {"name": "a \\" ]", "risk": "ADMIN"}],
    "empty": null, "b": {}, "c": [], "d": -1.5e3
  }
}"""

PLACES = [
    (YAML, "a.yaml", (), "2:1"),
    (YAML, "a.yaml", ("spec",), "3:3"),
    (YAML, "a.yaml", ("spec", "tools"), "4:5"),
    (YAML, "a.yaml", ("spec", "tools", 0), "4:7"),
    (YAML, "a.yaml", ("spec", "tools", 0, "risk"), "5:13"),
    (YAML, "a.yaml", ("spec", "tools", 1), "6:7"),
    (YAML, "a.yaml", ("spec", "tools", 1, "name"), "6:14"),
    (YAML, "a.yaml", ("spec", "tools", 1, "risk"), "6:33"),
    (YAML, "a.yaml", ("spec", "state", "orders", "A", 1, 1), "7:31"),
    (YAML, "a.yaml", ("spec", "state", "orders", "A", 2, "x"), "7:39"),
    (YAML, "a.yaml", ("spec", "empty"), "8:9"),
    (YAML, "a.yaml", ("spec", "text"), "9:9"),
    (YAML, "a.yaml", ("spec", "quoted key"), "12:17"),
    (JSON, "a.json", (), "1:1"),
    (JSON, "a.json", ("spec",), "2:11"),
    (JSON, "a.json", ("spec", "tools", 1, "name"), "4:24"),
    (JSON, "a.json", ("spec", "tools", 1, "risk"), "4:42"),
    (JSON, "a.json", ("spec", "empty"), "5:14"),
    (JSON, "a.json", ("spec", "b"), "5:25"),
    (JSON, "a.json", ("spec", "d"), "5:43"),
]


def place(text: str, file: str, segments: tuple[str | int, ...], *, key: bool = False) -> str:
    return str(parse(text, file=file).locate(segments, key=key)).removeprefix(f"{file}:")


@pytest.mark.parametrize(("text", "file", "segments", "where"), PLACES)
def test_a_value_is_found(text: str, file: str, segments: tuple[str | int, ...], where: str) -> None:
    assert place(text, file, segments) == where


@pytest.mark.parametrize(
    ("segments", "where"),
    [
        (("spec",), "2:1"),
        (("spec", "tools", 1, "risk"), "6:27"),
        (("spec", "quoted key"), "12:3"),
        (("spec", "tools", 1), "6:7"),
        ((), "2:1"),
    ],
)
def test_a_key_is_found(segments: tuple[str | int, ...], where: str) -> None:
    assert place(YAML, "a.yaml", segments, key=True) == where


@pytest.mark.parametrize(
    ("segments", "where"),
    [
        (("metadata",), "2:1"),
        (("spec", "tools", 0, "handler", "kind"), "4:7"),
        (("spec", "tools", 2), "4:5"),
        (("spec", "tools", -1), "4:5"),
        (("spec", "tools", "0"), "4:5"),
        (("spec", "empty", "deeper", 3), "8:9"),
        ((0,), "2:1"),
    ],
)
def test_what_is_missing_is_told_by_what_is_around_it(segments: tuple[str | int, ...], where: str) -> None:
    assert place(YAML, "a.yaml", segments) == where


def test_lines_may_end_as_on_windows() -> None:
    assert place("a: 1\r\nb:\r\n  c: 2\r\n", "a.yaml", ("b", "c")) == "3:6"


def test_an_empty_text_has_a_place_too() -> None:
    assert place("", "a.yaml", ("a",)) == "1:1"


def test_the_digest_is_that_of_the_value_whatever_the_layout() -> None:
    loose = parse("# note\nb: 1.0\na: [x,  'y']\n", file="a.yaml")
    tight = parse('{"a":["x","y"],"b":1}', file="b.json")
    assert loose.digest == tight.digest == digest({"a": ["x", "y"], "b": 1})


def test_a_source_is_told_by_its_file_and_not_by_its_text() -> None:
    assert repr(parse("a: secret", file="a.yaml")) == "Source(file='a.yaml')"
