"""The small parts of the store: ids, shapes, states."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenttwin.storage._ids import ALPHABET, EPOCH_MS, new_id
from agenttwin.storage._shape import read, write
from agenttwin.storage._state import read_changes, rebuilt, setup_of, write_changes
from agenttwin.values import Json, Tree, diff


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    colour: Colour
    size: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    name: str
    main: Part | None = None
    parts: tuple[Part, ...] = ()
    words: tuple[str, ...] = ()
    by_name: Mapping[str, Part] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    anything: Json = None


RED = Part(colour=Colour.RED, size=1.5)


@pytest.mark.parametrize(
    "whole",
    [
        Whole(name="bare"),
        Whole(name="full", main=RED, parts=(RED, RED), words=("a",), by_name={"a": RED}, lists={"a": ("b",)}),
        Whole(name="json", anything={"a": [1, None, {"b": True}]}),
    ],
)
def test_what_is_written_is_read(whole: Whole) -> None:
    assert read(Whole, write(whole)) == whole


def test_what_is_not_known_is_left_out_and_what_lacks_takes_its_default() -> None:
    assert read(Whole, b'{"name": "old", "later": 1, "main": {"colour": "red", "later": 2}}') == Whole(
        name="old", main=Part(colour=Colour.RED)
    )


@pytest.mark.parametrize("text", [b"[]", b"{}", b'{"name": "x", "main": {"colour": "blue"}}', b"7"])
def test_what_is_something_else_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read(Whole, text)


@given(st.lists(st.integers(0, 2**39), min_size=2), st.binary(min_size=3, max_size=3))
def test_ids_are_sorted_as_their_times(times: list[int], chance: bytes) -> None:
    ids = [new_id(EPOCH_MS + time, chance) for time in sorted(set(times))]
    assert ids == sorted(ids)
    assert {len(id) for id in ids} == {12}
    assert set("".join(ids)) <= set(ALPHABET)


def test_ids_of_one_moment_differ_by_chance() -> None:
    assert new_id(EPOCH_MS, b"\x00\x00\x10") != new_id(EPOCH_MS, b"\x00\x00\x20")


NAMES = st.sampled_from(["a", "b", "c d", "e.f", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("xy", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=3)


@given(OBJECTS, OBJECTS, OBJECTS)
def test_states_are_rebuilt_from_base_and_differences(base: Json, first: Json, last: Json) -> None:
    before = Tree(base)
    before.set((), first)
    setup, changes = setup_of(before), diff(first, last)
    stored = read_changes(write_changes(changes))
    rebuilt_before, rebuilt_after = rebuilt(base, setup, stored)
    assert (rebuilt_before.plain(), rebuilt_after.plain()) == (first, last)
    assert stored == changes
