"""What is found in every kind of document alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from agenttwin.document import Finding

At: TypeAlias = tuple[str | int, ...]
"""A place in a document."""


def repeated(names: Iterable[tuple[At, str]], code: str = "duplicate_name") -> Iterator[Finding]:
    """A finding for each name that stood before, saying where."""
    seen: set[str] = set()
    for at, name in names:
        if name in seen:
            yield Finding(at=at, code=code, message=f"{name!r} stands twice", value=name)
        seen.add(name)
