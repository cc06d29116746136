"""Making agents as the workspace says they run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from agenttwin.agents import (
    AgentServer,
    Budget,
    CommandAgent,
    HttpAgent,
    ModelAgent,
    ProcessAgent,
    PythonAgent,
    in_checkout,
)
from agenttwin.interception import intercept
from agenttwin.lab._code import load_agent
from agenttwin.lab._environment import Given
from agenttwin.lab._model import made_model
from agenttwin.lab._versions import Version, checkouts
from agenttwin.lab._words import words
from agenttwin.run import Agent, Lend
from agenttwin.surfaces import TwinServer, lend_http, lend_python
from agenttwin.transcript import redact
from agenttwin.workspace import (
    CommandRun,
    GitRun,
    HttpRun,
    ModelRun,
    PythonRun,
    Workspace,
)

_IN_PYTHON: Final = (PythonAgent, ProcessAgent, ModelAgent)
"""Agents that call the twin's tools as functions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where and as what an agent is run."""

    version: Version
    folder: Path
    env: Mapping[str, str]
    given: Given
    store: Path
    isolation: str
    workspace: Workspace
    budget: Budget


class Driver:
    """Makes agents as the workspace says they run, and ends their processes. To be used in a `with`.

    ``secrets`` are the values that the environment gave them: masked in what they print, which is kept.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.secrets: tuple[str, ...] = ()
        self._workspace = workspace
        self._exits = ExitStack()
        self._agents: dict[tuple[str, ...], Agent] = {}
        self._server: TwinServer | None = None
        self._budget = Budget(workspace.settings.max_cost)

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        self._exits.close()

    @property
    def lend(self) -> Lend:
        """How these agents reach the twin: as functions, or over a server that the first of them starts."""
        if all(isinstance(agent, _IN_PYTHON) for agent in self._agents.values()):
            return lend_python
        if self._server is None:
            self._server = self._exits.enter_context(TwinServer())
        return lend_http(self._server)

    def agent(self, version: Version) -> Agent:
        """What drives a version, made once. Versions share it where nothing of it is the version's own."""
        run = self._workspace.agent(version.agent).run
        by_version = isinstance(run, ModelRun) or (isinstance(run, HttpRun) and run.start)
        own = version.number if by_version else str(version.folder)
        key = version.agent, own
        if key not in self._agents:
            self._agents[key] = self._made(run, version)
        return self._agents[key]

    def _made(self, run: Any, version: Version) -> Agent:
        given = Given.to(version.agent, self._workspace)
        env = given.expand(self._workspace.agent(version.agent).env, "env")
        place = Place(
            version=version,
            folder=version.folder,
            env=env,
            given=given,
            store=checkouts(self._workspace),
            isolation=self._workspace.settings.isolation,
            workspace=self._workspace,
            budget=self._budget,
        )
        try:
            return _MAKERS[type(run)](self._exits, run, place)
        finally:
            self.secrets += tuple(given.secrets)


def _python(exits: ExitStack, run: PythonRun, place: Place) -> Agent:
    function = load_agent(run, place.folder)  # also for a process, so that a slip is told and judged nowhere
    if place.isolation == "process":
        return exits.enter_context(
            ProcessAgent(run.target, folder=str(place.folder), env=place.env, intercepted=run.intercept)
        )
    exits.enter_context(intercept(run.intercept))
    exits.enter_context(_in_environment(place.env))
    return PythonAgent(function)


def _command(exits: ExitStack, run: CommandRun, place: Place) -> Agent:
    return CommandAgent(words(run.argv), folder=place.folder, env=place.env)


def _http(exits: ExitStack, run: HttpRun, place: Place) -> Agent:
    headers = place.given.expand(run.headers, "run.headers")
    if run.start is None:
        return HttpAgent(run.url, headers=headers)
    secrets = place.given.secrets
    server = AgentServer(
        words(run.start, version=place.version.number),
        run.url,
        folder=place.folder,
        env=place.env,
        ready=run.ready,
        start_seconds=run.start_seconds,
        masked=lambda text: str(redact(text, secrets)),
    )
    exits.enter_context(server)
    server.start()
    return HttpAgent(server, headers=headers)


def _git(exits: ExitStack, run: GitRun, place: Place) -> Agent:
    """In the checkout; Python too in a process of its own, since both sides' modules have the same names."""
    inner = replace(place, env={**in_checkout(place.store), **place.env}, isolation="process")
    return _MAKERS[type(run.run)](exits, run.run, inner)


def _model(exits: ExitStack, run: ModelRun, place: Place) -> Agent:
    return made_model(place.workspace, run, place.version, place.given, place.budget)


_MAKERS: Final[Mapping[type, Callable[[ExitStack, Any, Place], Agent]]] = {
    PythonRun: _python,
    CommandRun: _command,
    HttpRun: _http,
    GitRun: _git,
    ModelRun: _model,
}
"""How each kind of `run` is made. What has an end is left with the exits."""


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
