"""A program with all that it starts: run in a process group of its own, and ended as one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from agenttwin.errors import NotFound

PIECE_BYTES: Final = 65_536

END_SECONDS: Final = 1.0
"""For a killed process to be gone; one that the kernel holds longer is left to it."""


class Group:
    """A running program. Its streams are pipes; ``end`` and ``wait`` end what it has started too."""

    def __init__(
        self, argv: Sequence[str], *, folder: Path, env: Mapping[str, str], stdin: IO[bytes] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            argv,
            cwd=folder,
            env=env,
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._lock = threading.Lock()
        self._reaped = False

    def wait(self) -> int:
        """Waits for the program itself, then ends what it left running; its exit code, below 0 a signal."""
        _look(self._process)
        self.end()
        return self._process.wait()

    def end(self) -> None:
        """Ends the program and what it started, whoever waits for it."""
        with self._lock:
            if self._reaped:
                return
            kill_group(self._process)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
                self._reaped = True

    @property
    def running(self) -> bool:
        """Whether the program has not ended."""
        return not self._reaped and not _look(self._process, block=False)

    def read(
        self, *, stdout: Callable[[bytes], None], stderr: Callable[[bytes], None]
    ) -> list[threading.Thread]:
        """Hands on what it writes, piece by piece, in threads that end with the pipes."""
        pipes = ((self._process.stdout, stdout), (self._process.stderr, stderr))
        threads = [
            threading.Thread(target=_drain, args=(pipe, take), name="agenttwin-drain", daemon=True)
            for pipe, take in pipes
        ]
        for thread in threads:
            thread.start()
        return threads


def _look(process: subprocess.Popen[bytes], *, block: bool = True) -> bool:
    """Whether a process has ended, once it has where ``block``.

    Where the system can, it is not reaped yet: until then its number cannot stand for another group.
    """
    if hasattr(os, "waitid"):
        how = os.WEXITED | os.WNOWAIT | (0 if block else os.WNOHANG)
        try:
            return os.waitid(os.P_PID, process.pid, how) is not None
        except ChildProcessError:  # somebody else has reaped it
            return True
    return (process.wait() if block else process.poll()) is not None


def _drain(pipe: Any, take: Callable[[bytes], None]) -> None:
    with contextlib.suppress(OSError, ValueError), pipe:
        while data := pipe.read1(PIECE_BYTES):
            take(data)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Ends a process that was started in a session of its own, and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def how_it_ended(code: int) -> str:
    """The end of a process in words."""
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


def check_program(program: str, *, folder: Path, env: Mapping[str, str]) -> None:
    """NotFound where there is no such program: a name is looked for on the PATH, a path from ``folder``."""
    place = str(folder / program) if os.path.dirname(program) else program
    if shutil.which(place, path=env.get("PATH")) is None:
        raise NotFound("no_such_program", f"There is no program {program!r} to run.")
