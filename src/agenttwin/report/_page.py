"""A page: lines of a width, in colour or not. Whatever is put on it is made clean first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from agenttwin.report._text import clean, cut, cut_start, line, pad, width, wrap

DEFAULT_COLUMNS: Final = 100
PROGRAM: Final = "agenttwin"
MIN_COLUMNS: Final = 60
MAX_COLUMNS: Final = 120

STYLES: Final = MappingProxyType(
    {
        "bold": "1",
        "quiet": "2",
        "red": "1;31",
        "orange": "33",
        "violet": "35",
        "green": "32",
        "blue": "36",
    }
)
"""Style → its code. Nothing is told by colour alone."""


@dataclass(frozen=True, slots=True)
class Page:
    """Lines of ``columns``, painted where ``colour``. ``program`` is how the reader calls the product."""

    colour: bool = False
    columns: int = DEFAULT_COLUMNS
    program: str = PROGRAM

    def command(self, text: str) -> str:
        """A command of the product as the reader would type it, painted."""
        return self.paint(line(f"{self.program}{text.removeprefix(PROGRAM)}"), "blue")

    def paint(self, text: str, style: str) -> str:
        """Text that is clean already, in a style."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.colour and style and text else text

    def text(self, text: str, indent: int = 0, hang: int = 0, style: str = "") -> Iterator[str]:
        """The text in lines that fit, indented; those after the first by ``hang`` more."""
        first = True
        for part in wrap(text, max(self.columns - indent - hang, 20)):
            yield self.paint(f"{' ' * (indent if first else indent + hang)}{part}".rstrip(), style)
            first = False

    def labelled(self, label: str, text: str, indent: int, columns: int) -> Iterator[str]:
        """The text in lines that fit, beside a label of ``columns``."""
        for number, part in enumerate(wrap(text, max(self.columns - indent - columns, 20))):
            head = clean(label) if number == 0 else ""
            gap = " " * (columns - width(head))
            yield f"{' ' * indent}{self.paint(head, 'quiet')}{gap}{part}".rstrip()

    def head(self, text: str) -> Iterator[str]:
        """The heading of a part of a case."""
        yield ""
        yield f"  {self.paint(clean(text), 'bold')}"

    def table(self, rows: Iterable[Sequence[str]], indent: int, styles: Sequence[str] = ()) -> Iterator[str]:
        """Rows in columns as wide as they need, at most what fits; ``styles``: of each row."""
        cells = list(rows)
        widths = fitting(cells, self.columns - indent)
        for number, row in enumerate(cells):
            first, *rest = zip(row, widths, strict=True)
            text = "  ".join([pad(cut_start(*first), first[1]), *(pad(cell, size) for cell, size in rest)])
            yield self.paint(f"{' ' * indent}{text}".rstrip(), styles[number] if styles else "")


def fitting(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Widths of columns two apart in ``room``: what each needs, the widest giving way until all fit."""
    widths = [max(width(cut(cell, room)) for cell in column) for column in zip(*rows, strict=True)]
    while sum(widths) + 2 * (len(widths) - 1) > room and max(widths) > 8:
        widths[widths.index(max(widths))] -= 1
    return widths


def page(*, colour: bool = False, columns: int = DEFAULT_COLUMNS, program: str = PROGRAM) -> Page:
    """A page of a width that can be read: 60 to 120 columns."""
    return Page(colour=colour, columns=min(max(columns, MIN_COLUMNS), MAX_COLUMNS), program=program)
