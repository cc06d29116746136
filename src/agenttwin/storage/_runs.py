"""Runs: one version under one plan; alone, or as one side of a pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Row, Select, Table, and_, func

from agenttwin.compare import CaseInfo, Version
from agenttwin.errors import Conflict
from agenttwin.scenario import Plan, Trial, plan_digest
from agenttwin.storage import _contents as contents
from agenttwin.storage import _tables as tables
from agenttwin.storage._order import Facts, Order
from agenttwin.storage._scope import Scope
from agenttwin.storage._shape import from_json, read, write
from agenttwin.storage._values import Progress, StoredRun


def add(
    scope: Scope, id: str, order: Order, version: Version, *, side: str, now: int,
    pair: str | None = None, key: str | None = None, origin: str | None = None,
) -> None:  # fmt: skip
    """Keeps a run before any of its cases is run. The manifest's document must be there."""
    plan = order.plan
    row = {
        "id": id,
        "pair": pair,
        "side": side,
        "key": key,
        "agent": version.agent,
        "version": version.version,
        "digest": version.digest,
        "model_kind": version.model_kind,
        "plan_digest": plan.digest,
        "seed": plan.seed,
        "trials": plan.trials,
        "plan": contents.keep(scope, write(plan.cases)),
        "infos": contents.keep(scope, write(list(order.infos))),
        "cases": len(plan.cases),
        "facts": write(order.facts),
        "created_at": now,
        "origin": origin,
    }
    scope.insert(tables.runs, [row])


def selected(scope: Scope) -> Select[Any]:
    """The query of runs with the key of the pair that they are of."""
    runs, pairs = tables.runs, tables.pairs
    of_it = and_(pairs.c.project == runs.c.project, pairs.c.id == runs.c.pair)
    return scope.select(runs, runs, pairs.c.key.label("pair_key")).outerjoin(pairs, of_it)


def stored(rows: Iterable[Row[Any]]) -> Iterator[StoredRun]:
    """Rows of `selected` as values."""
    for row in rows:
        yield StoredRun(
            id=row.id,
            pair=row.pair,
            side=row.side,
            key=row.key or row.pair_key,
            agent=row.agent,
            version=row.version,
            digest=row.digest,
            model_kind=row.model_kind,
            plan_digest=row.plan_digest,
            seed=row.seed,
            trials=row.trials,
            cases=row.cases,
            finished=row.finished,
            decided=row.decided,
            created_at=row.created_at,
            finished_at=row.finished_at,
            summary=orjson.loads(row.summary) if row.summary is not None else {},
            origin=row.origin,
            progress=progress(row),
        )


def progress(row: Row[Any]) -> Progress:
    """Where a pair or run stands, as whoever runs it said last."""
    return Progress(state=row.state, error=row.error, owner=row.owner, seen_at=row.seen_at)


def by_key(scope: Scope, key: str) -> StoredRun | None:
    """The run of a key, of one version alone."""
    return next(stored(scope.execute(selected(scope).where(tables.runs.c.key == key))), None)


def by_id(scope: Scope, id: str) -> StoredRun | None:
    """The run of an id, alone or a side of a pair."""
    return next(stored(scope.execute(selected(scope).where(tables.runs.c.id == id))), None)


def check_same(run: StoredRun, plan: Plan, version: Version, origin: str | None) -> None:
    """Conflict where a key is asked for something else than what stands under it."""
    for what, there, asked in (
        ("agent", run.agent, version.agent),
        ("version", run.version, version.version),
        ("manifest", run.digest, version.digest),
        ("plan", run.plan_digest, plan.digest),
        ("origin", run.origin or "its own run", origin or "its own run"),
    ):
        if there != asked:
            message = (
                f"The key {run.key!r} stands for another {what} of the {run.side}: {there}, "
                f"but {asked} was asked for."
            )
            raise Conflict("key_conflict", message)


def finish(scope: Scope, id: str, *, now: int, summary: Mapping[str, Any]) -> None:
    """Marks a run as ended."""
    runs = tables.runs
    values = {"finished_at": now, "summary": orjson.dumps(dict(summary)), "state": None, "error": None}
    scope.execute(scope.update(runs).where(runs.c.id == id).values(values))


def count(scope: Scope, ids: Iterable[str], *, now: int) -> None:
    """Notes how many cases of these runs are recorded, and that somebody is at it."""
    runs, cases = tables.runs, tables.cases
    for id in ids:
        there = scope.select(cases, func.count()).where(cases.c.run == id).scalar_subquery()
        scope.execute(scope.update(runs).where(runs.c.id == id).values(finished=there, seen_at=now))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """A run as it was ordered: its version, its trials, what each scenario is, and the facts beside them."""

    version: Version
    trials: tuple[Trial, ...]
    infos: Mapping[str, CaseInfo]
    facts: Facts


def ordered(scope: Scope, id: str) -> Ordered:
    """What a run was to be."""
    row = scope.execute(scope.select(tables.runs).filter_by(id=id)).one()
    trials = tuple(from_json(Trial, item) for item in orjson.loads(contents.kept(scope, row.plan)))
    if plan_digest(row.agent, row.seed, row.trials, trials) != row.plan_digest:
        raise ValueError(f"the plan of the run {id} has been changed")
    infos = [from_json(CaseInfo, item) for item in orjson.loads(contents.kept(scope, row.infos))]
    return Ordered(
        version=Version(
            agent=row.agent,
            version=row.version,
            digest=row.digest,
            model_kind=row.model_kind,
            manifest=contents.document(scope, row.digest).value,
        ),
        trials=trials,
        infos={info.scenario: info for info in infos},
        facts=read(Facts, row.facts),
    )


def mark(scope: Scope, table: Table, id: str, values: Mapping[str, Any]) -> None:
    """Notes where a pair or a run alone stands."""
    scope.execute(scope.update(table).where(table.c.id == id).values(**values))
