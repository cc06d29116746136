"""The tree against a model: plain values that are never changed, so that remembering one is keeping it."""

import json
from copy import deepcopy

from hypothesis import given, settings
from hypothesis import strategies as st

from agenttwin.values import MISSING, Tree, TreeError, apply, diff, encode, equal, merge, plain

scalars = st.sampled_from([None, True, False, 0, 1, 1.0, 2, -0.5, "", "1", "x"])
keys = st.sampled_from(["a", "b", "c"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
bases = st.fixed_dictionaries(
    {"a": st.dictionaries(keys, values), "b": st.lists(values, min_size=2, max_size=4), "c": values}
)
paths = st.lists(keys | st.integers(-2, 3), max_size=4).map(tuple)
picks = st.lists(st.integers(0, 5), max_size=3)
places = st.tuples(picks, paths | st.just(()) | st.just(()))
"""Where to write: picks among what stands there, then maybe a path from there that may lead nowhere."""

writes = st.one_of(
    st.tuples(st.just("set"), places, values),
    st.tuples(st.just("set"), places, scalars),
    st.tuples(st.just("delete"), places),
    st.tuples(st.just("append"), places, values),
    st.tuples(st.just("merge"), places, values),
    st.tuples(st.just("copy"), places, places),
)
moments = st.tuples(st.sampled_from(["mark", "undo", "fork", "switch"]), st.integers(0, 99))
steps = st.lists(writes | writes | moments, min_size=5, max_size=20)


class RefusedError(Exception):
    """The model cannot make this write."""


def has(value, key):
    if isinstance(value, dict):
        return isinstance(key, str) and key in value
    return isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value)


def read(value, path):
    for key in path:
        if not has(value, key):
            return MISSING
        value = value[key]
    return value


def aimed(value, place):
    """The path in `value` that a place stands for."""
    picks, beyond = place
    path = []
    for pick in picks:
        inside = (
            list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        )
        if not inside:
            break
        path.append(inside[pick % len(inside)])
        value = value[path[-1]]
    return (*path, *beyond)


def written(value, path, new):
    """`value` with `new` at `path`."""
    if not path:
        return new
    key, *below = path
    if not has(value, key) and not (isinstance(value, dict) and all(isinstance(name, str) for name in path)):
        raise RefusedError
    copy = value.copy()
    copy[key] = written(value[key] if has(value, key) else {}, below, new)
    return copy


def without(value, path):
    """`value` without what stands at `path`."""
    key, *below = path
    if not has(value, key):
        return value
    copy = value.copy()
    if below:
        copy[key] = without(value[key], below)
    else:
        del copy[key]
    return copy


def appended(value, path, element):
    """`value` with one more element in the list at `path`."""
    target = read(value, path)
    if target is not MISSING and not isinstance(target, list):
        raise RefusedError
    return written(value, path, [*(target or []), element])


def merged(value, path, patch):
    """`value` with a merge patch made at `path`."""
    target = read(value, path)
    return written(value, path, merge(target if target is not MISSING else {}, patch))


class World:
    """A tree beside its model, with the marks that still mean something."""

    def __init__(self, tree, value, marks):
        self.tree = tree
        self.value = value
        self.marks = marks

    def fork(self):
        return World(self.tree.fork(), self.value, list(self.marks))

    def mark(self):
        self.marks.append((self.tree.mark(), self.value))

    def undo(self, moment):
        del self.marks[moment % len(self.marks) + 1 :]
        mark, self.value = self.marks[-1]
        self.tree.undo(mark)

    def write(self, operation, place, operand=MISSING):
        path = aimed(self.value, place)
        model = {"set": written, "delete": without, "append": appended, "merge": merged, "copy": written}
        act = {"copy": "set"}.get(operation, operation)
        operands = [] if operation == "delete" else [operand]
        expected = operands
        if operation == "copy":
            operand = aimed(self.value, operand)
            operands, expected = [self.tree.get(operand)], [read(self.value, operand)]
            if expected == [MISSING]:
                return
        if operation == "delete" and not path:
            return
        try:
            after = model[operation](self.value, path, *expected)
        except RefusedError:
            after = None
        try:
            changed = getattr(self.tree, act)(path, *operands)
        except TreeError:
            assert after is None
            return
        assert changed == (not equal(self.value, after))
        self.value = after

    def check(self):
        assert equal(self.tree.plain(), self.value)
        assert equal(self.tree.root, self.value)
        assert equal(json.loads(encode(self.tree.root)), self.value)
        for mark, before in self.marks:
            changes = self.tree.changes(mark)
            assert changes == diff(before, self.value)
            assert equal(apply(changes, before), self.value)
        assert equal(self.tree.plain(), self.value)


@settings(max_examples=150)
@given(bases, steps)
def test_a_tree_is_what_a_copied_value_would_be(base, steps):
    untouched = deepcopy((base, steps))
    worlds = [World(Tree(base), base, [(0, base)])]
    for operation, *operands in steps:
        world = worlds[-1]
        match operation:
            case "mark":
                world.mark()
            case "undo":
                world.undo(operands[0])
            case "fork":
                worlds.append(world.fork())
            case "switch":
                worlds.append(worlds.pop(operands[0] % len(worlds)))
            case _:
                world.write(operation, *operands)
        world.check()
    for world in worlds:
        world.check()
    assert repr((base, steps)) == repr(untouched)


@given(bases, st.lists(writes, max_size=10), st.lists(paths, min_size=1, max_size=5))
def test_reading_a_tree_is_reading_its_plain_value(base, steps, paths):
    world = World(Tree(base), base, [(0, base)])
    for step in steps:
        world.write(*step)
    for path in paths:
        found = world.tree.get(path)
        expected = read(world.value, path)
        assert equal(found, expected)
        assert found is MISSING or equal(plain(found), expected)


@given(bases, st.lists(writes, max_size=10))
def test_a_node_behaves_as_the_object_it_stands_for(base, steps):
    world = World(Tree(base), base, [(0, base)])
    for step in steps:
        world.write(*step)
    node, value = world.tree.root, world.tree.plain()
    if isinstance(value, dict):
        assert list(node) == list(value)
        assert len(node) == len(value)
        assert all((key in node) == (key in value) for key in "abcd")
        assert {key: plain(member) for key, member in node.items()} == value
    elif isinstance(value, list):
        assert len(node) == len(value)
        assert [plain(element) for element in node] == value
        assert plain(list(reversed(node))) == value[::-1]
        assert plain(node[1:]) == value[1:]
