"""The class of a case: the first rule that holds, over what the expectations became. Numbers never matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agenttwin.compare._values import Classification, Movement, PairedCase, Side
from agenttwin.evaluate import Evaluation, Verdict
from agenttwin.scenario import AGENT_FINISHED

_MOVEMENTS: Final[Mapping[tuple[Verdict, Verdict], Movement]] = {
    (Verdict.PASS, Verdict.FAIL): Movement.BROKEN,
    (Verdict.FAIL, Verdict.PASS): Movement.FIXED,
    (Verdict.FAIL, Verdict.FAIL): Movement.STILL_FAILING,
    (Verdict.PASS, Verdict.PASS): Movement.SAME,
}

_JUDGED: Final = frozenset({Verdict.PASS, Verdict.FAIL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """A class with its reason. ``worse`` are the expectations that make it worse."""

    classification: Classification
    reason: str
    movements: Mapping[str, Movement]
    worse: tuple[str, ...] = ()
    baseline_unverified: bool = False
    candidate_critical: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Paired:
    """One expectation on both sides; None where a side has no result."""

    id: str
    baseline: Evaluation | None
    candidate: Evaluation | None
    expected: bool

    @property
    def movement(self) -> Movement:
        if self.baseline is None or self.candidate is None or self.regraded:
            return Movement.NOT_JUDGED
        return _MOVEMENTS.get((self.baseline.verdict, self.candidate.verdict), Movement.NOT_JUDGED)

    @property
    def regraded(self) -> bool:
        """Whether other versions of an evaluator judged the two sides, so that they cannot be compared."""
        sides = (self.baseline, self.candidate)
        return None not in sides and sides[0].version != sides[1].version  # type: ignore[union-attr]

    @property
    def critical(self) -> bool:
        return any(side is not None and side.critical for side in (self.baseline, self.candidate))

    @property
    def candidate_fails(self) -> bool:
        return self.candidate is not None and self.candidate.verdict is Verdict.FAIL

    @property
    def baseline_fails(self) -> bool:
        return self.baseline is not None and self.baseline.verdict is Verdict.FAIL


def usable(side: Side) -> bool:
    """Whether a side has a transcript that says something about its agent."""
    if side.transcript is None or side.grade is None:
        return False
    finished = side.grade.evaluations[0] if side.grade.evaluations else None
    return finished is None or finished.id != AGENT_FINISHED or finished.verdict is not Verdict.ERROR


def classify(case: PairedCase) -> Class:
    """The class of a case with one trial a side. Expected failures are told, and change no class."""
    pairs = _paired(case)
    movements = {pair.id: pair.movement for pair in pairs}
    counted = [pair for pair in pairs if not pair.expected]
    comparable = [pair for pair in counted if not pair.regraded]
    fails = [
        pair for pair in comparable if pair.critical and pair.candidate_fails and not pair.baseline_fails
    ]
    if fails and usable(case.baseline):
        return Class(
            classification=Classification.NEW_CRITICAL_FAILURE,
            reason=_told(fails),
            movements=movements,
            worse=_worse(fails, counted),
            baseline_unverified=any(pair.movement is not Movement.BROKEN for pair in fails),
        )
    broken = [pair for pair in counted if pair.movement is Movement.BROKEN]
    if broken:
        return Class(
            classification=Classification.REGRESSED,
            reason=_told(broken),
            movements=movements,
            worse=_worse(broken, []),
        )
    incomplete = _incomplete(case, counted)
    if incomplete is not None:
        critical = tuple(pair.id for pair in fails) if not usable(case.baseline) else ()
        unknown = " Whether the candidate's critical failures are new is unknown." if critical else ""
        return Class(
            classification=Classification.INCOMPLETE,
            reason=incomplete + unknown,
            movements=movements,
            candidate_critical=critical,
        )
    fixed = [pair for pair in counted if pair.movement is Movement.FIXED]
    if fixed:
        names = ", ".join(pair.id for pair in fixed)
        reason = f"Now passing: {names}."
        return Class(classification=Classification.IMPROVED, reason=reason, movements=movements)
    return Class(classification=Classification.UNCHANGED, reason=_unchanged(pairs), movements=movements)


def _paired(case: PairedCase) -> list[_Paired]:
    baseline, candidate = _by_id(case.baseline), _by_id(case.candidate)
    names = dict.fromkeys([*candidate, *baseline])
    return [
        _Paired(name, baseline.get(name), candidate.get(name), name in case.info.expected_failures)
        for name in names
    ]


def _by_id(side: Side) -> dict[str, Evaluation]:
    if side.transcript is None or side.grade is None:
        return {}
    return {evaluation.id: evaluation for evaluation in side.grade.evaluations}


def _worse(first: list[_Paired], others: list[_Paired]) -> tuple[str, ...]:
    rest = [pair for pair in others if pair.movement is Movement.BROKEN]
    return tuple(dict.fromkeys(pair.id for pair in (*first, *rest)))


def _told(pairs: list[_Paired]) -> str:
    """The first one's own sentence, and how many there are beside it."""
    first = pairs[0].candidate
    assert first is not None
    more = len(pairs) - 1
    return (
        f"{first.reason} ({more} more: {', '.join(pair.id for pair in pairs[1:])}.)" if more else first.reason
    )


def _incomplete(case: PairedCase, pairs: list[_Paired]) -> str | None:
    """Why the case cannot be compared; None where it can."""
    for name, side in (("baseline", case.baseline), ("candidate", case.candidate)):
        if side.transcript is None:
            return f"The {name} has no transcript."
    for pair in pairs:
        for name, result in (("baseline", pair.baseline), ("candidate", pair.candidate)):
            if result is not None and result.verdict is Verdict.ERROR:
                return f"{pair.id} could not be judged on the {name}: {result.reason}"
    for pair in pairs:
        if pair.regraded:
            return f"{pair.id} was judged by other versions of its evaluator on the two sides: regrade first."
        reason = _one_sided(pair) or _critical_skipped(pair)
        if reason is not None:
            return reason
    return None


def _one_sided(pair: _Paired) -> str | None:
    judged = [side is not None and side.verdict in _JUDGED for side in (pair.baseline, pair.candidate)]
    if judged[0] == judged[1]:
        return None
    here, there = ("baseline", "candidate") if judged[0] else ("candidate", "baseline")
    missing = pair.candidate if judged[0] else pair.baseline
    why = f": {missing.reason}" if missing is not None else "."
    return f"{pair.id} was judged on the {here} and not on the {there}{why}"


def _critical_skipped(pair: _Paired) -> str | None:
    for name, side in (("baseline", pair.baseline), ("candidate", pair.candidate)):
        if pair.critical and side is not None and side.verdict is Verdict.SKIPPED:
            return f"The critical {pair.id} was skipped on the {name}: {side.reason}"
    return None


def _unchanged(pairs: list[_Paired]) -> str:
    failing = [pair.id for pair in pairs if pair.movement is Movement.STILL_FAILING]
    if not failing:
        return "Same result on both sides."
    return f"Still failing on both sides: {', '.join(failing)}."
