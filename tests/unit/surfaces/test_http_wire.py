"""Faults as they are on the socket, byte for byte."""

import json
import threading
import time

import pytest

from agenttwin.surfaces import TwinServer
from agenttwin.transcript import Commit, Result
from agenttwin.twin import FAULTS, When
from tests.unit.surfaces._scene import fault, open_case, rest


def _split(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    return status, headers, body


def test_a_partial_answer_claims_more_than_it_sends_and_breaks_off(server):
    client = open_case(server, fault("partial_response"))
    status, headers, body = _split(client.raw(client.request("pay")))
    assert status == 200
    assert int(headers[b"content-length"]) > len(body) > 0
    assert b'{"paid":1,"call":1}'.startswith(body)
    record = client.case.world.calls[0]
    assert (record.result, record.committed, record.answer) == (Result.PARTIAL, Commit.ALL, body)


@pytest.mark.parametrize(
    ("kind", "committed"), [("dropped_connection", Commit.NONE), ("dropped_after_mutation", Commit.ALL)]
)
def test_a_dropped_connection_brings_no_byte(server, kind, committed):
    client = open_case(server, fault(kind))
    assert client.raw(client.request("pay")) == b""
    assert client.case.world.calls[0].committed is committed


def test_a_drop_takes_only_its_own_connection(server):
    client, other = open_case(server, fault("dropped_connection")), open_case(server)
    client.raw(client.request("pay"))
    assert other.call("pay", id="A-1").status == 200


def test_garbled_json_comes_whole(server):
    client = open_case(server, fault("malformed_json"))
    status, headers, body = _split(client.raw(client.request("pay")))
    assert (status, int(headers[b"content-length"])) == (200, len(body))
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)


@pytest.mark.parametrize("type", ["delay", "timeout_after_mutation", "dropped_connection"])
def test_a_delay_is_real(server, type):
    client = open_case(server, fault(type, delayMs=300))
    began = time.monotonic()
    client.raw(client.request("pay"))
    assert time.monotonic() - began > 0.29
    assert client.case.delayed_ms == 0


def test_a_slow_answer_drips_in(server):
    client = open_case(server, fault("slow_response", delayMs=600))
    with client.socket() as connection:
        connection.sendall(client.request("pay"))
        arrivals, body = [], b""
        while part := connection.recv(65_536):
            arrivals.append(time.monotonic())
            body += part
    assert arrivals[-1] - arrivals[0] > 0.3
    assert len(arrivals) > 5
    assert json.loads(_split(body)[2]) == {"paid": 1, "call": 1}


def test_others_of_the_case_are_answered_while_one_waits(server):
    client = open_case(server, fault("delay", "pay", delayMs=4_000))
    slow = threading.Thread(target=client.call, args=("pay",), kwargs={"id": "A-1"})
    began = time.monotonic()
    slow.start()
    while not client.case.world.records:
        time.sleep(0.005)
    assert client.call("read_order", id="A-1").status == 200
    assert time.monotonic() - began < 3.5
    slow.join()


def test_a_delay_ends_with_the_deadline_of_the_case(server):
    client = open_case(server, fault("delay", delayMs=30_000), seconds=0.4)
    began = time.monotonic()
    client.raw(client.request("pay"))
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("type", ["delay", "slow_response"])
def test_the_end_of_a_case_hangs_up_on_who_waits(server, type):
    client = open_case(server, fault(type, delayMs=30_000))
    with client.socket() as connection:
        connection.sendall(client.request("pay"))
        while not client.case.world.records:
            time.sleep(0.005)
        began = time.monotonic()
        client.end()
        assert b"paid" not in rest(connection)
        assert time.monotonic() - began < 5


def test_a_server_that_stops_lets_nobody_wait():
    with TwinServer() as server:
        client = open_case(server, fault("delay", delayMs=30_000))
        connection = client.socket()
        connection.sendall(client.request("pay"))
        while not client.case.world.records:
            time.sleep(0.005)
        client.case.end()
        began = time.monotonic()
    assert time.monotonic() - began < 5
    assert rest(connection) == b""
    connection.close()


@pytest.mark.parametrize("type", ["http_429", "rate_limit", "transient_unavailable"])
def test_who_is_turned_away_is_told_when_to_come_again(server, type):
    client = open_case(server, fault(type, retryAfterSeconds=7))
    answer = client.call("pay", id="A-1")
    assert (answer.status, answer.getheader("retry-after")) == (FAULTS[type].status, "7")


def test_a_message_cannot_add_a_header(server):
    client = open_case(server, fault("http_500", message="a\r\nset-cookie: b"))
    status, headers, _ = _split(client.raw(client.request("pay")))
    assert status == 500
    assert b"set-cookie" not in headers


_FIELDS = {
    "semantic_bad_response": {"body": {"a": 1}},
    "delay": {"delayMs": 1},
    "slow_response": {"delayMs": 20},
    "oversized_response": {"bytes": 99_000},
}


@pytest.mark.parametrize("type", [name for name in FAULTS if name != "custom"])
def test_what_the_socket_shows_is_what_the_record_says(server, type):
    client = open_case(server, fault(type, **_FIELDS.get(type, {})))
    answer = client.raw(client.request("pay"))
    record = next(call for call in client.case.world.calls if not call.redelivered)
    if record.status is None:
        assert answer == b""
    else:
        status, _, body = _split(answer)
        assert (status, body) == (record.status, record.answer)


@pytest.mark.parametrize(
    ("tool", "body", "headers"),
    [
        ("pay", b'{"id": "A-1"}', {}),
        ("pay", b'{"id": "A-1"}', {"Idempotency_Key": "k"}),
        ("pay", b'{"id": 7}', {}),
        ("pay", b"{", {}),
        ("note", b"", {}),
        ("note", b'{"a": "' + b"x" * 100_000 + b'"}', {}),
        ("note", b'{"a": "' + b"x" * 300_000 + b'"}', {}),
    ],
)
def test_an_answer_at_once_is_byte_for_byte_that_of_the_long_way(server, tool, body, headers):
    never = fault("http_500").model_copy(update={"when": When(callNumber=1_000_000)})
    short, long = open_case(server), open_case(server, never)
    for _ in range(2):  # the second time a key makes it a replay
        assert short.raw(short.request(tool, body, **headers)) == long.raw(
            long.request(tool, body, **headers)
        )
    assert short.case.world.records == long.case.world.records
