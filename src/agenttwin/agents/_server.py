"""A server that we start for an agent: on a free port, waited for, and ended with the run."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from agenttwin.agents._group import Group, check_program
from agenttwin.agents._output import Output
from agenttwin.errors import AgentTwinError

PORT: Final = "{port}"
"""Stands for the port, in the command and in the address."""

START_SECONDS: Final = 60.0
"""For a server to import what it needs; frameworks are large."""

LOOK_SECONDS: Final = 0.05
"""Between two looks at whether a server is ready."""

KEPT_BYTES: Final = 4096
"""Of what a server wrote last, told where it does not start."""


class AgentServer:
    """``argv`` in ``folder``, with `{port}` in it and in ``url`` replaced by a free port.

    It is ready when it answers `GET {url}{ready}` with a success; without ``ready``, when it takes a
    connection. Its standard streams are not kept: they belong to no case. To be closed, or used in a `with`.
    """

    def __init__(
        self,
        argv: Sequence[str],
        url: str,
        *,
        folder: Path,
        env: Mapping[str, str] | None = None,
        ready: str | None = None,
        start_seconds: float = START_SECONDS,
        masked: Callable[[str], str] = lambda text: text,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self.start_seconds = start_seconds
        self._argv = tuple(argv)
        self._address = url
        self._folder = folder
        self._env = {**os.environ, **(env or {})}
        self._ready = ready
        self._masked = masked
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._group: Group | None = None
        self._is_up = False
        check_program(self._argv[0], folder=folder, env=self._env)

    @property
    def running(self) -> bool:
        """Whether it is ready and has not ended since."""
        return self._is_up and self._group is not None and self._group.running

    def start(self) -> None:
        """Starts it and waits until it is ready, unless it runs.

        AgentTwinError where it does not get ready; what it wrote last stands beside it.
        """
        with self._lock:
            if self.running:
                return
            self.close()
            port = str(_free_port())
            self.url = self._address.replace(PORT, port)
            argv = [part.replace(PORT, port) for part in self._argv]
            group = Group(argv, folder=self._folder, env={**self._env, "PORT": port})
            told = Output(None, room=KEPT_BYTES)
            group.read(stdout=told.take, stderr=told.take)
            self._group = group
            self._wait(group, told)
            self._is_up = True

    def close(self) -> None:
        """Ends it."""
        self._is_up = False
        if self._group is not None:
            self._group.end()
            self._group = None

    def __enter__(self) -> AgentServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, group: Group, told: Output) -> None:
        end = self._clock() + self.start_seconds
        while not self._is_ready():
            ended = not group.running
            if ended or self._clock() > end:
                self.close()
                what = "ended" if ended else f"was not ready after {self.start_seconds:g} seconds"
                message = f"The agent's server, {' '.join(self._argv)!r}, {what}."
                raise AgentTwinError("agent_not_started", message, self._masked(told.text.strip()))
            self._sleep(LOOK_SECONDS)

    def _is_ready(self) -> bool:
        address = urlsplit(self.url)
        connection = HTTPConnection(address.hostname or "", address.port, timeout=1)
        try:
            connection.connect()
            if self._ready is None:
                return True
            connection.request("GET", address.path.rstrip("/") + self._ready)
            return 200 <= connection.getresponse().status < 300
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port
