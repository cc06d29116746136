"""A tool's answer as the value or the exception of a function."""

from __future__ import annotations

from typing import Any, Final

from agenttwin.interception._active import Answer

TIMEOUTS: Final = frozenset({408, 504})


class ToolError(Exception):
    """A tool gave no success. ``status`` is the HTTP number, ``code`` the tool's own word, if it has one."""

    def __init__(self, tool: str, reply: Answer, message: str) -> None:
        super().__init__(f"{tool}: {message}")
        self.tool = tool
        self.reply = reply
        self.status = reply.status
        self.code = _told(reply, "code")


class ToolTimeoutError(ToolError, TimeoutError):
    """No answer came in time. Whether the tool did what it was asked for is not known."""


class ToolConnectionError(ToolError, ConnectionError):
    """The connection was lost before a whole answer came."""


class ToolAnswerError(ToolError, ValueError):
    """What came says that it is a success, and is no whole JSON, or has another form."""


def value_of(tool: str, reply: Answer) -> Any:
    """The answer's JSON; ToolError, or the kind of it that fits, where it is no success."""
    if reply.ok:
        return reply.body
    raise failure_of(tool, reply)


def failure_of(tool: str, reply: Answer) -> ToolError:
    """The exception that a client of the tool would raise for an answer that is no success."""
    if reply.status is None:
        return ToolConnectionError(tool, reply, "the connection was lost.")
    if reply.status < 400:
        return ToolAnswerError(tool, reply, f"the answer is no JSON: {reply.text[:80]!r}.")
    told = _told(reply, "message") or f"status {reply.status}."
    kind = ToolTimeoutError if reply.status in TIMEOUTS else ToolError
    return kind(tool, reply, told)


def _told(reply: Answer, field: str) -> str | None:
    """What the error in the body says."""
    error = reply.body.get("error") if isinstance(reply.body, dict) else None
    told = error.get(field) if isinstance(error, dict) else None
    return told if isinstance(told, str) else None
