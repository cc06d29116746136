"""Cases: records as rows, and rows as records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from sqlalchemy import Row

from agenttwin.errors import NotFound
from agenttwin.evaluate import Grade, NoOpinion, Opinion, Question
from agenttwin.run import CaseRecord
from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._shape import from_json, read, write
from agenttwin.storage._state import read_changes, rebuilt, write_changes
from agenttwin.transcript import (
    Ending,
    FaultUse,
    ModelKind,
    Setting,
    Transcript,
    decode_claim,
    decode_events,
    encode_claim,
    encode_events,
)
from agenttwin.values import Json, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What a transcript holds beside its events and states."""

    changes: list[list[Any]]
    faults: tuple[FaultUse, ...]
    setting: Setting
    ending: Ending
    ending_message: str
    model_kind: ModelKind
    latency_ms: float | None
    at_rest: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judging:
    """What was asked and what was answered."""

    questions: tuple[Question, ...] = ()
    opinions: Mapping[str, Opinion] = field(default_factory=dict)
    missing: Mapping[str, NoOpinion] = field(default_factory=dict)


def to_row(run: str, record: CaseRecord, base: str | None, setup: str | None) -> dict[str, Any]:
    """The row of a record; ``base`` and ``setup`` are the digests of what its first state is made of."""
    transcript = record.transcript
    facts = _Facts(
        changes=write_changes(transcript.changes),
        faults=transcript.faults,
        setting=transcript.setting,
        ending=transcript.ending,
        ending_message=transcript.ending_message,
        model_kind=transcript.model_kind,
        latency_ms=transcript.latency_ms,
        at_rest=transcript.after is not None,
    )
    judging = _Judging(
        questions=record.questions,
        opinions={id: given for id, given in record.opinions.items() if isinstance(given, Opinion)},
        missing={id: given for id, given in record.opinions.items() if isinstance(given, NoOpinion)},
    )
    return {
        "run": run,
        "scenario": record.scenario,
        "trial": record.trial,
        "verdict": record.grade.verdict.value,
        "ending": transcript.ending.value,
        "base": base,
        "setup": setup,
        "events": encode_events(transcript.events),
        "transcript": write(facts),
        "claim": encode_claim(record.claim),
        "grade": write(record.grade),
        "judging": write(judging),
        "pins": orjson.dumps(record.pins),
        "measured": orjson.dumps(record.measured),
    }


def append(scope: Scope, rows: list[dict[str, Any]]) -> None:
    """Keeps rows; a case that is already there stays as it is."""
    scope.insert_new(tables.cases, rows)


def copy(scope: Scope, source: str, target: str, wanted: Collection[tuple[str, int]]) -> None:
    """Keeps the wanted cases of a run, by scenario and trial, as cases of another run too."""
    rows = scope.execute(scope.select(tables.cases).filter_by(run=source)).mappings()
    append(scope, [{**row, "run": target} for row in rows if (row["scenario"], row["trial"]) in wanted])


class Contents:
    """The contents that cases share, read once each."""

    def __init__(self, kept: Callable[[str], bytes]) -> None:
        self._kept = kept
        self._bases: dict[str, Json] = {}
        self._setups: dict[str, bytes] = {}

    def base(self, digest: str) -> Json:
        """A base state, shared by every tree that is made of it."""
        if digest not in self._bases:
            self._bases[digest] = orjson.loads(self._kept(digest))
        return self._bases[digest]

    def setup(self, digest: str | None) -> bytes | None:
        """What a first state has beyond its base."""
        if digest is None:
            return None
        if digest not in self._setups:
            self._setups[digest] = self._kept(digest)
        return self._setups[digest]


def to_record(row: Row[Any], side: str, contents: Contents) -> CaseRecord:
    """The record of a row."""
    judging = read(_Judging, row.judging)
    return CaseRecord(
        side=side,
        scenario=row.scenario,
        trial=row.trial,
        pins=orjson.loads(row.pins),
        transcript=_transcript(row, contents),
        claim=decode_claim(row.claim),
        grade=read(Grade, row.grade),
        questions=judging.questions,
        opinions={**judging.opinions, **judging.missing},
        measured=orjson.loads(row.measured),
    )


def _transcript(row: Row[Any], contents: Contents) -> Transcript:
    facts = from_json(_Facts, orjson.loads(row.transcript))
    changes = read_changes(facts.changes)
    before: Tree | None = None
    after: Tree | None = None
    if row.base is not None:
        before, after = rebuilt(contents.base(row.base), contents.setup(row.setup), changes)
    return Transcript(
        events=decode_events(row.events),
        before=before,
        after=after if facts.at_rest else None,
        changes=changes,
        faults=facts.faults,
        setting=facts.setting,
        ending=facts.ending,
        ending_message=facts.ending_message,
        model_kind=facts.model_kind,
        latency_ms=facts.latency_ms,
    )


def of_run(
    scope: Scope, run: str, side: str, contents: Contents, *, scenario: str | None = None
) -> Iterator[CaseRecord]:
    """Every case of a run, or of one scenario in it."""
    table = tables.cases
    query = scope.select(table).where(table.c.run == run).order_by(table.c.scenario, table.c.trial)
    if scenario is not None:
        query = query.where(table.c.scenario == scenario)
    for row in scope.execute(query):
        yield to_record(row, side, contents)


def one(scope: Scope, run: str, scenario: str, trial: int, side: str, contents: Contents) -> CaseRecord:
    """One case; NotFound where it was never recorded."""
    query = scope.select(tables.cases).filter_by(run=run, scenario=scenario, trial=trial)
    row = scope.execute(query).one_or_none()
    if row is None:
        raise NotFound("unknown_case", f"The run {run} has no case {scenario!r} (trial {trial}).")
    return to_record(row, side, contents)


def recorded(scope: Scope, runs: Iterable[str]) -> set[tuple[str, str, int]]:
    """Run, scenario and trial of every case recorded in these runs."""
    table = tables.cases
    columns = (table.c.run, table.c.scenario, table.c.trial)
    query = scope.select(table, *columns).where(table.c.run.in_(list(runs)))
    return {(row.run, row.scenario, row.trial) for row in scope.execute(query)}
