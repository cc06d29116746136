"""Many at a time, and callers who mean no good: each costs itself only."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from agenttwin.errors import Conflict, LimitExceeded, UsageError
from agenttwin.surfaces import TwinServer
from agenttwin.surfaces._http_connection import Connection
from tests.unit.surfaces._scene import open_case, rest, shop


def test_calls_of_one_case_happen_one_after_the_other(client):
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: client.call("pay", id="A-1").json, range(80)))
    assert sorted(answer["paid"] for answer in answers) == list(range(1, 81))
    assert all(answer["paid"] == answer["call"] for answer in answers)
    assert [call.seq for call in client.case.world.calls] == list(range(1, 81))


def test_a_hundred_cases_run_side_by_side(server):
    clients = [open_case(server) for _ in range(100)]

    def play(client):
        return [client.call("pay", id="A-1").json["paid"] for _ in range(5)]

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(play, clients)) == [[1, 2, 3, 4, 5]] * 100
    assert all(client.statuses == [200] * 5 for client in clients)


def test_code_from_outside_that_hangs_costs_its_case_only(server):
    go_on = threading.Event()

    def slow(*_):
        go_on.wait(20)
        return {"done": True}

    twin = shop(slow)
    hanging, other = open_case(server, twin=twin), open_case(server, twin=twin)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(hanging.call, "slow")
        time.sleep(0.3)
        second = pool.submit(hanging.call, "pay", id="A-1")
        assert other.call("pay", id="A-1").json == {"paid": 1, "call": 1}
        assert not second.done()
        go_on.set()
        first.result()
        second.result()
    assert [call.tool for call in hanging.case.world.calls] == ["slow", "pay"]


def test_more_calls_than_the_limit_are_refused_and_recorded(server):
    client = open_case(server, call_limit=3)
    assert [client.call("note").status for _ in range(5)] == [200, 200, 200, 409, 409]
    assert client.case.world.limit_exceeded


def test_beyond_all_recording_calls_are_refused_without_a_record(client, monkeypatch):
    monkeypatch.setattr("agenttwin.run._case.MAX_EVENTS", 4)
    client.case.world.call_limit = 2
    assert [client.call("note").status for _ in range(6)] == [200, 200, 409, 409, 429, 429]
    assert len(client.case.world.records) == 4


def test_a_server_hosts_so_many_cases_and_no_more():
    with TwinServer(max_cases=2) as server:
        first, _ = open_case(server), open_case(server)
        with pytest.raises(LimitExceeded, match="at most 2 cases"):
            open_case(server)
        first.end()
        assert open_case(server).call("note").status == 200


def test_a_token_leads_to_one_case(client):
    with pytest.raises(Conflict):
        client.server.register(client.case)


def test_an_address_that_is_taken_is_told(server):
    port = urlsplit(server.url).port
    with pytest.raises(UsageError, match=f"Port {port}"):
        TwinServer(port=port)


def test_too_many_requests_at_a_time_are_asked_to_come_again(server, monkeypatch):
    client = open_case(server)
    monkeypatch.setattr(server._surface, "_max_in_flight", 0)
    answer = client.call("note")
    assert (answer.status, answer.getheader("retry-after")) == (503, "1")
    assert client.case.world.records == []
    assert server.events[-1].kind == "overload"


def test_too_many_connections_are_asked_to_come_again(server, monkeypatch):
    client = open_case(server)
    monkeypatch.setattr(Connection, "most", 0)
    answer = client.call("note")
    assert (answer.status, answer.getheader("retry-after")) == (503, "1")
    assert answer.getheader("connection") == "close"


@pytest.mark.parametrize("slowly", [False, True])
def test_a_head_that_is_too_large_is_refused(client, slowly):
    head = client.request("note").replace(b"\r\n\r\n", b"\r\nX-Padding: " + b"x" * 60_000 + b"\r\n\r\n")
    with client.socket() as connection:
        for start in range(0, len(head), 16_000 if slowly else len(head)):
            connection.sendall(head[start : start + (16_000 if slowly else len(head))])
            time.sleep(0.05 * slowly)
            if slowly and start > 32_000:
                break
        assert rest(connection).startswith(b"HTTP/1.1 431 ")
    assert client.case.world.records == []


def test_a_path_that_is_too_large_is_refused(client):
    assert client.raw(client.request("x" * 40_000)).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("part", [5, 40, -3])
def test_who_sends_a_request_drop_by_drop_is_cut_off(client, monkeypatch, part):
    monkeypatch.setattr(Connection, "seconds", 0.8)
    request = client.request("note", b'{"a": 1}')
    began = time.monotonic()
    answer = client.raw(request[:part])
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - began < 5
    assert client.case.world.records == []


def test_a_connection_without_a_request_is_closed(client, monkeypatch):
    monkeypatch.setattr(Connection, "seconds", 0.3)
    assert client.raw(b"") == b""


def test_a_slow_body_in_chunks_is_cut_off(client, monkeypatch):
    monkeypatch.setattr(Connection, "seconds", 0.5)
    head = client.request("note", b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with client.socket() as connection:
        connection.sendall(head)
        try:
            for _ in range(20):
                connection.sendall(b"1\r\n{\r\n")
                time.sleep(0.1)
        except OSError:
            pass
        assert b"408" in rest(connection)


def test_a_keep_alive_connection_is_not_cut_off_between_requests(client, monkeypatch):
    monkeypatch.setattr(Connection, "seconds", 0.8)
    parts = urlsplit(client.url)
    connection = HTTPConnection(parts.hostname, parts.port, timeout=10)
    for _ in range(2):
        connection.request("POST", parts.path + "/tools/note", b"{}")
        assert connection.getresponse().read()
        time.sleep(1.1)
    connection.close()


def test_a_body_without_end_is_refused_while_it_is_read(client):
    head = client.request("note", b"").replace(b"Content-Length: 0", b"Content-Length: 1073741824")
    sent = 0
    with client.socket() as connection:
        connection.sendall(head)
        try:
            while sent < 200_000_000:
                sent += connection.send(b"x" * 1_000_000)
        except OSError:
            pass
    assert sent < 200_000_000
    assert client.statuses == [413]


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x16\x03\x01\x02\x00",
        b"GET\r\n\r\n",
        b"POST /t/x HTTP/9.9\r\n\r\n",
        b"\r\n" * 50 + b"?",
        b"A" * 300_000,
    ],
)
def test_what_is_no_http_is_refused(client, nonsense, monkeypatch):
    monkeypatch.setattr(Connection, "seconds", 0.5)
    answer = client.raw(nonsense)
    assert answer == b"" or answer.split(b" ")[1] in (b"400", b"408", b"431")
    assert client.call("note").status == 200


def test_a_caller_who_hangs_up_costs_nobody_anything(client):
    for _ in range(20):
        with client.socket() as connection:
            connection.sendall(client.request("note")[:-2])
    assert client.call("note").status == 200
    assert client.statuses == [200]


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1", None, 200),
        ("localhost:1234", None, 200),
        ("[::1]:80", None, 200),
        ("10.1.2.3", None, 200),
        ("evil.example", None, 403),
        ("localhost.evil.example", None, 403),
        ("", None, 403),
        ("127.0.0.1", "http://127.0.0.1", 200),
        ("127.0.0.1", "http://evil.example", 403),
        ("127.0.0.1", "null", 403),
        ("localhost", "http://127.0.0.1", 403),
    ],
)
def test_a_page_from_elsewhere_is_not_answered(client, host, origin, status):
    headers = {"Origin": origin} if origin else {}
    request = client.request("note", b"{}", **headers).replace(b"Host: 127.0.0.1", b"Host: " + host.encode())
    assert client.raw(request).split(b" ")[1] == str(status).encode()
    assert client.statuses == ([200] if status == 200 else [])


def test_pipelined_requests_are_answered_in_order(client):
    request = client.request("pay").replace(b"Connection: close\r\n", b"")
    answer = client.raw(request * 4 + client.request("pay"))
    assert [answer.count(b'{"paid":%d,' % number) for number in range(1, 6)] == [1] * 5


def test_cases_end_while_their_agents_go_on_calling(server):
    clients = [open_case(server) for _ in range(20)]
    over = threading.Event()

    def nag(client):
        statuses = set()
        while not over.is_set():
            statuses.add(client.call("note").status)
        return statuses

    with ThreadPoolExecutor(10) as pool:
        found = [pool.submit(nag, client) for client in clients[:10]]
        for client in clients:
            client.end()
        counts = [len(client.case.world.records) for client in clients]
        time.sleep(0.2)
        over.set()
        assert all(future.result() <= {200, 410} for future in found)
    assert [len(client.case.world.records) for client in clients] == counts
