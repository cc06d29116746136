"""A large world is read while calls go on."""

import threading
import time

import orjson
import pytest

from agenttwin.surfaces import StandAlone
from agenttwin.surfaces._serve_json import spelled, spelled_events
from agenttwin.transcript import encode_events
from agenttwin.twin import begin
from tests.unit.surfaces._scene import Client, shop


@pytest.mark.parametrize(
    "value",
    [{}, [], None, "ä\u2028", 1.5, {"a": []}, {"a": {"b": {"c": {"d": [1, {"e": 2}]}}}}, [[[[1]]], {"": None}],
     {str(number): {"n": [number] * 3} for number in range(1_000)}, list(range(5_000))],
)  # fmt: skip
def test_pieces_make_up_the_value(value):
    assert orjson.loads(b"".join(spelled(value))) == value


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 600])
def test_pieces_make_up_the_records(count):
    from agenttwin.transcript import Retrieval

    events = [Retrieval(seq=number, query="q", documents=()) for number in range(count)]
    assert b"".join(spelled_events(events)) == encode_events(events)


def test_calls_are_answered_while_a_large_world_is_read():
    record = {"id": "x", "lines": [{"sku": "y" * 20, "count": number} for number in range(10)]}
    state = {"many": {f"R-{number}": record for number in range(20_000)}}
    twin = shop()
    with StandAlone(lambda: begin(twin, state=state)) as served:
        client = Client(served._server, served.case, served.address.http_url)
        sizes = []
        reader = threading.Thread(target=lambda: sizes.append(len(client.ask("GET", "/state").data)))
        reader.start()
        waits = []
        while reader.is_alive():
            began = time.perf_counter()
            assert client.call("pay", id="A-1").status == 200
            waits.append(time.perf_counter() - began)
        reader.join()
    assert sizes[0] > 8_000_000
    assert len(waits) > 3
    assert sorted(waits)[len(waits) // 2] < 0.5
