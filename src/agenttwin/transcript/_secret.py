"""The forms in which an agent may let a secret out: one table, by which they are found and masked."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import starmap
from typing import Any, Final

import re2  # type: ignore[import-untyped]

MIN_CORE: Final = 4
"""Digits. A shorter piece of base64 stands in other text by chance."""

NOTHING: Final = r"[^\s\S]"
"""Matches nothing."""

_SIGNS: Final = r".,:;|/*_-"
_SPACE: Final = r"\s\pZ\x{0b}\x{1c}-\x{1f}\x{85}"
_ESCAPED: Final = r"\\+[nrt]"
_BETWEEN: Final = rf"(?:[{_SPACE}{_SIGNS}]|{_ESCAPED})*"
"""What may stand between the characters of a secret that is spelled out, escaped line breaks included."""

_BREAK: Final = rf"(?:[{_SPACE}]|{_ESCAPED})*"
"""What may stand between the digits of base64, which mail and terminals wrap."""

_SEPARATOR: Final = re.compile(rf"[\s{_SIGNS}]")
_WORD: Final = re.compile(r"\w")


class Secrets:
    """Some secrets, to be found in text in any form: as they are, spelled out with separators or without
    their own, backwards, escaped as in JSON or a URL, in hex, and in base64 whatever stands around them.

    Upper and lower case are the same, except in base64.
    """

    __slots__ = ("_any", "_sure", "_word")

    def __init__(self, secrets: tuple[str, ...]) -> None:
        sure = "|".join(form for secret in secrets for form in _sure_forms(secret))
        word = "|".join(form for secret in secrets if (form := _spelled_out(secret))) or NOTHING
        self._sure, self._word = _compiled(sure), _compiled(word)
        self._any = _compiled(f"{sure}|{word}")

    def may_stand_in(self, text: str) -> bool:
        """Whether it is worth looking closer; never false where there is something."""
        return self._any.search(_readable(text)) is not None

    def stand_in(self, text: str) -> bool:
        """Whether one of them stands in the text."""
        text = _readable(text)
        return self._sure.search(text) is not None or next(self._words(text), None) is not None

    def masked(self, text: str, mask: str) -> str:
        """The text with each of them replaced; of two that begin at one place, the longer one."""
        text = self._sure.sub(lambda _: mask, _readable(text))
        parts, end = [], 0
        for start, stop in self._words(text):
            parts += [text[end:start], mask]
            end = stop
        return "".join([*parts, text[end:]])

    def _words(self, text: str) -> Iterator[tuple[int, int]]:
        """Where one is spelled out. It begins and ends with a word: parts of neighbours make no secret."""
        place = 0
        while (found := self._word.search(text, place)) is not None:
            start, end = found.span()
            before, after = text[start - 1 : start], text[end : end + 1]
            if _WORD.match(before) or _WORD.match(after):
                place = start + 1
            else:
                yield start, end
                place = end


def secrets_of(secrets: Iterable[str]) -> Secrets | None:
    """Those secrets, made ready to be found; None where there are none."""
    wanted = tuple(sorted({secret for secret in secrets if secret}))
    return _made(wanted) if wanted else None


_made = lru_cache(maxsize=64)(Secrets)


def discloses(text: str, secrets: Iterable[str]) -> bool:
    """Whether one of the secrets stands in the text, in any form; see Secrets."""
    found = secrets_of(secrets) if text else None
    return found is not None and found.stand_in(text)


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.longest_match = True
    options.log_errors = False
    return re2.compile(pattern, options)


def _readable(text: str) -> str:
    """A text without halves of characters, which cannot be looked at."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _sure_forms(secret: str) -> Iterator[str]:
    """The forms that say enough wherever they stand."""
    data, small = (form.encode("utf-8", "replace") for form in (secret, secret.casefold()))
    characters = [_character(character) for character in _readable(secret)]
    yield f"(?i:{''.join(characters)})"
    yield f"(?i:{''.join(reversed(characters))})"
    yield from dict.fromkeys(f"(?i:{_BETWEEN.join(form.hex())})" for form in (data, small))
    yield from starmap(_base64, ((data, offset) for offset in range(3)))


def _spelled_out(secret: str) -> str | None:
    """The secret with separators strewn in, or left out where it has its own."""
    characters = [_character(character) for character in _SEPARATOR.sub("", _readable(secret))]
    return f"(?i:{_BETWEEN.join(characters)})" if characters else None


_SHORT: Final = {"\n": r"\\+n", "\r": r"\\+r", "\t": r"\\+t", "\b": r"\\+b", "\f": r"\\+f"}
_SHORT.update({character: rf"\\+\x{{{ord(character):x}}}" for character in '"\\/'})
"""Escapes of JSON beside those by number; a text in a text in a text is escaped again."""


def _character(character: str) -> str:
    """One character as it is, folded to several (ß is SS), escaped as in a URL, or as in JSON."""
    data, units = character.encode(), character.encode("utf-16-be")
    folded = character.casefold()
    options = [
        rf"\x{{{ord(character):x}}}",
        *([re2.escape(folded)] if len(folded) > 1 else []),
        "".join(f"%{byte:02x}" for byte in data),
        "".join(rf"\\+u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2)),
        *([_SHORT[character]] if character in _SHORT else []),
    ]
    return f"(?:{'|'.join(options)})"


_DIGIT: Final = "[A-Za-z0-9+/_-]?"
_URL_SAFE: Final = {"+": "[+-]", "/": "[/_]"}


def _base64(data: bytes, offset: int) -> str:
    """What base64 has of the data after so many other bytes.

    A digit that a neighbour has a part of may be any; too few of the others, and only the whole is meant.
    """
    text = b64encode(bytes(offset) + data).decode().rstrip("=")
    first, end = (offset * 8 + 5) // 6, (len(data) + offset) * 8 // 6
    if end - first < MIN_CORE:
        return text.replace("+", "\\+") if offset == 0 else NOTHING
    core = _BREAK.join(_URL_SAFE.get(digit, digit) for digit in text[first:end])
    before = _DIGIT + _BREAK if offset else ""
    return before + core + (_BREAK + _DIGIT if end < len(text) else "")
