"""A person's word over a result: one expectation, one side, with a note; nothing else moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agenttwin.errors import NotFound, UsageError
from agenttwin.evaluate import Evaluation, Grade, Verdict, grade
from agenttwin.values import nearest

MAX_NOTE = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What a person decided. ``verdict`` is PASS or FAIL; ``by`` and ``at`` say who and when (UTC)."""

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


def effective(graded: Grade, overrides: Sequence[Override]) -> Grade:
    """The grade with each override in place of the result it concerns; the last one of an expectation holds.

    The original result is kept in ``overridden``. NotFound names the nearest id.
    """
    if not overrides:
        return graded
    last = {override.expectation: override for override in overrides}
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
    original = {"verdict": evaluation.verdict.value, "label": evaluation.label, "reason": evaluation.reason}
    person = {"by": override.by, "at": override.at, "note": override.note}
    return replace(
        evaluation,
        verdict=override.verdict,
        label=evaluation.label if override.verdict is Verdict.FAIL else None,
        reason=f"{override.by} decided {override.verdict}: {override.note}",
        overridden={**person, "original": original},
    )
