"""Requests as fast as they are answered, where `wrk` is not installed: _load.py URL BODY CONNECTIONS SECONDS.

Prints the requests that were answered with 200 a second, and the 99th percentile of their seconds.
"""

import asyncio
import json
import sys
import time
from urllib.parse import urlsplit


class Caller(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self, request: bytes, taken: list[float]) -> None:
        self.request, self.taken = request, taken
        self.answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.ask()

    def ask(self) -> None:
        self.began = time.perf_counter()
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.answer += data
        head, there, body = self.answer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]) if there else 1
        if len(body) < length:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"not a success: {self.answer!r}")
        self.taken.append(time.perf_counter() - self.began)
        self.answer = b""
        self.ask()


async def load(url: str, body: str, connections: int, seconds: float) -> None:
    parts = urlsplit(url)
    lines = f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    loop, taken = asyncio.get_running_loop(), list[float]()
    for _ in range(connections):
        await loop.create_connection(lambda: Caller(lines.encode(), taken), parts.hostname, parts.port)
    await asyncio.sleep(seconds)
    taken.sort()
    print(json.dumps({"rate": len(taken) / seconds, "p99": taken[len(taken) * 99 // 100]}))


if __name__ == "__main__":
    url, body, connections, seconds = sys.argv[1:]
    asyncio.run(load(url, body, int(connections), float(seconds)))
