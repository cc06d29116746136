"""Keeps every value that was run. Light to import: the database comes with `open_store`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from agenttwin.storage._order import Facts, Order
from agenttwin.storage._values import (
    Answer,
    Audited,
    ComparisonCaseRow,
    ComparisonRow,
    Key,
    Page,
    Project,
    StoredDocument,
    StoredKey,
    StoredPair,
    StoredRun,
)

MAX_BUNDLE = 64 * 1024 * 1024
"""Bytes of a pair or run that is sent from one store to another, packed."""

DEFAULT = "default"
"""The project that is always there: a workspace's own."""

if TYPE_CHECKING:
    from pathlib import Path

    from agenttwin.storage._recorder import Kept, Recorder
    from agenttwin.storage._store import Store

__all__ = [
    "DEFAULT",
    "MAX_BUNDLE",
    "Answer",
    "Audited",
    "ComparisonCaseRow",
    "ComparisonRow",
    "Facts",
    "Kept",
    "Key",
    "Order",
    "Page",
    "Project",
    "Recorder",
    "Store",
    "StoredDocument",
    "StoredKey",
    "StoredPair",
    "StoredRun",
    "open_store",
]


def open_store(where: Path | str) -> Store:
    """The store in a file, which is made with its folder where it is not there, or in a PostgreSQL.

    A text that begins with `postgresql://` is the address of one.

    AgentTwinError where it cannot be opened: locked, damaged, not writable, of a newer version.
    """
    from agenttwin.storage._store import open_at

    return open_at(where)


def __getattr__(name: str) -> Any:
    """The classes that need the database, imported when they are asked for."""
    modules = {"Store": "_store", "Recorder": "_recorder", "Kept": "_recorder"}
    if name not in modules:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{modules[name]}"), name)
