"""A server over the demo's workspace, with its first comparison, in this process; asked as a client would."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from agenttwin.lab import Session, write_example
from agenttwin.server import create_app
from agenttwin.server._desk import Desk

HOST = "http://127.0.0.1:8321"


@pytest.fixture(scope="session")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with one comparison in its store."""
    root = tmp_path_factory.mktemp("demo") / "shop"
    write_example("support-refund", root)
    with Session.open(root) as session:
        session.compare("1.2.4", "1.3.0")
    return root


@pytest.fixture
def root(compared: Path, tmp_path: Path) -> Path:
    return copied(compared, tmp_path)


def copied(compared: Path, folder: Path) -> Path:
    """A workspace of one's own: what one test keeps, no other finds."""
    shutil.copytree(compared, folder / "shop")
    return folder / "shop"


@pytest.fixture
def desk(root: Path) -> Iterator[Desk]:
    desk = Desk(root)
    yield desk
    desk.close(10)


@pytest.fixture
def client(desk: Desk) -> Iterator[httpx.Client]:
    """A client that gets errors as answers."""
    with TestClient(create_app(desk), base_url=HOST, raise_server_exceptions=False) as client:
        yield client
