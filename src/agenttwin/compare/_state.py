"""Final states for reports: a small one whole, a large one never."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agenttwin.values import Json, Tree, encode

MAX_STATE_BYTES: Final = 64 * 1024
"""The largest state, as JSON without spaces, that a report holds whole."""

_SCALARS: Final = frozenset({int, float, bool, type(None)})


def small_state(tree: Tree) -> Json | None:
    """The whole state, or None where it is larger; that is found out without looking at all of it."""
    if not _may_fit(tree.root, MAX_STATE_BYTES) or len(encode(tree.root)) > MAX_STATE_BYTES:
        return None
    return tree.plain()


def _may_fit(value: Any, room: int) -> bool:
    """Whether the least that ``value`` can take as JSON is at most ``room`` bytes."""
    waiting = [value]
    while waiting and room >= 0:
        value = waiting.pop()
        kind = type(value)
        if kind is str:
            room -= len(value) + 2
        elif kind in _SCALARS:
            room -= 1
        elif kind is dict or isinstance(value, Mapping):
            room -= 1  # two braces, and one comma fewer than members
            for name, member in value.items():
                room -= len(name) + 4
                waiting.append(member)
                if room < 0:
                    break
        else:
            room -= 1
            for element in value:
                room -= 1
                waiting.append(element)
                if room < 0:
                    break
    return room >= 0
