"""What went wrong, where, and what to do about it: exceptions and problems with stable codes."""

from agenttwin.errors._codes import CODES, CodeEntry
from agenttwin.errors._errors import (
    AgentTwinError,
    Conflict,
    Denied,
    DocumentError,
    LimitExceeded,
    NotFound,
    UsageError,
)
from agenttwin.errors._problem import QUOTE_LIMIT, Location, Problem, count, quote, render

__all__ = [
    "CODES",
    "QUOTE_LIMIT",
    "AgentTwinError",
    "CodeEntry",
    "Conflict",
    "Denied",
    "DocumentError",
    "LimitExceeded",
    "Location",
    "NotFound",
    "Problem",
    "UsageError",
    "count",
    "quote",
    "render",
]
