"""Masking planted secrets wherever something is shown, in the forms in which an agent may let them out."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

MASK: Final = "[masked]"
"""What stands in place of a secret."""

MIN_CORE: Final = 6
"""A shorter piece of base64 stands in other text by chance."""


def redact(value: Any, secrets: Iterable[str]) -> Any:
    """``value`` with every secret masked: in texts, in keys, plain, reversed, hex, URL-encoded or base64.

    JSON containers are copied where something in them changes, and shared where nothing does.
    """
    wanted = tuple(secret for secret in secrets if secret)
    return _masked(value, _shape(wanted)) if wanted else value


def _masked(value: Any, shape: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return shape.sub(MASK, value)
    if isinstance(value, Mapping):
        changed = {_masked(key, shape): _masked(item, shape) for key, item in value.items()}
        same = all(key in changed and changed[key] is item for key, item in value.items())
        return value if same else changed
    if isinstance(value, list | tuple):
        items = [_masked(item, shape) for item in value]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else type(value)(items)
    return value


@lru_cache(maxsize=64)
def _shape(secrets: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all forms of all secrets, the longest first."""
    forms = {form for secret in secrets for form in _forms(secret)}
    return re.compile("|".join(sorted(forms, key=len, reverse=True)))


def _forms(secret: str) -> Iterator[str]:
    data = secret.encode()
    folded = (
        secret,
        secret[::-1],
        data.hex(),
        quote(secret, safe=""),
        "".join(f"%{byte:02x}" for byte in data),
    )
    yield from (f"(?i:{re.escape(form)})" for form in folded)
    for offset in range(3):
        text = b64encode(b"\0" * offset + data).decode().rstrip("=")
        core = text[(offset * 8 + 5) // 6 : (len(data) + offset) * 8 // 6]
        if len(core) >= MIN_CORE:
            yield re.escape(core)
            yield re.escape(core.replace("+", "-").replace("/", "_"))
