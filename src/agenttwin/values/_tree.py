"""A JSON value that costs what changed, not what it holds: a shared base, an overlay and an undo log."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final, TypeAlias, cast

from agenttwin.values._change import Change, collect, merge
from agenttwin.values._describe import describe
from agenttwin.values._json import MISSING, SCALARS, Json, Missing, equal
from agenttwin.values._node import ABSENT, Arr, Obj, Value, plain, plain_part, refusal, walk
from agenttwin.values._path import Segments, format_path, formatted, read_segments


class TreeError(ValueError):
    """A write that cannot be made: through a scalar, by key into a list, beyond the end of a list."""


class Tree:
    """A JSON value to write to, over a `base` that is never touched. For one thread at a time.

    Reading hands out plain parts of the base as they are, and an overlay node (Obj, Arr) where something
    was written below: a live view, to be used before the next write or made plain. What is given to a
    write becomes part of the tree: the caller hands it over and changes it no more.
    """

    __slots__ = ("_log", "_root", "base")

    def __init__(self, base: Json) -> None:
        self.base = base
        self._root = _Root(base)
        self._log: list[_Write] = []

    @property
    def root(self) -> Value:
        """The whole value, plain or a node."""
        return self._root.value

    def get(self, segments: Sequence[str | int]) -> Value | Missing:
        """What stands there, plain or a node, or MISSING."""
        return walk(self._root.value, segments)

    def plain(self) -> Json:
        """The whole value as plain JSON; untouched parts are shared with the base."""
        return cast(Json, plain_part(self._root.value))

    def set(self, segments: Sequence[str | int], value: object) -> bool:
        """Puts `value` there, making missing objects on the way; whether that changed anything.

        TreeError where a scalar stands in the way, a list lacks the index, or the value is not JSON.
        """
        return self._put(self._descend(segments), _settled(value, segments))

    def revise(self, segments: Sequence[str | int], change: Callable[[Any], object]) -> bool:
        """Puts `change(what stands there, or MISSING)` there, as set does; what that raises passes."""
        found = self._descend(segments)
        _, _, path, depth, old = found
        value = change(old if depth == len(path) else MISSING)
        return self._put(found, value if type(value) in _NUMBERS else _settled(value, segments))

    def delete(self, segments: Sequence[str | int]) -> bool:
        """Takes out what stands there; whether there was something. Later elements of a list move up."""
        if not segments:
            raise TreeError("the whole value cannot be taken out")
        node, key, path, depth, old = self._descend(segments)
        if depth < len(path) or old is MISSING:
            return False
        if type(node) is Obj:
            self._write(node, key, path, old, MISSING)
        else:
            kept = Arr([])
            kept.tail = [element for index, element in enumerate(node) if index != key]
            holder, name, place, _, whole = self._descend(path[:-1])
            self._write(holder, name, place, whole, kept)
        return True

    def append(self, segments: Sequence[str | int], value: object) -> bool:
        """Puts `value` at the end of the list there, or of a new one where nothing is; True, it changed."""
        found = self._descend(segments)
        holder, key, path, depth, target = found
        if target is MISSING or depth < len(path):
            return self._put(found, _settled([value], segments))
        if type(target) is list:
            target = Arr(target)
            holder.swap(key, target)
        elif type(target) is not Arr:
            raise TreeError(f"{_place(segments)} is {describe(target)}, not a list")
        end = len(target)
        self._write(target, end, (*path, end), MISSING, _settled(value, segments))
        return True

    def merge(self, segments: Sequence[str | int], patch: object) -> bool:
        """Merges `patch` there as RFC 7396 says, at the cost of the patch; whether that changed anything."""
        if not isinstance(patch, Mapping):
            return self.set(segments, patch)
        if not isinstance(self.get(segments), Mapping):
            return self.set(segments, merge({}, patch))
        changed = False
        for key, value in patch.items():
            below = (*segments, key)
            changed |= self.delete(below) if value is None else self.merge(below, value)
        return changed

    def apply(self, changes: Iterable[Change]) -> None:
        """Makes `changes` in order, as the function apply does; TreeError where one cannot be made."""
        for change in changes:
            path = read_segments(change.path)
            if change.after is MISSING:
                self.delete(path)
            elif change.before is MISSING and path and isinstance(path[-1], int):
                self.append(path[:-1], change.after)
            else:
                self.set(path, change.after)

    def mark(self) -> int:
        """This moment, as a number to undo to or to tell changes since; 0 is the base."""
        return len(self._log)

    def undo(self, mark: int) -> None:
        """Takes back every write since `mark`; later marks lose their meaning."""
        log = self._log
        while len(log) > mark:
            log.pop().swap()

    def changes(self, mark: int = 0) -> tuple[Change, ...]:
        """The net changes since `mark`, exactly what diff tells of the plain values then and now."""
        writes = self._log[mark:]
        apart = _apart(writes)
        if apart is not None:
            return _told(apart)
        # Of a place that was written below, then replaced, the log holds no single whole: step back, look,
        # and step forward again.
        places = _outermost(writes)
        for write in reversed(writes):
            write.swap()
        before = [plain_part(place.node.find(place.key)) for place in places]
        for write in writes:
            write.swap()
        net = [
            _Write(place.node, place.key, place.path, ABSENT, old, place.node.find(place.key))
            for place, old in zip(places, before, strict=True)
        ]
        return _told([write for write in net if not equal(write.old, write.new)])

    def fork(self) -> "Tree":
        """A tree of its own with the same value, marks and past; costs what changed, the base is shared."""
        copies: dict[int, Any] = {}
        tree = Tree(self.base)
        tree._root = _copied(self._root, copies)
        tree._log = [write.copied(copies) for write in self._log]
        return tree

    def _descend(self, segments: Sequence[str | int]) -> "_Found":
        """Follows `segments` as far as containers lead, making overlays of them on the way."""
        path = segments if type(segments) is tuple else tuple(segments)
        holder: Any = self._root
        key: Any = None
        found: Any = holder.value
        depth = 0
        for segment in path:
            kind = type(found)
            if kind is dict or kind is list:
                kind = Obj if kind is dict else Arr
                found = kind(found)
                holder.swap(key, found)
            elif kind is not Obj and kind is not Arr:
                break
            holder, key = found, segment
            if kind is Obj:
                found = holder.own.get(key, ABSENT)
                if found is ABSENT:
                    found = holder.base.get(key, MISSING)
            else:
                if type(key) is int and key < 0 and key + len(holder) >= 0:
                    key += len(holder)
                    path = (*path[:depth], key, *path[depth + 1 :])
                found = holder.find(key)
            depth += 1
        return holder, key, path, depth, found

    def _put(self, found: "_Found", value: Any) -> bool:
        node, key, path, depth, old = found
        if old is MISSING:
            _check_creation(node, path, depth)
            for name in reversed(path[depth:]):
                value = {name: value}
        elif depth < len(path):
            raise TreeError(f"{_place(path[:depth])} is {describe(old)}, so nothing can be set in it")
        elif equal(old, value):
            return False
        self._log.append(_Write(node, key, path[:depth], node.swap(key, value), old, value))
        return True

    def _write(self, node: Any, key: Any, path: Segments, old: Any, new: Any) -> None:
        self._log.append(_Write(node, key, path, node.swap(key, new), old, new))


_Found: TypeAlias = tuple[Any, Any, Segments, int, Any]
"""A place in a tree: the holder reached and the key in it; the whole path, its indices counted from the
start, and how many of its segments led there; what stands there."""


class _Root:
    """Holds the whole value as a node holds its members, so that it is read and replaced like one."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def find(self, _: object) -> Value:
        return self.value

    def swap(self, _: object, value: Value) -> Value:
        old, self.value = self.value, value
        return old


_Holder: TypeAlias = _Root | Obj | Arr


class _Write:
    """A write at `path`: there stood `old`, now stands `new`, unless something was written above or below.

    To take it back, `other` is what the overlay of `node` held at `key` before; while it is taken back,
    `other` is what was written.
    """

    __slots__ = ("key", "new", "node", "old", "other", "path")

    def __init__(self, node: _Holder, key: Any, path: Segments, other: Any, old: Any, new: Any) -> None:
        self.node: Any = node
        self.key = key
        self.path = path
        self.other = other
        self.old = old
        self.new = new

    def swap(self) -> None:
        self.other = self.node.swap(self.key, self.other)

    def copied(self, copies: dict[int, Any]) -> "_Write":
        node, other = _copied(self.node, copies), _copied(self.other, copies)
        return _Write(node, self.key, self.path, other, _copied(self.old, copies), _copied(self.new, copies))


def apply(changes: Iterable[Change], value: object) -> Json:
    """`value` with `changes` made in order: `apply(diff(a, b), a)` equals b. `value` itself stays as it is.

    What a change says was there before is not looked at, except that an element that was not is appended.
    ValueError for a path that cannot be written.
    """
    tree = Tree(plain(value))
    tree.apply(changes)
    return tree.plain()


_NUMBERS: Final = frozenset({int, float, bool, type(None)})  # and other constants that need no look inside


def _settled(value: object, segments: Sequence[str | int]) -> Json:
    """`value` as a tree keeps it: plain, since a node in it would change with the tree that it is of."""
    kept: Any = value  # a cast would be a call
    if type(kept) in _NUMBERS or (type(kept) is str and kept.isascii()) or refusal(kept) is None:
        return kept  # type: ignore[no-any-return]
    try:
        settled = plain(value)
    except ValueError as error:
        raise TreeError(f"{_place(segments)}: {error}") from None
    if reason := refusal(settled):
        raise TreeError(f"{_place(segments)}: {reason}")
    return settled


def _check_creation(node: _Holder, path: Segments, depth: int) -> None:
    """Whether the place where nothing is, at `path[:depth]` in `node`, can be made: keys of objects can."""
    if isinstance(node, Arr):
        raise TreeError(f"{_place(path[: depth - 1])} is {describe(node)} and has no {path[depth - 1]!r}")
    for end in range(depth, len(path) + 1):
        if not isinstance(path[end - 1], str):
            where = "is an object and" if end == depth else "is not there, so it"
            raise TreeError(f"{_place(path[: end - 1])} {where} has no index {path[end - 1]}")


def _place(path: Sequence[str | int]) -> str:
    return format_path(path) or "the whole value"


_path_of: Final = attrgetter("path")


def _apart(writes: list[_Write]) -> list[_Write] | None:
    """The writes in the order of diff; None where two are at one place, or one below another."""
    if len(writes) < 2:
        return writes
    try:
        ordered = sorted(writes, key=_path_of)
    except TypeError:  # an object and a list have stood at one place
        return None
    # what is below a path follows it at once
    for write, next_ in pairwise(ordered):
        if next_.path[: len(write.path)] == write.path:
            return None
    return ordered


def _told(writes: list[_Write]) -> tuple[Change, ...]:
    """The changes of writes that lie apart, each of which replaced something by something else."""
    found: list[Change] = []
    for write in writes:
        old, new = write.old, write.new
        if type(old) in SCALARS and type(new) in SCALARS:
            found.append(Change(path=formatted(write.path), before=old, after=new))
        elif old is MISSING or new is MISSING:
            before, after = plain_part(old), plain_part(new)
            found.append(Change(path=formatted(write.path), before=before, after=after))
        else:
            collect(found, write.path, plain_part(old), plain_part(new))
    return tuple(found)


def _outermost(writes: list[_Write]) -> list[_Write]:
    """One write for each place that has no other above it, in the order of diff."""
    places = {write.path: write for write in writes}
    lengths = sorted({len(path) for path in places})
    paths = sorted([path for path in places if not _is_below(path, places, lengths)])
    return [places[path] for path in paths]


def _is_below(path: Segments, places: Mapping[Segments, object], lengths: list[int]) -> bool:
    for length in lengths:
        if length == len(path):
            return False
        if path[:length] in places:
            return True
    return False


def _copied(value: Any, copies: dict[int, Any]) -> Any:
    """What an overlay or a write holds, every node copied once; plain values are shared."""
    kind = type(value)
    if kind is not Obj and kind is not Arr and kind is not _Root:
        return value
    if (copy := copies.get(id(value))) is not None:
        return copy
    if kind is _Root:
        copy = copies[id(value)] = _Root(_copied(value.value, copies))
        return copy
    copy = copies[id(value)] = kind(value.base)
    copy.own = {key: _copied(member, copies) for key, member in value.own.items()}
    if kind is Arr:
        copy.tail = [_copied(element, copies) for element in value.tail]
    return copy
