"""AgentTwin: run an agent against stateful stand-ins of its tools and grade it by what provably happened."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agenttwin.compare import Comparison
    from agenttwin.errors import AgentTwinError, DocumentError
    from agenttwin.interception import NoCase, ToolError, intercept, tool
    from agenttwin.lab import Case, Twin, compare

__all__ = [
    "AgentTwinError",
    "Case",
    "Comparison",
    "DocumentError",
    "NoCase",
    "ToolError",
    "Twin",
    "compare",
    "intercept",
    "tool",
]

_HOMES = {
    "AgentTwinError": "agenttwin.errors",
    "Case": "agenttwin.lab",
    "Comparison": "agenttwin.compare",
    "DocumentError": "agenttwin.errors",
    "NoCase": "agenttwin.interception",
    "ToolError": "agenttwin.interception",
    "Twin": "agenttwin.lab",
    "intercept": "agenttwin.interception",
    "tool": "agenttwin.interception",
}


def __getattr__(name: str) -> object:
    """The public names, imported when they are first used: `import agenttwin` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names, whether or not they were used already."""
    return sorted({*__all__, "__doc__", "__version__"} & {*__all__, *globals()})


if not TYPE_CHECKING:

    class _Verb(ModuleType):
        """`agenttwin.compare` is a package, and the verb of this one: called, it is that of the lab."""

        def __call__(self, *arguments: Any, **named: Any) -> Any:
            return import_module("agenttwin.lab").compare(*arguments, **named)

        @property
        def __signature__(self) -> object:
            """What `help` and editors show of the verb."""
            from inspect import signature

            return signature(import_module("agenttwin.lab").compare)

    class _Package(ModuleType):
        """This package: importing `agenttwin.compare`, whoever does it, leaves the verb in its place."""

        @property
        def compare(self) -> ModuleType:
            return self._as_verb(import_module("agenttwin.compare"))

        @compare.setter
        def compare(self, module: ModuleType) -> None:
            self._as_verb(module)

        @staticmethod
        def _as_verb(module: ModuleType) -> ModuleType:
            module.__class__ = _Verb
            return module

    sys.modules[__name__].__class__ = _Package
