"""`agenttwin twin try`: a twin at a prompt."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from agenttwin.cli._output import show

PROMPT = "> "


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--tenant", metavar="T", help="Whose case it is.")
@click.option("--now", metavar="TIME", help="The time in the twin's world, such as 2026-01-01T00:00:00Z.")
@click.option("--seed", default="0", show_default=True, metavar="N", help="What is drawn is drawn from this.")
def command(file: Path, tenant: str | None, now: str | None, seed: str) -> int:
    """Call the tools of the twin in FILE by hand, let faults befall them, and watch its world change.

    Reads lines from the terminal, or from a pipe; :help says what can be written.
    """
    from agenttwin.cli._twin_serve import adapters_of
    from agenttwin.lab import Console, Twin
    from agenttwin.report import clean

    console = Console(Twin.load(file, adapters=adapters_of(file)), tenant=tenant, now=now, seed=seed)
    if sys.stdin.isatty():
        show(f"{file.name}: a call is TOOL name=value …; :tools lists them, :help says the rest.")
    for line in _lines(console.words):
        for told in console.answer(line):
            for part in told.split("\n"):
                show(clean(part))
        if console.over:
            break
    return 0


def _lines(words: tuple[str, ...]) -> Iterator[str]:
    """Lines of a person, with history and completion where the terminal can; or of a pipe."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    _complete(words)
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            show("")
            return


def _complete(words: tuple[str, ...]) -> None:
    try:
        import readline
    except ImportError:  # a system without it edits lines by itself
        return

    def completer(text: str, state: int) -> str | None:
        found = [word for word in words if word.startswith(text)]
        return found[state] if state < len(found) else None

    readline.set_completer(completer)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
