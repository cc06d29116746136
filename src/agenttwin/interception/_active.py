"""Which case a call belongs to, and when a call may reach the real function.

The case is a context variable: tasks inherit it, and so do threads that are started with a copy of the
context. A thread without it must not do for real what a test was to do: see ``current``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Protocol
from weakref import WeakSet


class Answer(Protocol):
    """What a tool answered; see run.Reply."""

    @property
    def status(self) -> int | None: ...
    @property
    def ok(self) -> bool: ...
    @property
    def text(self) -> str: ...
    @property
    def body(self) -> Any: ...


class Awaited(Protocol):
    """The tools of a case for a coroutine; see run.AwaitedTools."""

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any: ...


class Tools(Protocol):
    """The tools of a case, as far as they are needed here; see run.Tools."""

    @property
    def awaited(self) -> Awaited: ...
    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any: ...


class NoCase(Exception):  # noqa: N818 - reads as what happened
    """A call that belongs to no case, where the real tool must not be reached either."""


_TOOLS: Final[ContextVar[Tools | None]] = ContextVar("agenttwin_tools", default=None)


class _Guard:
    """How many cases are active in this process, and which threads may still be at work for one of them."""

    def __init__(self) -> None:
        self.watching = False
        self._lock = threading.Lock()
        self._active = 0
        self._late: WeakSet[threading.Thread] = WeakSet()

    def enter(self) -> None:
        with self._lock:
            self.watching = True
            self._active += 1

    def leave(self) -> None:
        with self._lock:
            self._active -= 1
            if not self._active:
                self._late.update(
                    thread for thread in threading.enumerate() if thread is not threading.main_thread()
                )

    def refusal(self) -> str | None:
        """Why a call without a case is refused; None where it may reach the real function."""
        with self._lock:
            if self._active:
                return (
                    "a case is running in this process, but not in this thread. "
                    "Start the thread in a copy of the context: contextvars.copy_context().run(…)"
                )
            if threading.current_thread() in self._late:
                return "this thread was running when the last case ended, and may still be at work for it"
        return None


_GUARD: Final = _Guard()


@contextmanager
def active(tools: Tools) -> Iterator[None]:
    """Sends the calls of marked functions to these tools: in this context, and in those copied from it."""
    _GUARD.enter()
    token = _TOOLS.set(tools)
    try:
        yield
    finally:
        _TOOLS.reset(token)
        _GUARD.leave()


def current(name: str) -> Tools | None:
    """The tools of the case that a call of the tool ``name`` belongs to; None: call the real function.

    NoCase where that would be wrong: while a case runs elsewhere in this process, and in threads that were
    alive when the last one ended. The main thread and threads begun later are free then.
    """
    tools = _TOOLS.get()
    if tools is None and _GUARD.watching and (why := _GUARD.refusal()) is not None:
        raise NoCase(f"{name} was not called: {why}.")
    return tools
