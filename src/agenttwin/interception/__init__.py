"""Plain functions as tools: their calls go to the twin while a case is active, and nowhere else before.

Light to import, for it is imported where an agent runs: it needs nothing but the standard library.
"""

from agenttwin.interception._active import Answer, NoCase, active, current
from agenttwin.interception._answer import (
    ToolAnswerError,
    ToolConnectionError,
    ToolError,
    ToolTimeoutError,
    failure_of,
)
from agenttwin.interception._intercept import NoSuchFunction, intercept
from agenttwin.interception._tool import tool

__all__ = [
    "Answer",
    "NoCase",
    "NoSuchFunction",
    "ToolAnswerError",
    "ToolConnectionError",
    "ToolError",
    "ToolTimeoutError",
    "active",
    "current",
    "failure_of",
    "intercept",
    "tool",
]
