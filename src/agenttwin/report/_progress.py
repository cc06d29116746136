"""Live progress: one line that is written over, for whoever watches a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agenttwin.report._text import cut
from agenttwin.report._words import plural
from agenttwin.run import CaseFinished, CaseStarted, RunEvent, RunFinished, RunStarted

_CLEAR: Final = "\r\x1b[K"
COLUMNS: Final = 78


class Progress:
    """Listens to runs and says on ``write`` how far they are. ``live``: somebody watches.

    Where nobody does, only an end that is no ordinary one is told.
    """

    def __init__(self, write: Callable[[str], None], *, live: bool) -> None:
        self._write = write
        self._live = live
        self._total = 0
        self._finished = 0
        self._passed = 0

    def __call__(self, event: RunEvent) -> None:
        """Takes one event."""
        match event:
            case RunStarted(cases=cases):
                self._total += cases
            case CaseStarted(scenario=scenario, side=side):
                self._show(f"{scenario} ({side})")
            case CaseFinished(record=record):
                self._finished += 1
                self._passed += record.grade.verdict == "PASSED"
                self._show(f"{record.scenario} ({record.side})")
            case RunFinished():
                self._end(event)

    def _show(self, what: str) -> None:
        if self._live:
            text = f"{self._finished}/{self._total} · {self._passed} passed · {what}"
            self._write(f"{_CLEAR}{cut(text, COLUMNS)}")

    def _end(self, event: RunFinished) -> None:
        if self._live:
            self._write(_CLEAR)
        if event.stopped is not None:
            self._write(f"Stopped after {self._finished} of {self._total} cases: {cut(event.stopped, 200)}\n")
        if event.abandoned:
            left = plural(event.abandoned, "agent was", "agents were")
            self._write(f"{left} still running past the deadline and left behind.\n")
