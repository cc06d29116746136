"""Canonical JSON and digests: what the vectors of `conformance/` do not show."""

import datetime
from enum import StrEnum

import pytest

from agenttwin.values import MISSING, Tree, canonical, digest, digest_bytes


def nested(levels, inside=()):
    value = list(inside)
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"orders": [{"amount": float("nan")}]}, "orders[0].amount: nan is not a JSON number"),
        ([1.5, float("-inf")], "[1]: -inf is not a JSON number"),
        ({"id": 2**53 + 1}, "id: the integer 9007199254740993 is beyond ±2^53 and not exact everywhere"),
        ({"a b": "\ud800"}, "['a b']: half of a surrogate pair is not text"),
        ({"a": {"\udc00": 1}}, "a: half of a surrogate pair is not text"),
        ({"a": {1: 2}}, "a: the key 1 is not text"),
        ({"a": {1, 2}}, "a: a set is not JSON"),
        ({"at": datetime.date(2026, 1, 1)}, "at: a date is not JSON"),
        ({"gone": MISSING}, "gone: a Missing is not JSON"),
        (b"bytes", "a bytes is not JSON"),
    ],
)
def test_a_refusal_names_the_place_and_the_reason(value, reason):
    with pytest.raises(ValueError, match=r"^") as refused:
        canonical(value)
    assert str(refused.value) == reason


@pytest.mark.parametrize("inside", [(), (1.5,)])
def test_254_levels_are_the_limit(inside):
    assert canonical(nested(254, inside)).startswith(b"[" * 254)
    with pytest.raises(ValueError, match="nested deeper than 254 levels"):
        canonical(nested(255, inside))


def test_a_depth_bomb_is_refused_like_any_other_depth():
    with pytest.raises(ValueError, match="nested deeper than 254 levels"):
        canonical(nested(100_000))


def test_a_value_that_holds_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(ValueError, match="nested deeper than 254 levels"):
        canonical(value)


def test_an_object_that_was_written_to_has_the_digest_of_its_plain_value():
    tree = Tree({"b": {"x": 1}, "a": 1.5})
    tree.set(("b", "y"), [2.0])
    assert canonical(tree.root) == b'{"a":1.5,"b":{"x":1,"y":[2]}}'
    assert canonical({"state": tree.root}) == b'{"state":{"a":1.5,"b":{"x":1,"y":[2]}}}'


def test_an_enumerated_word_is_its_text():
    word = StrEnum("Word", ["READ"]).READ
    assert canonical({word: [word, 1.5]}) == b'{"read":["read",1.5]}'


def test_a_digest_names_its_function():
    assert digest(None) == digest_bytes(b"null")
    assert digest_bytes(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
