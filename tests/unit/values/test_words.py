"""What values say in sentences, and which word was meant."""

import pytest

from agenttwin.values import MISSING, describe, nearest


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (MISSING, "nothing"),
        (None, "null"),
        (True, "true"),
        (40.0, "40"),
        (0.1, "0.1"),
        ('a\n"b"', r'"a\n\"b\""'),
        ({"a": 1, "b": [True, "x"]}, '{"a": 1, "b": [true, "x"]}'),
        ([], "[]"),
        ({}, "{}"),
        ("x" * 78, '"' + "x" * 78 + '"'),
        ("x" * 79, '"' + "x" * 77 + '…"'),
        (["x" * 100], "a list of 1 element"),
        ({str(key): key for key in range(20)}, "an object of 20 keys"),
        (float("nan"), "nan"),
        ("\ud800", r"'\ud800'"),
        ({1}, "{1}"),
    ],
)
def test_a_value_in_a_few_words(value, text):
    assert describe(value) == text


def test_a_large_value_is_not_read_whole():
    class Watched(list):
        def __iter__(self):
            return iter(self[:100])

    assert describe(Watched(range(1_000_000))) == "a list of 1000000 elements"


def test_a_deep_value_is_not_followed_down():
    value = []
    for _ in range(100_000):
        value = [value]
    assert describe(value) == "a list of 1 element"


@pytest.mark.parametrize(
    ("word", "meant"),
    [("REED", "READ"), ("read", "READ"), ("wrte", "WRITE"), ("xyz", None), ("", None)],
)
def test_the_nearest_word(word, meant):
    assert nearest(word, ["READ", "WRITE", "ADMIN"]) == meant


def test_without_candidates_there_is_no_nearest():
    assert nearest("READ", []) is None
