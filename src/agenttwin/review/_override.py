"""A person's word over a result: one expectation on one side, with a note. Nothing else moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from agenttwin.errors import NotFound, UsageError
from agenttwin.evaluate import Evaluation, Grade, Verdict, grade
from agenttwin.scenario import EXPECTATIONS
from agenttwin.values import Json, nearest

MAX_NOTE: Final = 4_000
"""Characters of a note: a paragraph or two; more belongs behind a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What a person decided of one expectation: PASS or FAIL, why, by whom, and when (``at``, in UTC).

    UsageError for another verdict, a note that says nothing, or one of more than 4,000 characters.
    """

    expectation: str
    verdict: Verdict
    note: str
    by: str
    at: str

    def __post_init__(self) -> None:
        if self.verdict not in (Verdict.PASS, Verdict.FAIL):
            raise UsageError("invalid_override", f"A person decides PASS or FAIL, not {self.verdict}.")
        if not self.note.strip():
            raise UsageError("missing_note", "An override needs a note that says why.")
        if len(self.note) > MAX_NOTE:
            raise UsageError("note_too_long", f"The note has more than {MAX_NOTE:,} characters.")


def effective(graded: Grade, overrides: Iterable[Override]) -> Grade:
    """The grade with each override in place of the result it concerns; the last one of an expectation holds.

    Verdict and outcome of the case follow from the effective results; the original result is kept in
    ``overridden``. NotFound, with the nearest id, where the case has no such expectation.
    """
    last = {override.expectation: override for override in overrides}
    if not last:
        return graded
    known = [evaluation.id for evaluation in graded.evaluations]
    for name in last:
        if name not in known:
            close = nearest(name, known)
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound("unknown_expectation", f"There is no expectation {name!r} in this case.{hint}")
    return grade(tuple(_with(item, last.get(item.id)) for item in graded.evaluations))


def _with(evaluation: Evaluation, override: Override | None) -> Evaluation:
    if override is None:
        return evaluation
    return replace(
        evaluation,
        verdict=override.verdict,
        label=None if override.verdict is Verdict.PASS else evaluation.label or _label(evaluation),
        score=None,
        reason=f"{override.by} decided {override.verdict}: {override.note}",
        overridden=_kept(evaluation, override),
    )


def _kept(evaluation: Evaluation, override: Override) -> Json:
    """Both sides of the decision, as JSON."""
    return {
        "by": override.by,
        "at": override.at,
        "note": override.note,
        "original": {
            "verdict": evaluation.verdict.value,
            "label": evaluation.label,
            "score": evaluation.score,
            "reason": evaluation.reason,
        },
    }


def _label(evaluation: Evaluation) -> str | None:
    """The label that a failure of this kind has first."""
    kind = EXPECTATIONS.get(evaluation.type)
    return kind.labels[0] if kind is not None else None
