"""Live progress: what somebody sees who watches, and what a log gets."""

from __future__ import annotations

from types import SimpleNamespace

from agenttwin.report import Progress
from agenttwin.run import CaseFinished, CaseStarted, RunFinished, RunStarted


def told(*events, live):
    written = []
    progress = Progress(written.append, live=live)
    for event in events:
        progress(event)
    return written


def finished(scenario, verdict):
    record = SimpleNamespace(scenario=scenario, side="baseline", grade=SimpleNamespace(verdict=verdict))
    return CaseFinished(record=record)


EVENTS = (
    RunStarted(cases=2),
    CaseStarted(side="baseline", scenario="a", trial=1),
    finished("a", "PASSED"),
    finished("b\x1b[2J", "FAILED"),
)


def test_a_line_is_written_over_and_taken_away_in_the_end():
    clear = "\r\x1b[K"
    assert told(*EVENTS, RunFinished(finished=2), live=True) == [
        f"{clear}0/2 · 0 passed · a (baseline)",
        f"{clear}1/2 · 1 passed · a (baseline)",
        f"{clear}2/2 · 1 passed · b\\x1b[2J (baseline)",
        clear,
    ]


def test_a_log_gets_nothing_of_an_ordinary_run():
    assert told(*EVENTS, RunFinished(finished=2), live=False) == []


def test_an_end_that_is_no_ordinary_one_is_told():
    end = RunFinished(finished=1, stopped="A case failed.", abandoned=1)
    assert told(RunStarted(cases=2), finished("a", "FAILED"), end, live=False) == [
        "Stopped after 1 of 2 cases: A case failed.\n",
        "1 agent was still running past the deadline and left behind.\n",
    ]


def test_two_runs_are_counted_together():
    assert told(RunStarted(cases=2), RunStarted(cases=3), finished("a", "PASSED"), live=True)[-1].startswith(
        "\r\x1b[K1/5 · 1 passed"
    )
