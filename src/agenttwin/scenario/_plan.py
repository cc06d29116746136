"""Choosing scenarios, and pinning what a run will be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from agenttwin.document import Document, Finding
from agenttwin.errors import NotFound
from agenttwin.scenario._expectation import evaluator_versions
from agenttwin.scenario._finding import At
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
    """What was asked for: the entries of one field add up, different fields narrow.

    ``suites`` may name datasets too. ``failed`` are the scenarios that failed last; None asks for all.
    """

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
    """One execution of one scenario, counted from 1.

    ``pins`` is what it must run with: the digests of `scenario`, `twin` and `evaluators`, and the `seed`.
    """

    scenario: str
    trial: int
    seed: str
    pins: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A selection resolved once: what is run, with which digests and seeds, worst severity first.

    ``digest`` seals it: the agent, the plan's seed, the number of trials, and what each trial is pinned to.
    The versions that run are not part of it: they are the only difference between two sides.
    """

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
    """The scenarios of ``agent`` that were asked for, by name; none where nothing fits.

    With no filter the default suite is taken, else every scenario of the agent. NotFound for a suite that
    does not exist.
    """
    wanted = (default_suite,) if filters.empty and default_suite is not None else filters.suites
    chosen = [_suite(library, suites or {}, name) for name in wanted]
    return tuple(
        document
        for _, document in sorted(library.scenarios.items())
        if document.model.spec.agent in (None, agent)
        and (not chosen or any(_holds(suite, document.model) for suite in chosen))
        and _passes(document.model, filters)
    )


def _suite(library: Library, suites: Mapping[str, Suite], name: str) -> Suite:
    if name in suites:
        return suites[name]
    if name in library.datasets:
        return Suite(scenarios=tuple(case.scenario for case in library.datasets[name].model.spec.cases))
    hint = _hint(name, (*suites, *library.datasets))
    raise NotFound("unknown_suite", f"There is no suite {name!r}.{hint}")


def _holds(suite: Suite, scenario: Scenario) -> bool:
    return _named(scenario.name, suite.scenarios) or _tagged(scenario, suite.tags)


def _named(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _tagged(scenario: Scenario, tags: Iterable[str]) -> bool:
    return not set(tags).isdisjoint(scenario.metadata.tags)


def _passes(scenario: Scenario, filters: Filters) -> bool:
    return (
        (not filters.scenarios or _named(scenario.name, filters.scenarios))
        and (not filters.tags or _tagged(scenario, filters.tags))
        and (not filters.severities or scenario.metadata.severity in filters.severities)
        and (filters.failed is None or scenario.name in filters.failed)
    )


def unmatched(library: Library, filters: Filters) -> Iterator[str]:
    """What was asked for and names nothing, in sentences: a slip would go unseen beside what does."""
    tags = {tag for document in library.scenarios.values() for tag in document.model.metadata.tags}
    for pattern in filters.scenarios:
        if not any(_named(name, (pattern,)) for name in library.scenarios):
            yield f"No scenario is named {pattern!r}.{_hint(pattern, library.scenarios)}"
    for tag in filters.tags:
        if tag not in tags:
            yield f"No scenario has the tag {tag!r}.{_hint(tag, sorted(tags))}"


def _hint(word: str, known: Iterable[str]) -> str:
    close = nearest(word, tuple(known))
    return f" Did you mean {close!r}?" if close else ""


def suite_findings(
    library: Library, suites: Mapping[str, Suite], default_suite: str | None = None
) -> Iterator[Finding]:
    """What is wrong with a workspace's suites: names that lead nowhere, patterns that match nothing."""
    for name, suite in suites.items():
        for index, pattern in enumerate(suite.scenarios):
            if not any(fnmatchcase(scenario, pattern) for scenario in library.scenarios):
                yield _unmatched(library, pattern, ("suites", name, "scenarios", index))
        for index, tag in enumerate(suite.tags):
            if not any(_tagged(document.model, (tag,)) for document in library.scenarios.values()):
                at: At = ("suites", name, "tags", index)
                message = f"no scenario has the tag {tag!r}"
                yield Finding(at=at, code="matches_nothing", message=message, value=tag, warning=True)
    if default_suite is not None and default_suite not in (*suites, *library.datasets):
        valid = (*suites, *library.datasets)
        yield Finding(
            at=("default_suite",),
            code="unknown_suite",
            message=f"there is no suite {default_suite!r}",
            value=default_suite,
            nearest=nearest(default_suite, valid),
            valid=valid,
        )


def _unmatched(library: Library, pattern: str, at: At) -> Finding:
    if any(sign in pattern for sign in "*?["):
        message = f"no scenario matches {pattern!r}"
        return Finding(at=at, code="matches_nothing", message=message, value=pattern, warning=True)
    return Finding(
        at=at,
        code="unknown_scenario",
        message=f"there is no scenario {pattern!r}",
        value=pattern,
        nearest=nearest(pattern, library.scenarios),
        valid=tuple(library.scenarios),
    )


def plan(
    library: Library, selection: Iterable[Document[Scenario]], *, agent: str, seed: int, trials: int = 1
) -> Plan:
    """Pins a selection: what each trial must run with is settled here, once, for every side."""
    chosen = sorted(selection, key=_worst_first)
    evaluators = digest(evaluator_versions())
    cases = tuple(
        _trial(library, document, number, seed, evaluators)
        for document in chosen
        for number in range(1, trials + 1)
    )
    return Plan(
        agent=agent, seed=seed, trials=trials, cases=cases, digest=plan_digest(agent, seed, trials, cases)
    )


def plan_digest(agent: str, seed: int, trials: int, cases: Iterable[Trial]) -> str:
    """What seals a plan; the order in which it is run is no part of what it is."""
    pinned = sorted((case.scenario, case.trial, sorted(case.pins.items())) for case in cases)
    rows = [[scenario, trial, dict(pins)] for scenario, trial, pins in pinned]
    return digest([PLAN_FORMAT, agent, str(seed), trials, rows])


def _worst_first(document: Document[Scenario]) -> tuple[int, str]:
    metadata = document.model.metadata
    return SEVERITIES.index(metadata.severity), metadata.name


def _trial(library: Library, document: Document[Scenario], number: int, seed: int, evaluators: str) -> Trial:
    spec, name = document.model.spec, document.model.name
    drawn = trial_seed(seed if spec.seed is None else spec.seed, name, number)
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
