"""The twin as Python functions: `tools.call("refund_payment", order_id=…)`, in the caller's thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from agenttwin.frameworks import GivenTools, ToolSpec, specs_of
from agenttwin.run import AwaitedTools, Case, Lease, Reply, given_arguments
from agenttwin.transcript import Result
from agenttwin.twin import Reply as Answer
from agenttwin.values import Json

_BROKEN = frozenset((Result.PARTIAL, Result.MALFORMED))
"""What came is no JSON, even where a part of it happens to look like some."""


class PythonTools(GivenTools):
    """The tools of one case. Calls are answered one at a time, in the order in which they come.

    A delay of a reply takes no time here: it is added to what the case took.
    """

    __slots__ = ("_case",)

    def __init__(self, case: Case) -> None:
        self._case = case

    @property
    def awaited(self) -> AwaitedTools:
        """The same tools for a coroutine."""
        return AwaitedTools(self)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model is told of them."""
        return specs_of(self._case.world)

    def call(self, tool: str, arguments: Mapping[str, Json] | None = None, /, **named: Any) -> Reply:
        """Calls a tool; see run.Tools."""
        given, headers = given_arguments(arguments, named)
        answer = self._case.call(tool, given, headers)
        self._case.delayed_ms += answer.delay_ms
        return seen(answer)

    def search(self, query: str) -> list[Any]:
        """Searches the knowledge base; the documents are copies."""
        found: list[Any] = orjson.loads(orjson.dumps(self._case.search(query)))
        return found


def lend_python(case: Case) -> Lease:
    """Lends a case as Python functions only."""
    return Lease(case=case, tools=PythonTools(case))


def seen(answer: Answer) -> Reply:
    """What an agent in Python sees of an answer."""
    return Reply(
        status=answer.status,
        ok=answer.ok,
        headers=dict(answer.headers),
        text=answer.body.decode("utf-8", "replace") if answer.body is not None else "",
        body=None if answer.result in _BROKEN else _json(answer.body),
    )


def _json(data: bytes | None) -> Any:
    try:
        return orjson.loads(data) if data is not None else None
    except orjson.JSONDecodeError:
        return None
