"""One reader for every kind of document: text in, a frozen model with its source out, or every problem."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from agenttwin.document._model import API_VERSION
from agenttwin.document._parse import kind_of, scan, told
from agenttwin.document._source import Source, in_order
from agenttwin.document._validate import Finding, located, validate
from agenttwin.errors import DocumentError, Problem, quote
from agenttwin.values import Json, describe, nearest

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


def read(text: bytes | str, *, file: str, models: Mapping[str, type[M]]) -> Document[M]:
    """A document of one of the kinds in `models`; DocumentError with every problem."""
    source, flaws = scan(text, file=file)
    problems = [*told(source, flaws), *(located(source, finding) for finding in _check_head(source, models))]
    kind = kind_of(source.value)
    if kind not in models:
        raise DocumentError(in_order(problems))
    model, found = validate(source, models[kind])
    told_already = {problem.path for problem in problems}
    problems += [problem for problem in found if not _is_echo(problem.path, told_already)]
    if model is None or flaws:
        raise DocumentError(in_order(problems))
    return Document(kind=kind, model=model, source=source, warnings=in_order(problems))


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
