"""Every test begins without what an earlier one left in a cache, so that it sees what it tests."""

import sys

import pytest

import agenttwin.evaluate  # noqa: F401 - so that its modules are there

CACHES = {
    id(value): value.cache_clear
    for name, module in sys.modules.items()
    if name.startswith("agenttwin.evaluate")
    for value in vars(module).values()
    if hasattr(value, "cache_clear")
}


@pytest.fixture(autouse=True)
def _fresh():
    for clear in CACHES.values():
        clear()
