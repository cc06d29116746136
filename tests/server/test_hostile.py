"""Clients that mean no good, against a real process: a clear status, bounded memory, and health in time."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.server._process import Server

MIB = 1024 * 1024
ROOM = 128 * MIB
"""What the server may hold at most beyond what it held before."""


@pytest.fixture(scope="module")
def server(compared: Path) -> Iterator[Server]:
    with Server(compared) as server:
        server.ask("comparisons")
        yield server


@pytest.fixture(autouse=True)
def _still_well(server: Server) -> Iterator[None]:
    before = server.resident
    server.forget_peak()
    yield
    began = time.monotonic()
    assert server.ask("health", timeout=10)["status"] == "ok"
    assert time.monotonic() - began < 5
    assert server.peak - before < ROOM


def sent(server: Server, *parts: bytes, seconds: float = 20.0) -> int | None:
    """The status of what is answered to bytes; None where the connection is closed without."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as line:
        with suppress(OSError):  # it may stop to listen before all is said
            for part in parts:
                line.sendall(part)
        with suppress(OSError):
            answer = b""
            while b"\r\n" not in answer and (more := line.recv(4096)):
                answer += more
            return int(answer.split()[1]) if answer else None
    return None


def request(server: Server, start: str, *headers: str, body: bytes = b"", length: bool = True) -> bytes:
    lines = [start, f"Host: 127.0.0.1:{server.port}", *headers]
    if length and body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


POST = "POST /api/v1/pairs HTTP/1.1"
BODIES = {
    "nested": b"[" * 200_000,
    "nested in a field": b'{"baseline":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "not a number": b'{"baseline": NaN, "candidate": "1.3.0"}',
    "a lone surrogate": b'{"baseline": "\\ud800", "candidate": "1.3.0"}',
    "no UTF-8": b'{"baseline": "\xff\xfe", "candidate": "1.3.0"}',
    "a long number": b'{"baseline": "1.2.4", "candidate": "1.3.0", "seed": ' + b"9" * 10_000 + b"}",
    "nothing": b" ",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_none_is_refused(server: Server, name: str) -> None:
    assert sent(server, request(server, POST, body=BODIES[name])) in (400, 404, 422)


def test_a_body_that_is_too_large_is_refused(server: Server) -> None:
    told = request(server, POST, "Content-Type: application/json", f"Content-Length: {10**12}")
    assert sent(server, told) == 413
    chunked = request(server, POST, "Content-Type: application/json", "Transfer-Encoding: chunked")
    part = b"100000\r\n" + b" " * MIB + b"\r\n"
    assert sent(server, chunked, *[part] * 40, b"0\r\n\r\n") in (413, None)


def test_a_body_that_is_packed_is_not_unpacked(server: Server) -> None:
    import gzip

    bomb = gzip.compress(b" " * 64 * MIB)
    assert sent(server, request(server, POST, "Content-Encoding: gzip", body=bomb)) in (400, 415, 422)


@pytest.mark.parametrize(
    "headers", [[f"X-{number}: 1" for number in range(10_000)], ["X: " + "y" * MIB]], ids=["many", "long"]
)
def test_headers_without_end_are_refused(server: Server, headers: list[str]) -> None:
    assert sent(server, request(server, "GET /api/v1/health HTTP/1.1", *headers)) in (400, 431, None)


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/assets/..%2f..%2f..%2fetc%2fpasswd", "/%00", "/assets/%00", "/" + "a" * 5_000],
)
def test_a_path_leads_nowhere_else(server: Server, path: str) -> None:
    assert sent(server, request(server, f"GET {path} HTTP/1.1")) in (200, 400, 404)


@pytest.mark.parametrize("method", ["POST", "DELETE", "PROPFIND", "PATCH"])
@pytest.mark.parametrize(
    "header",
    [
        "Origin: null",
        "Origin: http://[",
        "oRiGiN: https://elsewhere.example",
        "Sec-Fetch-Site: cross-site",
        "SEC-FETCH-SITE: same-site",
        "Cookie: a=b",
    ],
)
def test_a_page_of_elsewhere_changes_nothing(server: Server, method: str, header: str) -> None:
    assert sent(server, request(server, f"{method} /api/v1/pairs HTTP/1.1", header)) == 403


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1.elsewhere.example", "[", ""])
def test_another_host_is_not_served(server: Server, host: str) -> None:
    text = f"GET /api/v1/health HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    assert sent(server, text) in (400, 421)


@pytest.mark.parametrize("id", ["\xb2", "9" * 5_000, "-1", "x"])
def test_a_last_event_that_is_none_is_no_fault(server: Server, id: str) -> None:
    text = request(server, "GET /api/v1/events HTTP/1.1", f"Last-Event-ID: {id}")
    assert sent(server, text) == 200


def test_who_is_slow_keeps_nobody_else_waiting(server: Server) -> None:
    lines = []
    for number in range(200):
        line = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        lines.append(line)
        start = "GET /api/v1/events HTTP/1.1" if number % 2 else POST
        line.sendall(request(server, start, *([] if number % 2 else ["Content-Length: 99"])))
    assert server.ask("health", timeout=10)["status"] == "ok"
    for line in lines:
        line.close()


def exchanged(server: Server, *parts: bytes, seconds: float = 20.0) -> bytes:
    """All that comes back until the server hangs up, or says nothing more for a while."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as line:
        for part in parts:
            line.sendall(part)
        found = b""
        with suppress(OSError):
            while more := line.recv(65_536):
                found += more
        return found


@pytest.mark.parametrize(
    "start",
    [
        "GET /api/v1/health HTTP/1.0",
        "GET http://127.0.0.1/api/v1/health HTTP/1.1",
        "HEAD /api/v1/comparisons HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "CONNECT evil.example:443 HTTP/1.1",
        "HACK /api/v1/pairs HTTP/1.1",
        "GET /api/v1/health",
        "GET  HTTP/1.1",
        "\x00\x01\x02",
    ],
)
def test_odd_requests_get_a_status_or_an_end(server: Server, start: str) -> None:
    found = sent(server, request(server, start))
    assert found is None or found < 500


def test_requests_in_one_go_are_answered_in_their_order(server: Server) -> None:
    paths = ["health", "nothing", "health", "me"]
    last = request(server, "GET /api/v1/me HTTP/1.1", "Connection: close")
    whole = b"".join(request(server, f"GET /api/v1/{path} HTTP/1.1") for path in paths[:3]) + last
    answers = exchanged(server, whole)
    assert [int(part.split()[0]) for part in answers.split(b"HTTP/1.1 ")[1:]] == [200, 404, 200, 200]


@pytest.mark.parametrize(
    "chunk", [b"zz\r\n", b"-1\r\n{}\r\n", b"5\r\n{}\r\n0\r\n\r\n", b"ffffffffffffffff\r\n{}"]
)
def test_chunks_that_are_none_end_the_request(server: Server, chunk: bytes) -> None:
    head = request(server, POST, "Content-Type: application/json", "Transfer-Encoding: chunked")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as line:
        line.sendall(head + chunk)
        line.shutdown(socket.SHUT_WR)
        with suppress(OSError):
            answer = line.recv(4096)
            assert not answer or answer.split()[1] in (b"400", b"415", b"422")


def test_who_asks_and_never_reads_costs_only_itself(server: Server) -> None:
    lines = []
    for _ in range(10):
        line = socket.create_connection(("127.0.0.1", server.port), timeout=5)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.sendall(request(server, "GET /openapi.json HTTP/1.1") * 10)
        lines.append(line)
    assert server.ask("health", timeout=10)["status"] == "ok"
    for line in lines:
        line.close()


@pytest.mark.extended
@pytest.mark.parametrize("part", ["head", "body"])
def test_who_never_ends_a_request_is_not_waited_for(server: Server, part: str) -> None:
    whole = request(server, POST, "Content-Type: application/json", "Content-Length: 100") + b"{"
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=90) as line:
        line.sendall(whole if part == "body" else whole[:20])
        ended = b""
        with suppress(OSError):
            ended = line.recv(4096)
    assert not ended or ended.split()[1] == b"408"
    assert 30 < time.monotonic() - began < 80
