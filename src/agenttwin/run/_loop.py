"""Coroutines of agents and judges, run side by side on an event loop that has a thread of its own.

The loop lives as long as the process, so that a client which an agent keeps between cases stays usable. One
that a coroutine blocks is left to it, and later coroutines get a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, Generic, TypeVar

from agenttwin.run._trace import stack_of_task

T = TypeVar("T")

CANCEL_GRACE_SECONDS: Final = 0.25
"""How long a cancelled coroutine may take to end before it is abandoned."""


class Starved(Exception):  # noqa: N818 - reads as what happened
    """The coroutine ran out of time because another one blocked the loop; it may be tried again."""


class Running(Generic[T]):
    """A coroutine on its way. ``wait`` for it, then read ``result``."""

    def __init__(self, loop: _Loop, awaitable: Awaitable[T]) -> None:
        self._loop = loop
        self._awaitable = awaitable
        self._task: asyncio.Task[None] | None = None
        self._done = threading.Event()
        self._value: T
        self._error: BaseException | None = asyncio.CancelledError()

    def wait(self, seconds: float) -> bool:
        """Whether it ended within that time."""
        return self._done.wait(max(seconds, 0))

    def result(self) -> T:
        """What it gave; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._value

    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return not self._done.is_set()

    def stack(self) -> str:
        """Where it waits at this moment."""
        return stack_of_task(self._task)

    def cancel_soon(self) -> None:
        """Asks it to end."""
        self._loop.soon(lambda: self._cancel_here(threading.Event()))

    def cancel(self) -> bool:
        """Asks it to end and waits for a moment; whether it did. Starved where another one holds the loop."""
        heard = threading.Event()
        self._loop.soon(lambda: self._cancel_here(heard))
        if self.wait(CANCEL_GRACE_SECONDS):
            return True
        if not heard.is_set():
            self._loop.retire()
            if self._task is None or asyncio.current_task(self._loop.loop) is not self._task:
                raise Starved
        return False

    def _cancel_here(self, heard: threading.Event) -> None:
        heard.set()
        if self._task is not None:
            self._task.cancel()

    def start(self) -> None:
        """Begins, in the caller's context; runs in the loop's thread."""
        context = copy_context()
        self._loop.running.add(self)
        self._loop.soon(
            lambda: self._start_here(lambda: self._loop.loop.create_task(self._run(), context=context))
        )

    def _start_here(self, create: Callable[[], asyncio.Task[None]]) -> None:
        self._task = create()
        self._task.add_done_callback(self._finish)

    async def _run(self) -> None:
        try:
            self._value = await self._awaitable
            self._error = None
        except BaseException as error:  # it is raised where the result is read
            self._error = error

    def _finish(self, _: asyncio.Task[None]) -> None:
        if isinstance(self._awaitable, Coroutine):
            self._awaitable.close()  # it may have been cancelled before it began
        self._loop.left(self)
        self._done.set()


class _Loop:
    """One event loop and its thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(_DaemonThreads())
        self.retired = False
        self.running: set[object] = set()
        threading.Thread(target=self._run, name="agenttwin-loop", daemon=True).start()

    def _run(self) -> None:
        self.loop.run_forever()
        self.loop.close()

    def soon(self, act: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # it was closed: all that it had to do is done
            self.loop.call_soon_threadsafe(act)

    def retire(self) -> None:
        """Takes no more coroutines; ends with the last one that it has."""
        self.retired = True
        self.soon(self._end_if_idle)

    def left(self, running: object) -> None:
        """A coroutine has ended."""
        self.running.discard(running)
        self._end_if_idle()

    def _end_if_idle(self) -> None:
        if self.retired and not self.running:
            self.loop.stop()


class _DaemonThreads(ThreadPoolExecutor):
    """Threads for `asyncio.to_thread` that a process does not wait for at its end."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=work, name="agenttwin-to-thread", daemon=True).start()
        return future


class _Shared:
    """The loop of this process that takes coroutines at present."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: _Loop | None = None

    def current(self) -> _Loop:
        with self._lock:
            if self._loop is None or self._loop.retired:
                self._loop = _Loop()
            return self._loop


_agents = _Shared()
_judges = _Shared()


def begin_agent(awaitable: Awaitable[T]) -> Running[T]:
    """Begins a coroutine of an agent, beside those of other cases."""
    return _begin(_agents, awaitable)


def begin_judge(awaitable: Awaitable[T]) -> Running[T]:
    """Begins a coroutine of a judge; agents cannot hold it up."""
    return _begin(_judges, awaitable)


def _begin(shared: _Shared, awaitable: Awaitable[T]) -> Running[T]:
    running = Running(shared.current(), awaitable)
    running.start()
    return running
