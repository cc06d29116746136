"""The files that `agenttwin.yaml` names, read: documents, and the states that twins keep beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from glob import has_magic, iglob
from os.path import isfile  # unlike Path.is_file it is false for whatever is no file
from pathlib import Path
from typing import Any, Final

from agenttwin.document import (
    STATE_LIMITS,
    TWIN_LIMITS,
    Broken,
    Document,
    Finding,
    Source,
    examine,
    located,
    parse,
)
from agenttwin.errors import (
    AgentTwinError,
    Denied,
    DocumentError,
    LimitExceeded,
    Location,
    NotFound,
    Problem,
    quote,
)
from agenttwin.scenario import MODELS
from agenttwin.twin import TwinDefinition
from agenttwin.values import Json, format_path, nearest
from agenttwin.workspace._file import OneOrMany, WorkspaceFile

FILE_NAME: Final = "agenttwin.yaml"
CHECKED: Final = ".checked.json"
"""How the file that lies beside a twin and says when it was checked ends; no glob means it."""
MAX_FILES: Final = 20_000
"""Files that one pattern may match; a glob that finds more is most likely wrong."""
MAX_NEIGHBOURS: Final = 1_000
"""Files of a folder that are looked through for a name that was probably meant."""


@dataclass(slots=True, kw_only=True)
class Reader:
    """Reads what one `agenttwin.yaml` names: each file once, which ``seen`` remembers.

    What is wrong is gathered in ``problems``. Broken documents count by what is left of them; ``doubts`` are
    the texts that they may have had (names, maybe), and the kinds of which a document is missing altogether.
    """

    root: Path
    source: Source
    seen: set[Path] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    broken: bool = False
    doubts: set[str] = field(default_factory=set)

    def documents(self, file: WorkspaceFile) -> Iterator[Document[Any]]:
        """Every document that the file names."""
        for at, kind, patterns in _places(file):
            for place, pattern in patterns:
                paths = list(_matches(self.root, pattern))
                if not paths:
                    self._nothing((*at, *place), pattern, kind)
                elif len(paths) > MAX_FILES:
                    self._too_many((*at, *place), pattern, kind)
                else:
                    yield from self._read(sorted(paths), kind, (*at, *place))

    def _read(self, paths: Iterable[Path], kind: str, at: tuple[str | int, ...]) -> Iterator[Document[Any]]:
        for path in paths:
            real = path.resolve()
            if real in self.seen:
                continue
            self.seen.add(real)
            document = self._document(path, _name(self.root, path), kind)
            if document is not None and document.kind == kind:
                yield document
            elif document is not None:
                message = f"{FILE_NAME} lists this file under {format_path(at)}, where the kind is {kind!r}"
                finding = Finding(at=("kind",), code="unexpected_kind", message=message, value=document.kind)
                self.problems.append(located(document.source, finding))
                self.doubts.add(document.kind)

    def _document(self, path: Path, name: str, kind: str) -> Document[Any] | None:
        try:
            found = examine(read_bytes(path, name, TWIN_LIMITS.bytes), file=name, models=MODELS)
        except AgentTwinError as error:
            found = Broken(problems=(_of_file(name, error),))
        if isinstance(found, Document):
            self.problems += found.warnings
            return found
        self.problems += found.problems
        self.broken = True
        self.doubts |= {kind} if found.texts is None else found.texts
        return found.draft

    def _nothing(self, at: tuple[str | int, ...], pattern: str, kind: str) -> None:
        """A pattern may match nothing yet; a file that is named must be there."""
        if has_magic(pattern):
            message = f"no file matches {quote(pattern)}"
            self._tell(Finding(at=at, code="no_such_file", message=message, value=pattern, warning=True))
            return
        close = _neighbour(self.root / pattern)
        message = f"there is no file {quote(pattern)}"
        self._tell(Finding(at=at, code="no_such_file", message=message, value=pattern, nearest=close))
        self.doubts.add(kind)

    def _too_many(self, at: tuple[str | int, ...], pattern: str, kind: str) -> None:
        message = f"{quote(pattern)} matches more than {MAX_FILES:,} files"
        self._tell(Finding(at=at, code="too_many_files", message=message, value=pattern))
        self.doubts.add(kind)

    def _tell(self, finding: Finding) -> None:
        self.problems.append(located(self.source, finding))

    def is_echo(self, problem: Problem) -> bool:
        """Whether a problem between documents may only follow from what is wrong with one of them."""
        if problem.code in _REFERRED:
            return problem.value in self.doubts or _REFERRED[problem.code] in self.doubts
        return problem.value in self.doubts or (problem.warning and (self.broken or bool(self.doubts)))


_REFERRED: Final[Mapping[str, str]] = {
    "unknown_twin": "TwinDefinition",
    "unknown_scenario": "Scenario",
    "unknown_suite": "Dataset",
    "unknown_fault_rule": "Scenario",
    "matches_nothing": "Scenario",
}
"""What a reference that leads nowhere was to lead to."""


def read_states(root: Path, documents: Iterable[Document[Any]]) -> Iterator[tuple[str, Json] | Problem]:
    """The initial states that twins keep in files beside them, by twin name, or what is wrong instead."""
    for document in documents:
        model = document.model
        given = model.spec.initial_state_from if isinstance(model, TwinDefinition) else None
        if given is None:
            continue
        path = (root / document.source.file).parent / given
        try:
            _stay_within(root, path)
            yield model.metadata.name, read_state(path, name=_name(root, path))
        except DocumentError as error:
            yield from error.problems
        except AgentTwinError as error:
            at = ("spec", "initialStateFrom")
            close = _neighbour(path) if error.code == "no_such_file" else None
            finding = Finding(at=at, code=error.code, message=_as_problem(error), value=given, nearest=close)
            yield located(document.source, finding)


def _stay_within(folder: Path, path: Path) -> None:
    """Denied where a path that a document names leads out of a folder, links followed: documents travel."""
    if not path.resolve().is_relative_to(folder.resolve()):
        message = f"The file {quote(path.name)} lies outside of the workspace."
        raise Denied("outside_of_workspace", message)


def read_state(path: Path, *, name: str) -> dict[str, Json]:
    """The state that a twin keeps in a file, called ``name`` where something is wrong with it.

    NotFound or AgentTwinError where the file cannot be read, DocumentError where it holds no JSON object.
    """
    if not isfile(path):
        raise NotFound("no_such_file", f"There is no file {quote(name)} with the state of the twin.")
    data = read_bytes(path, name, STATE_LIMITS.bytes)
    value = parse(data, file=name, limits=STATE_LIMITS).value
    if isinstance(value, dict):
        return value
    location = Location(file=name, line=1, column=1)
    raise DocumentError([Problem(code="invalid_state", message="a state is an object", location=location)])


def read_bytes(path: Path, name: str, limit: int) -> bytes:
    """The bytes of a file, ``limit`` at most. LimitExceeded or AgentTwinError names the file."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise AgentTwinError(
            "unreadable_file", f"The file {name} cannot be read: {error.strerror}."
        ) from None
    if len(data) > limit:
        raise LimitExceeded("document_too_large", f"The file {name} has more than {limit:,} bytes.")
    return data


def _places(
    file: WorkspaceFile,
) -> Iterator[tuple[tuple[str, ...], str, list[tuple[tuple[int, ...], str]]]]:
    yield ("twins",), "TwinDefinition", _many(file.twins)
    for name, agent in file.agents.items():
        yield ("agents", name, "manifests"), "Agent", _many(agent.manifests)
    yield ("scenarios",), "Scenario", _many(file.scenarios)
    yield ("datasets",), "Dataset", _many(file.datasets)


def _many(value: OneOrMany) -> list[tuple[tuple[int, ...], str]]:
    """Each pattern with its place in the field."""
    return [((), value)] if isinstance(value, str) else [((n,), text) for n, text in enumerate(value)]


def _matches(root: Path, pattern: str) -> Iterator[Path]:
    """The files that a pattern names; hidden ones and the workspace's own file only where it spells them."""
    if isfile(root / pattern):
        yield root / pattern
    elif has_magic(pattern):
        own = root / FILE_NAME
        found = (root / name for name in iglob(pattern, root_dir=root, recursive=True))
        files = (path for path in found if path != own and not path.name.endswith(CHECKED) and _is_read(path))
        yield from (path for _, path in zip(range(MAX_FILES + 1), files, strict=False))


def _is_read(path: Path) -> bool:
    """Whether a path that a glob found is read: a file is, and a link that leads nowhere is told."""
    return isfile(path) or (path.is_symlink() and not path.exists())


def _neighbour(path: Path) -> str | None:
    """The file in the same folder that was probably meant; endings alone make no likeness."""
    try:
        files = [entry for _, entry in zip(range(MAX_NEIGHBOURS), path.parent.iterdir(), strict=False)]
    except (OSError, ValueError):
        return None
    stem = nearest(path.stem, sorted(file.stem for file in files))
    return nearest(path.name, sorted(file.name for file in files if file.stem == stem))


def _of_file(name: str, error: AgentTwinError) -> Problem:
    location = Location(file=name, line=1, column=1)
    return Problem(code=error.code, message=_as_problem(error), location=location)


def _as_problem(error: AgentTwinError) -> str:
    """The sentence of an exception in the form that problems have."""
    return error.message[:1].lower() + error.message[1:].removesuffix(".")


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
