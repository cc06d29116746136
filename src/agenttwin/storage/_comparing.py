"""The comparisons of a project that are kept worked out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from agenttwin.storage import _comparisons as comparisons
from agenttwin.storage._database import Database
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import ComparisonCaseRow, ComparisonRow, Page, StoredPair

PAGE: Final = 50


class Comparisons:
    """What is asked for often is read, and not worked out; see `_comparisons`.

    ``format`` names what the kept JSON looks like: one that was made in another way counts as missing.
    """

    def __init__(self, database: Database, project: str) -> None:
        self._database, self._project = database, project

    def keep(
        self, pair: StoredPair, format: str, row: ComparisonRow, cases: Sequence[ComparisonCaseRow]
    ) -> None:
        """Keeps the comparison of a pair as it stands; ``cases`` in the order of their showing."""
        with self._database.write() as connection:
            scope = Scope(connection, self._project)
            comparisons.keep(scope, pair, comparisons.made_of(pair, format), row, cases)

    def head(self, pair: StoredPair, format: str, *, old: bool = False) -> bytes | None:
        """The JSON of a comparison without its cases; None where it is missing or, unless ``old``, old."""
        with self._read() as scope:
            return comparisons.head(scope, pair.id, None if old else comparisons.made_of(pair, format))

    def has(self, pair: StoredPair, format: str) -> bool:
        """Whether the comparison of a pair is kept as the pair stands."""
        with self._read() as scope:
            return comparisons.is_kept(scope, pair.id, comparisons.made_of(pair, format))

    def stale(self, format: str, *, limit: int = PAGE) -> list[str]:
        """Ids of pairs with cases whose comparison is missing or old, newest first."""
        with self._read() as scope:
            return comparisons.stale(scope, format, limit)

    def page(
        self, *, limit: int = PAGE, after: str | None = None, agent: str | None = None,
        version: str | None = None, classification: str | None = None, text: str | None = None,
    ) -> Page[tuple[str, bytes]]:  # fmt: skip
        """Ids of pairs and the JSON of what lists show of them, newest first."""
        with self._read() as scope:
            return comparisons.page(
                scope,
                limit,
                after,
                agent=agent,
                version=version,
                classification=classification,
                text=text,
            )

    def cases(
        self, pair: str, *, limit: int = PAGE, skip: int = 0, classification: str | None = None,
        severity: str | None = None, tag: str | None = None, text: str | None = None, by_name: bool = False,
    ) -> list[bytes]:  # fmt: skip
        """The JSON of what lists show of cases, worst first or by name."""
        with self._read() as scope:
            return comparisons.cases(
                scope,
                pair,
                limit,
                skip,
                classification=classification,
                severity=severity,
                tag=tag,
                text=text,
                by_name=by_name,
            )

    def of_scenario(self, scenario: str, *, limit: int = PAGE) -> list[tuple[str, bytes]]:
        """Ids of pairs and the JSON of what lists show of a scenario in them, newest first."""
        with self._read() as scope:
            return comparisons.of_scenario(scope, scenario, limit)

    @contextmanager
    def _read(self) -> Iterator[Scope]:
        with self._database.read() as connection:
            yield Scope(connection, self._project)
