"""An agent that is a Python function, called in this process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable, iscoroutinefunction
from typing import Any, Protocol

from agenttwin.agents._claim import claim_from
from agenttwin.interception import active
from agenttwin.run import Request, Tools
from agenttwin.transcript import Claim


class Lent(Protocol):
    """What of a lease a Python agent uses."""

    @property
    def tools(self) -> Tools:
        """The tools of the case."""


class PythonAgent:
    """`def run(request, tools)` or `async def run(request, tools)`, in this process.

    Functions that are marked as tools reach the case too, whatever the agent does with ``tools``. A
    synchronous function runs in the thread of its case; one that hangs can only be left behind. A coroutine
    runs on an event loop beside those of other cases.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._awaits = _is_coroutine_function(function)

    def act(self, request: Request, lease: Lent) -> Claim | Awaitable[Claim]:
        """One turn."""
        if self._awaits:
            return self._act(request, lease)
        with active(lease.tools):
            reply = self._function(request, lease.tools)
        return _awaited(reply, lease) if isawaitable(reply) else claim_from(reply)

    async def _act(self, request: Request, lease: Lent) -> Claim:
        """Calls the function in the coroutine, so that one that never begins leaves nothing half-begun."""
        with active(lease.tools):
            return claim_from(await self._function(request, lease.tools.awaited))


async def _awaited(reply: Awaitable[Any], lease: Lent) -> Claim:
    with active(lease.tools):
        return claim_from(await reply)


def _is_coroutine_function(function: Any) -> bool:
    """Also where it is an object that is called, or wrapped in a partial."""
    inner = getattr(function, "func", function)
    return iscoroutinefunction(inner) or iscoroutinefunction(getattr(inner, "__call__", None))  # noqa: B004
