"""The states of a case: kept as what they share (the base) and what differs from it, rebuilt as trees."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import orjson

from agenttwin.values import MISSING, Change, Json, Path, Tree


def write_changes(changes: Iterable[Change]) -> list[list[Any]]:
    """Changes as JSON: path, before, after; a side on which nothing was is an empty list."""
    return [[change.path, _held(change.before), _held(change.after)] for change in changes]


def read_changes(value: Iterable[list[Any]]) -> tuple[Change, ...]:
    """What `write_changes` wrote."""
    return tuple(
        [
            Change(path=path, before=before[0] if before else MISSING, after=after[0] if after else MISSING)
            for path, before, after in value
        ]
    )


def setup_of(before: Tree) -> bytes | None:
    """What a case's first state has beyond its base; None where it is the base."""
    changes = before.changes()
    return orjson.dumps(write_changes(changes)) if changes else None


def rebuilt(base: Json, setup: bytes | None, changes: tuple[Change, ...]) -> tuple[Tree, Tree]:
    """The states before and after, over the shared base; at the cost of what differs."""
    before = Tree(base)
    if setup is not None:
        _apply(before, read_changes(orjson.loads(setup)))
    after = before.fork()
    _apply(after, changes)
    return before, after


@lru_cache(maxsize=4096)
def _segments(path: str) -> tuple[str | int, ...]:
    """The steps of a path; cases of one run change the same few places."""
    return Path.parse(path).segments if path else ()


def _apply(tree: Tree, changes: Iterable[Change]) -> None:
    for change in changes:
        path = _segments(change.path)
        if change.after is MISSING:
            tree.delete(path)
        elif change.before is MISSING and path and isinstance(path[-1], int):
            tree.append(path[:-1], change.after)
        else:
            tree.set(path, change.after)


def _held(side: object) -> list[object]:
    return [] if side is MISSING else [side]
