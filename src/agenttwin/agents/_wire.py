"""Messages between a process that runs agents and the owner of the worlds: JSON, each after its length."""

from __future__ import annotations

import contextlib
import threading
from typing import IO, Any, Final

import orjson

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""A message that claims more is no message: something else was written to the pipe."""


class Wire:
    """One end of a pair of pipes. Any thread may send, one receives; EOFError where the other end is gone."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._lock = threading.Lock()

    def send(self, kind: str, *content: Any) -> None:
        """Sends a message: a word for its kind, and its content."""
        data = orjson.dumps([kind, *content])
        try:
            with self._lock:
                self._outgoing.write(len(data).to_bytes(4, "big") + data)
                self._outgoing.flush()
        except (OSError, ValueError):  # ValueError: closed on this side meanwhile
            raise EOFError from None

    def receive(self) -> tuple[str, list[Any]]:
        """The next message."""
        size = int.from_bytes(self._exactly(4), "big")
        if size > MAX_MESSAGE_BYTES:
            raise EOFError
        kind, *content = orjson.loads(self._exactly(size))
        return kind, content

    def close(self) -> None:
        """Lets go of the pipes."""
        for pipe in (self._outgoing, self._incoming):
            with contextlib.suppress(OSError):  # what was not sent yet cannot be sent any more
                pipe.close()

    def _exactly(self, size: int) -> bytes:
        try:
            data = self._incoming.read(size)
        except (OSError, ValueError):
            raise EOFError from None
        if len(data) < size:
            raise EOFError
        return data
