"""Values → text, by the name of a format. Computes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import orjson

from agenttwin.report._html import render_html
from agenttwin.report._junit import render_junit
from agenttwin.report._markdown import render_markdown
from agenttwin.report._sarif import render_sarif
from agenttwin.report._single import render_run
from agenttwin.report._terminal import render_comparison
from agenttwin.report._text import Page

DEFAULT_COLUMNS: Final = 100
MIN_COLUMNS: Final = 60
MAX_COLUMNS: Final = 120

Report = Mapping[str, Any]


def page(*, colour: bool = False, columns: int = DEFAULT_COLUMNS) -> Page:
    """A page of a readable width."""
    return Page(colour=colour, columns=min(max(columns, MIN_COLUMNS), MAX_COLUMNS))


def _terminal(report: Report, sheet: Page) -> str:
    lines = (
        render_run(report, sheet) if report["format"].startswith("run/") else render_comparison(report, sheet)
    )
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _json(report: Report, sheet: Page) -> str:
    return orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


FORMATS: Final[Mapping[str, Callable[[Report, Page], str]]] = MappingProxyType(
    {
        "terminal": _terminal,
        "json": _json,
        "html": lambda report, _: render_html(report),
        "markdown": lambda report, _: render_markdown(report),
        "junit": lambda report, _: render_junit(report),
        "sarif": lambda report, _: render_sarif(report),
    }
)
"""The one table of formats."""


def render(report: Report, format: str = "terminal", sheet: Page | None = None) -> str:
    """The report (a `comparison/1` or a `run/1`) in a format of ``FORMATS``."""
    return FORMATS[format](report, sheet or page())
