"""A workspace and its store together: runs what was planned, keeps it, compares what was kept."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from agenttwin.agents import ProcessAgent, PythonAgent
from agenttwin.compare import Comparison, Single, compare
from agenttwin.document import Document
from agenttwin.errors import NotFound, UsageError
from agenttwin.evaluate import CaseVerdict
from agenttwin.judges import KeywordJudge
from agenttwin.run import Agent, Bench, Contender, Grading, Judge, RunEvent, Work, prepare, run
from agenttwin.scenario import Agent as Manifest
from agenttwin.scenario import Filters, Plan, plan, select, version_of
from agenttwin.storage import Order, Recorder, Store, StoredPair, StoredRun, open_store
from agenttwin.surfaces import lend_python
from agenttwin.values import nearest
from agenttwin.workspace import (
    ADAPTERS,
    EVALUATORS,
    Workspace,
    environment,
    expand,
    load,
    open_workspace,
    registered,
)

Listener = Callable[[RunEvent], None]

KEY_BYTES = 8

MIN_SECRET = 4
"""Characters. Masking a shorter value would mask ordinary text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is to be run, and how. ``failed`` takes what did not pass in the latest comparison."""

    suites: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    failed: bool = False
    fail_fast: bool = False
    key: str | None = None
    listeners: tuple[Listener, ...] = field(default_factory=tuple)


class Session:
    """An open workspace with its store. To be used in a `with`."""

    def __init__(self, workspace: Workspace, *, judge: Judge | None = None) -> None:
        self.workspace = workspace
        self._judge: Judge = judge or KeywordJudge()
        self._store: Store | None = None

    @classmethod
    def open(
        cls, path: str | Path, *, flags: Mapping[str, Any] | None = None, judge: Judge | None = None
    ) -> Session:
        """The session of the workspace at ``path`` or above it; ``flags`` are settings that win."""
        return cls(open_workspace(path, flags=flags), judge=judge)

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
            self._store = open_store(self.workspace.database)
        return self._store

    @property
    def qualified(self) -> bool:
        """Whether a version alone does not name the agent."""
        return len(self.workspace.file.agents) > 1

    # -- versions and selections

    def version(self, text: str) -> tuple[str, str]:
        """Agent and version of `1.3.0` or `agent@1.3.0`; NotFound or UsageError says what is missing."""
        agent, version = version_of(text)
        library, agents = self.workspace.library, tuple(self.workspace.file.agents)
        if agent is not None and agent not in agents:
            close = nearest(agent, agents)
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound("unknown_agent", f"There is no agent {agent!r}.{hint}")
        owners = [agent] if agent else [name for name in agents if version in library.versions(name)]
        if len(owners) > 1:
            message = f"{version} is a version of {' and '.join(owners)}; write {owners[0]}@{version}."
            raise UsageError("ambiguous_version", message)
        name = owners[0] if owners else next(iter(agents), "")
        library.manifest(name, version)
        return name, version

    def plan(self, agent: str, ask: Ask) -> Plan:
        """What is asked for, resolved once."""
        workspace = self.workspace
        chosen = select(
            workspace.library,
            agent=agent,
            filters=Filters(
                suites=ask.suites,
                scenarios=ask.scenarios,
                tags=ask.tags,
                severities=ask.severities,
                failed=self._failed() if ask.failed else None,
            ),
            suites=workspace.suites,
            default_suite=workspace.settings.default_suite,
        )
        return plan(workspace.library, chosen, agent=agent, seed=workspace.settings.seed)

    def _failed(self) -> frozenset[str]:
        latest = self.store.load_pair(self.store.latest_pair())
        return frozenset(
            case.info.scenario
            for case in latest.cases
            if case.candidate.grade is None or case.candidate.grade.verdict is not CaseVerdict.PASSED
        )

    # -- running

    def compare(self, baseline: str, candidate: str, ask: Ask | None = None) -> tuple[StoredPair, Comparison]:
        """Runs what is missing of a pair, and compares it. The same key gives the same pair."""
        ask = ask or Ask()
        left, right = self.version(baseline), self.version(candidate)
        agreed = self.plan(right[0], ask)
        library = self.workspace.library
        manifests = (library.manifest(*left), library.manifest(*right))
        pair = self.store.pair(ask.key or new_key(), Order.of(library, agreed), *manifests)
        sides = dict(zip(("baseline", "candidate"), manifests, strict=True))
        self._run(pair, agreed, sides, pair.runs, ask)
        return pair, self.comparison(pair)

    def run(self, version: str, ask: Ask | None = None) -> tuple[StoredRun, Single]:
        """Runs one version alone."""
        ask = ask or Ask()
        name, number = self.version(version)
        agreed = self.plan(name, ask)
        manifest = self.workspace.library.manifest(name, number)
        stored = self.store.run(ask.key or new_key(), Order.of(self.workspace.library, agreed), manifest)
        self._run(stored, agreed, {stored.side: manifest}, {stored.side: stored.id}, ask)
        return stored, self.store.load_run(stored)

    def comparison(self, pair: StoredPair) -> Comparison:
        """The comparison of a stored pair, people's decisions included."""
        return compare(self.store.load_pair(pair))

    def _run(
        self,
        stored: StoredPair | StoredRun,
        agreed: Plan,
        sides: Mapping[str, Document[Manifest]],
        runs: Mapping[str, str],
        ask: Ask,
    ) -> None:
        workspace, missing = self.workspace, self.store.missing(stored)
        if missing:
            with Driver(workspace) as driver:
                contenders = [
                    Contender(side=side, agent=driver.agent(manifest.model.metadata.name), manifest=manifest)
                    for side, manifest in sides.items()
                ]
                works = prepare(
                    workspace.library,
                    agreed,
                    contenders,
                    adapters=adapters_of(workspace),
                    call_limit=workspace.settings.call_limit,
                    only=missing,
                )
                asyncio.run(self._drive(works, runs, ask, secrets=driver.secrets))
        self.store.finish(stored)

    async def _drive(
        self, works: Sequence[Work], runs: Mapping[str, str], ask: Ask, *, secrets: tuple[str, ...]
    ) -> None:
        grading = Grading(
            bench=Bench(judge=self._judge, cache=self.store.opinions),
            evaluators=evaluators_of(self.workspace),
            secrets=secrets,
        )
        events = run(
            works,
            lend=lend_python,
            grading=grading,
            concurrency=self.workspace.settings.concurrency,
            fail_fast=ask.fail_fast,
        )
        with Recorder(self.store, runs) as recorder:
            async for event in _heard(recorder.through(events), ask.listeners):
                del event


async def _heard(events: AsyncIterator[RunEvent], listeners: Sequence[Listener]) -> AsyncIterator[RunEvent]:
    async for event in events:
        for listener in listeners:
            listener(event)
        yield event


class Driver:
    """Makes agents as the workspace says they run, and ends their processes. To be used in a `with`.

    ``secrets`` are the values that the environment gave them: masked in what they print, which is kept.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.secrets: tuple[str, ...] = ()
        self._workspace = workspace
        self._exits = ExitStack()
        self._agents: dict[str, Agent] = {}

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        self._exits.close()

    def agent(self, name: str) -> Agent:
        """The agent of that name, made once."""
        if name not in self._agents:
            self._agents[name] = self._made(name)
        return self._agents[name]

    def _made(self, name: str) -> Agent:
        workspace = self._workspace
        entry = workspace.agent(name)
        known = environment(workspace.root, os.environ)
        env = {key: expand(text, known, where=f"agents.{name}.env.{key}") for key, text in entry.env.items()}
        given = (env[key] for key, text in entry.env.items() if text != env[key])
        self.secrets += tuple(value for value in given if len(value) >= MIN_SECRET)
        if workspace.settings.isolation == "process":
            process = ProcessAgent(entry.run.target, folder=str(workspace.root), env=env)
            return self._exits.enter_context(process)
        self._exits.enter_context(_in_environment(env))
        return PythonAgent(load(entry.run.target, workspace.root))


@contextmanager
def _in_environment(env: Mapping[str, str]) -> Iterator[None]:
    """An agent in this process reads this process's environment; what it gets is taken back afterwards."""
    before = {name: os.environ.get(name) for name in env}
    os.environ.update(env)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def new_key() -> str:
    """A key that nobody has used."""
    return secrets.token_hex(KEY_BYTES)


def adapters_of(workspace: Workspace) -> dict[str, Callable[..., Any]]:
    """The custom handlers that are registered."""
    return registered(ADAPTERS, workspace.file.adapters, workspace.root)


def evaluators_of(workspace: Workspace) -> dict[str, Callable[..., Any]]:
    """The custom evaluators that are registered."""
    return registered(EVALUATORS, workspace.file.evaluators, workspace.root)


def load_code(workspace: Workspace) -> None:
    """Loads every agent, adapter and evaluator that the workspace names; raises what loading raises."""
    for entry in workspace.file.agents.values():
        load(entry.run.target, workspace.root)
    adapters_of(workspace)
    evaluators_of(workspace)


def reviewer() -> str:
    """Who is at the keyboard, as far as the system says."""
    return os.environ.get("USER") or os.environ.get("USERNAME") or "somebody"
