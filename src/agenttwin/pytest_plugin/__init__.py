"""AgentTwin in pytest: scenarios as tests, and their worlds as fixtures.

pytest loads this at every start, so it imports nothing of AgentTwin until a test asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from agenttwin.lab import ScenarioCase, Session, Twin

__all__ = [
    "agenttwin_case",
    "agenttwin_session",
    "pytest_addoption",
    "pytest_collect_file",
    "twin",
]

FILE_NAME = "agenttwin.yaml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options `--agenttwin` and `--agenttwin-version`, and where the workspace is."""
    group = parser.getgroup("agenttwin")
    group.addoption(
        "--agenttwin",
        action="store_true",
        help="collect the scenarios of each agenttwin.yaml as tests of the latest version",
    )
    group.addoption(
        "--agenttwin-version",
        metavar="VERSION",
        help="the version that --agenttwin tests: 1.3.0 or agent@1.3.0, or a ref of an agent in git",
    )
    parser.addini(
        "agenttwin_workspace", "the folder with agenttwin.yaml, relative to rootdir (default: rootdir)"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """With `--agenttwin`, an `agenttwin.yaml` is a file of tests."""
    wanted = parent.config.getoption("agenttwin") or parent.config.getoption("agenttwin_version")
    if file_path.name != FILE_NAME or not wanted:
        return None
    from agenttwin.pytest_plugin._scenarios import WorkspaceFile

    return WorkspaceFile.from_parent(parent, path=file_path)


@pytest.fixture(scope="session")
def agenttwin_session(pytestconfig: pytest.Config) -> Iterator[Session]:
    """The workspace that `agenttwin_workspace` of pytest's settings names; by default that of the rootdir."""
    from agenttwin.errors import AgentTwinError
    from agenttwin.lab import Session

    folder = pytestconfig.rootpath / str(pytestconfig.getini("agenttwin_workspace") or "")
    try:
        opened = Session.open(folder)
    except AgentTwinError as error:
        raise pytest.UsageError(f"agenttwin_workspace: {error}") from None
    with opened as session:
        yield session


@pytest.fixture(scope="session")
def twin(agenttwin_session: Session) -> Twin:
    """The workspace's twin, to start cases of one's own with; where it has several, the first."""
    return agenttwin_session.twin()


@pytest.fixture
def agenttwin_case(agenttwin_session: Session) -> Iterator[Callable[[str], ScenarioCase]]:
    """Begins the case of a scenario: `case = agenttwin_case("refund-timeout")`. It ends with the test."""
    begun: list[Any] = []

    def begin(scenario: str) -> ScenarioCase:
        case = agenttwin_session.case(scenario)
        begun.append(case)
        return case

    yield begin
    for case in begun:
        case.end()
