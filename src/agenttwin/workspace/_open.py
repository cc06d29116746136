"""Opening a workspace: every file is read, every problem is told at once, settings are resolved once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agenttwin.document import STATE_LIMITS, Document, Source, parse, parse_json, read, validate
from agenttwin.errors import DocumentError, NotFound, Problem
from agenttwin.scenario import MODELS, Library, check
from agenttwin.twin import TwinDefinition
from agenttwin.values import Json
from agenttwin.workspace._environment import environment
from agenttwin.workspace._file import AgentEntry, OneOrMany, WorkspaceFile
from agenttwin.workspace._settings import SETTINGS, Settings, resolve

FILE_NAME: Final = "agenttwin.yaml"
FOLDER: Final = ".agenttwin"
MAX_FILES: Final = 20_000
"""Documents of one workspace; a glob that finds more is most likely wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A folder with its `agenttwin.yaml`, everything it names, and the settings that hold."""

    root: Path
    file: WorkspaceFile
    library: Library
    settings: Settings
    warnings: tuple[Problem, ...]

    @property
    def database(self) -> Path:
        """Where runs are kept."""
        return self.root / FOLDER / "agenttwin.db"

    def agent(self, name: str) -> AgentEntry:
        """How an agent is run."""
        if name not in self.file.agents:
            raise NotFound("unknown_agent", f"There is no agent {name!r} in {FILE_NAME}.")
        return self.file.agents[name]


def find_root(start: Path) -> Path:
    """The nearest folder with an `agenttwin.yaml`, from ``start`` upwards."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
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
    settings = resolve(file, _lines(source), environment(root, environ), flags or {})
    problems: list[Problem] = []
    documents = list(_documents(root, source, file, problems))
    library = Library.of(documents, agents=tuple(file.agents), states=_states(root, documents, problems))
    problems += check(library)
    problems += [warning for document in documents for warning in document.warnings]
    errors = [problem for problem in problems if strict or not problem.warning]
    if errors:
        raise DocumentError(_in_order(problems))
    return Workspace(root=root, file=file, library=library, settings=settings, warnings=_in_order(problems))


def _read_file(root: Path) -> tuple[Source, WorkspaceFile]:
    source = parse((root / FILE_NAME).read_bytes(), file=FILE_NAME)
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


def _documents(
    root: Path, source: Source, file: WorkspaceFile, problems: list[Problem]
) -> Iterator[Document[Any]]:
    """Every document the file names, each read once; problems are gathered, not raised."""
    seen: set[Path] = set()
    for at, kind, patterns in _places(file):
        for pattern in patterns:
            paths = [path for path in sorted(_matches(root, pattern)) if path not in seen]
            if not paths and not any(True for _ in _matches(root, pattern)):
                problems.append(_nothing(source, at, pattern))
            for path in paths:
                seen.add(path)
                document = _read_document(root, path, problems)
                if document is not None and _is_kind(document, kind, problems):
                    yield document


def _places(file: WorkspaceFile) -> Iterator[tuple[tuple[str, ...], str, tuple[str, ...]]]:
    yield ("twins",), "TwinDefinition", _many(file.twins)
    for name, agent in file.agents.items():
        yield ("agents", name, "manifests"), "Agent", _many(agent.manifests)
    yield ("scenarios",), "Scenario", _many(file.scenarios)
    yield ("datasets",), "Dataset", _many(file.datasets)


def _many(value: OneOrMany) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _matches(root: Path, pattern: str) -> Iterable[Path]:
    if any(sign in pattern for sign in "*?["):
        return (path for path in root.glob(pattern) if path.is_file())
    path = root / pattern
    return [path] if path.is_file() else []


def _nothing(source: Source, at: tuple[str, ...], pattern: str) -> Problem:
    glob = any(sign in pattern for sign in "*?[")
    message = f"no file matches {pattern!r}" if glob else f"there is no file {pattern!r}"
    return Problem(
        code="no_such_file", message=message, location=source.locate(at), value=pattern, warning=glob
    )


def _read_document(root: Path, path: Path, problems: list[Problem]) -> Document[Any] | None:
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    try:
        return read(path.read_bytes(), file=name, models=MODELS)
    except DocumentError as error:
        problems += error.problems
    except OSError as error:
        problems.append(Problem(code="unreadable_file", message=f"{name} cannot be read: {error.strerror}"))
    return None


def _is_kind(document: Document[Any], kind: str, problems: list[Problem]) -> bool:
    if document.kind == kind:
        return True
    message = f"this is a {document.kind}, but it is listed where a {kind} is expected"
    location = document.source.locate(("kind",))
    problems.append(Problem(code="unexpected_kind", message=message, location=location, path="kind"))
    return False


def _states(root: Path, documents: Iterable[Document[Any]], problems: list[Problem]) -> dict[str, Json]:
    """The initial states that twins keep in files beside them, by twin name."""
    states: dict[str, Json] = {}
    for document in documents:
        model = document.model
        if not isinstance(model, TwinDefinition) or model.spec.initial_state_from is None:
            continue
        path = (root / document.source.file).parent / model.spec.initial_state_from
        at = document.source.locate(("spec", "initialStateFrom"))
        try:
            states[model.metadata.name] = _read_state(root, path)
        except DocumentError as error:
            problems += error.problems
        except OSError:
            message = f"there is no file {model.spec.initial_state_from!r} beside the twin"
            problems.append(Problem(code="no_such_file", message=message, location=at))
    return states


def _read_state(root: Path, path: Path) -> Json:
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    data = path.read_bytes()
    if path.suffix == ".json":
        return parse_json(data, file=name, limits=STATE_LIMITS)
    return parse(data, file=name, limits=STATE_LIMITS).value


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    def place(problem: Problem) -> tuple[str, int, int]:
        where = problem.location
        return (where.file, where.line, where.column) if where else ("", 0, 0)

    return tuple(sorted(dict.fromkeys(problems), key=place))
