"""A small workspace in a folder, changed one file at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agenttwin.errors import DocumentError
from agenttwin.values import Json, merge
from agenttwin.workspace import Workspace, open_workspace
from tests.unit.scenario._documents import MANIFEST, SCENARIO, TWIN

FILE = """\
agents:
  clerk:
    manifests: manifests/*.json
    run: {kind: python, target: "clerk:run"}
twins: twin.json
scenarios: scenarios/*.json
"""

FILES: Mapping[str, str] = {
    "agenttwin.yaml": FILE,
    "twin.json": json.dumps(TWIN),
    "scenarios/pays-once.json": json.dumps(SCENARIO),
    "manifests/1.0.0.json": json.dumps(MANIFEST),
}


def write(root: Path, files: Mapping[str, str | None] | None = None, **settings: Any) -> Path:
    """Writes the workspace with other files; None leaves a file out, settings join agenttwin.yaml."""
    for name, text in {**FILES, **(files or {})}.items():
        if text is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                text
                + "".join(
                    f"{key}: {json.dumps(value)}\n"
                    for key, value in settings.items()
                    if name == "agenttwin.yaml"
                )
            )
    return root


def changed(base: Mapping[str, Any], **parts: Json) -> str:
    """The text of a document with other parts (RFC 7396)."""
    return json.dumps(merge(dict(base), parts))


def opened(root: Path, **options: Any) -> Workspace:
    """The workspace, with an environment that is empty unless one is given."""
    return open_workspace(root, **{"environ": {}, **options})


def problems(root: Path, **options: Any) -> list[str]:
    """What is wrong with the workspace, a line each; the warnings where it can be used."""
    try:
        return [str(problem) for problem in opened(root, **options).warnings]
    except DocumentError as error:
        return [str(problem) for problem in error.problems]


def refusal(kind: type[Exception], act: Any, *args: Any, **options: Any) -> str:
    """The message with which something is refused, its code behind it."""
    with pytest.raises(kind) as caught:
        act(*args, **options)
    error: Any = caught.value
    return f"{error.message} [{error.code}]"
