"""Values → terminal and JSON; live progress. Computes nothing."""

from agenttwin.report._explain import render_story
from agenttwin.report._progress import Progress
from agenttwin.report._render import FORMATS, page, render
from agenttwin.report._single import render_run, render_side
from agenttwin.report._terminal import render_case, render_comparison
from agenttwin.report._text import Page, clean
from agenttwin.report._words import CLASSES, EXIT_CODES, VERDICTS, Word

__all__ = [
    "CLASSES",
    "EXIT_CODES",
    "FORMATS",
    "VERDICTS",
    "Page",
    "Progress",
    "Word",
    "clean",
    "page",
    "render",
    "render_case",
    "render_comparison",
    "render_run",
    "render_side",
    "render_story",
]
