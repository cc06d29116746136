"""The states of a case: kept as what they share (the base) and what differs from it, rebuilt as trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from agenttwin.values import MISSING, Change, Json, Tree


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
        before.apply(read_changes(orjson.loads(setup)))
    after = before.fork()
    after.apply(changes)
    return before, after


def _held(side: object) -> list[object]:
    return [] if side is MISSING else [side]
