"""Runs the fenced blocks of a Markdown page, so that what stands in the documentation works.

A page gets an empty directory; its blocks run there from top to bottom and see what the blocks above them
left: files, the working directory, Python names. So every setup a block needs is visible to the reader. The
first word after a fence says what happens to the block, and a word that is not in `LANGUAGES` is a mistake:

    python              executed, in one namespace a page
    console             each `$ command` (continued by `> ` lines) runs in bash; what follows it is its output
    yaml, json, toml    parsed; a document (`kind:`) must be valid
    text output         what the Python block above has printed
    sh                  for the reader's own machine: not run, but the make targets that it names must exist
    text, diff, mermaid shown as they are

Options after that word: `title="agent.py"` writes the block to that file instead of running it (data is still
parsed); `exit=1` is the status with which the last command of a console block ends. In expected output `...`
stands for any text on one line, and alone on a line for any number of lines.
"""

import ast
import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agenttwin import document
from tests.docs import _quick

ROOT = Path(__file__).parents[2]
COMMAND_SECONDS = 120  # a documented command that takes longer has no place on a page

FENCE = re.compile(r"( *)(`{3,}|~{3,})([^`]*)")
MAKE = re.compile(r"\bmake((?: [a-z-]+)+)")
TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: where its first line stands, its language, its options, its text."""

    file: Path
    line: int
    language: str
    options: Mapping[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(slots=True, kw_only=True)
class Page:
    """What the blocks of one page share."""

    directory: Path
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str = ""


def blocks(file: Path) -> Iterator[Block]:
    """The fenced blocks of a Markdown file, in order."""
    lines = iter(enumerate(file.read_text(encoding="utf-8").splitlines(), start=1))
    for number, line in lines:
        if opening := FENCE.fullmatch(line):
            indent, fence, info = opening.groups()
            body = []
            for _, inner in lines:
                if inner.strip() == fence:
                    break
                body.append(inner.removeprefix(indent))
            else:
                raise AssertionError(f"{file}:{number}: the block is never closed")
            language, *words = shlex.split(info) or [""]
            options = dict(word.partition("=")[::2] for word in words)
            text = "".join(f"{inner}\n" for inner in body)
            yield Block(file=file, line=number + 1, language=language, options=options, text=text)


def run(block: Block, page: Page) -> None:
    """Do with a block what its language says. Raises AssertionError or the block's own exception."""
    act = LANGUAGES.get(block.language)
    assert act, f"{block}: {block.language!r} is none of {', '.join(LANGUAGES)}"
    if title := block.options.get("title"):
        target = page.directory / title
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    if not title or act in (run_yaml, run_json, run_toml):
        act(block, page)


def run_python(block: Block, page: Page) -> None:
    tree = ast.parse(block.text, str(block.file))
    ast.increment_lineno(tree, block.line - 1)
    printed = io.StringIO()
    with contextlib.chdir(page.directory), contextlib.redirect_stdout(printed), imports_from(page.directory):
        exec(compile(tree, str(block.file), "exec"), page.names)
    page.printed = printed.getvalue()


@contextlib.contextmanager
def imports_from(directory: Path) -> Iterator[None]:
    """Modules of the page's directory can be imported, and are forgotten afterwards."""
    known = set(sys.modules)
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        sys.path.remove(str(directory))
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(directory)):
                del sys.modules[name]


def run_console(block: Block, page: Page) -> None:
    commands = list(transcript(block.text))
    assert commands, f"{block}: a console block begins with `$ command`"
    results = bash([command for command, _ in commands], page)
    wanted = [0] * (len(commands) - 1) + [int(block.options.get("exit", 0))]
    for (command, expected), (output, status), want in zip(commands, results, wanted, strict=True):
        assert status == want, f"{block}: `{command}` ended with {status}, not {want}, and printed:\n{output}"
        assert matches(expected, output), f"{block}: `{command}` printed:\n{output}\ninstead of:\n{expected}"


def transcript(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that stands under it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *rest = part.splitlines()
        command = [first]
        while rest and rest[0].startswith("> "):
            command.append(rest.pop(0)[2:])
        yield "\n".join(command), "\n".join(rest)


def bash(commands: list[str], page: Page) -> list[tuple[str, int]]:
    """Run commands one after the other in one shell: what each printed (both streams) and its status."""
    where = page.directory / ".cwd"
    script = "".join(f"{command}\nprintf '\\0%d\\0' $?\n" for command in commands) + f"pwd >'{where}'\n"
    path = os.pathsep.join((_quick.folder(), str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=page.directory,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=COMMAND_SECONDS,
    )
    page.directory = Path(where.read_text(encoding="utf-8").strip())
    where.unlink()
    outputs, statuses = done.stdout.split("\0")[0:-1:2], done.stdout.split("\0")[1::2]
    return list(zip(outputs, map(int, statuses), strict=True))


def matches(expected: str, output: str) -> bool:
    """Whether output is as expected; `...` stands for anything, spaces at the end of a line for nothing."""
    pattern = ""
    for line in expected.strip("\n").splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + "\n"
    text = "".join(f"{line.rstrip()}\n" for line in output.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


def run_yaml(block: Block, _: Page) -> None:
    if re.search(r"^kind:", block.text, re.MULTILINE):
        from agenttwin.scenario import MODELS  # where a page shows no document, its models are not needed

        document.read(block.text, file=str(block), models=MODELS)
    else:
        document.parse(block.text, file=str(block))


def run_json(block: Block, _: Page) -> None:
    json.loads(block.text)


def run_toml(block: Block, _: Page) -> None:
    tomllib.loads(block.text)


def run_text(block: Block, page: Page) -> None:
    if "output" in block.options:
        assert matches(block.text, page.printed), f"{block}: the block above printed:\n{page.printed}"


def run_sh(block: Block, _: Page) -> None:
    targets = TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))
    named = [word for words in MAKE.findall(block.text) for word in words.split()]
    assert set(named) <= set(targets), f"{block}: make has no target {sorted(set(named) - set(targets))}"


def shown(_: Block, __: Page) -> None:
    """Nothing to run."""


LANGUAGES: Mapping[str, Callable[[Block, Page], None]] = {
    "python": run_python,
    "console": run_console,
    "yaml": run_yaml,
    "json": run_json,
    "toml": run_toml,
    "text": run_text,
    "sh": run_sh,
    "diff": shown,
    "mermaid": shown,
}
