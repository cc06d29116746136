"""What the environment gives to an agent: values that go to it and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agenttwin.workspace import Workspace, environment, expand

MIN_SECRET: Final = 4
"""Characters. Masking a shorter value would mask ordinary text."""


@dataclass(slots=True, kw_only=True)
class Given:
    """Expands texts of `agenttwin.yaml` about one agent; ``secrets`` are the values that they got."""

    agent: str
    known: Mapping[str, str]
    secrets: list[str] = field(default_factory=list)

    @classmethod
    def to(cls, agent: str, workspace: Workspace) -> Given:
        """For an agent of a workspace."""
        return cls(agent=agent, known=environment(workspace.root, os.environ))

    def expand(self, texts: Mapping[str, str], field: str) -> dict[str, str]:
        """The texts with each `${NAME}` replaced; UsageError names what is not set, and where."""
        where = f"agents.{self.agent}.{field}"
        full = {name: expand(text, self.known, where=f"{where}.{name}") for name, text in texts.items()}
        changed = (full[name] for name, text in texts.items() if text != full[name])
        self.secrets += [value for value in changed if len(value) >= MIN_SECRET]
        return full


def check_environment(workspace: Workspace, agents: Iterable[str]) -> None:
    """UsageError where an agent needs a variable that is not set: before anything of a run is kept."""
    for agent in sorted(agents):
        entry = workspace.agent(agent)
        given = Given.to(agent, workspace)
        given.expand(entry.env, "env")
        given.expand(getattr(entry.run, "headers", {}), "run.headers")
