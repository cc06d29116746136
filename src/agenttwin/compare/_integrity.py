"""What each side actually ran, held against the plan and against the other side, before anything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agenttwin.compare._phrases import say
from agenttwin.compare._values import Pair, PairedCase, Side, Version

MANIFEST: Final = "manifest"
"""The pin in which the sides are meant to differ."""

_DIGEST_CHARACTERS: Final = len("sha256:") + 12


def mismatches(pair: Pair) -> tuple[str, ...]:
    """Sentences that say which side of which case ran something else than planned; none where all is well."""
    return tuple(sentence for case in pair.cases for sentence in _of_case(pair, case))


def _of_case(pair: Pair, case: PairedCase) -> Iterator[str]:
    for (name, side), version in zip(case.sides, (pair.baseline, pair.candidate), strict=True):
        if side.transcript is not None:
            yield from _of_plan(case, name, side, version)
    if case.baseline.transcript is not None and case.candidate.transcript is not None:
        yield from _of_sides(case)


def _of_plan(case: PairedCase, name: str, side: Side, version: Version) -> Iterator[str]:
    planned = {"seed": case.seed, **case.pins}
    if version.digest and MANIFEST in side.pins:
        planned[MANIFEST] = version.digest
    for pin, value in planned.items():
        found = side.pins.get(pin)
        told = {"scenario": case.info.scenario, "side": name, "what": pin}
        if found is None:
            yield say("pin_missing", **told)
        elif found != value:
            yield say("pin_of_plan", **told, found=_short(found), planned=_short(value))


def _of_sides(case: PairedCase) -> Iterator[str]:
    """What the plan says nothing about must still be the same on both sides."""
    left, right = case.baseline.pins, case.candidate.pins
    for pin in sorted((left.keys() & right.keys()) - case.pins.keys() - {MANIFEST, "seed"}):
        if left[pin] != right[pin]:
            yield say(
                "pin_of_sides",
                scenario=case.info.scenario,
                what=pin,
                baseline=_short(left[pin]),
                candidate=_short(right[pin]),
            )


def _short(pin: str) -> str:
    """Enough of a digest to tell it from another."""
    return f"{pin[:_DIGEST_CHARACTERS]}…" if pin.startswith("sha256:") else pin
