"""Masking planted secrets wherever something is shown, in the forms in which an agent may let them out."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import starmap
from typing import Any, Final

import re2  # type: ignore[import-untyped]

from agenttwin.values import encode

MASK: Final = "[masked]"
"""What stands in place of a secret."""

MIN_CORE: Final = 6
"""Digits. A shorter piece of base64 stands in other text by chance."""

NOTHING: Final = r"[^\s\S]"
"""Matches nothing."""


def redact(value: Any, secrets: Iterable[str]) -> Any:
    """``value`` with every secret masked: in texts and in keys, in any case, as it is, spelled out with
    separators, backwards, escaped as in JSON or a URL, in hex, and in base64 whatever stands around it.

    JSON containers are copied where something in them changes, and shared where nothing does.
    """
    wanted = tuple(sorted({secret for secret in secrets if secret}))
    if not wanted:
        return value
    shape = _shape(wanted)
    return _masked(value, shape) if _may_hold(value, shape) else value


def _may_hold(value: object, shape: Any) -> bool:
    """Whether a secret may stand somewhere in a value. One look at its JSON is by far the fastest."""
    try:
        return shape.search(encode(value)) is not None
    except TypeError:  # no JSON, so it is gone through
        return True


def _masked(value: Any, shape: Any) -> Any:
    if isinstance(value, str):
        return shape.sub(MASK, value) if shape.search(value) else value
    if isinstance(value, Mapping):
        changed = {_masked(key, shape): _masked(item, shape) for key, item in value.items()}
        same = all(key in changed and changed[key] is item for key, item in value.items())
        return value if same else changed
    if isinstance(value, list | tuple):
        items = [_masked(item, shape) for item in value]
        return value if all(map(_is, items, value)) else type(value)(items)
    return value


def _is(new: object, old: object) -> bool:
    return new is old


@lru_cache(maxsize=64)
def _shape(secrets: tuple[str, ...]) -> Any:
    """One pattern for all forms of all secrets; of two that begin at one place the longest is masked."""
    options = re2.Options()
    options.longest_match = True
    options.log_errors = False
    return re2.compile("|".join(form for secret in secrets for form in _forms(secret)), options)


_BETWEEN: Final = r"(?:[\s.,:;|/*_-]|\\+[nrt])*"
"""What may stand between the characters of a secret that is spelled out, escaped line breaks included."""


def _forms(secret: str) -> Iterator[str]:
    data = secret.encode("utf-8", "replace")
    characters = [_character(character) for character in secret]
    yield f"(?i:{''.join(characters)})"
    yield f"(?i:{''.join(reversed(characters))})"
    yield rf"(?i:\b{_BETWEEN.join(characters)}\b)"
    yield f"(?i:{'[ :-]?'.join(f'{byte:02x}' for byte in data)})"
    yield from starmap(_base64, ((data, offset) for offset in range(3)))


_SHORT: Final = {"\n": r"\\+n", "\r": r"\\+r", "\t": r"\\+t", "\b": r"\\+b", "\f": r"\\+f"}
_SHORT.update({character: rf"\\+\x{{{ord(character):x}}}" for character in '"\\/'})
"""Escapes of JSON beside those by number; a text in a text in a text is escaped again."""


def _character(character: str) -> str:
    """One character as it is, escaped as in a URL, or as in JSON."""
    data, units = character.encode("utf-8", "replace"), character.encode("utf-16-be", "replace")
    options = [
        rf"\x{{{ord(data.decode()):x}}}",
        "".join(f"%{byte:02x}" for byte in data),
        "".join(rf"\\+u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2)),
        *([_SHORT[character]] if character in _SHORT else []),
    ]
    return f"(?:{'|'.join(options)})"


_DIGIT: Final = "[A-Za-z0-9+/_-]?"


def _base64(data: bytes, offset: int) -> str:
    """What base64 has of the data after so many other bytes.

    A digit that a neighbour has a part of may be any; too few of the others, and only the whole is meant.
    """
    text = b64encode(bytes(offset) + data).decode().rstrip("=")
    first, end = (offset * 8 + 5) // 6, (len(data) + offset) * 8 // 6
    core = text[first:end].replace("+", "[+-]").replace("/", "[/_]")
    if end - first < MIN_CORE:
        return text if offset == 0 else NOTHING
    return (_DIGIT if offset else "") + core + (_DIGIT if end < len(text) else "")
