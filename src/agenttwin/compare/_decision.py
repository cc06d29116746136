"""The verdict and the exit code: one function makes both, so that they cannot disagree."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from agenttwin.compare._comparison import Classification, Comparison, Movement
from agenttwin.compare._phrases import CLASS_WORDS, cases, counted, say
from agenttwin.scenario import AGENT_FINISHED

STILL_FAILING: Final = "still-failing"
"""What `--fail-on` may add: expectations that fail on both sides and are not expected to."""


class ExitCode(IntEnum):
    """What an exit code says. Where several hold: 2 > 1 > 3 > 4 > 5 > 0."""

    NOT_WORSE = 0
    WORSE = 1
    USAGE = 2
    INCOMPLETE = 3
    WAITING = 4
    NOTHING_SELECTED = 5
    INTERRUPTED = 130


class Word(StrEnum):
    """A verdict in a word."""

    WORSE = "worse"
    INVALID = "invalid"
    INCOMPLETE = "incomplete"
    NO_EVIDENCE = "no evidence"
    NOTHING_SELECTED = "nothing selected"
    NOT_WORSE = "nothing worse"
    FAILED = "failed"
    PASSED = "passed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a comparison, or a run, comes to: a word, a sentence, and the exit code that goes with them."""

    word: Word
    code: ExitCode
    headline: str

    @property
    def exit_code(self) -> int:
        """The exit code as a plain number."""
        return int(self.code)


def decide(comparison: Comparison, *, fail_on: Collection[str] = ()) -> Decision:
    """The verdict on a comparison; the first that holds. ``fail_on`` may hold `still-failing`."""
    total = len(comparison.cases)
    worse = _number(comparison, Classification.NEW_CRITICAL_FAILURE, Classification.REGRESSED)
    unknown = sum(bool(case.candidate_critical) for case in comparison.cases)
    still = sum(bool(case.of(Movement.STILL_FAILING, expected=False)) for case in comparison.cases)
    open_cases = _number(comparison, Classification.INCOMPLETE, Classification.INCONCLUSIVE)
    if worse:
        headline = say("worse", cases=f"{worse} of {cases(total)}", counts=_counts(comparison))
        if unknown:
            headline = f"{headline} {say('unknown_critical', cases=cases(unknown))}"
        return Decision(word=Word.WORSE, code=ExitCode.WORSE, headline=headline)
    if unknown:
        return Decision(
            word=Word.WORSE, code=ExitCode.WORSE, headline=say("unknown_critical", cases=cases(unknown))
        )
    if STILL_FAILING in fail_on and still and not comparison.invalid:
        return Decision(word=Word.WORSE, code=ExitCode.WORSE, headline=say("fails_still", cases=cases(still)))
    if comparison.invalid:
        return Decision(
            word=Word.INVALID, code=ExitCode.INCOMPLETE, headline=say("invalid", first=comparison.invalid[0])
        )
    if open_cases:
        headline = say("incomplete", cases=f"{open_cases} of {cases(total)}")
        return Decision(word=Word.INCOMPLETE, code=ExitCode.INCOMPLETE, headline=headline)
    if not comparison.cases:
        return NOTHING_SELECTED
    if not any(_judged_on_both(case.expectations) for case in comparison.cases):
        return Decision(word=Word.NO_EVIDENCE, code=ExitCode.INCOMPLETE, headline=say("no_evidence"))
    headline = say("not_worse", cases=cases(total), counts=_counts(comparison))
    return Decision(word=Word.NOT_WORSE, code=ExitCode.NOT_WORSE, headline=headline)


NOTHING_SELECTED: Final = Decision(
    word=Word.NOTHING_SELECTED, code=ExitCode.NOTHING_SELECTED, headline=say("nothing_selected")
)


def _number(comparison: Comparison, *classes: Classification) -> int:
    return sum(case.classification in classes for case in comparison.cases)


def _counts(comparison: Comparison) -> str:
    return ", ".join(
        counted(number, *CLASS_WORDS[classification])
        for classification, number in comparison.counts.items()
        if number
    )


def _judged_on_both(compared: Iterable[object]) -> bool:
    return any(
        item.movement is not Movement.NOT_JUDGED and item.id != AGENT_FINISHED  # type: ignore[attr-defined]
        for item in compared
    )
