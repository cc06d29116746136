"""The workspace's own folder: hidden from git, with the schemas that editors complete and check with."""

from __future__ import annotations

import contextlib
from importlib.metadata import version
from pathlib import Path
from typing import Final

import orjson

from agenttwin.workspace import FOLDER, document_schemas

SCHEMAS: Final = "schemas"
STAMP: Final = "VERSION"
"""The file that says which version wrote the schemas."""


def write_schemas(root: Path) -> None:
    """Writes the schema of each kind of document to `.agenttwin/schemas`, unless this version already did.

    Nothing depends on them but editors, so a folder that cannot be written to is no failure.
    """
    hide(root / FOLDER)
    folder = root / FOLDER / SCHEMAS
    stamp, ours = folder / STAMP, version("agenttwin")
    with contextlib.suppress(OSError):
        if stamp.is_file() and stamp.read_text() == ours:
            return
        folder.mkdir(parents=True, exist_ok=True)
        for name, schema in document_schemas().items():
            (folder / f"{name}.schema.json").write_bytes(orjson.dumps(schema, option=orjson.OPT_INDENT_2))
        stamp.write_text(ours)


def hide(folder: Path) -> None:
    """Keeps our own data out of what git says of the user's repository."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".gitignore").open("x") as file:
            file.write("*\n")
