"""Making agents as the workspace says they run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from agenttwin.agents import ProcessAgent, PythonAgent
from agenttwin.lab._versions import Version
from agenttwin.run import Agent, Lend
from agenttwin.surfaces import lend_python
from agenttwin.workspace import Workspace, environment, expand, load

MIN_SECRET: Final = 4
"""Characters. Masking a shorter value would mask ordinary text."""


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

    @property
    def lend(self) -> Lend:
        """How these agents reach the twin."""
        return lend_python

    def agent(self, version: Version) -> Agent:
        """What drives a version, made once."""
        if version.agent not in self._agents:
            self._agents[version.agent] = self._made(version)
        return self._agents[version.agent]

    def _made(self, version: Version) -> Agent:
        workspace = self._workspace
        entry = workspace.agent(version.agent)
        known = environment(workspace.root, os.environ)
        where = f"agents.{version.agent}.env"
        env = {key: expand(text, known, where=f"{where}.{key}") for key, text in entry.env.items()}
        given = (env[key] for key, text in entry.env.items() if text != env[key])
        self.secrets += tuple(value for value in given if len(value) >= MIN_SECRET)
        if workspace.settings.isolation == "process":
            process = ProcessAgent(entry.run.target, folder=str(version.folder), env=env)
            return self._exits.enter_context(process)
        self._exits.enter_context(_in_environment(env))
        return PythonAgent(load(entry.run.target, version.folder))


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
