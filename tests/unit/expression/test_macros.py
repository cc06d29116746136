"""The macros: loops over the elements of a list or the keys of an object."""

import pytest

from tests.unit.expression._cel import failure, value

ITEMS = [{"id": "a", "price": 3}, {"id": "b", "price": 1}, {"id": "c", "price": 2}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("value.all(x, x.price > 0)", True),
        ("value.all(x, x.price > 1)", False),
        ("[].all(x, false)", True),
        ("value.exists(x, x.id == 'c')", True),
        ("[].exists(x, true)", False),
        ("value.exists_one(x, x.price > 2)", True),
        ("value.exists_one(x, x.price > 1)", False),
        ("value.filter(x, x.price > 1).map(x, x.id)", ["a", "c"]),
        ("value.map(x, x.price * 2)", [6, 2, 4]),
        ("value.map(x, x.price > 1, x.id)", ["a", "c"]),
        ("value.firstWhere(x, x.price < 3).id", "b"),
        ("value.firstWhere(x, x.price > 9)", None),
        ("value.indexWhere(x, x.id == 'c')", 2),
        ("value.indexWhere(x, x.id == 'z')", -1),
        ("value.toObject(x, x.id, x.price)", {"a": 3, "b": 1, "c": 2}),
        ("value.toObject(x, x.id).b.price", 1),
        ("[1, 2].toObject(x, 'k', x)", {"k": 2}),
        ("value.sortBy(x, x.price).map(x, x.id)", ["b", "c", "a"]),
        ("value.sortBy(x, 0).map(x, x.id)", ["a", "b", "c"]),
        ("value.sortBy(x, -x.price).map(x, x.id)", ["a", "c", "b"]),
        ("sum(zip(value, value).map(p, p[1].price - p[0].price))", 0),
        ("value.map(x, value.filter(y, y.price < x.price).size())", [2, 0, 1]),
    ],
)
def test_macros_over_a_list(text: str, expected: object):
    assert value(text, value=ITEMS) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'a': 1, 'b': 2}.map(k, k)", ["a", "b"]),
        ("{'a': 1}.all(k, k == 'a')", True),
        ("{'a': 1, 'b': 2}.filter(k, k > 'a')", ["b"]),
        ("{'a': 1, 'b': 2}.toObject(k, k + k, size(k))", {"aa": 1, "bb": 1}),
        ("value.filter(k, value[k] > 1)", ["y"]),
    ],
)
def test_macros_over_an_object_go_over_its_keys(text: str, expected: object):
    assert value(text, value={"x": 1, "y": 2}) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1.0.map(x, x)", "a macro goes over a list or an object, not 1"),
        ("'abc'.all(x, true)", 'a macro goes over a list or an object, not "abc"'),
        ("[1, 2].map(x, x / 0)", "division by zero"),
        ("[0, 1].exists_one(x, 1 / x == 1)", "division by zero"),
        ("[0, 1].firstWhere(x, 1 / x == 1)", "division by zero"),
        ("[1].toObject(x, x)", "a key is text, not 1"),
        ("[1, 'a'].sortBy(x, x)", "only numbers, only texts or only booleans have an order"),
    ],
)
def test_what_cannot_be_looped_over_fails(text: str, words: str):
    assert failure(text) == words


def test_what_is_looped_over_is_not_changed():
    held = [3, 1, 2]
    value("sorted(value).map(x, x + 1)", value=held)
    value("value.sortBy(x, x)", value=held)
    value("value.filter(x, x > 1)", value=held)
    assert held == [3, 1, 2]
