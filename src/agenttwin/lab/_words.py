"""The words of a command, with what stands for something replaced."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def words(argv: Sequence[str], **more: str) -> tuple[str, ...]:
    """`{python}` is this Python; ``more`` are further names. Other braces stay what they are."""
    known = {"python": sys.executable, **more}
    return tuple(_replaced(word, known) for word in argv)


def _replaced(word: str, known: dict[str, str]) -> str:
    for name, text in known.items():
        word = word.replace(f"{{{name}}}", text)
    return word
