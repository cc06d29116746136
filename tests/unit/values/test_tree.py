"""The tree: writes, refusals, undo, changes and forks, and that none of it touches the base."""

from copy import deepcopy

import pytest

from agenttwin.values import MISSING, Arr, Change, Obj, Tree, TreeError, encode, plain

BASE = {"orders": {"O-1": {"count": 0, "items": [1, 2, 3]}, "O-2": {"count": 5}}, "log": [], "name": "x"}


@pytest.fixture
def tree():
    before = deepcopy(BASE)
    yield Tree(BASE)
    assert before == BASE


def test_an_untouched_tree_is_its_base(tree):
    assert tree.root is BASE
    assert tree.plain() is BASE
    assert tree.get(("orders", "O-1")) is BASE["orders"]["O-1"]
    assert tree.changes() == ()


def test_a_write_makes_overlays_only_on_its_way(tree):
    tree.set(("orders", "O-1", "count"), 1)
    assert isinstance(tree.get(("orders", "O-1")), Obj)
    assert tree.get(("orders", "O-2")) is BASE["orders"]["O-2"]
    assert tree.plain()["log"] is BASE["log"]


def test_set_makes_missing_objects_on_the_way(tree):
    assert tree.set(("new", "a", "b"), 1)
    assert tree.get(("new",)) == {"a": {"b": 1}}
    assert tree.changes() == (Change(path="new", before=MISSING, after={"a": {"b": 1}}),)


def test_set_to_what_is_there_changes_nothing(tree):
    assert not tree.set(("orders", "O-1", "count"), 0.0)
    assert not tree.set(("orders", "O-1"), deepcopy(BASE["orders"]["O-1"]))
    assert tree.mark() == 0


def test_true_is_not_one(tree):
    assert tree.set(("orders", "O-2", "count"), 1)
    assert tree.set(("orders", "O-2", "count"), True)
    assert tree.changes() == (Change(path="orders.O-2.count", before=5, after=True),)


def test_null_is_not_missing(tree):
    assert tree.set(("note",), None)
    assert tree.get(("note",)) is None
    assert tree.delete(("note",))
    assert tree.get(("note",)) is MISSING


def test_deleting_what_is_missing_changes_nothing(tree):
    for path in [("none",), ("none", "x"), ("name", "x"), ("log", 0), ("log", "x"), ("orders", 0)]:
        assert not tree.delete(path)
    assert tree.mark() == 0


def test_a_list_closes_up_where_an_element_is_taken_out(tree):
    assert tree.delete(("orders", "O-1", "items", -2))
    assert tree.get(("orders", "O-1", "items")) == [1, 3]
    assert tree.changes() == (Change(path="orders.O-1.items", before=[1, 2, 3], after=[1, 3]),)


def test_appends_are_changes_of_their_own(tree):
    assert tree.append(("log",), {"a": 1})
    assert tree.append(("log",), 2)
    assert tree.set(("log", 0, "a"), 3)
    assert tree.changes() == (
        Change(path="log[0]", before=MISSING, after={"a": 3}),
        Change(path="log[1]", before=MISSING, after=2),
    )


def test_append_makes_a_list_where_nothing_is(tree):
    assert tree.append(("mails", "sent"), "hello")
    assert tree.get(("mails", "sent")) == ["hello"]


def test_an_append_does_not_copy_the_list():
    tree = Tree({"log": list(range(1000))})
    tree.append(("log",), 1000)
    assert tree.get(("log",)).base is tree.base["log"]


def test_a_negative_index_counts_from_the_end(tree):
    assert tree.set(("orders", "O-1", "items", -1), 9)
    assert tree.changes() == (Change(path="orders.O-1.items[2]", before=3, after=9),)


def test_the_whole_value_can_be_replaced(tree):
    mark = tree.mark()
    assert tree.set((), [1])
    assert tree.append((), 2)
    assert tree.delete((0,))
    assert tree.plain() == [2]
    assert tree.changes(mark) == (Change(path="", before=BASE, after=[2]),)
    tree.undo(mark)
    assert tree.plain() == BASE


def test_merging_a_patch_costs_and_tells_the_patch(tree):
    assert tree.merge((), {"orders": {"O-1": {"count": 2, "items": None}, "O-3": {"x": None}}, "name": "x"})
    assert [change.path for change in tree.changes()] == [
        "orders.O-1.count",
        "orders.O-1.items",
        "orders.O-3",
    ]
    assert tree.get(("orders", "O-3")) == {}
    assert not tree.merge((), {})
    assert tree.merge(("name",), {"first": "y", "last": None})
    assert tree.get(("name",)) == {"first": "y"}


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (lambda tree: tree.set(("name", "x"), 1), 'name is "x", so nothing can be set in it'),
        (lambda tree: tree.set(("name", "x", "y"), 1), 'name is "x", so nothing can be set in it'),
        (lambda tree: tree.set(("log", "x"), 1), "log is [] and has no 'x'"),
        (lambda tree: tree.set(("log", 0), 1), "log is [] and has no 0"),
        (
            lambda tree: tree.set(("orders", "O-1", "items", 3), 1),
            "orders.O-1.items is [1, 2, 3] and has no 3",
        ),
        (
            lambda tree: tree.set(("orders", "O-1", "items", -4), 1),
            "orders.O-1.items is [1, 2, 3] and has no -4",
        ),
        (lambda tree: tree.set(("log", 0, "x"), 1), "log is [] and has no 0"),
        (lambda tree: tree.set(("orders", 0), 1), "orders is an object and has no index 0"),
        (lambda tree: tree.set((0,), 1), "the whole value is an object and has no index 0"),
        (lambda tree: tree.set(("new", 0), 1), "new is not there, so it has no index 0"),
        (lambda tree: tree.append(("name",), 1), 'name is "x", not a list'),
        (lambda tree: tree.append(("orders", "O-2"), 1), 'orders.O-2 is {"count": 5}, not a list'),
        (lambda tree: tree.append(("name", "x"), 1), 'name is "x", so nothing can be set in it'),
        (lambda tree: tree.delete(()), "the whole value cannot be taken out"),
        (lambda tree: tree.set(("a", "b"), {1, 2}), "a.b: Type is not JSON serializable: set"),
        (lambda tree: tree.set(("a",), "\ud800"), "a: str is not valid UTF-8: surrogates not allowed"),
        (lambda tree: tree.set(("a",), MISSING), "a: Type is not JSON serializable: ellipsis"),
    ],
)
def test_a_write_that_cannot_be_made_says_why_and_changes_nothing(tree, write, reason):
    with pytest.raises(TreeError, match=r"^") as refused:
        write(tree)
    assert str(refused.value) == reason
    assert tree.plain() == BASE
    assert tree.mark() == 0


def test_a_depth_bomb_is_refused(tree):
    bomb = []
    for _ in range(5_000):
        bomb = [bomb]
    with pytest.raises(TreeError, match="a: nested deeper than 254 levels"):
        tree.set(("a",), bomb)


def test_undo_goes_back_to_any_mark(tree):
    tree.set(("orders", "O-1", "count"), 1)
    mark, then = tree.mark(), tree.plain()
    tree.delete(("orders", "O-1"))
    tree.set(("orders", "O-1", "count"), 7)
    tree.append(("log",), 1)
    tree.delete(("log", 0))
    tree.undo(mark)
    assert tree.plain() == then
    tree.undo(0)
    assert tree.plain() == BASE


def test_changes_are_net(tree):
    tree.set(("orders", "O-1", "count"), 1)
    tree.set(("new",), 1)
    mark = tree.mark()
    tree.set(("orders", "O-1", "count"), 2)
    tree.set(("orders", "O-1", "count"), 1)
    tree.delete(("new",))
    assert tree.changes(mark) == (Change(path="new", before=1, after=MISSING),)
    assert tree.changes() == (Change(path="orders.O-1.count", before=0, after=1),)


def test_what_stood_before_is_right_where_a_write_is_below_a_later_delete(tree):
    tree.set(("orders", "O-1", "count"), 1)
    tree.delete(("orders", "O-1"))
    assert tree.changes() == (Change(path="orders.O-1", before=BASE["orders"]["O-1"], after=MISSING),)


def test_changes_hold_plain_values(tree):
    tree.set(("orders", "O-1", "count"), 1)
    mark = tree.mark()
    tree.set(("orders", "O-2", "copy"), tree.get(("orders", "O-1")))
    tree.delete(("orders", "O-1"))
    before, after = tree.changes(mark)
    assert type(before.before) is dict
    assert type(after.after) is dict


def test_a_copied_node_does_not_change_with_its_original(tree):
    tree.set(("orders", "O-1", "count"), 1)
    tree.set(("archive",), {"order": tree.get(("orders", "O-1"))})
    tree.set(("orders", "O-1", "count"), 2)
    assert tree.get(("archive", "order", "count")) == 1


def test_a_value_that_was_handed_over_is_not_written_to(tree):
    given = {"x": {"y": 1}, "l": [1]}
    tree.set(("given",), given)
    tree.set(("given", "x", "y"), 2)
    tree.append(("given", "l"), 2)
    assert given == {"x": {"y": 1}, "l": [1]}


def test_a_fork_and_its_origin_do_not_see_each_other(tree):
    tree.set(("orders", "O-1", "count"), 1)
    tree.append(("log",), {"a": 1})
    fork = tree.fork()
    tree.set(("log", 0, "a"), 2)
    fork.append(("log",), 3)
    again = fork.fork()
    again.set(("orders", "O-1", "count"), 9)
    assert tree.plain()["log"] == [{"a": 2}]
    assert fork.plain()["log"] == [{"a": 1}, 3]
    assert fork.get(("orders", "O-1", "count")) == 1
    assert again.get(("orders", "O-1", "count")) == 9


def test_a_fork_has_the_past_of_its_origin(tree):
    tree.set(("orders", "O-1", "count"), 1)
    mark = tree.mark()
    tree.delete(("orders", "O-1"))
    fork = tree.fork()
    assert fork.changes() == tree.changes()
    fork.undo(mark)
    assert fork.get(("orders", "O-1", "count")) == 1
    assert tree.get(("orders", "O-1")) is MISSING


def test_a_key_that_is_deleted_and_set_again_has_its_old_place(tree):
    tree.set(("z",), 1)
    tree.set(("y",), 1)
    for key in ("z", "log"):
        tree.delete((key,))
        tree.set((key,), 2)
    assert list(tree.root) == ["orders", "log", "name", "z", "y"]
    assert list(tree.plain()) == list(tree.root)


def test_nodes_are_encoded_as_the_values_they_stand_for():
    tree = Tree({"a": {"b": 1}, "l": [1]})
    tree.set(("a", "c"), "é")
    tree.append(("l",), 2)
    assert encode({"root": tree.root}) == '{"root":{"a":{"b":1,"c":"é"},"l":[1,2]}}'.encode()


def test_nodes_show_what_they_stand_for(tree):
    tree.append(("log",), 1)
    assert repr(tree.get(("log",))) == "Arr([1])"
    assert isinstance(tree.get(("log",)), Arr)
    assert plain([tree.get(("log",)), 2]) == [[1], 2]


def test_a_node_refuses_what_an_object_or_list_refuses(tree):
    tree.append(("log",), 1)
    tree.delete(("name",))
    with pytest.raises(KeyError):
        tree.root["name"]
    with pytest.raises(IndexError):
        tree.get(("log",))[1]
    with pytest.raises(IndexError):
        tree.get(("log",))[-2]
    with pytest.raises(TypeError):
        hash(tree.root)
