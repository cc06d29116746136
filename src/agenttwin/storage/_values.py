"""What the store tells of what it keeps, beside the values of the core that it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from agenttwin.values import Json

T = TypeVar("T")

Key: TypeAlias = tuple[str, str, int]
"""One trial of one side: side, scenario, trial."""

BASELINE = "baseline"
CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """Part of a list, newest first. ``after`` is what to ask with for the next part; None at the end."""

    items: tuple[T, ...]
    after: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A document as it was when it was run: the value as written, and its text and file."""

    digest: str
    kind: str
    name: str
    file: str
    text: str
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where something that is not finished stands, as whoever runs it said last.

    ``state`` is queued, running, cancelled or failed; None where nobody said anything, and at the end.
    ``owner`` is the process that runs it, and ``seen_at`` when it was heard of last.
    """

    state: str | None = None
    error: str | None = None
    owner: str | None = None
    seen_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """One side of a pair, or one version run alone (``pair`` is None then).

    ``cases`` is how many the plan has, ``finished`` how many are recorded, ``decided`` how many decisions of
    people there are on them. Times are milliseconds since 1970.
    ``summary`` is whatever the front door wants to show in a list. ``origin`` is the id of the run that its
    cases were copied from or graded again; None where the agent was run.
    """

    id: str
    pair: str | None
    side: str
    key: str
    agent: str
    version: str
    digest: str
    model_kind: str
    plan_digest: str
    seed: int
    trials: int
    cases: int
    finished: int
    created_at: int
    finished_at: int | None
    summary: Mapping[str, Json]
    origin: str | None = None
    decided: int = 0
    progress: Progress = Progress()

    @property
    def complete(self) -> bool:
        """Whether every case is recorded."""
        return self.finished == self.cases


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPair:
    """Two versions under one plan, found by ``key`` or id. Fields as of a run; ``summary`` is of the pair."""

    id: str
    key: str
    baseline: StoredRun
    candidate: StoredRun
    created_at: int
    finished_at: int | None
    summary: Mapping[str, Json]
    progress: Progress = Progress()

    @property
    def runs(self) -> Mapping[str, str]:
        """The id of each side's run."""
        return {BASELINE: self.baseline.id, CANDIDATE: self.candidate.id}

    @property
    def complete(self) -> bool:
        """Whether every case of both sides is recorded."""
        return self.baseline.complete and self.candidate.complete


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What a database holds, and whether it is sound. ``damage`` is what the database says of itself."""

    name: str
    schema: int
    projects: int
    pairs: int
    runs: int
    keys: int
    damage: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What runs, comparisons and keys belong to. ``retention_days`` None: everything is kept."""

    name: str
    title: str
    retention_days: int | None
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """An API key without its secret, of which ``hint`` is the beginning. Times: milliseconds since 1970."""

    id: str
    project: str
    name: str
    hint: str
    scopes: tuple[str, ...]
    created_at: int
    created_by: str
    expires_at: int | None
    revoked_at: int | None
    used_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One thing that somebody did."""

    id: str
    at: int
    actor: str
    action: str
    target: str
    detail: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request was answered with, for whoever sends it again."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """A comparison as lists find and show it, and its JSON. ``classes`` are those that it has."""

    agent: str
    baseline: str
    candidate: str
    classes: tuple[str, ...]
    headline: str
    item: bytes
    head: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonCaseRow:
    """One case of a comparison as lists find and show it; ``words`` are looked through, ``item`` is JSON."""

    scenario: str
    trial: int
    classification: str
    severity: str
    tags: tuple[str, ...]
    words: str
    item: bytes
