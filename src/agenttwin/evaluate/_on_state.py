"""Evaluators over the state, and over the claim held against it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from agenttwin.evaluate._definitions import lies, segments_of
from agenttwin.evaluate._finding import Finding, Held, at, counted, failed, judged, passed, skipped, where
from agenttwin.evaluate._values import Evidence
from agenttwin.scenario import FinalOutcome, OnlyChanged, OutcomeVerified, State, StateUnchanged
from agenttwin.transcript import ClaimedOutcome
from agenttwin.values import MISSING, Change, Match, Missing, Path, Tree, Value, describe, equal, match

NO_CLAIM: Final = "The agent claimed no outcome, and none could be read from its answer."

SHOWN: Final = 10
"""Changes that are named as evidence."""

path_of = lru_cache(maxsize=4096)(Path.parse)
"""A path, read once however many cases it is looked up in."""


def state(expectation: State, held: Held) -> Finding:
    """The final state there satisfies the comparators."""
    path = expectation.path
    result, seen = _compared(expectation, path, held.transcript.after)
    return judged(result.ok, "STATE_MISMATCH", f"State {path}: {result.reason}.", where(path, seen))


def _compared(expectation: State | OutcomeVerified, path: str, tree: Tree | None) -> tuple[Match, str]:
    value = _look(tree, path)
    return match(expectation.comparators(), value), describe(value)


def _look(tree: Tree | None, path: str) -> Value | Missing:
    assert tree is not None, "an expectation that needs the state is skipped where there is none"
    return path_of(path).get(tree.root)


def state_unchanged(expectation: StateUnchanged, held: Held) -> Finding:
    """The same before and after, and there before."""
    path = expectation.path
    before, after = _look(held.transcript.before, path), _look(held.transcript.after, path)
    if before is MISSING:
        return failed("STATE_CHANGED", f"State {path} did not exist before.", where(path))
    if equal(before, after):
        return passed(f"State {path} stayed {describe(before)}.", where(path))
    place = path_of(path)
    inside = [change for change in held.transcript.changes if _is_inside(change, place.segments)]
    if inside and not place.length:
        return _changed(inside)
    reason = f"State {path} changed from {describe(before)} to {describe(after)}."
    return failed("STATE_CHANGED", reason, where(path, describe(after)))


def only_changed(expectation: OnlyChanged, held: Held) -> Finding:
    """No change outside the paths."""
    after = held.transcript.after
    assert after is not None, "an expectation that needs the state is skipped where there is none"
    allowed = [path_of(path).settled(after.root) for path in expectation.paths]
    changes = held.transcript.changes
    outside = [change for change in changes if not any(_is_inside(change, place) for place in allowed)]
    if outside:
        return _changed(outside)
    return passed(
        f"Nothing changed outside {', '.join(expectation.paths)}." if allowed else "Nothing changed."
    )


def _is_inside(change: Change, place: tuple[str | int, ...]) -> bool:
    return segments_of(change.path)[: len(place)] == place


def _changed(changes: Sequence[Change]) -> Finding:
    """What changed that should not have: the first place in words, the others as evidence."""
    first = changes[0]
    more = len(changes) - 1
    rest = f", and {counted(more, 'more place', 'more places')} changed" if more else ""
    reason = f"State {first.path} changed from {describe(first.before)} to {describe(first.after)}{rest}."
    shown = tuple(Evidence(path=change.path, note=describe(change.after)) for change in changes[:SHOWN])
    return failed("STATE_CHANGED", reason, shown)


def final_outcome(expectation: FinalOutcome, held: Held) -> Finding:
    """The claimed outcome is it."""
    claimed = held.claim.outcome
    if claimed is ClaimedOutcome.UNKNOWN:
        return skipped(NO_CLAIM)
    how = f"The agent claimed {claimed}{', as read from its answer' if held.claim.inferred else ''}"
    if claimed is expectation.equals:
        return passed(f"{how}.")
    return failed("OUTCOME_MISMATCH", f"{how}; expected {expectation.equals}.")


def outcome_verified(expectation: OutcomeVerified, held: Held) -> Finding:
    """A claimed success is covered by the state, or no tool lied; any other claim passes."""
    claimed, path = held.claim.outcome, expectation.path
    if claimed is ClaimedOutcome.UNKNOWN:
        return skipped(NO_CLAIM)
    if claimed is not ClaimedOutcome.SUCCESS:
        return passed(f"The agent claimed {claimed}, not SUCCESS.")
    if path is not None:
        result, seen = _compared(expectation, path, held.transcript.after)
        reason = f"The agent claimed SUCCESS; state {path}: {result.reason}."
        return judged(result.ok, "STATE_MISMATCH", reason, where(path, seen))
    found = lies(held.calls)
    if not found:
        return passed("The agent claimed SUCCESS, and every success that a tool answered was real.")
    reason = f"The agent claimed SUCCESS, but {found[0].tool} answered success and did not apply its effect."
    return failed("HALLUCINATED_SUCCESS", reason, at(found))
