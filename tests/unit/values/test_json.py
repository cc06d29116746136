"""What MISSING is, and when two values are equal."""

import copy
import pickle
from enum import IntEnum, StrEnum

import pytest

from agenttwin.values import MISSING, Tree, encode, equal


def test_missing_is_false_and_there_is_one():
    assert not MISSING
    assert repr(MISSING) == "MISSING"
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert copy.deepcopy(MISSING) is MISSING


def test_missing_is_never_written():
    with pytest.raises(TypeError):
        encode({"before": MISSING})


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (0, -0.0),
        (2**53, float(2**53)),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}),
        ([], []),
        (MISSING, MISSING),
    ],
)
def test_values_that_are_equal(a, b):
    assert equal(a, b)
    assert equal(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (True, 1),
        (False, 0),
        (False, None),
        (1, "1"),
        (0, ""),
        (None, MISSING),
        ([], {}),
        ([], ""),
        (["a"], "a"),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([True], [1]),
        ({"a": True}, {"a": 1}),
        ({"a": None}, {}),
        ({"a": None}, {"b": None}),
    ],
)
def test_values_that_are_not_equal(a, b):
    assert not equal(a, b)
    assert not equal(b, a)


def test_a_node_equals_the_plain_value_it_stands_for():
    tree = Tree({"a": [1, True]})
    tree.append(("a",), 2)
    assert tree.root == {"a": [1, True, 2]}
    assert [1, True, 2] == tree.get(("a",))  # noqa: SIM300 - the list is asked first
    assert tree.get(("a",)) != [1, 1, 2]
    assert equal({"root": tree.root}, {"root": {"a": [1.0, True, 2]}})


def test_an_enumerated_number_or_word_equals_its_value():
    number, word = IntEnum("Number", ["ONE"]).ONE, StrEnum("Word", ["ONE"]).ONE
    assert equal(number, 1.0)
    assert equal(word, "one")
    assert not equal(number, True)
    assert not equal(word, ["one"])
