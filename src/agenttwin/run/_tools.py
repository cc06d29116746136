"""The tools of a case as an agent in Python sees them, wherever the twin is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from agenttwin.errors import AgentTwinError
from agenttwin.frameworks import ToolSpec
from agenttwin.values import Json


class CaseClosed(AgentTwinError):  # noqa: N818 - reads as what happened
    """A call after the end of the case. It reached no tool and is recorded nowhere."""

    def __init__(self) -> None:
        super().__init__("case_closed", "The case is over: this call reached no tool and was not recorded.")


@dataclass(slots=True, kw_only=True)
class Reply:
    """What came back from a tool. A fault never raises: it is seen here.

    ``status`` is the HTTP number, None where nothing came; ``ok`` whether a complete success came; ``text``
    the answer as sent; ``body`` the answer as JSON, None where it is none; ``headers`` as sent.
    """

    status: int | None
    ok: bool
    headers: dict[str, str]
    text: str
    body: Any


class Tools(Protocol):
    """The tools of a case as Python functions."""

    @property
    def awaited(self) -> AwaitedTools:
        """The same tools for a coroutine."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model is told of them."""

    def __call__(self, *, framework: str) -> list[Any]:
        """The tools as objects of an agent framework, such as ``tools(framework="langchain")``."""

    def stand_in(self, agent: Any) -> AbstractContextManager[Any]:
        """While it lasts, these tools stand in for those of a framework's agent that is made already."""

    def middleware(self, *, framework: str = "langchain") -> Any:
        """What goes among an agent's middleware, so that its own tools are declared but never run."""

    def call(self, tool: str, arguments: Mapping[str, Json] | None = None, /, **named: Any) -> Reply:
        """Calls a tool, with its arguments by name; or as one mapping, and then maybe ``headers``.

        Whatever the tool answers raises nothing; CaseClosed after the end of the case, LimitExceeded far
        beyond the case's call limit.
        """

    def search(self, query: str) -> list[Any]:
        """The documents of the knowledge base that fit a query, best first; `trusted` says whose they are."""


class AwaitedTools:
    """The tools of a case for a coroutine. A call takes no other thread and no turn of the event loop.

    For a framework they are the same as those of a function that is not async.
    """

    __slots__ = ("_tools",)

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """See Tools.specs."""
        return self._tools.specs

    def __call__(self, *, framework: str) -> list[Any]:
        """See Tools."""
        return self._tools(framework=framework)

    def stand_in(self, agent: Any) -> AbstractContextManager[Any]:
        """See Tools.stand_in."""
        return self._tools.stand_in(agent)

    def middleware(self, *, framework: str = "langchain") -> Any:
        """See Tools.middleware."""
        return self._tools.middleware(framework=framework)

    async def call(self, tool: str, arguments: Mapping[str, Json] | None = None, /, **named: Any) -> Reply:
        """Calls a tool; see Tools.call."""
        try:
            return self._tools.call(tool, arguments, **named)
        except AgentTwinError:
            await asyncio.sleep(0)  # lets others on, and a cancellation in, should the agent try for ever
            raise

    async def search(self, query: str) -> list[Any]:
        """Searches the knowledge base; see Tools.search."""
        try:
            return self._tools.search(query)
        except AgentTwinError:
            await asyncio.sleep(0)
            raise


def given_arguments(
    arguments: Mapping[str, Json] | None, named: dict[str, Any]
) -> tuple[dict[str, Json], Mapping[str, str]]:
    """The arguments and headers of a call, however they were given; TypeError where they came both ways."""
    if arguments is None:
        return named, {}
    headers: Mapping[str, str] = named.pop("headers", None) or {}
    if named:
        raise TypeError(f"arguments come by name or as one mapping, not both: {', '.join(named)}")
    return arguments if isinstance(arguments, dict) else dict(arguments), headers
