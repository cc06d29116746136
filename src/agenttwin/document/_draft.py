"""What is left of a value of which a model refuses parts, so that the rest can be looked at all the same.

Problems are told together: a slip in one tool must not hide what is wrong with another, nor make a scenario
look as if its twin did not exist.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from agenttwin.document._limits import MAX_PROBLEMS
from agenttwin.document._source import Source
from agenttwin.document._validate import Finding, judge, own_findings
from agenttwin.values import Json, Segments

M = TypeVar("M", bound=BaseModel, covariant=True)

MAX_ROUNDS: Final = 8
"""What is left out may leave something incomplete around it, which is left out in the next round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Generic[M]):
    """The model of what is left of a source; ``left_out`` are places as written."""

    model: M
    source: Source
    left_out: tuple[Segments, ...]


def consider(source: Source, model: type[M]) -> tuple[Draft[M] | None, list[Finding]]:
    """The model, or that of what it does not refuse, and all that is to be said, by places as written."""
    found, refused = judge(source.value, model)
    if found is not None:
        return Draft(model=found, source=source, left_out=()), own_findings(found)
    rest = _rest(source, model, refused) if len(refused) < MAX_PROBLEMS else None
    if rest is None:
        return None, refused
    unknown = {finding.at for finding in refused if finding.code == "unknown_field"}
    lost = [_zone(place) for place in rest.left_out if place not in unknown]
    slipped = [_zone(place) for place in unknown]
    late = [replace(each, at=rest.source.written(each.at)) for each in own_findings(rest.model)]
    return rest, [*refused, *(each for each in late if not _follows(each, lost, slipped))]


def _follows(finding: Finding, lost: Iterable[Segments], slipped: Iterable[Segments]) -> bool:
    """Whether a finding may only follow from what was left out.

    A mapping that lost a field is incomplete: a tool without its `let` lacks the names it gives. One with a
    field that nobody knows may have been meant to have another.
    """
    zones = [*lost, *(slipped if finding.code in _OF_A_SLIP else ())]
    return any(finding.at[: len(zone)] == zone for zone in zones)


_OF_A_SLIP: Final = frozenset({"unknown_name", "missing_field", "conflicting_fields"})
"""What is told where a field seems to be missing because its name was misspelled."""


def _rest(source: Source, model: type[M], refused: Iterable[Finding]) -> Draft[M] | None:
    """The model of what is left without the refused parts; None where nothing is left to speak of."""
    left_out = set(map(_place, refused))
    for _ in range(MAX_ROUNDS):
        if () in left_out:
            break
        kept: dict[Segments, tuple[int, ...]] = {}
        found, findings = judge(_without(source.value, left_out, kept), model)
        rest = replace(source, kept=kept)
        if found is not None:
            return Draft(model=found, source=rest, left_out=tuple(left_out))
        left_out |= {rest.written(_place(finding)) for finding in findings}
    return None


def _place(finding: Finding) -> Segments:
    """What must be left out: the part itself, or around it where it is missing."""
    return finding.at[:-1] if finding.code == "missing_field" else finding.at


def _zone(left_out: Segments) -> Segments:
    """What a part mattered to: a field to the mapping around it (not to the whole), an element to nothing."""
    is_field = isinstance(left_out[-1], str)
    return left_out[:-1] if is_field and len(left_out) > 2 else left_out


def _without(value: Json, places: AbstractSet[Segments], kept: dict[Segments, tuple[int, ...]]) -> Json:
    """A copy without the parts at ``places``; what is not around one of them is shared."""
    around = {place[:length] for place in places for length in range(len(place))}

    def copy(value: Any, at: Segments, now: Segments) -> Any:
        """``at`` is the place as written, ``now`` the place in the copy."""
        if at not in around:
            return value
        if isinstance(value, dict):
            parts = ((key, (*at, key), part) for key, part in value.items())
            return {key: copy(part, place, (*now, key)) for key, place, part in parts if place not in places}
        indexes = tuple(index for index in range(len(value)) if (*at, index) not in places)
        if len(indexes) < len(value):
            kept[now] = indexes
        return [copy(value[index], (*at, index), (*now, n)) for n, index in enumerate(indexes)]

    rest: Json = copy(value, (), ())
    return rest
