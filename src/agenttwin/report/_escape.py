"""Foreign text inside Markdown: always shown, never obeyed.

Characters that mean something become entities, which no Markdown reader takes for markup. Mentions,
references and addresses are found later, in the finished text, so a word joiner stands in them.
"""

from __future__ import annotations

import re
from typing import Final

from agenttwin.report._text import clean

_MARKUP = re.compile(
    r"(?P<found_late>[@#]|!(?=\d)|(?<=[gG][hH])-|:(?=//)|(?<=[wW]{3})\.)"  # people, issues, addresses
    r"|[&<>|`*\[\]\\~$^]"  # elements, tables, code, emphasis, links, formulas
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore inside a word is one already
    r"|:(?=\S)"  # smileys
)
_START = re.compile(r"(\d{0,9})([.)+=-])")
"""What makes a list, a heading or a rule of a line that begins with it."""

_PLAIN = re.compile(r"[^`|\\\n\t]+")
"""What a span of code holds as it stands, in a table too."""

_BREAK: Final = "<br>"


def prose(text: str) -> str:
    """The text as a part of a line of Markdown, or of HTML in it."""
    first, *rest = (_MARKUP.sub(_entity, line) for line in clean(text).split("\n"))
    first = first.lstrip()
    if start := _START.match(first):
        first = f"{start[1]}&#{ord(start[2])};{first[start.end() :]}"
    return _BREAK.join((first, *rest))


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
    joiner = "&#8288;" if found["found_late"] else ""
    return f"&#{ord(found[0])};{joiner}"
