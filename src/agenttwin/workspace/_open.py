"""Opening a workspace: every file is read, every problem is told at once, settings are resolved once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os.path import isfile
from pathlib import Path
from typing import Any, Final

from agenttwin.compare import TwinCheck
from agenttwin.document import DOCUMENT_LIMITS, Document, Finding, Source, located, parse, validate
from agenttwin.errors import DocumentError, NotFound, Problem
from agenttwin.scenario import Custom, Library, Scenario, Suite, check, suite_findings
from agenttwin.twin import TwinDefinition
from agenttwin.values import nearest
from agenttwin.workspace._checks import read_checks
from agenttwin.workspace._code import ADAPTERS, EVALUATORS, names
from agenttwin.workspace._environment import environment
from agenttwin.workspace._file import AgentEntry, WorkspaceFile
from agenttwin.workspace._reading import FILE_NAME, Reader, read_bytes, read_states
from agenttwin.workspace._settings import SETTINGS, Settings, resolve

FOLDER: Final = ".agenttwin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A folder with its `agenttwin.yaml`, everything it names, and the settings that hold."""

    root: Path
    file: WorkspaceFile
    library: Library
    settings: Settings
    warnings: tuple[Problem, ...]
    checks: Mapping[str, TwinCheck]
    """By the name of each twin, when it was last held against the real thing."""

    @property
    def database(self) -> Path:
        """Where runs are kept."""
        return self.root / FOLDER / "agenttwin.db"

    @property
    def suites(self) -> dict[str, Suite]:
        """The suites by name."""
        return _suites(self.file)

    def agent(self, name: str) -> AgentEntry:
        """How an agent is run; NotFound names the nearest."""
        if name in self.file.agents:
            return self.file.agents[name]
        close = nearest(name, self.file.agents)
        hint = f" Did you mean {close!r}?" if close else ""
        raise NotFound("unknown_agent", f"There is no agent {name!r} in {FILE_NAME}.{hint}")


def find_root(start: Path) -> Path:
    """The nearest folder with an `agenttwin.yaml`, from ``start`` upwards."""
    start = start.resolve()
    if not start.exists():
        raise NotFound("no_such_file", f"There is no folder {str(start)!r}.", "Correct its name.")
    for folder in (start, *start.parents):
        if isfile(folder / FILE_NAME):
            return folder
    raise NotFound("no_workspace", f"There is no {FILE_NAME} in {start} or above it.")


def open_workspace(
    path: Path | str = ".",
    *,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
    strict: bool = False,
) -> Workspace:
    """The workspace at ``path`` or above it. DocumentError holds the problems of all its files.

    ``flags`` are settings from the command line; ``strict`` makes warnings problems.
    """
    root = find_root(Path(path))
    source, file = _read_file(root)
    settings = resolve(
        file,
        _lines(source),
        environment(root, environ),
        flags or {},
        from_env_file=lambda name: name not in environ,
    )
    library, problems = _read_all(root, source, file)
    found = list(read_checks(root, library))
    problems += tuple(item for item in found if isinstance(item, Problem))
    if strict:
        problems = tuple(replace(problem, warning=False) for problem in problems)
    if any(not problem.warning for problem in problems):
        raise DocumentError(problems)
    return Workspace(
        root=root,
        file=file,
        library=library,
        settings=settings,
        warnings=problems,
        checks={check.twin: check for check in found if isinstance(check, TwinCheck)},
    )


def _read_file(root: Path) -> tuple[Source, WorkspaceFile]:
    source = parse(read_bytes(root / FILE_NAME, FILE_NAME, DOCUMENT_LIMITS.bytes), file=FILE_NAME)
    file, problems = validate(source, WorkspaceFile)
    if file is None:
        raise DocumentError(problems)
    return source, file


def _lines(source: Source) -> dict[str, str]:
    """Where in the file each setting stands, for those that it sets."""
    value = source.value
    if not isinstance(value, dict):
        return {}
    return {
        name: f"{FILE_NAME}:{source.locate((name,), key=True).line}" for name in SETTINGS if name in value
    }


def _read_all(root: Path, source: Source, file: WorkspaceFile) -> tuple[Library, tuple[Problem, ...]]:
    """Everything the file names, and all that is wrong with it, in the order of the files and their lines."""
    reader = Reader(root=root, source=source)
    documents = list(reader.documents(file))
    states = list(read_states(root, documents))
    library = Library.of(
        documents,
        agents=tuple(file.agents),
        states=dict(item for item in states if isinstance(item, tuple)),
    )
    between = [
        *check(library),
        *(located(source, finding) for finding in suite_findings(library, _suites(file), file.default_suite)),
        *_unregistered(documents, file),
    ]
    problems = [
        *reader.problems,
        *(item for item in states if isinstance(item, Problem)),
        *(problem for problem in between if not reader.is_echo(problem)),
    ]
    return library, _in_order(problems)


def _suites(file: WorkspaceFile) -> dict[str, Suite]:
    return {name: suite.as_suite() for name, suite in file.suites.items()}


def _unregistered(documents: Iterable[Document[Any]], file: WorkspaceFile) -> Iterator[Problem]:
    """Custom handlers and expectations that name no code."""
    for document in documents:
        match document.model:
            case TwinDefinition() as twin:
                used = _adapters(twin)
                code, known = "unknown_adapter", names(ADAPTERS, file.adapters) if used else ()
            case Scenario() as scenario:
                used = _evaluators(scenario)
                code, known = "unknown_evaluator", names(EVALUATORS, file.evaluators) if used else ()
            case _:
                continue
        for at, name in used:
            if name not in known:
                finding = Finding(
                    at=at,
                    code=code,
                    message=f"there is no {code.removeprefix('unknown_')} {name!r}",
                    value=name,
                    nearest=nearest(name, known),
                    valid=known,
                )
                yield located(document.source, finding)


def _adapters(twin: TwinDefinition) -> list[tuple[tuple[str | int, ...], str]]:
    return [
        (("spec", "tools", index, "handler", "adapter"), tool.handler.adapter)
        for index, tool in enumerate(twin.spec.tools)
        if tool.handler.kind == "custom"
    ]


def _evaluators(scenario: Scenario) -> list[tuple[tuple[str | int, ...], str]]:
    return [
        (("spec", "expectations", index, "evaluator"), expectation.evaluator)
        for index, (_, expectation) in enumerate(scenario.expectations)
        if isinstance(expectation, Custom)
    ]


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    def place(problem: Problem) -> tuple[str, int, int]:
        where = problem.location
        return (where.file, where.line, where.column) if where else ("", 0, 0)

    return tuple(sorted(dict.fromkeys(problems), key=place))
