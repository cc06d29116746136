"""The verdict and the exit code: one function makes both, so that they cannot disagree."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from agenttwin.compare._comparison import CaseComparison, Classification, Compared, Comparison, Movement
from agenttwin.compare._phrases import CLASS_WORDS, cases, counted, say
from agenttwin.evaluate import Verdict
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
    """The verdict on a comparison, by the first rule that holds. ``fail_on`` may hold `still-failing`."""
    return next(found for rule in _RULES if (found := rule(comparison, fail_on)) is not None)


def _worse(comparison: Comparison, fail_on: Collection[str]) -> Decision | None:
    worse = _number(comparison, Classification.NEW_CRITICAL_FAILURE, Classification.REGRESSED)
    unknown = sum(bool(case.candidate_critical) for case in comparison.cases)
    told = []
    if worse:
        share = f"{worse} of {cases(len(comparison.cases))}"
        told.append(say("worse", cases=share, counts=_counts(comparison)))
    if unknown:
        told.append(say("unknown_critical", cases=cases(unknown)))
    return Decision(word=Word.WORSE, code=ExitCode.WORSE, headline=" ".join(told)) if told else None


def _still_failing(comparison: Comparison, fail_on: Collection[str]) -> Decision | None:
    still = sum(bool(case.of(Movement.STILL_FAILING, expected=False)) for case in comparison.cases)
    if STILL_FAILING not in fail_on or not still or comparison.invalid:
        return None
    return Decision(word=Word.WORSE, code=ExitCode.WORSE, headline=say("fails_still", cases=cases(still)))


def _invalid(comparison: Comparison, fail_on: Collection[str]) -> Decision | None:
    if not comparison.invalid:
        return None
    headline = say("invalid", first=comparison.invalid[0])
    return Decision(word=Word.INVALID, code=ExitCode.INCOMPLETE, headline=headline)


def _incomplete(comparison: Comparison, fail_on: Collection[str]) -> Decision | None:
    left = _number(comparison, Classification.INCOMPLETE, Classification.INCONCLUSIVE)
    if not left:
        return None
    headline = say("incomplete", cases=f"{left} of {cases(len(comparison.cases))}")
    return Decision(word=Word.INCOMPLETE, code=ExitCode.INCOMPLETE, headline=headline)


def _nothing_selected(comparison: Comparison, fail_on: Collection[str]) -> Decision | None:
    return None if comparison.cases else NOTHING_SELECTED


def _no_evidence(comparison: Comparison, fail_on: Collection[str]) -> Decision | None:
    ended = (case for case in comparison.cases if not _ended_on_no_side(case))
    if any(_is_evidence(item) for case in ended for item in case.expectations):
        return None
    return Decision(word=Word.NO_EVIDENCE, code=ExitCode.INCOMPLETE, headline=say("no_evidence"))


def _ended_on_no_side(case: CaseComparison) -> bool:
    """Whether both agents crashed, hung or gave nonsense: what they left alone is then nobody's merit."""
    finished = [item for item in case.expectations if item.id == AGENT_FINISHED]
    return any(item.baseline is item.candidate is Verdict.FAIL for item in finished)


def _is_evidence(item: Compared) -> bool:
    """Whether an expectation was judged on both sides. That the agents came to an end proves nothing."""
    return item.movement is not Movement.NOT_JUDGED and item.id != AGENT_FINISHED


def _not_worse(comparison: Comparison, fail_on: Collection[str]) -> Decision:
    headline = say("not_worse", cases=cases(len(comparison.cases)), counts=_counts(comparison))
    return Decision(word=Word.NOT_WORSE, code=ExitCode.NOT_WORSE, headline=headline)


_RULES: Final[tuple[Callable[[Comparison, Collection[str]], Decision | None], ...]] = (
    _worse, _still_failing, _invalid, _incomplete, _nothing_selected, _no_evidence, _not_worse,
)  # fmt: skip

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
