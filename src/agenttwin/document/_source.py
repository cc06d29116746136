"""A text that was read: its value as written, its digest, and where each part stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from agenttwin.errors import Location
from agenttwin.values import Json, digest

Segments: TypeAlias = Sequence[str | int]
Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value stands, and the spots of its parts. A key's spot stands under `keys`."""

    place: Place
    parts: dict[str | int, Spot] = field(default_factory=dict)
    keys: dict[str, Place] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """A document's text after YAML or JSON, before any meaning.

    ``value`` is shared and must not be written to. ``find_spots`` reads the text a second time for
    positions: they are needed only when there is something to complain about.
    """

    file: str
    text: str
    value: Json
    find_spots: Callable[[], Spot]

    @cached_property
    def digest(self) -> str:
        """The digest of the value as written: comments and layout do not change it."""
        return digest(self.value)

    @cached_property
    def _spots(self) -> Spot:
        return self.find_spots()

    def locate(self, segments: Segments, *, key: bool = False) -> Location:
        """Where the value at ``segments`` stands (``key``: its key), or what should hold it."""
        spot, place = self._spots, self._spots.place
        for index, segment in enumerate(segments):
            last = index == len(segments) - 1
            if last and key and isinstance(segment, str) and segment in spot.keys:
                return self._location(spot.keys[segment])
            if segment not in spot.parts:
                break
            spot = spot.parts[segment]
            place = spot.place
        return self._location(place)

    def _location(self, place: Place) -> Location:
        return Location(file=self.file, line=place[0], column=place[1])
