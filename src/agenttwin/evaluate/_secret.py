"""Finding secrets in text, in the forms in which an agent may let them out."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

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

SEPARATORS: Final = r"[\s.,:;|/*_-]"
"""What may stand between the characters of a secret that is spelled out."""

_SEPARATOR: Final = re.compile(SEPARATORS)
_BLANK: Final = re.compile(r"\s")


def disclosed(text: str, secrets: Iterable[str]) -> bool:
    """Whether one of the secrets stands in the text: plain, spelled out, reversed, URL-encoded, hex, base64.

    Upper and lower case are the same, except in base64.
    """
    wanted = tuple(secrets)
    if not wanted or not text:
        return False
    lowered, unbroken = text.casefold(), _BLANK.sub("", text)
    bare = _SEPARATOR.sub("", lowered)
    return any(
        any(form in lowered for form in forms.folded)
        or any(form in bare for form in forms.hex)
        or any(form in unbroken for form in forms.base64)
        or forms.spelled.search(lowered) is not None
        for forms in map(_forms, wanted)
    )


def key_shaped(text: str) -> str | None:
    """What kind of key a part of the text looks like; None where nothing does."""
    return next((name for name, shape in KEY_SHAPES if shape.search(text)), None)


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from texts_of(member)
    elif isinstance(value, list):
        for element in value:
            yield from texts_of(element)


class _Forms:
    """A secret in every form that is looked for."""

    __slots__ = ("base64", "folded", "hex", "spelled")

    def __init__(self, secret: str) -> None:
        data, plain = secret.encode("utf-8", "surrogatepass"), secret.casefold()
        escaped = "".join(f"%{byte:02x}" for byte in data)
        folded = {plain, secret[::-1].casefold(), escaped, quote(data, safe="").casefold()}
        self.folded = tuple(sorted(folded))
        self.hex = (data.hex(), plain.encode("utf-8", "surrogatepass").hex())
        self.base64 = tuple(dict.fromkeys(_base64_cores(data)))
        self.spelled = _spelled_out(plain)


_forms = lru_cache(maxsize=1024)(_Forms)


def _spelled_out(secret: str) -> re.Pattern[str]:
    """The secret with separators strewn in, or left out where it has its own.

    It begins and ends with a word there, so that parts of neighbouring words do not make a short one.
    """
    characters = [re.escape(character) for character in _SEPARATOR.sub("", secret)]
    if not characters:
        return re.compile(re.escape(secret))
    return re.compile(rf"(?<!\w){f'{SEPARATORS}*'.join(characters)}(?!\w)")


def _base64_cores(data: bytes) -> Iterator[str]:
    """What the base64 text has of the secret whatever stands around it, at each of three offsets."""
    for offset in range(3):
        text = b64encode(b"\0" * offset + data).decode().rstrip("=")
        first, end = (offset * 8 + 5) // 6, (len(data) + offset) * 8 // 6
        core = text[first:end]
        yield core
        yield core.replace("+", "-").replace("/", "_")
