"""What an agent prints, kept per case: stream proxies that look at whose context a write comes from."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, Final, NoReturn, Protocol, TextIO, TypeAlias

MAX_CAPTURED: Final = 64 * 1024
"""Bytes kept of each stream and of a traceback: enough to read, too little to weigh on a run of thousands."""


class Sink:
    """Keeps the beginning of what one case prints on one stream. After `close` it keeps and shows nothing."""

    __slots__ = ("_closed", "_cut", "_parts", "_room")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = MAX_CAPTURED
        self._cut = 0
        self._closed = False

    def write(self, text: str) -> None:
        """Keeps as much as there is room for, and counts the rest."""
        if self._closed:
            return
        kept = text[: self._room]
        if kept:
            self._parts.append(kept)
            self._room -= len(kept)
        self._cut += len(text) - len(kept)

    def skip(self, characters: int) -> None:
        """Counts what was cut elsewhere."""
        self._cut += characters

    def close(self) -> str:
        """The text kept, with a line that says what was cut."""
        self._closed = True
        return capped("".join(self._parts), cut=self._cut)


def capped(text: str, *, cut: int = 0) -> str:
    """The first 64 KiB of a text, with a line that says how much more there was (``cut``: cut before)."""
    data = text.encode("utf-8", "replace")
    kept = data[:MAX_CAPTURED].decode("utf-8", "ignore")
    cut += len(text) - len(kept)
    return f"{kept}\n… {cut:,} more characters were cut." if cut else kept


class Writes(Protocol):
    """What takes printed text."""

    def write(self, text: str) -> None:
        """Takes a piece of text."""


Sinks: TypeAlias = tuple[Sink, Sink]
"""One case's standard output and standard error."""

_STREAMS: Final = ("stdout", "stderr")

_sinks: ContextVar[tuple[Writes, Writes] | None] = ContextVar("agenttwin_sinks", default=None)


def capture_here(sinks: tuple[Writes, Writes] | None) -> None:
    """From now on, what this context prints goes to ``sinks`` (None: to the real streams)."""
    _sinks.set(sinks)


class _Proxy:
    """Stands in for a standard stream: a case's writes go to its sink, everybody else's to the stream.

    No `io` class: those close themselves when they are collected, and the stream is not ours to close.
    """

    def __init__(self, stream: TextIO, index: int) -> None:
        self.stream = stream
        self.buffer = _Bytes(self)
        self._index = index

    def write(self, text: str) -> int:
        sinks = _sinks.get()
        if sinks is None:
            return self.stream.write(text)
        sinks[self._index].write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if _sinks.get() is None:
            self.stream.flush()

    def isatty(self) -> bool:
        return _sinks.get() is None and self.stream.isatty()

    def close(self) -> None:
        """A case does not close the stream of all; nobody else does while cases run."""

    detach = close

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Bytes:
    """The proxy as a stream of bytes, for programs that write to `sys.stdout.buffer`."""

    def __init__(self, proxy: _Proxy) -> None:
        self._proxy = proxy

    def write(self, data: Any) -> int:
        if _sinks.get() is None:
            return int(self._proxy.stream.buffer.write(data))
        self._proxy.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self) -> None:
        self._proxy.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._proxy.stream.buffer, name)


class _Installed:
    """The proxies of this process; runs side by side share them, and so do threads that were left behind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._start = threading.Thread.start
        self._proxies: dict[str, _Proxy] = {}

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        with self._lock:
            self._users += 1
            self._install()
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._remove()

    def _install(self) -> None:
        """Also where somebody has put another stream in place of the proxy since."""
        for index, name in enumerate(_STREAMS):
            stream = getattr(sys, name)
            if not isinstance(stream, _Proxy):
                proxy = self._proxies[name] = _Proxy(stream, index)
                setattr(sys, name, proxy)
        _set_start(_start_with_sinks(self._start))

    def _remove(self) -> None:
        """Also where an agent has put another stream in place of the proxy: that was for itself alone."""
        _set_start(self._start)
        for name, proxy in self._proxies.items():
            setattr(sys, name, proxy.stream)
        self._proxies.clear()


def _start_with_sinks(start: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    """`Thread.start` that hands the sinks on: a thread begins with an empty context otherwise."""

    def start_with_sinks(thread: threading.Thread) -> None:
        sinks = _sinks.get()
        if sinks is not None:
            run = thread.run

            def run_with_sinks() -> None:
                capture_here(sinks)
                run()

            thread.run = run_with_sinks  # type: ignore[method-assign]
        start(thread)

    return start_with_sinks


def _set_start(start: Callable[[threading.Thread], None]) -> None:
    threading.Thread.start = start  # type: ignore[method-assign, assignment]


_installed = _Installed()


def capturing() -> contextlib.AbstractContextManager[None]:
    """While this holds, contexts with sinks print into them; for the whole process."""
    return _installed.hold()


@contextlib.contextmanager
def staying() -> Iterator[None]:
    """While this holds, a case that calls `os._exit` ends itself and not the run, of which nothing would be
    told then. A child process that was forked ends.
    """
    leave, process = os._exit, os.getpid()

    def leave_case(status: int) -> NoReturn:
        if _sinks.get() is not None and os.getpid() == process:
            raise SystemExit(status)
        leave(status)

    os._exit = leave_case
    try:
        yield
    finally:
        os._exit = leave
