"""Results → terminal and JSON; live progress. Computes nothing."""

from agenttwin.report._comparison import render_comparison
from agenttwin.report._explain import explain
from agenttwin.report._page import PROGRAM, Page, page
from agenttwin.report._progress import Progress
from agenttwin.report._reading import not_reproduced
from agenttwin.report._render import FORMATS, render
from agenttwin.report._run import render_run
from agenttwin.report._text import clean
from agenttwin.report._trace import render_case
from agenttwin.report._words import CLASSES, EXIT_CODES, VERDICTS, Word

__all__ = [
    "CLASSES",
    "EXIT_CODES",
    "FORMATS",
    "PROGRAM",
    "VERDICTS",
    "Page",
    "Progress",
    "Word",
    "clean",
    "explain",
    "not_reproduced",
    "page",
    "render",
    "render_case",
    "render_comparison",
    "render_run",
]
