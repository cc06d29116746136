"""What keys look like, and the texts in which secrets are looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

KEY_SHAPES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(shape))
    for name, shape in (
        ("a private key", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
        ("an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
        ("a GitHub token", r"\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{36,})"),
        ("a GitLab token", r"\bglpat-[0-9A-Za-z_-]{20,}"),
        ("a Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
        ("a Slack token", r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}"),
        ("an npm token", r"\bnpm_[0-9A-Za-z]{36}\b"),
        ("an API key", r"\b[sr]k[-_](?=[a-zA-Z_-]*\d)[0-9A-Za-z_-]{20,}"),
        ("a signed token", r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}"),
    )
)
"""What keys of well-known makers look like. Words, order numbers, digests and UUIDs look like no key."""


def key_shaped(text: str) -> str | None:
    """What kind of key a part of the text looks like; None where nothing does."""
    return next((name for name, shape in KEY_SHAPES if shape.search(text)), None)


def texts_of(value: Any) -> Iterator[str]:
    """Every text and number in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif type(value) in (int, float):
        yield str(value)
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from texts_of(member)
    elif isinstance(value, list):
        for element in value:
            yield from texts_of(element)
