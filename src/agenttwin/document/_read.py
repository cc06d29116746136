"""One reader for every kind of document: text in, a frozen model with its source out, or every problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from agenttwin.document._json import find_json_spots, read_json
from agenttwin.document._limits import DOCUMENT_LIMITS, LIMITS_BY_KIND, Limits
from agenttwin.document._model import API_VERSION
from agenttwin.document._source import Source
from agenttwin.document._validate import Finding, located, validate
from agenttwin.document._yaml import find_yaml_spots, read_yaml
from agenttwin.errors import DocumentError, Location, Problem, quote
from agenttwin.values import Json, nearest

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


def parse(text: bytes | str, *, file: str, limits: Limits | None = None) -> Source:
    """The value of a YAML or (by the file's name) JSON text. DocumentError holds every problem at once.

    ``limits`` defaults to those of the kind that the text names.
    """
    decoded = _decode(text, file)
    limits = limits or _limits_for(decoded)
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > limits.bytes:
        raise _single(
            file, "document_too_large", f"the document has {size:,} bytes; {limits.bytes:,} are allowed"
        )
    if file.endswith(".json"):
        value = read_json(decoded, file=file, limits=limits)
        return Source(file, decoded, value, partial(find_json_spots, decoded))
    value = read_yaml(decoded, file=file, limits=limits)
    return Source(file, decoded, value, partial(find_yaml_spots, decoded, file=file, limits=limits))


def read(text: bytes | str, *, file: str, models: Mapping[str, type[M]]) -> Document[M]:
    """A document of one of the kinds in ``models``; DocumentError with every problem."""
    source = parse(text, file=file)
    kind = _kind(source, models)
    model, problems = validate(source, models[kind])
    if model is None:
        raise DocumentError(problems)
    return Document(kind=kind, model=model, source=source, warnings=problems)


def _kind(source: Source, models: Mapping[str, Any]) -> str:
    value = source.value
    if not isinstance(value, dict):
        message = "a document is a mapping with apiVersion, kind, metadata and spec"
        raise DocumentError([located(source, Finding(at=(), code="not_a_document", message=message))])
    findings = [*_check_version(value), *_check_kind(value, models)]
    if findings:
        raise DocumentError([located(source, finding) for finding in findings])
    return str(value["kind"])


def _check_version(value: Mapping[str, Json]) -> list[Finding]:
    version = value.get("apiVersion")
    if version == API_VERSION:
        return []
    if version is None:
        message = f"the field 'apiVersion' is missing; write apiVersion: {API_VERSION}"
        return [Finding(at=("apiVersion",), code="missing_field", message=message)]
    message = f"{quote(str(version))} is no version that is read here"
    return [Finding(at=("apiVersion",), code="unknown_api_version", message=message, valid=(API_VERSION,))]


def _check_kind(value: Mapping[str, Json], models: Mapping[str, Any]) -> list[Finding]:
    kind = value.get("kind")
    if kind in models:
        return []
    valid = tuple(models)
    if kind is None:
        return [
            Finding(at=("kind",), code="missing_field", message="the field 'kind' is missing", valid=valid)
        ]
    message = f"{quote(str(kind))} is no kind of document that is read here"
    close = nearest(str(kind), valid)
    return [Finding(at=("kind",), code="unknown_kind", message=message, nearest=close, valid=valid)]


def _decode(text: bytes | str, file: str) -> str:
    if isinstance(text, bytes):
        try:
            decoded = text.decode("utf-8")
        except UnicodeDecodeError as error:
            place = text.count(b"\n", 0, error.start) + 1, error.start - text.rfind(b"\n", 0, error.start)
            raise _single(file, "not_utf8", f"byte {error.start} is not UTF-8", *place) from None
    else:
        decoded = text
    if decoded.startswith("\ufeff"):
        raise _single(file, "byte_order_mark", "the file begins with a byte order mark")
    return decoded


def _limits_for(text: str) -> Limits:
    """The limits of the kind that the text seems to be; the kind itself is checked when it is read."""
    found = re.search(r'^[ \t{]*"?kind"?[ \t]*:[ \t]*"?(\w+)', text[: DOCUMENT_LIMITS.bytes], re.MULTILINE)
    return LIMITS_BY_KIND.get(found[1], DOCUMENT_LIMITS) if found else DOCUMENT_LIMITS


def _single(file: str, code: str, message: str, line: int = 1, column: int = 1) -> DocumentError:
    return DocumentError(
        [Problem(code=code, message=message, location=Location(file=file, line=line, column=column))]
    )
