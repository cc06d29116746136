"""Large values as JSON in pieces, so that others are served in between."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Final

from agenttwin.surfaces._http_exchange import Exchange
from agenttwin.transcript import Event, encode_events
from agenttwin.values import encode

AT_ONCE: Final = 256
"""Parts encoded in one piece: some tenths of a millisecond for records of usual size."""

MIN_PIECE: Final = 64 * 1024
"""Bytes gathered before they are sent."""

_DEPTH: Final = 3
"""Levels at which a value is taken apart: a table of records, with a table in each."""


def spelled(value: Any, depth: int = _DEPTH) -> Iterator[bytes]:
    """A value as JSON, in pieces of at most AT_ONCE parts down to some depth."""
    if not depth or not isinstance(value, dict | list):
        yield encode(value)
    elif isinstance(value, dict):
        yield from _joined(list(value.items()), b"{}", depth)
    else:
        yield from _joined([(None, element) for element in value], b"[]", depth)


def _joined(parts: Sequence[tuple[str | None, Any]], brackets: bytes, depth: int) -> Iterator[bytes]:
    yield brackets[:1]
    for number, (key, part) in enumerate(parts):
        before = b"," if number else b""
        yield before if key is None else before + encode(key) + b":"
        yield from spelled(part, depth - 1)
    yield brackets[1:]


def spelled_events(events: Sequence[Event]) -> Iterator[bytes]:
    """Records as JSON, as they are stored, in pieces."""
    yield b"["
    for start in range(0, len(events), AT_ONCE):
        yield (b"," if start else b"") + encode_events(events[start : start + AT_ONCE])[1:-1]
    yield b"]"


async def answer_in_pieces(exchange: Exchange, pieces: Iterator[bytes]) -> None:
    """Sends JSON as it is made; after each piece others have their turn."""
    await exchange.start(200, _NO_STORE, length=None)
    gathered = bytearray()
    for piece in pieces:
        gathered += piece
        if len(gathered) >= MIN_PIECE:
            await exchange.more(bytes(gathered))
            gathered.clear()
            await asyncio.sleep(0)
    await exchange.more(bytes(gathered), last=True)


_NO_STORE: Final = {"cache-control": "no-store"}
