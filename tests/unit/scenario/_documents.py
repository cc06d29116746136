"""Small documents, changed one field at a time, and the problems that are told of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from agenttwin.document import Document, read
from agenttwin.errors import DocumentError, Problem
from agenttwin.scenario import MODELS, Library, check
from agenttwin.values import Json, merge

VERSION = "agenttwin.dev/v1"

TWIN: dict[str, Any] = {
    "apiVersion": VERSION,
    "kind": "TwinDefinition",
    "metadata": {"name": "shop"},
    "spec": {
        "initialState": {"orders": {"A": {"count": 0}}, "kb": []},
        "tools": [
            {"name": "look", "risk": "READ", "handler": {"kind": "read", "path": "orders"}},
            {
                "name": "pay",
                "risk": "WRITE_IRREVERSIBLE",
                "handler": {"kind": "mutate", "effects": [{"op": "append", "path": "log", "value": 1}]},
            },
        ],
    },
}

SCENARIO: dict[str, Any] = {
    "apiVersion": VERSION,
    "kind": "Scenario",
    "metadata": {"name": "pays-once", "severity": "high"},
    "spec": {
        "agent": "clerk",
        "twin": "shop",
        "input": {"message": "Hi"},
        "expectations": [{"type": "noLoop"}],
    },
}

MANIFEST: dict[str, Any] = {
    "apiVersion": VERSION,
    "kind": "Agent",
    "metadata": {"name": "clerk", "version": "1.0.0"},
    "spec": {"instructions": "Be kind."},
}

DATASET: dict[str, Any] = {
    "apiVersion": VERSION,
    "kind": "Dataset",
    "metadata": {"name": "golden", "version": "1"},
    "spec": {"cases": [{"scenario": "pays-once", "digest": "0" * 64}]},
}


def document(base: Mapping[str, Any], *, file: str = "", **spec: Any) -> Document[Any]:
    """A document with other fields under `spec`; `metadata` changes that, None takes a field out."""
    metadata = spec.pop("metadata", {})
    value = merge(dict(base), {"metadata": metadata, "spec": spec})
    return read(json.dumps(value), file=file or f"{value['kind']}.json", models=MODELS)  # type: ignore[index,call-overload]


def scenario(*expectations: Mapping[str, Any], **spec: Any) -> Document[Any]:
    """A scenario, with these expectations if any."""
    if expectations:
        spec["expectations"] = list(expectations)
    return document(SCENARIO, **spec)


def told(problems: Iterable[Problem]) -> list[str]:
    """Problems without their places in the file."""
    return [str(problem).partition(": ")[2] if problem.location else str(problem) for problem in problems]


def problems(base: Mapping[str, Any], **spec: Any) -> list[str]:
    """What is told of a document by itself, warnings too."""
    try:
        return told(document(base, **spec).warnings)
    except DocumentError as error:
        return told(error.problems)


def wrong(*expectations: Mapping[str, Any], **spec: Any) -> list[str]:
    """What is told of a scenario by itself."""
    if expectations:
        spec["expectations"] = list(expectations)
    return problems(SCENARIO, **spec)


def library(*documents: Document[Any], states: Mapping[str, Json] | None = None, **options: Any) -> Library:
    """A library with a twin and an agent, and these documents."""
    names = {(item.kind, item.model.metadata.name) for item in documents}
    standard = [
        item
        for item in (document(TWIN), document(MANIFEST))
        if (item.kind, item.model.metadata.name) not in names
    ]
    return Library.of([*standard, *documents], states=states, **options)


def mismatches(*documents: Document[Any], **options: Any) -> list[str]:
    """What does not fit between documents."""
    return told(check(library(*documents, **options)))
