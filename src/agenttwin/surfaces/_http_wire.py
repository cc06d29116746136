"""How an answer travels over a socket: one row for each way of `Wire`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from agenttwin.surfaces._http_exchange import Exchange
from agenttwin.surfaces._http_route import Route
from agenttwin.twin import MAX_DELAY_MS, Reply, Wire

DRIPS: Final = 20
"""Pieces in which an answer drips in."""


@dataclass(slots=True, kw_only=True)
class Parcel:
    """An answer and how it travels. ``body`` is what is sent; of a truncated one that is a part."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    wire: Wire
    delay_ms: int


async def deliver(exchange: Exchange, route: Route, reply: Reply) -> None:
    """Sends what a tool answered, the way it travels."""
    if reply.wire is Wire.WHOLE and not reply.delay_ms:
        await exchange.answer(reply.status or 500, reply.body or b"", reply.headers)
        return
    parcel = Parcel(
        status=reply.status or 500,
        headers=reply.headers,
        body=reply.body or b"",
        wire=reply.wire,
        delay_ms=reply.delay_ms,
    )
    await travel(exchange, route, parcel)


async def travel(exchange: Exchange, route: Route, parcel: Parcel) -> None:
    """Sends a parcel after its delay, which is real; a case that ends meanwhile hangs up on its caller."""
    delay = min(parcel.delay_ms, MAX_DELAY_MS) / 1000
    if parcel.wire is Wire.DRIPPING:
        await _drip(exchange, route, parcel, delay)
    elif delay and not await route.pause(delay):
        await exchange.abort()
    else:
        await _WAYS[parcel.wire](exchange, parcel)


async def _whole(exchange: Exchange, parcel: Parcel) -> None:
    await exchange.answer(parcel.status, parcel.body, parcel.headers)


async def _nothing(exchange: Exchange, parcel: Parcel) -> None:
    del parcel
    await exchange.abort()


async def _truncated(exchange: Exchange, parcel: Parcel) -> None:
    """Claims the length of the whole, and breaks off half-way."""
    await exchange.answer(parcel.status, parcel.body, parcel.headers, length=2 * len(parcel.body) + 1)
    await exchange.hang_up()


async def _drip(exchange: Exchange, route: Route, parcel: Parcel, delay: float) -> None:
    size = max(1, -(-len(parcel.body) // DRIPS))
    pieces = [parcel.body[at : at + size] for at in range(0, len(parcel.body), size)]
    await exchange.start(parcel.status, parcel.headers, length=len(parcel.body))
    for piece in pieces:
        if not await route.pause(delay / len(pieces)):
            await exchange.abort()
            return
        await exchange.more(piece)
    await exchange.more(b"", last=True)


_Way: TypeAlias = Callable[[Exchange, Parcel], Awaitable[None]]

_WAYS: Final[Mapping[Wire, _Way]] = MappingProxyType(
    {
        Wire.WHOLE: _whole,
        Wire.GARBLED: _whole,  # its body is garbled already
        Wire.SLOW: _whole,  # its delay has passed
        Wire.NOTHING: _nothing,
        Wire.TRUNCATED: _truncated,
    }
)
