"""One reader for every kind of document: text in, a frozen model with its source out, or every problem."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from agenttwin.document._draft import consider
from agenttwin.document._model import API_VERSION
from agenttwin.document._parse import kind_of, scan, told
from agenttwin.document._source import Source, in_order
from agenttwin.document._validate import Finding, problems_of
from agenttwin.errors import DocumentError, Problem, quote
from agenttwin.values import Json, Path, describe, nearest

M = TypeVar("M", bound=BaseModel, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Generic[M]):
    """A document that holds: the model, where it was written, and what a reader should still know."""

    kind: str
    model: M
    source: Source
    warnings: tuple[Problem, ...] = ()

    @property
    def digest(self) -> str:
        """The digest of the document as written."""
        return self.source.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken(Generic[M]):
    """A document that cannot be used: what is wrong with it, and what is left of it all the same.

    ``texts`` are those that ``draft`` does not have; others may refer to them. None: nobody knows them.
    """

    problems: tuple[Problem, ...]
    draft: Document[M] | None = None
    texts: frozenset[str] | None = None


def read(text: bytes | str, *, file: str, models: Mapping[str, type[M]]) -> Document[M]:
    """A document of one of the kinds in `models`; DocumentError with every problem."""
    found = examine(text, file=file, models=models)
    if isinstance(found, Broken):
        raise DocumentError(found.problems)
    return found


def examine(text: bytes | str, *, file: str, models: Mapping[str, type[M]]) -> Document[M] | Broken[M]:
    """As `read`, but what is wrong comes as a value, with what is left of the document."""
    try:
        source, flaws = scan(text, file=file)
    except DocumentError as error:
        return Broken(problems=error.problems)
    problems = [*told(source, flaws), *problems_of(source, _check_head(source, models))]
    kind = kind_of(source.value)
    if kind not in models:
        return Broken(problems=in_order(problems))
    rest, findings = consider(source, models[kind])
    told_already = {problem.path for problem in problems}
    problems += [each for each in problems_of(source, findings) if not _is_echo(each.path, told_already)]
    if rest is None:
        return Broken(problems=in_order(problems), texts=frozenset(_texts(source.value)))
    document = Document(kind=kind, model=rest.model, source=rest.source, warnings=in_order(problems))
    if all(problem.warning for problem in problems):
        return document
    hidden = frozenset(text for place in rest.left_out for text in _texts(Path(place).get(source.value)))
    return Broken(problems=document.warnings, draft=document, texts=hidden)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _is_echo(path: str, told: set[str]) -> bool:
    """Whether something at a place or above it was told already, of which this is a consequence."""
    return any(path == each or path.startswith((f"{each}.", f"{each}[")) for each in told if each)


def _check_head(source: Source, models: Mapping[str, object]) -> list[Finding]:
    """What is wrong with the two fields that say what the rest is."""
    if not isinstance(source.value, dict):
        message = "a document is a mapping with apiVersion, kind, metadata and spec"
        return [Finding(at=(), code="not_a_document", message=message)]
    return [*_check_version(source.value), *_check_kind(source.value, models)]


def _check_version(value: Mapping[str, Json]) -> list[Finding]:
    at, version = ("apiVersion",), value.get("apiVersion")
    if version == API_VERSION:
        return []
    if version is None:
        message = f"the field 'apiVersion' is missing; write apiVersion: {API_VERSION}"
        return [Finding(at=at, code="missing_field", message=message)]
    message = f"{_shown(version)} is not a version that is read here"
    return [Finding(at=at, code="unknown_api_version", message=message, valid=(API_VERSION,))]


def _check_kind(value: Mapping[str, Json], models: Mapping[str, object]) -> list[Finding]:
    at, kind, valid = ("kind",), value.get("kind"), tuple(models)
    if isinstance(kind, str) and kind in models:
        return []
    if kind is None:
        return [Finding(at=at, code="missing_field", message="the field 'kind' is missing", valid=valid)]
    message = f"{_shown(kind)} is not a kind of document that is read here"
    close = nearest(kind, valid) if isinstance(kind, str) else None
    return [Finding(at=at, code="unknown_kind", message=message, nearest=close, valid=valid)]


def _shown(value: Json) -> str:
    return quote(value) if isinstance(value, str) else describe(value)
