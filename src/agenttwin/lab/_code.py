"""The code that a workspace names: agents, the functions that are tools, adapters, evaluators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agenttwin.errors import NotFound
from agenttwin.interception import NoSuchFunction, intercept
from agenttwin.workspace import ADAPTERS, EVALUATORS, PythonRun, Workspace, load, registered


def adapters_of(workspace: Workspace) -> dict[str, Callable[..., Any]]:
    """The custom handlers that are registered."""
    return registered(ADAPTERS, workspace.file.adapters, workspace.root)


def evaluators_of(workspace: Workspace) -> dict[str, Callable[..., Any]]:
    """The custom evaluators that are registered."""
    return registered(EVALUATORS, workspace.file.evaluators, workspace.root)


def load_agent(run: PythonRun, folder: Path) -> Callable[..., Any]:
    """The agent's function; all that is to be intercepted is there too. Raises what loading raises."""
    function = load(run.target, folder)
    for target in run.intercept.values():
        load(target, folder)
    try:
        with intercept(run.intercept):
            return function
    except NoSuchFunction as error:
        raise NotFound("no_such_function", str(error)) from None


def load_code(workspace: Workspace) -> None:
    """Loads every agent, adapter and evaluator that the workspace names; raises what loading raises."""
    for entry in workspace.file.agents.values():
        if isinstance(entry.run, PythonRun):
            load_agent(entry.run, workspace.root)
    adapters_of(workspace)
    evaluators_of(workspace)
