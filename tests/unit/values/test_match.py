"""Comparators, their reasons, and the patterns they search for."""

import pytest

from agenttwin.values import COMPARATORS, MISSING, Tree, comparator_for, match, search_pattern


def test_the_comparators():
    assert list(COMPARATORS) == [
        "equals",
        "notEquals",
        "in",
        "exists",
        "gte",
        "lte",
        "gt",
        "lt",
        "matches",
        "contains",
    ]


@pytest.mark.parametrize(
    ("comparators", "value"),
    [
        ({"equals": 1}, 1.0),
        ({"equals": None}, None),
        ({"equals": {"a": [1]}}, {"a": [1.0]}),
        ({"notEquals": 1}, True),
        ({"notEquals": 1}, MISSING),
        ({"in": [1, "a"]}, "a"),
        ({"in": [2.0]}, 2),
        ({"exists": True}, None),
        ({"exists": False}, MISSING),
        ({}, None),
        ({"gte": 3}, 3),
        ({"gte": 3, "lt": 4}, 3.5),
        ({"lte": 3}, 3),
        ({"gt": 3}, 3.5),
        ({"lt": "b"}, "a"),
        ({"gte": "2026-01-01T00:00:00Z"}, "2026-01-02T00:00:00Z"),
        ({"matches": "^RF-[0-9]{4}$"}, "RF-0001"),
        ({"matches": "ö"}, "Köln"),
        ({"contains": "30 days"}, "within 30 days."),
        ({"contains": 1}, [2, 1.0]),
        ({"contains": {"a": 1}}, [{"a": 1}]),
        ({"contains": "a"}, {"a": None}),
    ],
)
def test_what_satisfies(comparators, value):
    assert match(comparators, value).ok


@pytest.mark.parametrize(
    ("comparators", "value", "reason"),
    [
        ({"equals": 1}, 2, "expected 1, got 2"),
        ({"equals": 1}, True, "expected 1, got true"),
        ({"equals": 1}, MISSING, "expected 1, got nothing"),
        ({"equals": None}, MISSING, "expected null, got nothing"),
        ({"equals": "OPEN"}, "CLOSED", 'expected "OPEN", got "CLOSED"'),
        ({"equals": 40}, 40.5, "expected 40, got 40.5"),
        ({"equals": {"a": 1}}, {"a": [1, None]}, 'expected {"a": 1}, got {"a": [1, null]}'),
        ({"equals": []}, list(range(99)), "expected [], got a list of 99 elements"),
        ({"notEquals": 1}, 1.0, "expected anything but 1, got 1"),
        ({"in": [1, "a"]}, 2, 'expected one of 1, "a", got 2'),
        ({"in": list(range(9))}, 9, "expected one of 0, 1, 2, 3, 4, 5, 6, 7, …, got 9"),
        ({"in": []}, 2, "expected one of no values, got 2"),
        ({"in": [1]}, True, "expected one of 1, got true"),
        ({"exists": True}, MISSING, "expected a value, got nothing"),
        ({}, MISSING, "expected a value, got nothing"),
        ({"exists": False}, None, "expected nothing, got null"),
        ({"gte": 3}, 2, "expected at least 3, got 2"),
        ({"gte": 3}, MISSING, "expected at least 3, got nothing"),
        ({"gte": 3}, "4", 'expected at least 3, got "4"'),
        ({"gte": 0}, True, "expected at least 0, got true"),
        ({"lte": 3}, 4, "expected at most 3, got 4"),
        ({"gt": 3}, 3, "expected more than 3, got 3"),
        ({"lt": 3}, 3.0, "expected less than 3, got 3"),
        ({"lt": "b"}, 1, 'expected less than "b", got 1'),
        ({"gte": 1, "lt": 3}, 3, "expected less than 3, got 3"),
        ({"matches": "^RF"}, "X", 'expected text matching "^RF", got "X"'),
        ({"matches": "1"}, 1, 'expected text matching "1", got 1'),
        ({"contains": "x"}, "abc", 'expected something that contains "x", got "abc"'),
        ({"contains": 1}, "1", 'expected something that contains 1, got "1"'),
        ({"contains": True}, [1], "expected something that contains true, got [1]"),
        ({"contains": 1}, {"1": 1}, 'expected something that contains 1, got {"1": 1}'),
        ({"contains": "x"}, MISSING, 'expected something that contains "x", got nothing'),
        ({"contains": "x"}, 5, 'expected something that contains "x", got 5'),
    ],
)
def test_what_does_not_satisfy_says_why(comparators, value, reason):
    found = match(comparators, value)
    assert not found.ok
    assert found.reason == reason


def test_what_satisfies_says_all_of_it():
    assert match({"gte": 1, "lt": 3}, 2).reason == "expected at least 1 and less than 3, got 2"


def test_a_written_object_matches_as_its_plain_value():
    tree = Tree({"a": [1]})
    tree.append(("a",), 2)
    assert match({"equals": {"a": [1, 2]}}, tree.root).ok
    assert match({"contains": 2}, tree.get(("a",))).ok
    assert match({"contains": "a"}, tree.root).ok


@pytest.mark.parametrize(
    ("name", "operand", "reason"),
    [
        (
            "equal",
            1,
            "'equal' is not a comparator; one of: "
            "equals, notEquals, in, exists, gte, lte, gt, lt, matches, contains",
        ),
        ("in", 1, "in needs a list, not 1"),
        ("in", "abc", 'in needs a list, not "abc"'),
        ("exists", 1, "exists needs true or false, not 1"),
        ("gte", None, "gte needs a number or a text, not null"),
        ("lt", True, "lt needs a number or a text, not true"),
        ("matches", 1, "matches needs a pattern, not 1"),
        ("matches", "(a", "'(a' is not a pattern: missing ): (a"),
    ],
)
def test_a_comparator_that_makes_no_sense_is_refused(name, operand, reason):
    for act in (lambda: match({name: operand}, 1), lambda: comparator_for(name, operand)):
        with pytest.raises(ValueError, match=r"^") as refused:
            act()
        assert str(refused.value) == reason


def test_a_pattern_is_searched_anywhere():
    assert search_pattern("b+", "abbc")
    assert not search_pattern("^b", "abbc")


def test_a_pattern_that_would_explode_elsewhere_takes_no_time():
    assert not search_pattern("^(a+)+$", "a" * 100_000 + "b")


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1", "(a{1000}){1000}", "[z-a]", "*"])
def test_a_pattern_that_cannot_be_searched_in_linear_time_or_read_is_refused(pattern):
    with pytest.raises(ValueError, match="is not a pattern"):
        search_pattern(pattern, "a")


def test_a_pattern_has_at_most_1000_characters():
    assert search_pattern("a" * 1_000, "a" * 1_000)
    with pytest.raises(ValueError, match=r"at most 1,000 characters, this one has 1,001"):
        search_pattern("a" * 1_001, "")


def test_a_text_with_half_a_surrogate_pair_can_be_searched():
    assert search_pattern("b$", "\ud800b")
