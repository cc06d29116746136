"""One contract, whatever the database: each backend opens a store of its own in an empty place."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agenttwin.storage import Store, open_store
from tests.storage._postgres import fresh_database

BACKENDS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: open_store(folder / ".agenttwin" / "agenttwin.db"),
    "postgresql": lambda folder: open_store(fresh_database()),
}


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with BACKENDS[request.param](tmp_path) as opened:
        yield opened
