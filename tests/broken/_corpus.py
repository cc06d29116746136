"""Broken documents and what is told of them: plain text files that read as a list of examples.

A file holds examples, each in this form:

    === what is wrong, in a few words
    --- twin.yaml
    (the file, as it is)
    --- told
    (every line that is told of it)

`--- twin.yaml escaped`: `\\x09`, `\\ufeff` and the like stand for their bytes. `--- twin.yaml latin-1`: the
file is in that encoding. An example of the group `workspaces` lies over the files of `workspace/`.

`python -m tests.broken._corpus` writes anew what is told; read every line that changes.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agenttwin.document import read
from agenttwin.errors import DocumentError, Problem
from agenttwin.scenario import MODELS
from agenttwin.workspace import open_workspace

FOLDER = Path(__file__).parent
CORPUS = sorted((FOLDER / "corpus").glob("*.txt"))
TOLD = "--- told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One broken document, or workspace, and the lines that are told of it."""

    group: str
    title: str
    files: tuple[tuple[str, str], ...]
    told: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.group}: {self.title}"


def examples(path: Path) -> Iterator[Example]:
    """The examples of one file of the corpus."""
    for part in re.split("^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        given, _, told = body.partition(f"{TOLD}\n")
        files = [piece.partition("\n") for piece in re.split("^--- ", given, flags=re.MULTILINE)[1:]]
        yield Example(
            group=path.stem,
            title=title,
            files=tuple((name, text) for name, _, text in files),
            told=tuple(told.strip("\n").splitlines()),
        )


def tell(example: Example) -> tuple[str, ...]:
    """Every line that is told of an example; none where it can be used."""
    files = {name.partition(" ")[0]: _bytes(name, text) for name, text in example.files}
    if example.group != "workspaces":
        ((name, data),) = files.items()
        return _lines(lambda: read(data, file=name, models=MODELS).warnings)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(FOLDER / "workspace", folder, dirs_exist_ok=True))
        for name, data in files.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(data)
        return _lines(lambda: open_workspace(root, environ={}).warnings)


def _bytes(name: str, text: str) -> bytes:
    if name.endswith(" escaped"):
        return (
            text.removesuffix("\n")
            .encode("latin-1", "backslashreplace")
            .decode("unicode_escape")
            .encode("utf-8", "surrogatepass")
        )
    return text.encode(name.partition(" ")[2] or "utf-8")


def _lines(warnings: Callable[[], tuple[Problem, ...]]) -> tuple[str, ...]:
    try:
        problems = warnings()
    except DocumentError as error:
        problems = error.problems
    return tuple(str(problem) for problem in problems)


def _write_anew(path: Path) -> None:
    parts = []
    for example in examples(path):
        files = "".join(f"--- {name}\n{text}" for name, text in example.files)
        parts.append("\n".join([f"=== {example.title}", f"{files}{TOLD}", *tell(example)]))
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for each in CORPUS:
        _write_anew(each)
