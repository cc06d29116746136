"""One function makes the verdict and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from agenttwin.compare._compare import zero_evidence
from agenttwin.compare._values import Classification, Comparison, Movement


class ExitCode(IntEnum):
    """What a command's exit code says; where several apply, 2 > 1 > 3 > 4 > 5 > 0."""

    NOTHING_WORSE = 0
    WORSE = 1
    USAGE = 2
    INCOMPLETE = 3
    WAITING = 4
    NOTHING_SELECTED = 5
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the comparison says in one line, and the exit code that goes with it."""

    code: ExitCode
    headline: str


def decide(comparison: Comparison, *, fail_on: Sequence[str] = ()) -> Decision:
    """The verdict. ``fail_on`` may hold `still-failing`: then failures on both sides count as worse."""
    if comparison.invalid:
        return Decision(code=ExitCode.INCOMPLETE, headline=f"Invalid: {comparison.invalid[0]}")
    if not comparison.cases:
        return Decision(
            code=ExitCode.NOTHING_SELECTED, headline="Nothing was selected, so nothing was compared."
        )
    worse = (
        _count(comparison, Classification.NEW_CRITICAL_FAILURE),
        _count(comparison, Classification.REGRESSED),
    )
    if any(worse):
        return Decision(code=ExitCode.WORSE, headline=f"Worse: {_parts(comparison)}.")
    if any(case.candidate_critical for case in comparison.cases):
        headline = "The candidate fails critical expectations; whether they are new is unknown."
        return Decision(code=ExitCode.WORSE, headline=headline)
    if "still-failing" in fail_on and _still_failing(comparison):
        return Decision(
            code=ExitCode.WORSE, headline=f"Nothing worse, but still failing: {_parts(comparison)}."
        )
    unclear = _count(comparison, Classification.INCOMPLETE) + _count(comparison, Classification.INCONCLUSIVE)
    if unclear:
        return Decision(code=ExitCode.INCOMPLETE, headline=f"Not decided: {_parts(comparison)}.")
    if zero_evidence(comparison.pair):
        return Decision(code=ExitCode.INCOMPLETE, headline="Nothing was called and nothing was checked.")
    return Decision(code=ExitCode.NOTHING_WORSE, headline=f"Nothing worse: {_parts(comparison)}.")


def _still_failing(comparison: Comparison) -> bool:
    return any(
        movement is Movement.STILL_FAILING and name not in case.case.info.expected_failures
        for case in comparison.cases
        for name, movement in case.movements.items()
    )


_WORDS = {
    Classification.NEW_CRITICAL_FAILURE: ("new critical failure", "new critical failures"),
    Classification.REGRESSED: ("regression", "regressions"),
    Classification.INCOMPLETE: ("incomplete", "incomplete"),
    Classification.INCONCLUSIVE: ("inconclusive", "inconclusive"),
    Classification.IMPROVED: ("improved", "improved"),
    Classification.UNCHANGED: ("unchanged", "unchanged"),
}


def _count(comparison: Comparison, classification: Classification) -> int:
    return len(comparison.of(classification))


def _parts(comparison: Comparison) -> str:
    counts = [(_count(comparison, kind), words) for kind, words in _WORDS.items()]
    return ", ".join(f"{count} {words[0] if count == 1 else words[1]}" for count, words in counts if count)
