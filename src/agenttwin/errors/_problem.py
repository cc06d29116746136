"""A problem in something that was read: where it stands, what is wrong, what was probably meant."""

from collections.abc import Iterable
from dataclasses import dataclass

QUOTE_LIMIT = 60  # characters of a value shown in a message: enough to recognise it, on one line
LISTED_WORDS = 40  # valid words shown: every closed set of AgentTwin fits, a catalogue of tools need not


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place in a file. Line and column count from 1, columns in characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong. `str()` is its one-line form.

    `code` is a row of `CODES`; `message` a sentence without its full stop; `path` the place in the document
    as Path text; `value` what stood there; `nearest` the valid word that was probably meant; `valid` all of
    them. A `warning` does not stop the document from being used.
    """

    code: str
    message: str
    location: Location | None = None
    path: str = ""
    value: str | None = None
    nearest: str | None = None
    valid: tuple[str, ...] = ()
    warning: bool = False

    def __str__(self) -> str:
        where = [f"{self.location}: "] if self.location else []
        kind = ["warning: "] if self.warning else []
        path = [f"{self.path}: "] if self.path else []
        return "".join([*where, *kind, *path, self.message, self._hint(), f" [{self.code}]"])

    def _hint(self) -> str:
        guess = f"; did you mean {quote(self.nearest)}?" if self.nearest is not None else ""
        if not self.valid:
            return guess
        more = len(self.valid) - LISTED_WORDS
        rest = f" and {more} more" if more > 0 else ""
        return f"{guess or '.'} One of: {', '.join(self.valid[:LISTED_WORDS])}{rest}"


def quote(value: str) -> str:
    """The text in quotes on one line, cut at `QUOTE_LIMIT` characters."""
    shown = value if len(value) <= QUOTE_LIMIT else value[: QUOTE_LIMIT - 1] + "…"
    return repr(shown)


def render(problems: Iterable[Problem]) -> str:
    """All problems, one a line, and how many there are."""
    lines = tuple(problems)
    return "\n".join([*map(str, lines), count(lines)])


def count(problems: Iterable[Problem]) -> str:
    """How many problems and warnings: "2 problems, 1 warning"."""
    flags = [problem.warning for problem in problems]
    warnings, errors = sum(flags), len(flags) - sum(flags)
    parts = [_number(errors, "problem")] if errors or not warnings else []
    return ", ".join([*parts, _number(warnings, "warning")] if warnings else parts)


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
