"""Every limit holds exactly, and what is built to break a reader is refused at once."""

import time
from itertools import pairwise

import pytest

from agenttwin.document import (
    DOCUMENT_LIMITS,
    JSON_LIMITS,
    STATE_LIMITS,
    TWIN_LIMITS,
    Limits,
    parse,
    parse_json,
)
from agenttwin.errors import DocumentError
from tests.unit.document._told import SMALL, told

FORMATS = ("a.yaml", "a.json")


def codes(text: str, file: str, limits: Limits | None = None) -> list[str]:
    return [line.rpartition("[")[2].rstrip("]") for line in told(text, file=file, limits=limits)]


def nested(depth: int) -> str:
    return "[" * depth + "0" + "]" * depth


def padded(size: int) -> str:
    """A JSON text of `size` bytes, some of them of characters of two."""
    text = '{"kind": "é"'
    return text + " " * (size - len(text.encode()) - 1) + "}"


def elements(count: int) -> str:
    """A list with `count` nodes, itself included."""
    return "[" + ",".join("0" * (count - 1)) + "]"


@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize("limits", [SMALL, DOCUMENT_LIMITS, TWIN_LIMITS])
def test_bytes(file: str, limits: Limits) -> None:
    assert codes(padded(limits.bytes - 1), file, limits) == []
    assert codes(padded(limits.bytes), file, limits) == []
    assert codes(padded(limits.bytes + 1), file, limits) == ["document_too_large"]


@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize("limits", [SMALL, DOCUMENT_LIMITS, TWIN_LIMITS, JSON_LIMITS, STATE_LIMITS])
def test_depth(file: str, limits: Limits) -> None:
    assert codes(nested(limits.depth - 1), file, limits) == []
    assert codes(nested(limits.depth), file, limits) == []
    assert codes(nested(limits.depth + 1), file, limits) == ["document_too_deep"]


@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize(
    "limits", [SMALL, DOCUMENT_LIMITS, pytest.param(TWIN_LIMITS, marks=pytest.mark.extended)]
)
def test_nodes(file: str, limits: Limits) -> None:
    assert codes(elements(limits.nodes - 1), file, limits) == []
    assert codes(elements(limits.nodes), file, limits) == []
    assert codes(elements(limits.nodes + 1), file, limits) == ["too_many_nodes"]


@pytest.mark.parametrize("file", FORMATS)
def test_keys_count_as_nodes(file: str) -> None:
    assert codes('{"a": 1, "b": [2], "c": 3}', file, SMALL) == []
    assert codes('{"a": 1, "b": [2], "c": [3]}', file, SMALL) == ["too_many_nodes"]


def test_the_limits_are_those_of_the_design() -> None:
    assert Limits(bytes=524_288, depth=32, nodes=20_000) == DOCUMENT_LIMITS
    assert Limits(bytes=33_554_432, depth=64, nodes=1_000_000) == TWIN_LIMITS
    assert JSON_LIMITS.depth == 64


def test_a_limit_is_told_where_it_is_passed() -> None:
    assert told("a:\n- [1]\n", limits=SMALL) == []
    assert told("a:\n- [[1]]\n", limits=SMALL) == [
        "2:4: the text nests deeper than 3 levels [document_too_deep]"
    ]
    assert told("[1, 2, 3, 4,\n5, 6, 7, 8]", limits=SMALL) == [
        "2:10: the text holds more than 8 values and keys [too_many_nodes]"
    ]


def test_flaws_found_before_a_limit_are_told_with_it() -> None:
    assert codes("a: *x\nb: [[[1]]]\n", "a.yaml", SMALL) == ["alias_not_allowed", "document_too_deep"]


@pytest.mark.parametrize("file", FORMATS)
def test_a_twin_may_be_larger_and_deeper_than_other_documents(file: str) -> None:
    body = f'"spec": {nested(40)}, "more": {elements(20_001)}, "pad": "{"x" * 600_000}"'
    assert codes(f'{{"kind": "TwinDefinition", {body}}}', file) == []
    assert codes(f'{{"kind": "Scenario", {body}}}', file) == ["document_too_large"]


def test_a_mention_of_the_larger_kind_opens_no_door() -> None:
    assert codes(f"kind: Scenario\nnote: TwinDefinition\nspec: {nested(33)}", "a.yaml") == [
        "document_too_deep"
    ]
    assert codes(f"spec: {{kind: TwinDefinition}}\nmore: {nested(33)}", "a.yaml") == ["document_too_deep"]


def test_problems_beyond_the_hundredth_are_counted_out() -> None:
    assert codes("[" + ".inf," * 99 + "]", "a.yaml") == ["number_not_finite"] * 99
    assert codes("[" + ".inf," * 500 + "]", "a.yaml") == ["number_not_finite"] * 100 + ["too_many_problems"]


SIZE = 500_000

BOMBS = {
    "lists": ("[" * 100_000, "document_too_deep"),
    "mappings": ("{a: " * 100_000, "document_too_deep"),
    "items": ("- " * 100_000, "document_too_deep"),
    "keys": ("? " * 100_000, "document_too_deep"),
    "indents": ("".join(" " * depth + "a:\n" for depth in range(900)), "document_too_deep"),
    "aliases": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{b}: &{b} [{f'*{a}, ' * 9}]\n" for a, b in pairwise("abcdefghi")),
        "alias_not_allowed",
    ),
    "an alias of itself": ("&a [*a]", "alias_not_allowed"),
    "anchors": ("".join(f"- &a{number} x\n" for number in range(20_000)), "too_many_problems"),
    "a long key": ("k" * SIZE + ": 1", "syntax_error"),
    "a long quoted key": ('"' + "k" * SIZE + '": 1', "syntax_error"),
    "elements": ("- 1\n" * 100_000, "too_many_nodes"),
    "pairs": ("{" + ",".join(f"k{number}: 1" for number in range(20_000)) + "}", "too_many_nodes"),
    "twins of a key": ("{" + "a: 1," * 80_000 + "}", "too_many_problems"),
    "digits": ("a: " + "9" * SIZE, "integer_too_large"),
    "hexadecimal digits": ("a: 0x" + "f" * SIZE, "integer_too_large"),
    "octal digits": ("a: 0o" + "7" * SIZE, "integer_too_large"),
    "an exponent": ("a: 1e" + "9" * SIZE, "number_not_finite"),
    "quotes": ('"' * (SIZE + 1), "syntax_error"),
    "directives": ("%a b\n" * 80_000, "syntax_error"),
    "colons": (":" * SIZE, "syntax_error"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once(name: str) -> None:
    text, code = BOMBS[name]
    started = time.perf_counter()
    assert code in codes(text, "a.yaml")
    assert time.perf_counter() - started < 2


JSON_BOMBS = {
    "lists": ("[" * 100_000, "document_too_deep"),
    "closed lists": (nested(100_000), "document_too_deep"),
    "objects": ('{"a":' * 100_000, "document_too_deep"),
    "a long key twice": ('{"' + "k" * 200_000 + '":1,"' + "k" * 200_000 + '":1}', "duplicate_key"),
    "digits": ("9" * SIZE, "integer_too_large"),
    "elements": (elements(100_000), "too_many_nodes"),
    "halves": ('"' + "\\ud83d" * 80_000 + '"', "lone_surrogate"),
    "a text without an end": ('"' + "a" * SIZE, "not_json"),
    "backslashes": ('"' + "\\" * (SIZE - 1), "not_json"),
}


@pytest.mark.parametrize("name", JSON_BOMBS)
def test_a_json_bomb_is_refused_at_once(name: str) -> None:
    text, code = JSON_BOMBS[name]
    started = time.perf_counter()
    assert code in codes(text, "a.json")
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    "text", ["#" * SIZE, "\n" * SIZE, "a: '" + "x\n " * 150_000 + "'", "a: |\n" + "  x\n" * 100_000]
)
def test_long_and_harmless_texts_are_read_at_once(text: str) -> None:
    started = time.perf_counter()
    assert codes(text, "a.yaml") == []
    assert time.perf_counter() - started < 2


def test_a_deep_stack_of_the_caller_is_no_danger() -> None:
    def down(levels: int) -> object:
        return down(levels - 1) if levels else parse_json(nested(64))

    assert down(700)
    with pytest.raises(DocumentError):
        parse(nested(100_000), file="a.json")
