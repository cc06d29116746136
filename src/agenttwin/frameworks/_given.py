"""What the tools of every case can do for a framework."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from agenttwin.frameworks._search import search_answer
from agenttwin.frameworks._spec import ToolSpec
from agenttwin.frameworks._table import adapter, adapter_of
from agenttwin.interception import Answer


class GivenTools:
    """The tools of a case: what each of its forms shares. The form itself says how a call gets there."""

    __slots__ = ()

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model is told of them."""
        raise NotImplementedError

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Calls a tool; see run.Tools."""
        raise NotImplementedError

    def search(self, query: str) -> list[Any]:
        """Searches the knowledge base; see run.Tools."""
        raise NotImplementedError

    def __call__(self, *, framework: str) -> list[Any]:
        """The tools as objects of a framework: ``tools(framework="langchain")``.

        NotFound for a framework that is not known, AgentTwinError where it is not installed.
        """
        made: list[Any] = adapter(framework).tools(self)
        return made

    def stand_in(self, agent: Any) -> AbstractContextManager[Any]:
        """While it lasts, these tools stand in for those of an agent that is made already.

        ``with tools.stand_in(agent) as agent: …``. Its code and its object stay untouched where the framework
        allows it; otherwise what is given is a copy. UsageError for an agent of a framework that has no way.
        """
        given: AbstractContextManager[Any] = adapter_of(agent).stand_in(self, agent)
        return given

    def middleware(self, *, framework: str = "langchain") -> Any:
        """What goes among an agent's middleware, so that its own tools are declared but never run."""
        return adapter(framework).middleware(self)

    def answer(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> Answer:
        """What a call or a search comes to, as a reply."""
        if spec.searches:
            return search_answer(self.search(str(arguments.get("query", ""))))
        reply: Answer = self.call(spec.name, arguments)
        return reply
