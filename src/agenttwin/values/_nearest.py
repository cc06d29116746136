"""The word somebody probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`, upper and lower case alike, or None where none is like it."""
    folded: dict[str, str] = {}
    for candidate in candidates:
        folded.setdefault(candidate.casefold(), candidate)
    found = get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None
