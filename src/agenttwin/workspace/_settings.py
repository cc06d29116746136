"""Settings, resolved once: defaults, `agenttwin.yaml`, `AGENTTWIN_*`, flags; each knows its origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from agenttwin.errors import UsageError
from agenttwin.values import nearest
from agenttwin.workspace._environment import ENV_FILE
from agenttwin.workspace._file import (
    CALL_LIMITS,
    CONCURRENCIES,
    MAX_COST_USD,
    SEEDS,
    Isolation,
    Provider,
    WorkspaceFile,
)

PREFIX: Final = "AGENTTWIN_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run goes by. ``origins`` names, for each setting, where its value came from."""

    seed: int
    concurrency: int
    isolation: str
    judge: str
    default_suite: str | None
    call_limit: int
    max_cost: float | None
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One setting: how its text is read (ValueError says what it must be), and what the file says of it."""

    read: Callable[[str], Any]
    in_file: Callable[[WorkspaceFile], Any]
    help: str


def _whole(numbers: tuple[int, int]) -> Callable[[str], int]:
    low, high = numbers

    def read(text: str) -> int:
        if not (
            text.isascii() and text.isdigit() and len(text) <= len(str(high)) and low <= int(text) <= high
        ):
            raise ValueError(f"a whole number from {low:,} to {high:,}")
        return int(text)

    return read


def _one_of(words: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            close = nearest(text, words)
            raise ValueError(" or ".join(words) + (f"; did you mean {close!r}?" if close else ""))
        return text

    return read


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= MAX_COST_USD:
        raise ValueError(f"a number of US dollars above 0, up to {MAX_COST_USD:,}")
    return number


SETTINGS: Final[Mapping[str, Row]] = {
    "seed": Row(read=_whole(SEEDS), in_file=lambda f: f.seed, help="Seed of the plan."),
    "concurrency": Row(
        read=_whole(CONCURRENCIES), in_file=lambda f: f.concurrency, help="Cases beside one another."
    ),
    "isolation": Row(
        read=_one_of(get_args(Isolation)), in_file=lambda f: f.isolation, help="Where a Python agent runs."
    ),
    "judge": Row(
        read=_one_of(get_args(Provider)),
        in_file=lambda f: f.judge.provider,
        help="Who answers semantic questions.",
    ),
    "default_suite": Row(
        read=str, in_file=lambda f: f.default_suite, help="The suite that is taken where none is named."
    ),
    "call_limit": Row(
        read=_whole(CALL_LIMITS), in_file=lambda f: f.call_limit, help="Tool calls a case may make."
    ),
    "max_cost": Row(
        read=_positive,
        in_file=lambda f: f.max_cost,
        help="US dollars that the language models of a run may cost.",
    ),
}
"""The one table of settings; the reference and `agenttwin doctor` read it."""


def resolve(
    file: WorkspaceFile,
    lines: Mapping[str, str],
    environ: Mapping[str, str],
    flags: Mapping[str, Any],
    *,
    from_env_file: Callable[[str], bool] = lambda name: False,
) -> Settings:
    """The settings that hold: flags win over the environment, that over the file, that over the defaults.

    ``lines`` says where in the file a setting stands, ``from_env_file`` whether a variable comes from `.env`.
    An empty variable counts as not set. UsageError where a text is no value of its setting.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, row in SETTINGS.items():
        values[name], origins[name] = row.in_file(file), lines.get(name, "default")
        variable, flag = PREFIX + name.upper(), "--" + name.replace("_", "-")
        if environ.get(variable):
            origin = f"{variable} in {ENV_FILE}" if from_env_file(variable) else variable
            values[name], origins[name] = _read(row, environ[variable], origin), origin
        if flags.get(name) is not None:
            values[name], origins[name] = _read(row, str(flags[name]), flag), flag
    return Settings(**values, origins=origins)


def _read(row: Row, text: str, origin: str) -> Any:
    try:
        return row.read(text)
    except ValueError as error:
        end = "" if str(error).endswith("?") else "."
        raise UsageError("invalid_setting", f"{origin} is {text!r}, but must be {error}{end}") from None
