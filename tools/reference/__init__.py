"""The reference pages of docs/, made from the tables in the code; `make reference` writes them.

A page is a function without arguments that gives Markdown. Where the code has a name and no words for it, the
words stand here, in tables that are looked up strictly: a name without words stops the build.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from . import (
    _commands,
    _documents,
    _errors,
    _expectations,
    _faults,
    _handlers,
    _index,
    _python,
    _results,
    _templates,
)

PAGES: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {
        "index.md": _index.index,
        "command-line.md": _commands.command_line,
        "settings.md": _commands.settings,
        "agent.md": _python.agent,
        "python.md": _python.python,
        "twin-definition.md": _documents.twin_definition,
        "scenario.md": _documents.scenario,
        "manifest.md": _documents.manifest,
        "dataset.md": _documents.dataset,
        "workspace.md": _documents.workspace,
        "faults.md": _faults.faults,
        "expectations.md": _expectations.expectations,
        "handlers.md": _handlers.handlers,
        "templates.md": _templates.templates,
        "results.md": _results.results,
        "errors.md": _errors.errors,
        "limits.md": _errors.limits,
    }
)
"""Every page of docs/reference/, by its file name."""

__all__ = ["PAGES"]
