"""Exceptions and stacks of the agent, told without what lies above the agent's own code."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import traceback
from itertools import dropwhile
from types import FrameType, TracebackType
from typing import Any, Final

from agenttwin.run._capture import capped

MAX_MESSAGE: Final = 500
"""Characters of an exception's message that are told in a reason; the traceback has the rest."""

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")


def told(error: BaseException) -> str:
    """The exception on one line, the same on every machine and in every run."""
    text = str(error).encode("utf-8", "replace").decode()  # halves of surrogate pairs are no text
    for folder in _folders():
        text = text.replace(folder + os.sep, "")
    text = _ADDRESS.sub("0x…", text)
    text = " ".join(text.split()).rstrip(".")
    text = text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"
    name = type(error).__name__
    return f"{name}: {text}." if text else f"{name}."


def _folders() -> list[str]:
    """Where code lies, the innermost first: a path in a message is told from there, wherever that is."""
    return sorted((entry for entry in sys.path if os.path.isabs(entry)), key=len, reverse=True)


def traced(error: BaseException) -> str:
    """The traceback of an exception, capped."""
    return capped("".join(traceback.format_exception(type(error), error, _below(error.__traceback__))))


def stack_of_thread(thread: int | None) -> str:
    """Where a thread is at this moment."""
    frame = sys._current_frames().get(thread) if thread is not None else None
    frames = list(traceback.walk_stack(frame))[::-1] if frame else []
    return _formatted([(frame, line) for frame, line in frames])


def stack_of_task(task: asyncio.Task[Any] | None) -> str:
    """Where a task is at this moment, through all that it awaits."""
    frames: list[FrameType] = []
    awaited: Any = task.get_coro() if task is not None else None
    while (frame := getattr(awaited, "cr_frame", None)) is not None:
        frames.append(frame)
        awaited = awaited.cr_await
    return _formatted([(frame, frame.f_lineno) for frame in frames])


def _formatted(frames: list[tuple[FrameType, int]]) -> str:
    below = dropwhile(lambda place: _is_ours(place[0]), frames)
    lines = traceback.StackSummary.extract(below).format()
    return capped("".join(["Stack at the deadline (most recent call last):\n", *lines])) if lines else ""


def _below(trace: TracebackType | None) -> TracebackType | None:
    entry = trace
    while entry is not None and _is_ours(entry.tb_frame):
        entry = entry.tb_next
    return entry or trace


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return name == "threading" or name.startswith("agenttwin.")
