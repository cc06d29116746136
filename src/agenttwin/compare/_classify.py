"""The class of a case: what became of each expectation, and the first of five rules that holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agenttwin.compare._comparison import Classification, Compared, Movement
from agenttwin.compare._phrases import listed, say
from agenttwin.compare._values import PairedCase, Side
from agenttwin.evaluate import Evaluation, Verdict
from agenttwin.scenario import AGENT_FINISHED

_MOVEMENTS: Final[Mapping[tuple[Verdict | None, Verdict | None], Movement]] = {
    (Verdict.PASS, Verdict.FAIL): Movement.BROKEN,
    (Verdict.FAIL, Verdict.PASS): Movement.FIXED,
    (Verdict.FAIL, Verdict.FAIL): Movement.STILL_FAILING,
    (Verdict.PASS, Verdict.PASS): Movement.SAME,
}
"""Every other pair of verdicts is no judgement."""

_JUDGED: Final = frozenset({Verdict.PASS, Verdict.FAIL})

_HOLES: Final[Mapping[Verdict | None, str]] = {
    Verdict.ERROR: "error",
    Verdict.SKIPPED: "skipped",
    None: "absent",
}
"""How a result that is missing on a side is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """The class of a case with the reason for it, and what became of each expectation."""

    classification: Classification
    reason: str
    candidate_critical: tuple[str, ...] = ()
    baseline_unverified: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    expectations: tuple[Compared, ...] = ()


def usable(side: Side) -> bool:
    """Whether the side ran, and so that something can be said about its agent."""
    if side.transcript is None or side.grade is None:
        return False
    return not any(
        item.id == AGENT_FINISHED and item.verdict is Verdict.ERROR for item in side.grade.evaluations
    )


def expectations(case: PairedCase) -> tuple[Compared, ...]:
    """Every expectation that a side has a result for, in the candidate's order."""
    baseline, candidate = _results(case.baseline), _results(case.candidate)
    return tuple(_compared(name, baseline.get(name), candidate.get(name)) for name in candidate | baseline)


def _results(side: Side) -> dict[str, Evaluation]:
    if side.transcript is None or side.grade is None:
        return {}
    return {item.id: item for item in side.grade.evaluations}


def _compared(name: str, baseline: Evaluation | None, candidate: Evaluation | None) -> Compared:
    sides = [item for item in (baseline, candidate) if item is not None]
    before = baseline.verdict if baseline is not None else None
    after = candidate.verdict if candidate is not None else None
    regraded = len({item.version for item in sides}) > 1
    movement = Movement.NOT_JUDGED if regraded else _MOVEMENTS.get((before, after), Movement.NOT_JUDGED)
    return Compared(
        id=name,
        critical=any(item.critical for item in sides),
        baseline=before,
        candidate=after,
        movement=movement,
        regraded=regraded,
    )


def classify(case: PairedCase) -> Class:
    """The class by the first rule that holds. Nothing but verdicts, and whether a side ran, is looked at.

    What the candidate fails as expected makes nothing worse, and is told. Results of different versions of
    an evaluator are not compared.
    """
    compared = expectations(case)
    found = next(found for rule in _RULES if (found := rule(case, compared)) is not None)
    expected = [item for item in compared if _fails_as_expected(case, item)]
    told = f" {say('as_expected', names=_names(expected))}" if expected else ""
    return replace(found, reason=f"{found.reason}{told}", expectations=compared)


def _fails_as_expected(case: PairedCase, item: Compared) -> bool:
    return item.candidate is Verdict.FAIL and item.id in case.info.expected_failures


def _new_critical(case: PairedCase, compared: Sequence[Compared]) -> Class | None:
    new = _critical_failures(case, compared)
    if not new or not usable(case.baseline):
        return None
    reason = say("new_criticals" if len(new) > 1 else "new_critical", names=_names(new))
    unverified = tuple(item.id for item in new if item.baseline is not Verdict.PASS)
    if unverified:
        reason = f"{reason} {say('baseline_unverified', names=listed(unverified))}"
    worse = dict.fromkeys(item.id for item in (*new, *_moved(case, compared, Movement.BROKEN)))
    return Class(
        classification=Classification.NEW_CRITICAL_FAILURE,
        reason=reason,
        baseline_unverified=unverified,
        worse=tuple(worse),
    )


def _critical_failures(case: PairedCase, compared: Iterable[Compared]) -> list[Compared]:
    """The critical expectations that the candidate fails and the baseline did not fail."""
    return [
        item
        for item in compared
        if item.critical
        and item.candidate is Verdict.FAIL
        and item.baseline is not Verdict.FAIL
        and not item.regraded
        and not _fails_as_expected(case, item)
    ]


def _regressed(case: PairedCase, compared: Sequence[Compared]) -> Class | None:
    broken = _moved(case, compared, Movement.BROKEN)
    if not broken:
        return None
    return Class(
        classification=Classification.REGRESSED,
        reason=say("regressed", names=_names(broken)),
        worse=tuple(item.id for item in broken),
    )


def _incomplete(case: PairedCase, compared: Sequence[Compared]) -> Class | None:
    holes = [sentence for name, side in case.sides for sentence in _holes(name, side, compared)]
    regraded = [item for item in compared if item.regraded]
    if regraded:
        holes.append(say("regraded", names=_names(regraded)))
    if not holes:
        return None
    unknown = () if usable(case.baseline) else tuple(item.id for item in _critical_failures(case, compared))
    if unknown:
        holes.append(say("candidate_critical", names=listed(unknown)))
    return Class(classification=Classification.INCOMPLETE, reason=" ".join(holes), candidate_critical=unknown)


def _holes(name: str, side: Side, compared: Iterable[Compared]) -> list[str]:
    """What is missing on a side, a sentence for each way of missing."""
    if side.transcript is None:
        return [say("no_transcript", side=name)]
    missing: dict[str, list[str]] = {}
    for item in compared:
        here, there = item.baseline, item.candidate
        if name == "candidate":
            here, there = there, here
        lost = here not in _JUDGED and there in _JUDGED
        if here is Verdict.ERROR or lost or (here is Verdict.SKIPPED and item.critical):
            missing.setdefault(_HOLES[here], []).append(item.id)
    return [say(how, side=name, names=listed(names)) for how, names in missing.items()]


def _improved(case: PairedCase, compared: Sequence[Compared]) -> Class | None:
    fixed = _moved(case, compared, Movement.FIXED)
    if not fixed:
        return None
    return Class(classification=Classification.IMPROVED, reason=say("improved", names=_names(fixed)))


def _moved(case: PairedCase, compared: Iterable[Compared], movement: Movement) -> list[Compared]:
    return [item for item in compared if item.movement is movement and not _fails_as_expected(case, item)]


def _unchanged(case: PairedCase, compared: Sequence[Compared]) -> Class:
    failing = _moved(case, compared, Movement.STILL_FAILING)
    reason = say("still_failing", names=_names(failing)) if failing else say("unchanged")
    return Class(classification=Classification.UNCHANGED, reason=reason)


def _names(compared: Iterable[Compared]) -> str:
    return listed(item.id for item in compared)


_RULES: Final[tuple[Callable[[PairedCase, Sequence[Compared]], Class | None], ...]] = (
    _new_critical,
    _regressed,
    _incomplete,
    _improved,
    _unchanged,
)
