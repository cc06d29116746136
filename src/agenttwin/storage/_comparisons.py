"""Comparisons worked out once: what lists find and show, and the comparison without its cases.

They are made of what is recorded, and say of how much (`made_of`): when a case or a person's decision is
added, they are old, and are made again. Nothing here is evidence, and nothing is lost with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Text, and_, cast, literal, select

from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import ComparisonCaseRow, ComparisonRow, Page, StoredPair

BETWEEN: Final = "\x1f"
"""Around each word of a list in a column, so that one is found and no part of another."""


def made_of(pair: StoredPair, format: str) -> str:
    """Of what a comparison is made, as a word: ``format`` and how much there is of the pair."""
    sides = (pair.baseline, pair.candidate)
    return " ".join([format, *(f"{run.finished}+{run.decided}" for run in sides)])


def keep(
    scope: Scope, pair: StoredPair, of: str, row: ComparisonRow, cases: Iterable[ComparisonCaseRow]
) -> None:
    """Keeps a comparison in place of the one that is there; ``cases`` in the order of their showing."""
    table = tables.comparisons
    scope.execute(scope.delete(table).where(table.c.pair == pair.id))
    values = {
        "pair": pair.id,
        "made_of": of,
        "agent": row.agent,
        "baseline": row.baseline,
        "candidate": row.candidate,
        "classes": _words(row.classes),
        "headline": row.headline,
        "words": f"{row.agent} {row.headline} {row.baseline} {row.candidate}".lower(),
        "item": row.item,
        "head": row.head,
    }
    scope.insert(table, [values])
    scope.insert(
        tables.comparison_cases,
        [
            {
                "pair": pair.id,
                "place": place,
                "scenario": case.scenario,
                "trial": case.trial,
                "classification": case.classification,
                "severity": case.severity,
                "tags": _words(case.tags),
                "words": case.words.lower(),
                "item": case.item,
            }
            for place, case in enumerate(cases)
        ],
    )


def head(scope: Scope, pair: str, of: str | None) -> bytes | None:
    """The comparison without its cases, where it is kept and made of this; of whatever, where None."""
    table = tables.comparisons
    query = scope.select(table, table.c.head).where(table.c.pair == pair)
    if of is not None:
        query = query.where(table.c.made_of == of)
    found = scope.execute(query).scalar_one_or_none()
    return bytes(found) if found is not None else None


def is_kept(scope: Scope, pair: str, of: str) -> bool:
    """Whether there is one that is made of this."""
    table = tables.comparisons
    query = scope.select(table, table.c.pair).where(table.c.pair == pair, table.c.made_of == of)
    return scope.execute(query).first() is not None


def stale(scope: Scope, format: str, limit: int) -> list[str]:
    """Pairs with cases whose comparison is missing or old, newest first."""
    pairs, runs, kept = tables.pairs, tables.runs, tables.comparisons
    sides = {side: runs.alias(side) for side in ("baseline", "candidate")}
    query: Select[Any] = select(pairs.c.id)
    joined: Any = pairs
    for side, run in sides.items():
        joined = joined.join(
            run, and_(run.c.project == pairs.c.project, run.c.pair == pairs.c.id, run.c.side == side)
        )
    joined = joined.outerjoin(kept, and_(kept.c.project == pairs.c.project, kept.c.pair == pairs.c.id))
    present: ColumnElement[str] = literal(format, Text)
    for run in sides.values():
        present = present + " " + cast(run.c.finished, Text) + "+" + cast(run.c.decided, Text)
    query = query.select_from(joined).where(
        scope.within(pairs),
        sides["baseline"].c.finished + sides["candidate"].c.finished > 0,
        (kept.c.made_of.is_(None)) | (kept.c.made_of != present),
    )
    return list(scope.execute(query.order_by(pairs.c.id.desc()).limit(limit)).scalars())


def page(
    scope: Scope, limit: int, after: str | None, *,
    agent: str | None = None, version: str | None = None, classification: str | None = None,
    text: str | None = None,
) -> Page[tuple[str, bytes]]:  # fmt: skip
    """Pairs with what is shown of their comparison, newest first."""
    table = tables.comparisons
    query = scope.select(table, table.c.pair, table.c.item)
    if after is not None:
        query = query.where(table.c.pair < after)
    if agent is not None:
        query = query.where(table.c.agent == agent)
    if version is not None:
        query = query.where((table.c.baseline == version) | (table.c.candidate == version))
    if classification is not None:
        query = query.where(_has(table.c.classes, classification))
    if text:
        query = query.where(table.c.words.contains(text.lower(), autoescape=True))
    rows = scope.execute(query.order_by(table.c.pair.desc()).limit(limit + 1)).all()
    found = tuple((row.pair, bytes(row.item)) for row in rows[:limit])
    return Page(items=found, after=found[-1][0] if len(rows) > limit else None)


def cases(
    scope: Scope, pair: str, limit: int, skip: int, *,
    classification: str | None = None, severity: str | None = None, tag: str | None = None,
    text: str | None = None, by_name: bool = False,
) -> list[bytes]:  # fmt: skip
    """What is shown of cases: worst first, or by name; at most ``limit`` after ``skip``."""
    table = tables.comparison_cases
    query = scope.select(table, table.c.item).where(table.c.pair == pair)
    if classification is not None:
        query = query.where(table.c.classification == classification)
    if severity is not None:
        query = query.where(table.c.severity == severity)
    if tag is not None:
        query = query.where(_has(table.c.tags, tag))
    if text:
        query = query.where(table.c.words.contains(text.lower(), autoescape=True))
    order = (table.c.scenario, table.c.trial) if by_name else (table.c.place,)
    return [bytes(row) for row in scope.execute(query.order_by(*order).offset(skip).limit(limit)).scalars()]


def of_scenario(scope: Scope, scenario: str, limit: int) -> list[tuple[str, bytes]]:
    """Pairs with what is shown of a scenario in them, newest first."""
    table = tables.comparison_cases
    query = scope.select(table, table.c.pair, table.c.item).where(table.c.scenario == scenario)
    rows = scope.execute(query.order_by(table.c.pair.desc(), table.c.place).limit(limit))
    return [(row.pair, bytes(row.item)) for row in rows]


def _words(words: Sequence[str]) -> str:
    return "".join(f"{BETWEEN}{word}" for word in words) + BETWEEN


def _has(column: ColumnElement[str], word: str) -> ColumnElement[bool]:
    return column.contains(_words([word]), autoescape=True)
