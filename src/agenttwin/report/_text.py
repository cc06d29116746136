"""Text for a terminal: colour where it is wanted, width as it is seen, nothing that a terminal would obey."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

import orjson

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

STYLES: Final = {
    "bold": "1",
    "dim": "2",
    "red": "31;1",
    "orange": "33",
    "violet": "35",
    "green": "32",
    "grey": "90",
    "accent": "36",
}


def clean(text: str) -> str:
    """The text without characters that a terminal obeys; they are shown as their escapes."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def width(text: str) -> int:
    """How many columns the text takes; wide characters take two, marks none."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, columns: int) -> str:
    """The text on one line, cut where it is too wide."""
    line = " ".join(clean(text).split())
    if width(line) <= columns:
        return line
    kept, used = [], 0
    for character in line:
        used += _columns(character)
        if used > columns - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def pad(text: str, columns: int) -> str:
    """The text, cut or filled to exactly so many columns."""
    line = cut(text, columns)
    return line + " " * (columns - width(line))


def shown(value: Any) -> str:
    """A value as it is read by a person: text bare, anything else as JSON."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


@dataclass(frozen=True, slots=True)
class Page:
    """Lines of a given width, in colour or not."""

    colour: bool
    columns: int

    def paint(self, text: str, style: str) -> str:
        """The text in a style, where colour is wanted."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.colour and text else text

    def wrap(self, text: str, indent: int = 0, hang: int | None = None) -> list[str]:
        """The text as lines no wider than the page; later lines are indented by ``hang``."""
        first, rest = " " * indent, " " * (indent if hang is None else hang)
        lines: list[str] = []
        for paragraph in clean(text).splitlines() or [""]:
            lines += textwrap.wrap(
                paragraph, max(self.columns, 40), initial_indent=first if not lines else rest,
                subsequent_indent=rest, break_on_hyphens=False, replace_whitespace=False,
            ) or [""]  # fmt: skip
        return lines
