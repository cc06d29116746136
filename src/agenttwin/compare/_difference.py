"""What differs between two sides beside the class: final states, answers, claims, and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from agenttwin.compare._values import PairedCase
from agenttwin.scenario import Line
from agenttwin.transcript import Claim
from agenttwin.values import MISSING, Change, Json, Missing, Path, Tree, diff, plain

MAX_DIFFED_LINES: Final = 400
"""Lines of an answer that are diffed; a longer answer is only said to differ."""


def state_differences(case: PairedCase) -> tuple[Change, ...]:
    """From the baseline's final state to the candidate's.

    Both began with the same state, so that it is enough to look where one of them changed something.
    """
    baseline, candidate = case.baseline.transcript, case.candidate.transcript
    if baseline is None or candidate is None or baseline.after is None or candidate.after is None:
        return ()
    before, after = ({change.path: change for change in side.changes} for side in (baseline, candidate))
    paths = _outermost(before.keys() | after.keys())
    sides = (_Ended(baseline.after, before), _Ended(candidate.after, after))
    return tuple(change for path in paths for change in _differences(path, *sides))


@dataclass(frozen=True, slots=True)
class _Ended:
    """The end of a side: its final state, and its changes by their paths."""

    tree: Tree
    changes: Mapping[str, Change]

    def at(self, path: str, other: _Ended) -> Json | Missing:
        """What stands at ``path`` in the end; where it is too long to be read, only ``other`` changed it."""
        if path in self.changes:
            return self.changes[path].after
        try:
            value = self.tree.get(_segments(path))
        except ValueError:
            return other.changes[path].before
        return MISSING if value is MISSING else plain(value)


@lru_cache(maxsize=4096)
def _segments(path: str) -> tuple[str | int, ...]:
    return Path.parse(path).segments


def _outermost(paths: Set[str]) -> list[str]:
    """The paths that lie below no other, sorted."""
    return [path for path in sorted(paths) if not ((path and "" in paths) or _lies_below(path, paths))]


def _lies_below(path: str, paths: Set[str]) -> bool:
    return any(sign in ".[" and path[:end] in paths for end, sign in enumerate(path) if end)


def _differences(path: str, baseline: _Ended, candidate: _Ended) -> Iterable[Change]:
    before, after = baseline.at(path, candidate), candidate.at(path, baseline)
    if before is MISSING or after is MISSING:
        return () if before is after else (Change(path=path, before=before, after=after),)
    return (
        Change(path=_joined(path, change.path), before=change.before, after=change.after)
        for change in diff(before, after)
    )


def _joined(path: str, below: str) -> str:
    return f"{path}{below}" if not path or not below or below.startswith("[") else f"{path}.{below}"


def answer_difference(baseline: Claim, candidate: Claim) -> tuple[Line, ...]:
    """The lines of the answer that only one side has; nothing where the answers are too long to be diffed."""
    old, new = (claim.answer.splitlines() if claim.answer else [] for claim in (baseline, candidate))
    if max(len(old), len(new)) > MAX_DIFFED_LINES:
        return ()
    found: list[Line] = []
    for tag, a, b, c, d in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag != "equal":
            found += [Line(sign="-", text=text) for text in old[a:b]]
            found += [Line(sign="+", text=text) for text in new[c:d]]
    return tuple(found)


def claim_difference(baseline: Claim, candidate: Claim) -> tuple[Change, ...]:
    """What the sides claim differently, beside their answers."""
    return diff(_stated(baseline), _stated(candidate))


def _stated(claim: Claim) -> object:
    return {
        "claimed_outcome": claim.outcome.value,
        "claim_inferred": claim.inferred,
        "business_outcome": claim.business_outcome,
        "steps": claim.steps,
    }
