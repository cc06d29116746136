"""A JSON value that costs what changed, not what it holds: a shared base, an overlay and an undo log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from agenttwin.values._change import Change, changes_at, merge
from agenttwin.values._describe import describe
from agenttwin.values._json import MISSING, equal
from agenttwin.values._node import ABSENT, Arr, Node, Obj, plain, plain_part, refusal, walk
from agenttwin.values._path import format_path, read_path

Segments: TypeAlias = tuple[str | int, ...]


class TreeError(ValueError):
    """A write that cannot be made: through a scalar, by key into a list, beyond the end of a list."""


class _Write:
    """A logged write at `path`: `other` is what `node` holds at `key` on the other side of it."""

    __slots__ = ("key", "node", "other", "path")

    def __init__(self, node: Node, key: Any, other: Any, path: Segments) -> None:
        self.node = node
        self.key = key
        self.other = other
        self.path = path

    def swap(self) -> None:
        """Takes the write back; once more makes it again."""
        self.other = self.node.swap(self.key, self.other)


class Tree:
    """A JSON value to write to, over a `base` that is never touched. One thread at a time.

    Reading hands out plain parts of the base as they are, and an overlay node (Obj, Arr) where something
    was written below: a live view, to be used before the next write or made plain. What is given to a
    write becomes part of the tree: the caller hands it over and changes it no more.
    """

    __slots__ = ("_log", "base", "root")

    def __init__(self, base: Any) -> None:
        self.base = base
        self.root: Any = _overlay(base)
        self._log: list[_Write] = []

    def get(self, segments: Sequence[str | int]) -> Any:
        """What stands there, plain or a node, or MISSING."""
        return walk(self.root, segments)

    def plain(self) -> Any:
        """The whole value as plain JSON; untouched parts are shared with the base."""
        return plain_part(self.root)

    def set(self, segments: Sequence[str | int], value: Any) -> bool:
        """Puts `value` there, making missing objects on the way; whether that changed anything.

        TreeError where a scalar stands in the way, a list lacks the index, or the value is not JSON.
        """
        value = _settled(value, segments)
        node, depth, path = self._descend(segments)
        key, below = path[depth], path[depth + 1 :]
        old = walk(node, (key,))
        if below and old is not MISSING:
            raise TreeError(f"{format_path(path[: depth + 1])} is {describe(old)} and holds no {below[0]!r}")
        _check_key(node, path, depth)
        for segment in reversed(below):
            if not isinstance(segment, str):
                raise TreeError(f"{format_path(path)}: there is no list for index {segment}")
            value = {segment: value}
        if old is not MISSING and equal(old, value):
            return False
        self._write(node, key, value, path[: depth + 1])
        return True

    def delete(self, segments: Sequence[str | int]) -> bool:
        """Takes out what stands there; whether there was something. Later elements of a list move up."""
        node, depth, path = self._descend(segments)
        key = path[depth]
        if depth < len(path) - 1 or walk(node, (key,)) is MISSING:
            return False
        if isinstance(node, Obj):
            self._write(node, key, MISSING, path)
        else:
            kept = [element for index, element in enumerate(node) if index != key]
            self._write(node, None, ([], {}, kept), path[:-1])
        return True

    def append(self, segments: Sequence[str | int], value: Any) -> bool:
        """Puts `value` at the end of the list there, a new list where nothing is; always a change."""
        node, depth, path = self._descend((*segments, 0))
        if depth < len(segments):
            if walk(node, (path[depth],)) is MISSING:
                return self.set(segments, [value])
            raise TreeError(f"{format_path(segments)} is no list")
        if not isinstance(node, Arr):
            raise TreeError(f"{format_path(segments)} is an object, not a list")
        end = len(node)
        self._write(node, end, _settled(value, segments), (*path[:-1], end))
        return True

    def merge(self, segments: Sequence[str | int], patch: Any) -> bool:
        """Merges `patch` there as RFC 7396 says, at the cost of the patch; whether that changed anything."""
        if not isinstance(patch, Mapping):
            return self.set(segments, patch)
        if not isinstance(self.get(segments), Mapping):
            return self.set(segments, merge({}, patch))
        changed = False
        for key, value in patch.items():
            at = (*segments, key)
            changed |= self.delete(at) if value is None else self.merge(at, value)
        return changed

    def mark(self) -> int:
        """Now, as a number to undo to or to tell changes from; 0 is the base."""
        return len(self._log)

    def undo(self, mark: int) -> None:
        """Takes back every write since `mark`; later marks lose their meaning."""
        log = self._log
        while len(log) > mark:
            log.pop().swap()

    def changes(self, mark: int = 0) -> tuple[Change, ...]:
        """The net changes since `mark`: what diff tells of the plain values then and now, in its order."""
        writes = self._log[mark:]
        paths = _outermost({write.path for write in writes})
        after = [plain_part(walk(self.root, path)) for path in paths]
        # The log alone cannot tell what stood before: a write below a place that was itself written
        # later logs neither's value whole. So step back, look, and step forward again.
        for write in reversed(writes):
            write.swap()
        before = [plain_part(walk(self.root, path)) for path in paths]
        for write in writes:
            write.swap()
        found = zip(paths, before, after, strict=True)
        return tuple(change for path, old, new in found for change in changes_at(path, old, new))

    def fork(self) -> "Tree":
        """A tree of its own with the same value, marks and past; costs what changed, the base is shared."""
        copies: dict[int, Node] = {}
        tree = Tree(self.base)
        tree.root = _copied(self.root, copies)
        tree._log = [
            _Write(_copied(write.node, copies), write.key, _copied(write.other, copies), write.path)
            for write in self._log
        ]
        return tree

    def _descend(self, segments: Sequence[str | int]) -> tuple[Node, int, Segments]:
        """The last overlay node on the way, the depth of the segment that leads on, the path with indices
        counted from the start. Plain containers on the way become overlays.
        """
        node, path = self.root, tuple(segments)
        if not path or not isinstance(node, Obj | Arr):
            raise TreeError("the whole value cannot be replaced, only parts of it")
        last = len(path) - 1
        for depth, segment in enumerate(path):
            if type(node) is Arr and type(segment) is int and -len(node) <= segment < 0:
                segment += len(node)
                path = (*path[:depth], segment, *path[depth + 1 :])
            if depth == last:
                break
            child = walk(node, (segment,))
            if isinstance(child, dict | list):
                child = _overlay(child)
                node.swap(segment, child)
            elif not isinstance(child, Obj | Arr):
                return node, depth, path
            node = child
        return node, last, path

    def _write(self, node: Node, key: Any, value: Any, path: Segments) -> None:
        self._log.append(_Write(node, key, node.swap(key, value), path))


def apply(changes: Iterable[Change], value: Any) -> Any:
    """`value` with `changes` made in order: `apply(diff(a, b), a)` equals b. `value` itself stays as it is.

    What a change says was there before is not looked at, except that an element that was not is appended.
    ValueError for a path that cannot be written.
    """
    tree = Tree(plain(value))
    for change in changes:
        path = read_path(change.path).segments
        if not path:
            tree = Tree(change.after)
        elif change.after is MISSING:
            tree.delete(path)
        elif change.before is MISSING and isinstance(path[-1], int):
            tree.append(path[:-1], change.after)
        else:
            tree.set(path, change.after)
    return tree.plain()


def _overlay(value: Any) -> Any:
    if isinstance(value, dict):
        return Obj(value)
    return Arr(value) if isinstance(value, list) else value


def _settled(value: Any, segments: Sequence[str | int]) -> Any:
    """`value` as the tree keeps it: plain JSON without nodes, since nodes change with the tree they are of."""
    if refusal(value) is None:
        return value
    value = plain(value)
    if reason := refusal(value):
        raise TreeError(f"{format_path(segments)}: {reason}")
    return value


def _check_key(node: Node, path: Segments, depth: int) -> None:
    key, place = path[depth], format_path(path[:depth]) or "the whole value"
    if isinstance(node, Obj):
        if not isinstance(key, str):
            raise TreeError(f"{place} is an object and has no index {key}")
    elif not isinstance(key, int) or not 0 <= key < len(node):
        raise TreeError(f"{place} is a list of {len(node)} and has no {key!r}")


def _outermost(paths: set[Segments]) -> list[Segments]:
    """The paths that have no other above them, in the order of diff."""
    return sorted(path for path in paths if not any(path[:end] in paths for end in range(len(path))))


def _copied(value: Any, copies: dict[int, Node]) -> Any:
    """What a log or an overlay holds, with every node copied once; plain values are shared."""
    if type(value) is tuple:
        base, own, tail = value
        return base, _copied_members(own, copies), [_copied(element, copies) for element in tail]
    if type(value) is not Obj and type(value) is not Arr:
        return value
    if (copy := copies.get(id(value))) is None:
        copy = copies[id(value)] = type(value)(value.base)
        copy.own = _copied_members(value.own, copies)
        if isinstance(value, Arr):
            copy.tail = [_copied(element, copies) for element in value.tail]
    return copy


def _copied_members(own: dict[Any, Any], copies: dict[int, Node]) -> dict[Any, Any]:
    return {key: _copied(value, copies) for key, value in own.items()}
