"""AgentTwin: run an agent against stateful stand-ins of its tools and grade it by what provably happened."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agenttwin.compare import Comparison
    from agenttwin.errors import AgentTwinError, DocumentError
    from agenttwin.lab import Case, Twin, compare

__all__ = ["AgentTwinError", "Case", "Comparison", "DocumentError", "Twin", "compare"]

_HOMES = {
    "AgentTwinError": "agenttwin.errors",
    "Case": "agenttwin.lab",
    "Comparison": "agenttwin.compare",
    "DocumentError": "agenttwin.errors",
    "Twin": "agenttwin.lab",
    "compare": "agenttwin.lab",
}


def __getattr__(name: str) -> object:
    """The public names, imported when they are first used: `import agenttwin` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
