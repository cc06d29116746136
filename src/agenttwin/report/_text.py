"""Text for a terminal: the width that is seen, lines that fit, nothing in it that a terminal would obey."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

from agenttwin.values import canonical

# Controls, invisible formatting and direction marks, separators, surrogates. The joiner of emoji may stay.
_OBEYED: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_JOINERS: Final = frozenset("\u200d\ufe0e\ufe0f")

_WORKFLOW_COMMAND: Final = re.compile(r"^([ \t]*)::", re.MULTILINE)
"""What a CI runner obeys where it stands first on a line of output."""

NO_BREAK: Final = "\u00a0"
"""A space at which no line ends."""


def clean(text: str) -> str:
    """The text with what a terminal would obey, or nobody see, spelled: `\\x1b`. Line ends and tabs stay."""
    text = _WORKFLOW_COMMAND.sub(r"\1: :", text.replace("\r\n", "\n"))
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def line(text: str) -> str:
    """The text, clean and on one line."""
    return " ".join(clean(text).split())


def shown(value: Any) -> str:
    """A value as a person reads it: text bare, anything else as JSON."""
    return value if isinstance(value, str) else canonical(value).decode()


def width(text: str) -> int:
    """How many columns the text takes: two for wide characters, none for marks."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or character in _JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, columns: int) -> str:
    """The text on one line of at most ``columns``, with an ellipsis where something is missing."""
    one = line(text)
    if width(one) <= columns:
        return one
    kept, room = "", columns - 1
    for character in one:
        room -= _columns(character)
        if room < 0:
            break
        kept += character
    return kept.rstrip() + "…"


def cut_start(text: str, columns: int) -> str:
    """As ``cut``, but the beginning goes: a path says most at its end."""
    one = line(text)
    if width(one) <= columns:
        return one
    kept = one
    while width(kept) > columns - 1:
        kept = kept[1:]
    return f"…{kept}"


def pad(text: str, columns: int) -> str:
    """The text on one line of exactly ``columns``, cut or filled up."""
    one = cut(text, columns)
    return one + " " * (columns - width(one))


def wrap(text: str, columns: int) -> list[str]:
    """The text in lines of at most ``columns``, broken between words, a word only where it is longer."""
    lines: list[str] = []
    for paragraph in clean(text).split("\n"):
        current = ""
        for word in filter(None, paragraph.replace("\t", " ").split(" ")):
            joined = f"{current} {word}" if current else word
            if width(joined) <= columns:
                current = joined
                continue
            if current:
                lines.append(current)
            *whole, current = _broken(word, columns)
            lines += whole
        lines.append(current)
    return [part.replace(NO_BREAK, " ") for part in lines]


def _broken(word: str, columns: int) -> list[str]:
    """A word in pieces of at most ``columns``."""
    pieces, room = [""], columns
    for character in word:
        room -= _columns(character)
        if room < 0 and pieces[-1]:
            pieces.append("")
            room = columns - _columns(character)
        pieces[-1] += character
    return pieces
