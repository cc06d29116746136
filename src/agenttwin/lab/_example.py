"""The examples that come with the product."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from agenttwin.errors import Conflict, NotFound
from agenttwin.lab._editor import write_schemas
from agenttwin.values import nearest

EXAMPLES: Final = ("starter", "support-refund")

_LEFT_OUT: Final = frozenset({".agenttwin", "__pycache__"})


def example_folder(name: str) -> Path:
    """Where an example lies: in the installed package, or in the repository it is developed in."""
    if name not in EXAMPLES:
        close = nearest(name, EXAMPLES)
        hint = f" Did you mean {close!r}?" if close else ""
        raise NotFound(
            "unknown_example", f"There is no example {name!r}.{hint} There are: {', '.join(EXAMPLES)}."
        )
    package = Path(__file__).resolve().parents[1]
    candidates = (package / "_examples" / name, package.parents[1] / "examples" / name)
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise NotFound("unknown_example", f"The example {name!r} is missing from this installation.")


def write_example(name: str, target: Path) -> tuple[str, ...]:
    """Copies an example into ``target``; Conflict, and nothing written, where a file is already there."""
    source = example_folder(name)
    files = sorted(
        path.relative_to(source)
        for path in source.rglob("*")
        if path.is_file() and _LEFT_OUT.isdisjoint(path.relative_to(source).parts)
    )
    there = [path.as_posix() for path in files if (target / path).exists()]
    if there:
        raise Conflict("file_exists", f"{there[0]} is already there; nothing was written.")
    for path in files:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, target / path)
    write_schemas(target)
    return tuple(path.as_posix() for path in files)
