"""Writing Markdown: pages, tables, code, anchors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

NOTE: Final = "<!-- Made by `make reference` from the tables in the code. Change those, not this file. -->"


def page(title: str, *parts: str) -> str:
    """A page: its note, its title, its parts with a blank line between them."""
    return "\n\n".join([NOTE, f"# {title}", *(part.strip("\n") for part in parts if part)]) + "\n"


def join(parts: Iterable[str]) -> str:
    """Parts of a page as one."""
    return "\n\n".join(part.strip("\n") for part in parts if part)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown without line breaks. Empty where there are no rows."""
    lines = [_row(headings), _row(["---"] * len(headings)), *(_row(row) for row in rows)]
    return "\n".join(lines) if len(lines) > 2 else ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def code(text: object) -> str:
    """A piece of code in a line."""
    shown = "".join(_visible(character) for character in str(text))
    ticks = "``" if "`" in shown else "`"
    pad = " " if "`" in shown else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _visible(character: str) -> str:
    return character if character.isprintable() else f"\\u{ord(character):04x}"


def value(found: Any) -> str:
    """A JSON value as code."""
    return code(found if isinstance(found, str) else json.dumps(found, ensure_ascii=False))


def codes(words: Iterable[object]) -> str:
    """Words as code, with commas between them."""
    return ", ".join(code(word) for word in words)


def fence(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.strip(chr(10))}\n```"


def slug(heading: str) -> str:
    """The anchor of a heading, as the site and forges make it."""
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def link(text: str, target: str) -> str:
    """A link."""
    return f"[{text}]({target})"


def sentence(text: str) -> str:
    """The first paragraph of a docstring, in Markdown's spelling of code."""
    first = (text or "").strip().split("\n\n")[0]
    return " ".join(first.split()).replace("``", "`")


def prose(text: str | None) -> str:
    """A docstring, in Markdown's spelling of code."""
    paragraphs = re.split(r"\n\s*\n", (text or "").strip())
    return "\n\n".join(" ".join(part.split()).replace("``", "`") for part in paragraphs)
