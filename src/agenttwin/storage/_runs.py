"""Runs: one version under one plan; alone, or as one side of a pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Connection, Row, Select, insert, select, update

from agenttwin.compare import CaseInfo, Version
from agenttwin.errors import Conflict
from agenttwin.scenario import Plan, Trial, plan_digest
from agenttwin.storage import _cases as cases
from agenttwin.storage import _contents as contents
from agenttwin.storage import _tables as tables
from agenttwin.storage._order import Facts, Order
from agenttwin.storage._shape import from_json, read, write
from agenttwin.storage._values import StoredRun


def add(
    connection: Connection, id: str, order: Order, version: Version, *, side: str, now: int,
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
        "plan": contents.keep(connection, write(plan.cases)),
        "infos": contents.keep(connection, write(list(order.infos))),
        "cases": len(plan.cases),
        "facts": write(order.facts),
        "created_at": now,
        "origin": origin,
    }
    connection.execute(insert(tables.runs), row)


def selected() -> Select[Any]:
    """The query of runs with the key of the pair that they are of."""
    key = tables.pairs.c.key.label("pair_key")
    joined = tables.runs.outerjoin(tables.pairs, tables.runs.c.pair == tables.pairs.c.id)
    return select(tables.runs, key).select_from(joined)


def stored(connection: Connection, rows: Iterable[Row[Any]]) -> Iterator[StoredRun]:
    """Rows of `selected` as values, with how many of their cases are recorded."""
    rows = list(rows)
    finished = cases.counts(connection, [row.id for row in rows])
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
            finished=finished.get(row.id, 0),
            created_at=row.created_at,
            finished_at=row.finished_at,
            summary=orjson.loads(row.summary) if row.summary is not None else {},
            origin=row.origin,
        )


def by_key(connection: Connection, key: str) -> StoredRun | None:
    """The run of a key, of one version alone."""
    return next(stored(connection, connection.execute(selected().where(tables.runs.c.key == key))), None)


def one(connection: Connection, id: str) -> StoredRun:
    """The run of an id, which is there."""
    return next(stored(connection, connection.execute(selected().where(tables.runs.c.id == id))))


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


def finish(connection: Connection, id: str, *, now: int, summary: Mapping[str, Any]) -> None:
    """Marks a run as ended."""
    values = {"finished_at": now, "summary": orjson.dumps(dict(summary))}
    connection.execute(update(tables.runs).filter_by(id=id).values(values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """A run as it was ordered: its version, its trials, what each scenario is, and the facts beside them."""

    version: Version
    trials: tuple[Trial, ...]
    infos: Mapping[str, CaseInfo]
    facts: Facts


def ordered(connection: Connection, id: str) -> Ordered:
    """What a run was to be."""
    row = connection.execute(select(tables.runs).filter_by(id=id)).one()
    trials = tuple(from_json(Trial, item) for item in orjson.loads(contents.kept(connection, row.plan)))
    if plan_digest(row.agent, row.seed, row.trials, trials) != row.plan_digest:
        raise ValueError(f"the plan of the run {id} has been changed")
    infos = [from_json(CaseInfo, item) for item in orjson.loads(contents.kept(connection, row.infos))]
    return Ordered(
        version=Version(
            agent=row.agent,
            version=row.version,
            digest=row.digest,
            model_kind=row.model_kind,
            manifest=contents.document(connection, row.digest).value,
        ),
        trials=trials,
        infos={info.scenario: info for info in infos},
        facts=read(Facts, row.facts),
    )
