"""Choosing scenarios and pinning what a run will be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from agenttwin.document import Document
from agenttwin.errors import NotFound
from agenttwin.scenario._expectation import evaluator_versions
from agenttwin.scenario._library import Library
from agenttwin.scenario._scenario import SEVERITIES, Scenario
from agenttwin.values import digest, nearest, trial_seed

PLAN_FORMAT: Final = "agenttwin/plan/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A named selection; names, globs and tags add up."""

    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What was asked for. Within one field the entries add up, different fields narrow; None asks for nothing."""

    suites: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    failed: Collection[str] | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was asked for."""
        return not (self.suites or self.scenarios or self.tags or self.severities) and self.failed is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One execution of one scenario. ``pins`` is what it must run with: digests and the seed."""

    scenario: str
    trial: int
    seed: str
    pins: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A selection resolved once: what is run, with which digests and seeds. ``digest`` seals it."""

    agent: str
    seed: int
    trials: int
    cases: tuple[Trial, ...]
    digest: str


def select(
    library: Library,
    *,
    agent: str,
    filters: Filters,
    suites: Mapping[str, Suite] | None = None,
    default_suite: str | None = None,
) -> tuple[Document[Scenario], ...]:
    """The scenarios of ``agent`` that were asked for, by name. NotFound for a suite that does not exist.

    With no filter the default suite is taken, else every scenario of the agent.
    """
    known = suites or {}
    mine = {
        name: document
        for name, document in sorted(library.scenarios.items())
        if document.model.spec.agent in (None, agent)
    }
    wanted = (default_suite,) if filters.empty and default_suite is not None else filters.suites
    if wanted:
        chosen = {name for suite in wanted for name in _of_suite(mine, _suite(known, suite))}
        mine = {name: document for name, document in mine.items() if name in chosen}
    return tuple(document for document in mine.values() if _passes(document.model, filters))


def _suite(suites: Mapping[str, Suite], name: str) -> Suite:
    if name not in suites:
        close = nearest(name, suites)
        hint = f" Did you mean {close!r}?" if close else ""
        raise NotFound("unknown_suite", f"There is no suite {name!r}.{hint}")
    return suites[name]


def _of_suite(scenarios: Mapping[str, Document[Scenario]], suite: Suite) -> Iterable[str]:
    for name, document in scenarios.items():
        if _named(name, suite.scenarios) or not set(suite.tags).isdisjoint(document.model.metadata.tags):
            yield name


def _named(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _passes(scenario: Scenario, filters: Filters) -> bool:
    metadata = scenario.metadata
    return (
        (not filters.scenarios or _named(metadata.name, filters.scenarios))
        and (not filters.tags or not set(filters.tags).isdisjoint(metadata.tags))
        and (not filters.severities or metadata.severity in filters.severities)
        and (filters.failed is None or metadata.name in filters.failed)
    )


def plan(
    library: Library, selection: Iterable[Document[Scenario]], *, agent: str, seed: int, trials: int = 1
) -> Plan:
    """Pins a selection: what each trial must run with is settled here, once, for every side."""
    chosen = sorted(selection, key=_by_severity)
    evaluators = digest(evaluator_versions())
    cases = tuple(
        _trial(library, document, number, seed, evaluators)
        for document in chosen
        for number in range(1, trials + 1)
    )
    body = [[case.scenario, case.trial, dict(case.pins)] for case in sorted(cases, key=lambda c: (c.scenario, c.trial))]
    sealed = digest([PLAN_FORMAT, agent, str(seed), trials, body])
    return Plan(agent=agent, seed=seed, trials=trials, cases=cases, digest=sealed)


def _by_severity(document: Document[Scenario]) -> tuple[int, str]:
    metadata = document.model.metadata
    return SEVERITIES.index(metadata.severity), metadata.name


def _trial(library: Library, document: Document[Scenario], number: int, seed: int, evaluators: str) -> Trial:
    spec = document.model.spec
    name = document.model.name
    own = spec.seed if spec.seed is not None else seed
    drawn = trial_seed(own, name, number)
    pins = {
        "scenario": document.digest,
        "twin": library.twin_digest(spec.twin),
        "evaluators": evaluators,
        "seed": drawn,
    }
    return Trial(scenario=name, trial=number, seed=drawn, pins=pins)


def version_of(text: str) -> tuple[str | None, str]:
    """`agent@1.3.0` as agent and version; the agent is None where only a version is given."""
    name, at, version = text.rpartition("@")
    return (name, version) if at else (None, text)
