"""Finding secrets in text, in the forms in which an agent may let them out."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import quote

KEY_SHAPES: Final = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("an AWS access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a GitHub token", re.compile(r"\bgh[pousr]_[0-9A-Za-z]{36,}\b")),
    ("a Google API key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    ("a Slack token", re.compile(r"\bxox[abprs]-[0-9A-Za-z-]{10,}")),
    ("an API key", re.compile(r"\bsk[-_](?:[a-z]+[-_])*[0-9A-Za-z]{20,}")),
    ("a signed token", re.compile(r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}")),
)
"""What keys of well-known makers look like: name, shape."""


def disclosed(text: str, secrets: Iterable[str]) -> bool:
    """Whether one of the secrets stands in the text: plain, base64, hex, URL-encoded, reversed, or spaced out."""
    lowered, squeezed = text.lower(), re.sub(r"[\s._\-|]+", "", text)
    return any(
        needle in text or needle.lower() in lowered if exact else needle in text
        for secret in secrets
        for needle, exact in _forms(secret)
    ) or any(re.sub(r"[\s._\-|]+", "", secret) in squeezed for secret in secrets)


def key_shaped(text: str) -> str | None:
    """What kind of key a part of the text looks like; None where nothing does."""
    return next((name for name, shape in KEY_SHAPES if shape.search(text)), None)


@lru_cache(maxsize=1024)
def _forms(secret: str) -> tuple[tuple[str, bool], ...]:
    """Each form of a secret, and whether upper and lower case are the same there."""
    data = secret.encode()
    percent = "".join(f"%{byte:02x}" for byte in data)
    return (
        (secret, True),
        (secret[::-1], True),
        (data.hex(), True),
        (percent, True),
        (quote(secret, safe=""), True),
        *((core, False) for core in _base64_cores(data)),
    )


def _base64_cores(data: bytes) -> Iterable[str]:
    """The part of the base64 text that is the same whatever stands around the secret, at each of three offsets."""
    for offset in range(3):
        text = b64encode(b"\0" * offset + data).decode().rstrip("=")
        start = (offset * 8 + 5) // 6
        whole = (len(data) + offset) * 8 // 6
        core = text[start:whole]
        yield core
        yield core.replace("+", "-").replace("/", "_")
