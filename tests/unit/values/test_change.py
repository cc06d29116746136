"""Net changes and merge patches."""

import pytest

from agenttwin.values import MISSING, Change, Tree, apply, diff, merge


def told(before, after):
    return [(change.path, change.before, change.after) for change in diff(before, after)]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        (1, 1.0, []),
        (1, True, [("", 1, True)]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [("a", 1, True)]),
        ({}, {"a": None}, [("a", MISSING, None)]),
        ({"a": None}, {}, [("a", None, MISSING)]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, [("a.c", 2, 3)]),
        ({"a": {"b": 1}}, {"a": [1]}, [("a", {"b": 1}, [1])]),
        (
            {"b": 1, "a": 1, "B": 1},
            {"c": 1},
            [("B", 1, MISSING), ("a", 1, MISSING), ("b", 1, MISSING), ("c", MISSING, 1)],
        ),
        ({"new": {}}, {"new": {"x": {"y": 1}}}, [("new.x", MISSING, {"y": 1})]),
        ([1, 2], [1, 3], [("[1]", 2, 3)]),
        ([1], [1, 2, 3], [("[1]", MISSING, 2), ("[2]", MISSING, 3)]),
        ([{"a": 1}], [{"a": 2}, 5], [("[0].a", 1, 2), ("[1]", MISSING, 5)]),
        ({"l": [1, 2, 3]}, {"l": [1, 3]}, [("l", [1, 2, 3], [1, 3])]),
    ],
)
def test_a_diff_tells_net_changes(before, after, changes):
    assert told(before, after) == changes


def test_a_diff_reads_through_nodes():
    tree = Tree({"a": {"b": 1}})
    tree.set(("a", "b"), 2)
    assert diff({"a": {"b": 1}}, tree.root) == (Change(path="a.b", before=1, after=2),)


def test_changes_are_equal_as_json_is():
    change = Change(path="a", before=1, after=2)
    assert change == Change(path="a", before=1.0, after=2)
    assert change != Change(path="a", before=True, after=2)
    assert change != Change(path="b", before=1, after=2)
    assert change != ("a", 1, 2)


def test_applying_shares_what_it_does_not_touch():
    value = {"a": {"x": 1}, "b": {"y": 1}}
    result = apply([Change(path="a.x", before=1, after=2)], value)
    assert result == {"a": {"x": 2}, "b": {"y": 1}}
    assert result["b"] is value["b"]
    assert value["a"] == {"x": 1}


def test_a_change_of_the_whole_value_replaces_it():
    assert apply(diff({"a": 1}, [1]), {"a": 1}) == [1]


def test_a_change_beyond_the_limits_of_written_paths_still_applies():
    before, after = {"k" * 600: 1}, {"k" * 600: 2}
    assert apply(diff(before, after), before) == after


def test_a_change_that_cannot_be_made_is_refused():
    with pytest.raises(ValueError, match=r"a is 1, so nothing can be set in it"):
        apply([Change(path="a.b", before=1, after=2)], {"a": 1})


@pytest.mark.parametrize(
    ("base", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merging_follows_rfc_7396(base, patch, result):
    assert merge(base, patch) == result


def test_merging_shares_what_the_patch_does_not_touch():
    base = {"a": {"x": 1}, "b": 1}
    assert merge(base, {"b": 2})["a"] is base["a"]


def test_a_depth_bomb_has_no_diff():
    bomb = []
    for _ in range(5_000):
        bomb = [bomb]
    with pytest.raises(ValueError, match="nested deeper than 254 levels"):
        diff(bomb, [])
