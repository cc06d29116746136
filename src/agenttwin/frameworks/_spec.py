"""What a framework is told of a tool, and how an answer reaches its model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from agenttwin.interception import Answer, ToolError, failure_of

NO_JSON: Final[Mapping[str, Any]] = {"": object()}
"""In place of arguments that a model garbled: the tool refuses them, and that is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool: ``schema`` is the JSON Schema of its arguments, an object. ``searches``: it is the search."""

    name: str
    description: str
    schema: Mapping[str, Any]
    risk: str
    searches: bool = False


class Given(Protocol):
    """The tools of a case, as adapters use them; see run.Tools."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]: ...
    def answer(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Answer: ...


def failed(tool: str, reply: Answer) -> bool:
    """Whether the tool answered that it did not do it, which the model is to read.

    Raises what a client of the tool would raise where no whole answer came: ToolConnectionError for a lost
    connection, ToolAnswerError for what is no JSON.
    """
    if reply.ok:
        return False
    error: ToolError = failure_of(tool, reply)
    if reply.status is None or reply.status < 400:
        raise error
    return True
