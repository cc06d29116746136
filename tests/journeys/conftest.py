"""Fixtures of the journeys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys._workspace import DemoWorkspace


@pytest.fixture
def demo(tmp_path: Path) -> DemoWorkspace:
    """A fresh copy of the demo."""
    return DemoWorkspace(tmp_path / "demo")
