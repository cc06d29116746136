"""A workspace and its store together: runs what was planned, keeps it, compares what was kept."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from agenttwin.compare import Comparison, Single, compare
from agenttwin.document import Document
from agenttwin.errors import NotFound, UsageError
from agenttwin.evaluate import CaseVerdict
from agenttwin.judges import KeywordJudge
from agenttwin.lab._alive import process_name, working
from agenttwin.lab._code import adapters_of, evaluators_of
from agenttwin.lab._driver import Driver
from agenttwin.lab._editor import write_schemas
from agenttwin.lab._environment import check_environment
from agenttwin.lab._model import told_estimate
from agenttwin.lab._scenario_case import ScenarioCase
from agenttwin.lab._twin import Twin
from agenttwin.lab._versions import Version, find_version
from agenttwin.run import Bench, ByHand, Contender, Grading, Judge, Lend, RunEvent, Work, prepare, run
from agenttwin.scenario import Filters, Plan, Scenario, plan, select, unmatched
from agenttwin.storage import Kept, Order, Recorder, Store, StoredPair, StoredRun, open_store
from agenttwin.twin import CompiledTwin, compile
from agenttwin.values import nearest
from agenttwin.workspace import Workspace, open_workspace

Listener = Callable[[RunEvent], None]

KEY_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is to be run, and how. ``failed`` takes what did not pass in the latest comparison.

    ``tell`` hears, before the first case, what language models are going to cost. ``listeners`` hear what
    happens at once; ``kept`` hears of finished cases once they are in the store.
    """

    suites: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    failed: bool = False
    fail_fast: bool = False
    key: str | None = None
    listeners: tuple[Listener, ...] = field(default_factory=tuple)
    tell: Callable[[str], None] = lambda text: None
    kept: Kept | None = None

    @property
    def narrows(self) -> bool:
        """Whether it asks for some scenarios and not for all."""
        return bool(self.suites or self.scenarios or self.tags or self.severities or self.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """What is to be run, planned and stored: the plan, the version of each side, and the run of each."""

    stored: StoredPair | StoredRun
    plan: Plan
    sides: Mapping[str, Version]
    runs: Mapping[str, str]


class Session:
    """An open workspace with its store. To be used in a `with`."""

    def __init__(
        self, workspace: Workspace, *, judge: Judge | None = None, database: str | Path | None = None
    ) -> None:
        self.workspace = workspace
        self._database = database or workspace.database
        self._judge: Judge = judge or KeywordJudge()
        self._store: Store | None = None
        self._twins: dict[str, CompiledTwin] = {}

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        flags: Mapping[str, Any] | None = None,
        judge: Judge | None = None,
        database: str | Path | None = None,
    ) -> Session:
        """The session of the workspace at ``path`` or above it; ``flags`` are settings that win.

        ``database`` is where runs are kept, by default the workspace's own file.
        """
        return cls(open_workspace(path, flags=flags), judge=judge, database=database)

    def adopt(self, other: Session) -> None:
        """Goes on with the store of a session of the same folder."""
        self._store, other._store = other._store, None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._store is not None:
            self._store.close()

    @property
    def store(self) -> Store:
        """The store, opened when it is first needed."""
        if self._store is None:
            self._store = open_store(self._database)
            write_schemas(self.workspace.root)
        return self._store

    @property
    def qualified(self) -> bool:
        """Whether a version alone does not name the agent."""
        return len(self.workspace.file.agents) > 1

    # -- versions and selections

    def version(self, text: str) -> Version:
        """The version that a text names; NotFound or UsageError says what is missing."""
        return find_version(self.workspace, text)

    def latest(self) -> str:
        """The highest version of the only agent; UsageError where there are several agents, or no version."""
        agents, library = tuple(self.workspace.file.agents), self.workspace.library
        if len(agents) != 1 or not library.versions(agents[0]):
            message = f"There are the agents {', '.join(agents)}: say which version is meant."
            raise UsageError("ambiguous_version", message)
        return library.versions(agents[0])[-1]

    def plan(self, agent: str, ask: Ask) -> Plan:
        """What is asked for, resolved once."""
        chosen = self.select(agent, ask)
        return plan(self.workspace.library, chosen, agent=agent, seed=self.workspace.settings.seed)

    def select(self, agent: str, ask: Ask) -> tuple[Document[Scenario], ...]:
        """The scenarios that are asked for."""
        workspace = self.workspace
        return select(
            workspace.library,
            agent=agent,
            filters=self._filters(ask),
            suites=workspace.suites,
            default_suite=workspace.settings.default_suite,
        )

    def _filters(self, ask: Ask) -> Filters:
        return Filters(
            suites=ask.suites,
            scenarios=ask.scenarios,
            tags=ask.tags,
            severities=ask.severities,
            failed=self._failed() if ask.failed else None,
        )

    def _failed(self) -> frozenset[str]:
        latest = self.store.load_pair(self.store.latest_pair(apart=True))
        return frozenset(
            case.info.scenario
            for case in latest.cases
            if case.candidate.grade is None or case.candidate.grade.verdict is not CaseVerdict.PASSED
        )

    def order(self, agreed: Plan, ask: Ask, *warnings: str) -> Order:
        """A plan with what is known of its cases, and all that a report must warn of."""
        slips = unmatched(self.workspace.library, self._filters(ask))
        told = [*warnings, *slips, *map(str, self.workspace.warnings)]
        return Order.of(self.workspace.library, agreed, warnings=told, checks=self.workspace.checks)

    # -- running

    def compare(self, baseline: str, candidate: str, ask: Ask | None = None) -> tuple[StoredPair, Comparison]:
        """Runs what is missing of a pair, and compares it. The same key gives the same pair."""
        ask = ask or Ask()
        ordered = self.order_pair(baseline, candidate, ask)
        self.carry_out(ordered, fail_fast=ask.fail_fast, listeners=ask.listeners, tell=ask.tell)
        assert isinstance(ordered.stored, StoredPair)
        return ordered.stored, self.comparison(ordered.stored)

    def run(self, version: str, ask: Ask | None = None) -> tuple[StoredRun, Single]:
        """Runs one version alone."""
        ask = ask or Ask()
        ordered = self.order_run(version, ask)
        self.carry_out(ordered, fail_fast=ask.fail_fast, listeners=ask.listeners, tell=ask.tell)
        assert isinstance(ordered.stored, StoredRun)
        return ordered.stored, self.store.load_run(ordered.stored)

    def order_pair(self, baseline: str, candidate: str, ask: Ask) -> Ordered:
        """A pair that is planned and stored, of which nothing need have run yet."""
        left, right = self.version(baseline), self.version(candidate)
        agreed = self.plan(right.agent, ask)
        order = self.order(agreed, ask)
        check_environment(self.workspace, {left.agent, right.agent})
        stored = self.store.pair(ask.key or new_key(), order, left.manifest, right.manifest)
        return Ordered(
            stored=stored, plan=agreed, sides={"baseline": left, "candidate": right}, runs=stored.runs
        )

    def order_run(self, version: str, ask: Ask) -> Ordered:
        """A run of one version alone that is planned and stored."""
        found = self.version(version)
        agreed = self.plan(found.agent, ask)
        order = self.order(agreed, ask)
        check_environment(self.workspace, {found.agent})
        stored = self.store.run(ask.key or new_key(), order, found.manifest)
        return Ordered(stored=stored, plan=agreed, sides={stored.side: found}, runs={stored.side: stored.id})

    def carry_out(
        self,
        ordered: Ordered,
        *,
        fail_fast: bool = False,
        listeners: Sequence[Listener] = (),
        tell: Callable[[str], None] | None = None,
        kept: Kept | None = None,
        owner: str | None = None,
    ) -> None:
        """Runs the cases of what was ordered that are not recorded yet, and marks it as ended.

        ``owner`` is who others find at work, by default this process. The rest is as of Ask.
        """
        ask = Ask(
            fail_fast=fail_fast, listeners=tuple(listeners), tell=tell or (lambda text: None), kept=kept
        )
        self.execute(ordered.stored, ordered.plan, ordered.sides, ordered.runs, ask, owner=owner)

    def comparison(self, pair: StoredPair) -> Comparison:
        """The comparison of a stored pair, people's decisions included."""
        return compare(self.store.load_pair(pair))

    def execute(
        self,
        stored: StoredPair | StoredRun,
        agreed: Plan,
        sides: Mapping[str, Version],
        runs: Mapping[str, str],
        ask: Ask,
        *,
        owner: str | None = None,
    ) -> None:
        """Runs the cases of ``sides`` that are not recorded yet, and marks the pair or run as ended."""
        workspace, missing = self.workspace, self.store.missing(stored)
        if missing:
            with working(self.store, stored, owner or process_name()), Driver(workspace) as driver:
                contenders = [
                    Contender(side=side, agent=driver.agent(version), manifest=version.manifest)
                    for side, version in sides.items()
                ]
                works = prepare(
                    workspace.library,
                    agreed,
                    contenders,
                    adapters=adapters_of(workspace),
                    call_limit=workspace.settings.call_limit,
                    only=missing,
                )
                if (estimated := told_estimate(workspace, works)) is not None:
                    ask.tell(estimated)
                asyncio.run(self._drive(works, runs, ask, lend=driver.lend, secrets=driver.secrets))
        self.store.finish(stored)

    async def _drive(
        self,
        works: Sequence[Work],
        runs: Mapping[str, str],
        ask: Ask,
        *,
        lend: Lend,
        secrets: tuple[str, ...],
    ) -> None:
        events = run(
            works,
            lend=lend,
            grading=self.grading(secrets),
            concurrency=self.workspace.settings.concurrency,
            fail_fast=ask.fail_fast,
        )
        with Recorder(self.store, runs, kept=ask.kept) as recorder:
            async for event in _heard(recorder.through(events), ask.listeners):
                del event

    def case(self, scenario: str) -> ScenarioCase:
        """A case of a scenario, begun, whose tools you call yourself; it is kept nowhere.

        NotFound names the nearest scenario.
        """
        library = self.workspace.library
        document = library.scenarios.get(scenario)
        if document is None:
            close = nearest(scenario, library.scenarios)
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound("unknown_scenario", f"There is no scenario {scenario!r}.{hint}")
        agent = document.model.spec.agent or next(iter(self.workspace.file.agents), "nobody")
        trial = plan(library, (document,), agent=agent, seed=self.workspace.settings.seed).cases[0]
        held = ByHand(
            document.model,
            self._twin(document.model.spec.twin),
            trial.seed,
            grading=self.grading(),
            call_limit=self.workspace.settings.call_limit,
        )
        return ScenarioCase(held)

    def twin(self, name: str | None = None) -> Twin:
        """A twin of the workspace, the first where none is named; NotFound names the nearest."""
        twins = self.workspace.library.twins
        wanted = name if name is not None else next(iter(twins), "")
        if wanted not in twins:
            close = nearest(wanted, twins)
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound("unknown_twin", f"There is no twin {wanted!r}.{hint}")
        return Twin.of(twins[wanted].model, self._twin(wanted))

    def _twin(self, name: str) -> CompiledTwin:
        """A twin of the workspace, compiled once."""
        if name not in self._twins:
            library = self.workspace.library
            self._twins[name] = compile(
                library.twins[name].model,
                adapters=adapters_of(self.workspace),
                initial_state=library.states.get(name),
            )
        return self._twins[name]

    def grading(self, secrets: tuple[str, ...] = ()) -> Grading:
        """What cases are graded with; ``secrets`` are masked in what agents print."""
        return Grading(
            bench=Bench(judge=self._judge, cache=self.store.opinions),
            evaluators=evaluators_of(self.workspace),
            secrets=secrets,
        )


async def _heard(events: AsyncIterator[RunEvent], listeners: Sequence[Listener]) -> AsyncIterator[RunEvent]:
    async for event in events:
        for listener in listeners:
            listener(event)
        yield event


def new_key() -> str:
    """A key that nobody has used."""
    return secrets.token_hex(KEY_BYTES)


def reviewer() -> str:
    """Who is at the keyboard, as far as the system says."""
    return os.environ.get("USER") or os.environ.get("USERNAME") or "somebody"
