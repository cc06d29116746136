"""Final states for reports: a small one whole, a large one never."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agenttwin.values import Json, Tree, canonical

MAX_STATE_BYTES: Final = 64 * 1024
"""The largest state, in canonical form, that a report holds whole."""


def small_state(tree: Tree) -> Json | None:
    """The whole state, or None where it is larger; that is found out without looking at all of it."""
    if not _may_fit(tree.root, MAX_STATE_BYTES):
        return None
    state = tree.plain()
    return state if len(canonical(state)) <= MAX_STATE_BYTES else None


def _may_fit(value: object, room: int) -> bool:
    """Whether the least that ``value`` can take in canonical form is at most ``room`` bytes."""
    waiting = [value]
    while waiting and room >= 0:
        match waiting.pop():
            case str(text):
                room -= len(text) + 2
            case Mapping() as members:
                room -= 1  # one comma fewer than members
                for name, member in members.items():
                    room -= len(name) + 4
                    waiting.append(member)
                    if room < 0:
                        break
            case Sequence() as elements:
                room -= 1
                for element in elements:
                    room -= 1
                    waiting.append(element)
                    if room < 0:
                        break
            case _:
                room -= 1
    return room >= 0
