"""Where data goes, what the terminal looks like, and how the command ends."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass
from typing import Final, NoReturn, TextIO

import click

DEFAULT_WIDTH: Final = 100

LEFT_SECONDS: Final = 5.0
"""How long the end of the command waits for threads that agents left behind."""

_own: list[TextIO] = []
"""Standard output as it was, once it is kept for data alone."""


_prints: list[TextIO] = []
"""What prints to the first descriptor, which is standard error by then."""


def keep_stdout() -> None:
    """Keeps standard output for data alone: whatever else prints there, in this process or a child of it,
    prints to standard error from now on. Where standard output is closed, data goes nowhere.
    """
    try:
        mine = os.dup(1)
    except OSError:
        mine = os.dup(os.open(os.devnull, os.O_WRONLY))  # the first one takes the place of standard output
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    _own.append(open(mine, "w", encoding=encoding, errors="replace"))  # noqa: SIM115 - for as long as we run
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _prints.append(sys.stdout or open(os.devnull, "w"))  # noqa: SIM115
    sys.stdout = _own[-1]


def hush() -> None:
    """From now on code from outside runs here: what it prints is no data."""
    if _prints:
        sys.stdout = _prints[-1]


def data() -> TextIO:
    """Where data is written to."""
    return _own[-1] if _own else sys.stdout


def show(text: str, *, nl: bool = True) -> None:
    """Data, to standard output; OSError where it cannot be written."""
    stream = data()
    stream.write(f"{text}\n" if nl else text)
    stream.flush()


def say(text: str, *, nl: bool = True) -> None:
    """Something for the person at the terminal; never data."""
    click.echo(text, err=True, nl=nl)


@dataclass(frozen=True, slots=True)
class Terminal:
    """What the output may look like: ANSI colour, live lines, and how many columns there are."""

    colour: bool
    live: bool
    width: int


def terminal() -> Terminal:
    """Colour and live lines only where a person looks: NO_COLOR, CI and a missing TTY are respected."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
    return Terminal(
        colour=forced or (data().isatty() and not plain),
        live=sys.stderr is not None and sys.stderr.isatty() and not plain and not os.environ.get("CI"),
        width=_columns(),
    )


def _columns() -> int:
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(data().fileno()).columns
    except (OSError, ValueError):
        return DEFAULT_WIDTH


def let_go() -> None:
    """Throws away what could not be written: whoever read our output has gone."""
    stream = data()
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def leave(code: int) -> NoReturn:
    """Ends the process, also over threads that an agent left behind, after a moment to end by themselves."""
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    if any(not thread.daemon for thread in others):
        threading.Thread(target=_end, args=(code,), daemon=True).start()
    sys.exit(code)


def _end(code: int) -> None:
    time.sleep(LEFT_SECONDS)
    os._exit(code)
