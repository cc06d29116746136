"""The scenarios of a workspace as tests: a run of one version each, judged by what it provably did."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

from agenttwin.compare import SingleCaseDocument, single_as_json
from agenttwin.errors import AgentTwinError
from agenttwin.lab import Ask, Session
from agenttwin.report import page, render_case

WIDTH = 100


class ScenarioFailed(Exception):  # noqa: N818 - reads as what happened
    """A case that did not pass, told as a person would want to read it."""


class WorkspaceFile(pytest.File):
    """An `agenttwin.yaml`. Its tests are the scenarios of its default suite, or all of them."""

    session_: Session
    version: str

    def collect(self) -> Iterable[pytest.Item]:
        """A test for each scenario; CollectError with every problem of the workspace's files."""
        try:
            self.session_ = Session.open(self.path.parent)
            self.config.add_cleanup(lambda: self.session_.__exit__(None, None, None))
            self.version = self.config.getoption("agenttwin_version") or self.session_.latest()
            found = self.session_.version(self.version)
            scenarios = self.session_.select(found.agent, Ask())
        except AgentTwinError as error:
            raise self.CollectError(str(error)) from None
        for document in scenarios:
            yield ScenarioItem.from_parent(self, name=document.model.name, document=document)


class ScenarioItem(pytest.Item):
    """One scenario."""

    parent: WorkspaceFile

    def __init__(self, *, document: Any, **known: Any) -> None:
        super().__init__(**known)
        self._document = document
        for tag in document.model.metadata.tags:
            self.keywords[tag] = True
        self.user_properties.append(("severity", document.model.metadata.severity))

    def runtest(self) -> None:
        """Runs the version in the scenario's world, and fails where an expectation does."""
        workspace = self.parent
        _, run = workspace.session_.run(workspace.version, Ask(scenarios=(self.name,)))
        report = single_as_json(run, qualified=workspace.session_.qualified)
        (case,) = report["cases"]
        if case["outcome"] == "failed as expected":
            pytest.xfail("; ".join(case["expected_failures"].values()))
        if case["outcome"] != "passed":
            told = render_case(case, report, page(columns=WIDTH))
            raise ScenarioFailed("\n".join(line.rstrip() for line in told))
        self._note(case)

    def _note(self, case: SingleCaseDocument) -> None:
        self.user_properties.append(("claimed_outcome", case["side"]["claimed_outcome"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The story of the case, and not a traceback of AgentTwin."""
        if isinstance(excinfo.value, ScenarioFailed | AgentTwinError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where the scenario stands."""
        source = self._document.source
        return self.parent.path.parent / source.file, 0, self.name
