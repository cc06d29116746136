"""A text that was read: its value as written, and where each part of it stands."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from agenttwin.document._json import json_offsets
from agenttwin.errors import Location, Problem
from agenttwin.values import Json, digest


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """A file's value before any meaning, with the way back to line and column.

    `value` is shared and must not be written to. `offsets` holds the place of every node in `text`; without
    it the text is sound JSON, and they are read off it when somebody asks for one. `kept` is for a model that
    was made of less than the value: the place of each list that lost elements → the indexes that it kept.
    """

    file: str
    text: str = field(repr=False)
    value: Json = field(repr=False)
    offsets: "array[int] | None" = field(repr=False, default=None)
    kept: Mapping[tuple[str | int, ...], tuple[int, ...]] = field(repr=False, default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """The digest of the value as written: comments and layout do not change it."""
        return digest(self.value)

    def written(self, at: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """A place in the model as a place in the value."""
        found: list[str | int] = []
        for number, segment in enumerate(at if self.kept else ()):
            indexes = self.kept.get(at[:number], ())
            found.append(indexes[segment] if isinstance(segment, int) and segment < len(indexes) else segment)
        return tuple(found) if self.kept else at

    def locate(self, segments: Sequence[str | int], *, key: bool = False) -> Location:
        """Where the value at `segments` stands, or its key; for what is missing, the nearest around it."""
        return self.location(self._places.offset(segments, key=key))

    def location(self, offset: int) -> Location:
        """Line and column of an offset in characters."""
        line = bisect_right(self._line_starts, offset)
        return Location(file=self.file, line=line, column=offset - self._line_starts[line - 1] + 1)

    @cached_property
    def _line_starts(self) -> "array[int]":
        return array("I", [0, *(found.end() for found in re.finditer("\n", self.text))])

    @cached_property
    def _places(self) -> "_Places":
        offsets = json_offsets(self.text) if self.offsets is None else self.offsets
        return _Places(self.value, offsets or array("I", [0]))


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems of one text, line by line."""
    return tuple(sorted(problems, key=_line_and_column))


def _line_and_column(problem: Problem) -> tuple[int, int]:
    return (problem.location.line, problem.location.column) if problem.location else (0, 0)


class _Places:
    """From a place in a value to an offset in its text, by counting the nodes before it.

    What was counted is kept: a thousand problems in one list count its elements once.
    """

    def __init__(self, value: Json, offsets: "array[int]") -> None:
        self.value = value
        self.offsets = offsets
        self.sizes: dict[int, int] = {}
        self.parts: dict[int, dict[str | int, int]] = {}

    def offset(self, segments: Sequence[str | int], *, key: bool) -> int:
        """The offset of a node or of its key; of the deepest ancestor where there is none."""
        value: Any = self.value
        number = key_number = 0
        for segment in segments:
            part = self._parts(value).get(segment)
            if part is None:
                return self.offsets[number]
            key_number = number + part
            number = key_number + isinstance(value, dict)
            value = value[segment]
        return self.offsets[key_number if key else number]

    def _parts(self, value: Any) -> Mapping[str | int, int]:
        """Key or index → how many nodes a part, or its key, stands behind the container's own."""
        if not isinstance(value, dict | list):
            return {}
        known = self.parts.get(id(value))
        if known is None:
            named = value if isinstance(value, dict) else dict(enumerate(value))
            own = 1 if isinstance(value, dict) else 0  # a key is a node too
            sizes = (own + self._size(member) for member in named.values())
            known = self.parts[id(value)] = dict(zip(named, accumulate(sizes, initial=1), strict=False))
        return known

    def _size(self, value: Any) -> int:
        """How many nodes a value has, its keys included."""
        if not isinstance(value, dict | list):
            return 1
        known = self.sizes.get(id(value))
        if known is None:
            members = value.values() if isinstance(value, dict) else value
            keys = len(value) if isinstance(value, dict) else 0
            known = self.sizes[id(value)] = 1 + keys + sum(map(self._size, members))
        return known
