"""What comparing gives: for each case a class with its reason, where the sides part, and what differs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from agenttwin.compare._trajectory import Row, Step
from agenttwin.compare._values import Pair, PairedCase
from agenttwin.evaluate import Verdict
from agenttwin.values import Change

if TYPE_CHECKING:
    from agenttwin.compare._document import ComparisonDocument


class Classification(StrEnum):
    """What a change of version did to a case, worst first."""

    NEW_CRITICAL_FAILURE = "NEW_CRITICAL_FAILURE"
    REGRESSED = "REGRESSED"
    INCOMPLETE = "INCOMPLETE"
    INCONCLUSIVE = "INCONCLUSIVE"
    IMPROVED = "IMPROVED"
    UNCHANGED = "UNCHANGED"


class Movement(StrEnum):
    """What became of one expectation from the baseline to the candidate."""

    BROKEN = "broken"
    FIXED = "fixed"
    STILL_FAILING = "still_failing"
    SAME = "same"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One expectation on both sides; the verdict of a side that has no result is None.

    ``regraded``: other versions of its evaluator judged the two sides.
    """

    id: str
    critical: bool
    baseline: Verdict | None
    candidate: Verdict | None
    movement: Movement
    regraded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first step at which the sides part, and what that means where the record says it. No verdict."""

    step: int
    kind: str
    summary: str
    meaning: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseComparison:
    """One case compared. ``states`` are the differences of the final states, from baseline to candidate.

    ``candidate_critical`` names critical failures of which nobody knows whether they are new;
    ``baseline_unverified`` new critical failures that the baseline did not pass either; ``worse`` all
    expectations that make the case worse, new critical failures first.
    """

    case: PairedCase
    classification: Classification
    reason: str
    expectations: tuple[Compared, ...]
    candidate_critical: tuple[str, ...] = ()
    baseline_unverified: tuple[str, ...] = ()
    baseline_steps: tuple[Step, ...] = ()
    candidate_steps: tuple[Step, ...] = ()
    divergence: Divergence | None = None
    alignment: tuple[Row, ...] = ()
    states: tuple[Change, ...] = ()
    worse: tuple[str, ...] = ()

    @property
    def scenario(self) -> str:
        """The name of the scenario."""
        return self.case.info.scenario

    def of(self, movement: Movement, *, expected: bool | None = None) -> tuple[str, ...]:
        """The expectations that moved so; ``expected``: only those that are (not) expected to fail."""
        known = self.case.info.expected_failures
        return tuple(
            item.id
            for item in self.expectations
            if item.movement is movement and expected in (None, item.id in known)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A pair compared. ``invalid`` says what the sides ran that they should not; empty where all is well."""

    pair: Pair
    cases: tuple[CaseComparison, ...]
    invalid: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def of(self, classification: Classification) -> tuple[CaseComparison, ...]:
        """The cases of a class."""
        return tuple(case for case in self.cases if case.classification is classification)

    def case(self, scenario: str) -> CaseComparison:
        """The case of a scenario; KeyError where there is none."""
        for case in self.cases:
            if case.scenario == scenario:
                return case
        raise KeyError(scenario)

    @property
    def counts(self) -> dict[Classification, int]:
        """How many cases each class has."""
        return {classification: len(self.of(classification)) for classification in Classification}

    @property
    def exit_code(self) -> int:
        """What a command that ends with this comparison exits with."""
        from agenttwin.compare._decision import decide

        return decide(self).exit_code

    def as_json(self, *, fail_on: Collection[str] = (), qualified: bool = False) -> ComparisonDocument:
        """The comparison as a `comparison/1` document, as the function ``as_json`` gives it."""
        from agenttwin.compare._write import as_json

        return as_json(self, fail_on=fail_on, qualified=qualified)
