from collections.abc import Iterator

import pytest

from agenttwin.surfaces import TwinServer
from tests.unit.surfaces._scene import Client, open_case


@pytest.fixture(scope="module")
def server() -> Iterator[TwinServer]:
    with TwinServer() as server:
        yield server


@pytest.fixture
def client(server: TwinServer) -> Client:
    return open_case(server)
