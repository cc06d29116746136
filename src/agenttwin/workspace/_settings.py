"""Settings, resolved once: defaults, `agenttwin.yaml`, `AGENTTWIN_*`, flags; each knows its origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agenttwin.errors import UsageError
from agenttwin.values import nearest
from agenttwin.workspace._file import MAX_CONCURRENCY, WorkspaceFile

PREFIX = "AGENTTWIN_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run goes by. ``origins`` names, for each setting, where its value came from."""

    seed: int
    concurrency: int
    isolation: str
    judge: str
    default_suite: str | None
    call_limit: int
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One setting: how its text is read, and which field of the file holds it."""

    read: Callable[[str], Any]
    in_file: Callable[[WorkspaceFile], Any]
    help: str


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return value

    return read


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            close = nearest(text, words)
            raise ValueError(f"one of {', '.join(words)}" + (f"; did you mean {close!r}?" if close else ""))
        return text

    return read


SETTINGS: Mapping[str, Row] = {
    "seed": Row(read=_whole(0, 2**53), in_file=lambda f: f.seed, help="Seed of the plan."),
    "concurrency": Row(
        read=_whole(1, MAX_CONCURRENCY), in_file=lambda f: f.concurrency, help="Cases beside one another."
    ),
    "isolation": Row(
        read=_one_of("thread", "process"), in_file=lambda f: f.isolation, help="Where a Python agent runs."
    ),
    "judge": Row(
        read=_one_of("keyword"), in_file=lambda f: f.judge.provider, help="Who answers semantic questions."
    ),
    "default_suite": Row(
        read=str, in_file=lambda f: f.default_suite, help="The suite that is taken where none is named."
    ),
    "call_limit": Row(
        read=_whole(1, 100_000), in_file=lambda f: f.call_limit, help="Tool calls a case may make."
    ),
}
"""The one table of settings; the reference and `agenttwin doctor` read it."""


def resolve(
    file: WorkspaceFile, lines: Mapping[str, str], environ: Mapping[str, str], flags: Mapping[str, Any]
) -> Settings:
    """The settings that hold. ``lines`` says where in the file a setting stands; flags win over all."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, row in SETTINGS.items():
        values[name], origins[name] = row.in_file(file), lines.get(name, "default")
        variable = PREFIX + name.upper()
        if environ.get(variable, "") != "":
            values[name], origins[name] = _read(row, environ[variable], variable), variable
        if flags.get(name) is not None:
            flag = "--" + name.replace("_", "-")
            values[name], origins[name] = _read(row, str(flags[name]), flag), flag
    return Settings(**values, origins=origins)


def _read(row: Row, text: str, origin: str) -> Any:
    try:
        return row.read(text)
    except ValueError as error:
        wanted = str(error) if "whole number" in str(error) or "one of" in str(error) else "a whole number"
        raise UsageError("invalid_setting", f"{origin} is {text!r}, but must be {wanted}.") from None
