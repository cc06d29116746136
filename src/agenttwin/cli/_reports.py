"""`--report FORMAT=PATH`: where reports go beside the terminal. Paths are tried before anything is run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from agenttwin.cli._output import say
from agenttwin.errors import UsageError

FOLDER: Final = ".agenttwin"

STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The file that GitHub Actions shows as the page of a step, where it is set."""


@dataclass(frozen=True, slots=True)
class Target:
    """A report that is wanted: its format, and the file it goes to."""

    format: str
    path: Path

    def write(self, report: Mapping[str, Any]) -> None:
        """Renders the report into the file; UsageError where that cannot be."""
        from agenttwin.report import render

        try:
            self.path.write_bytes(render(report, self.format).encode())
        except OSError as error:
            raise _unwritable(self, error) from error


def targets(context: click.Context, option: click.Parameter, values: Sequence[str]) -> tuple[Target, ...]:
    """The targets of FORMAT=PATH, as click calls it back; relative paths begin where the command does.

    Every path is tried, and its folder made, so that a run is not lost to a typing error.
    """
    found = tuple(_parsed(value, Path.cwd()) for value in values)
    for number, target in enumerate(found):
        if any(other.path == target.path for other in found[:number]):
            raise UsageError("conflicting_reports", f"Two reports would be written to {str(target.path)!r}.")
        if FOLDER in target.path.parts:
            raise UsageError("unwritable_report", f"Reports do not go into {FOLDER}, where runs are kept.")
        _try(target)
    return found


def summarise(report: Mapping[str, Any]) -> None:
    """Appends the report to the page of the GitHub Actions step; a page that cannot be written is told."""
    from agenttwin.report import render

    path = os.environ.get(STEP_SUMMARY)
    if not path:
        return
    try:
        with open(path, "ab") as page:
            page.write(f"{render(report, 'markdown')}\n".encode())
    except OSError as error:
        say(f"warning: {STEP_SUMMARY} could not be written: {_why(error)}.")


def _parsed(value: str, root: Path) -> Target:
    from agenttwin.report import FORMATS
    from agenttwin.values import nearest

    name, equals, path = value.partition("=")
    valid = ", ".join(FORMATS)
    if name not in FORMATS:
        close = nearest(name, FORMATS)
        hint = f" Did you mean {close!r}?" if close else ""
        raise UsageError("unknown_format", f"There is no report format {name!r}.{hint} One of: {valid}.")
    if not equals or path in ("", "-"):
        raise UsageError("missing_report_path", f"--report {value} names no file.")
    return Target(name, root / path)


def _try(target: Target) -> None:
    """Opens the file for writing and leaves everything as it was, but for the folder."""
    there = target.path.exists()
    try:
        target.path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(target.path, os.O_WRONLY | os.O_CREAT, 0o666))
        if not there:
            target.path.unlink()
    except OSError as error:
        raise _unwritable(target, error) from error


def _unwritable(target: Target, error: OSError) -> UsageError:
    where = f"The {target.format} report cannot be written to {str(target.path)!r}"
    return UsageError("unwritable_report", f"{where}: {_why(error)}.")


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
