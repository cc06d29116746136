"""Live progress: one line that is written over, for whoever watches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agenttwin.run import CaseFinished, CaseStarted, RunEvent, RunFinished, RunStarted

CLEAR: Final = "\r\x1b[K"


class Progress:
    """Listens to a run and says how far it is. Where nobody watches live it says nothing until the end."""

    def __init__(self, write: Callable[[str], None], *, live: bool) -> None:
        self._write = write
        self._live = live
        self._total = 0
        self._finished = 0

    def __call__(self, event: RunEvent) -> None:
        """Takes one event."""
        match event:
            case RunStarted(cases=cases):
                self._total += cases
            case CaseStarted(scenario=scenario, side=side):
                self._show(f"{scenario} ({side})")
            case CaseFinished(record=record):
                self._finished += 1
                self._show(f"{record.scenario} ({record.side})")
            case RunFinished(stopped=stopped):
                if self._live:
                    self._write(CLEAR)
                if stopped is not None:
                    self._write(f"Stopped after {self._finished} of {self._total} cases: {stopped}.\n")

    def _show(self, what: str) -> None:
        if self._live:
            self._write(f"{CLEAR}{self._finished}/{self._total} {what}")
