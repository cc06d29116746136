"""`--watch`: after each change of a file, run again what the change affects."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from agenttwin.cli._output import say

IGNORED: Final = frozenset({".agenttwin", ".git", ".hg", ".venv", "venv", "node_modules", "__pycache__"})
"""Folders in which nothing that changes is a source."""

SELECTING: Final = frozenset({"--scenario", "--suite", "--tag", "--severity"})
SETTLE_MS: Final = 300
"""How long changes may follow one another to count as one: an editor writes several files."""


def watch(directory: str, options: Mapping[str, Any], agent_of: str) -> int:
    """Runs the command, without `--watch`, now and after each change, until it is interrupted.

    Each run is a process of its own, so that changed code is loaded. AgentTwinError without `watchfiles`.
    """
    from agenttwin.errors import AgentTwinError
    from agenttwin.workspace import find_root

    try:
        files = importlib.import_module("watchfiles")
    except ImportError:
        remedy = "pip install 'agenttwin[watch]'"
        raise AgentTwinError("missing_extra", "--watch needs the package watchfiles.", remedy) from None
    root = find_root(Path(directory))
    command = [argument for argument in sys.argv[1:] if argument != "--watch"]
    _run(command)
    for changes in files.watch(root, watch_filter=_counts, debounce=SETTLE_MS, raise_interrupt=True):
        paths = sorted({Path(path) for _, path in changes})
        shown = ", ".join(path.relative_to(root).as_posix() for path in paths[:3])
        say(f"\nChanged: {shown}{' …' if len(paths) > 3 else ''}")
        names = affected(root, paths, options, agent_of)
        if names is None:
            _run(command)
        elif names:
            _run([*without_selection(command), *(part for name in names for part in ("--scenario", name))])
        else:
            say("No selected scenario depends on it.")
    return 0


def _run(command: Sequence[str]) -> None:
    """One run; how it ends is told by itself."""
    subprocess.run([sys.executable, "-m", "agenttwin.cli", *command], check=False)
    say("Watching for changes; Ctrl-C ends it.")


def _counts(_: object, path: str) -> bool:
    return IGNORED.isdisjoint(Path(path).parts)


def affected(
    root: Path, paths: Collection[Path], options: Mapping[str, Any], version: str
) -> list[str] | None:
    """The selected scenarios that depend on changed files, by name; None where all may.

    A scenario depends on its own file, its twin's and the file of its twin's state. Whatever else changed
    (code, manifests, the workspace's file, a document that is broken or gone) may matter to all.
    """
    from agenttwin.cli._session import ask_of
    from agenttwin.errors import AgentTwinError
    from agenttwin.lab import Session

    try:
        with Session.open(root) as session:
            chosen = session.select(session.version(version).agent, ask_of(options))
            owners = dict(_owners(session, [document.model.name for document in chosen]))
            known = {(root / file).resolve() for file in _documents(session)}
    except AgentTwinError:
        return None
    changed = {path.resolve() for path in paths}
    if not changed <= {*owners, *known}:
        return None
    return sorted({name for path in changed for name in owners.get(path, ())})


def _owners(session: Any, chosen: Collection[str]) -> Iterator[tuple[Path, list[str]]]:
    """Each file that selected scenarios are made of, with their names."""
    library, root = session.workspace.library, session.workspace.root
    found: dict[Path, list[str]] = {}
    for name in chosen:
        scenario = library.scenarios[name]
        twin = library.twins[scenario.model.spec.twin]
        files = [root / scenario.source.file, root / twin.source.file]
        state = twin.model.spec.initial_state_from
        files += [(root / twin.source.file).parent / state] if state is not None else []
        for file in files:
            found.setdefault(file.resolve(), []).append(name)
    yield from found.items()


def _documents(session: Any) -> Iterator[str]:
    """The files of scenarios and twins: a change of one that nothing selected needs changes nothing."""
    library = session.workspace.library
    for document in (*library.scenarios.values(), *library.twins.values()):
        yield document.source.file


def without_selection(command: Sequence[str]) -> list[str]:
    """The command without the flags that select scenarios, and their values."""
    kept: list[str] = []
    arguments = iter(command)
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if name in SELECTING:
            if not equals:
                next(arguments, None)
        elif argument != "--failed":
            kept.append(argument)
    return kept
