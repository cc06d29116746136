"""Results → text, by the name of a format. Computes nothing: all it shows stands in the document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

import orjson

from agenttwin.compare import Comparison, ComparisonDocument, RunDocument
from agenttwin.report._comparison import render_comparison
from agenttwin.report._html import render_html
from agenttwin.report._junit import render_junit
from agenttwin.report._markdown import render_markdown
from agenttwin.report._page import Page, page
from agenttwin.report._run import render_run
from agenttwin.report._sarif import render_sarif

Report: TypeAlias = ComparisonDocument | RunDocument


def _terminal(report: Report, page: Page) -> str:
    lines = render_run(report, page) if report["format"] == "run/1" else render_comparison(report, page)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _json(report: Report, page: Page) -> str:
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
"""The one table of formats; each takes a `comparison/1` or a `run/1`."""


def render(
    report: Comparison | Mapping[str, Any], format: str = "terminal", sheet: Page | None = None
) -> str:
    """A `comparison/1` or `run/1` document in a format of ``FORMATS``; a Comparison is made one first."""
    document = report.as_json() if isinstance(report, Comparison) else cast(Report, report)
    return FORMATS[format](document, sheet or page())
