"""What a program writes: as much as is kept of it, and the reply that its last line is."""

from __future__ import annotations

import codecs
from contextlib import suppress
from typing import Any, Final

from agenttwin.document import JSON_LIMITS, parse_json
from agenttwin.errors import DocumentError
from agenttwin.run import AgentFailed, Sink
from agenttwin.transcript import Ending

MAX_REPLY_BYTES: Final = 8 * 1024 * 1024
"""An answer of 4 MiB, with its escapes and what the agent says of its calls beside it."""

TAIL_BYTES: Final = 4096
"""Of standard error, where a program says in the end why it failed."""


class Output:
    """Takes the pieces of one stream: shows them to a sink, and keeps the last ``room`` bytes."""

    def __init__(self, sink: Sink | None, *, room: int) -> None:
        self._sink = sink
        self._room = room
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._end = bytearray()
        self.cut = False

    def take(self, data: bytes) -> None:
        """The next piece."""
        if self._sink is not None:
            self._sink.write(self._decoder.decode(data))
        self._end += data
        if len(self._end) > 2 * self._room:
            self._shorten()

    @property
    def end(self) -> bytes:
        """What came last, ``room`` bytes at most."""
        self._shorten()
        return bytes(self._end)

    @property
    def text(self) -> str:
        """The same as text."""
        return self.end.decode("utf-8", "replace")

    def _shorten(self) -> None:
        if len(self._end) > self._room:
            del self._end[: -self._room]
            self.cut = True


def reply_in(output: Output) -> Any:
    """The reply that a program wrote: its last line, or all of it, where that is a JSON object; else text.

    AgentFailed where it is more than a reply may be. Blank lines at the end do not count.
    """
    text = output.end.rstrip()
    last = text.rfind(b"\n") + 1
    for start in dict.fromkeys((last, 0)):
        if text.startswith(b"{", start) and (start or not output.cut):
            with suppress(DocumentError):  # text that happens to begin with a brace
                return read_json(text[start:])
    if output.cut:
        raise too_large()
    return text.decode("utf-8", "replace")


def read_json(data: bytes) -> Any:
    """The JSON value, within the limits of what comes from outside; DocumentError says what is wrong."""
    return parse_json(data, file="reply", limits=JSON_LIMITS)


def too_large() -> AgentFailed:
    """A reply of more bytes than a reply may have."""
    return AgentFailed(Ending.AGENT_ERROR, f"Its reply has more than {MAX_REPLY_BYTES:,} bytes.")
