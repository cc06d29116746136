"""Foreign text inside Markdown: always shown, never obeyed.

Characters that mean something become entities, which no Markdown reader takes for markup. Mentions and
references are found later, in the finished text, so a word joiner stands in them.
"""

from __future__ import annotations

import re
from typing import Final

from agenttwin.report._text import clean

_MARKUP = re.compile(
    r"[&<>|`*\[\]\\~$^]"  # elements, tables, code, emphasis, links, formulas
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore inside a word is one already
    r"|:(?=\S)|(?<=[wW]{3})\."  # addresses, which are links without being asked
    r"|[@#]|!(?=\d)|(?<=[gG][hH])-"  # people, issues
)
_JOINED: Final = frozenset("@#!")
_PLAIN = re.compile(r"[^`|\\\n\t]+")
"""What a span of code holds as it stands, in a table too."""

_BREAK: Final = "<br>"


def prose(text: str) -> str:
    """The text as a part of a line of Markdown, or of HTML in it; it may not begin the line."""
    return _BREAK.join(_MARKUP.sub(_entity, line) for line in clean(text).split("\n"))


def code(text: str) -> str:
    """The text as evidence: mono, in a line or in a table."""
    line = clean(text)
    return f"`{line}`" if _PLAIN.fullmatch(line) and line == line.strip() else code_html(text)


def code_html(text: str) -> str:
    """The same where Markdown is not read, as in a summary."""
    return f"<code>{prose(text)}</code>"


def fenced(text: str, language: str = "") -> str:
    """The text as a block of its own."""
    body = clean(text)
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def cut(text: str, length: int) -> str:
    """The text with no more characters than that."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _entity(found: re.Match[str]) -> str:
    character = found[0]
    entity = f"&#{ord(character)};"
    if character == "-":
        return f"&#8288;{entity}"
    return f"{entity}&#8288;" if character in _JOINED else entity
