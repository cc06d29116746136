"""What runs in a process of its own: one agent, one turn at a time; its tools are answered elsewhere."""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from inspect import isawaitable
from queue import SimpleQueue
from typing import Any, Final

from agenttwin.agents._python import PythonAgent
from agenttwin.agents._wire import Wire
from agenttwin.errors import AgentTwinError
from agenttwin.frameworks import GivenTools, ToolSpec
from agenttwin.interception import intercept
from agenttwin.run import (
    MAX_CAPTURED,
    AgentFailed,
    AwaitedTools,
    CaseClosed,
    Reply,
    Request,
    capture_here,
    capturing,
    given_arguments,
    told,
    traced,
)
from agenttwin.transcript import Claim, Ending, encode_claim
from agenttwin.values import Json, canonical

PARENT_IS_GONE: Final = 3


def main(target: str, intercepted: Mapping[str, str]) -> None:
    """Loads the agent, then runs its turns until the other end of the pipes is gone."""
    wire = _take_pipes()
    answers: SimpleQueue[tuple[str, list[Any]]] = SimpleQueue()
    threading.Thread(target=_listen, args=(wire, answers), daemon=True).start()
    with capturing(), ExitStack() as exits:
        try:
            agent = PythonAgent(_load(target))
            exits.enter_context(intercept(intercepted))
        except BaseException as error:
            wire.send("unusable", told(error), traced(error))
            return
        wire.send("ready")
        loop = asyncio.new_event_loop()
        while True:
            _, (turn, request) = answers.get()
            _run_turn(agent, loop, Turn(wire, answers, turn), Request(**request))


def _take_pipes() -> Wire:
    """Keeps the pipes for messages; what the agent writes to the descriptors goes to standard error."""
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return Wire(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"))


def _listen(wire: Wire, answers: SimpleQueue[tuple[str, list[Any]]]) -> None:
    """Takes what comes in; ends the process, whatever the agent does, when nobody is there any more."""
    while True:
        try:
            answers.put(wire.receive())
        except EOFError:
            os._exit(PARENT_IS_GONE)


def _load(target: str) -> Callable[..., Any]:
    module, _, attribute = target.partition(":")
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    function: Callable[..., Any] = found
    return function


class Turn:
    """One turn of a case as seen from here. Its messages carry its number: none is taken for another's."""

    def __init__(self, wire: Wire, answers: SimpleQueue[tuple[str, list[Any]]], number: int) -> None:
        self.wire = wire
        self.number = number
        self.over = False
        self._answers = answers
        self._lock = threading.Lock()

    def ask(self, kind: str, *content: Any) -> Any:
        """Asks the other process; calls of several threads wait for one another."""
        with self._lock:
            if self.over:
                raise CaseClosed
            self.wire.send(kind, self.number, *content)
            word, answer = self._answers.get()
        if word == "raised":
            raise AgentTwinError(*answer)
        return answer[0]

    def end(self) -> None:
        """Refuses what threads of the agent still ask."""
        with self._lock:
            self.over = True


class RemoteTools(GivenTools):
    """The tools of a case that another process owns."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    @property
    def awaited(self) -> AwaitedTools:
        """The same tools for a coroutine."""
        return AwaitedTools(self)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model is told of them."""
        return tuple(ToolSpec(**spec) for spec in self._turn.ask("specs"))

    def call(self, tool: str, arguments: Mapping[str, Json] | None = None, /, **named: Any) -> Reply:
        """Calls a tool; see run.Tools."""
        given, headers = given_arguments(arguments, named)
        return Reply(**self._turn.ask("call", tool, _sendable(given), dict(headers)))

    def search(self, query: str) -> list[Any]:
        """Searches the knowledge base."""
        found: list[Any] = self._turn.ask("search", query)
        return found


def _sendable(arguments: dict[str, Json]) -> Json:
    """The arguments, or nothing where they are no JSON."""
    try:
        canonical(arguments)
    except ValueError:
        return None
    return arguments


@dataclass(frozen=True, slots=True)
class RemoteLease:
    """What an agent here is lent."""

    tools: RemoteTools


class RemoteSink:
    """Sends on what a turn prints, as much of it as is kept, and counts the rest."""

    def __init__(self, turn: Turn, stream: int) -> None:
        self._turn = turn
        self._stream = stream
        self._room = MAX_CAPTURED
        self.cut = 0

    def write(self, text: str) -> None:
        kept = text[: self._room]
        self._room -= len(kept)
        self.cut += len(text) - len(kept)
        if kept and not self._turn.over:
            self._turn.wire.send("printed", self._turn.number, self._stream, kept)


def _run_turn(agent: PythonAgent, loop: asyncio.AbstractEventLoop, turn: Turn, request: Request) -> None:
    sinks = RemoteSink(turn, 0), RemoteSink(turn, 1)
    capture_here(sinks)
    try:
        outcome = _outcome(agent, loop, turn, request)
    finally:
        capture_here(None)
    turn.end()
    turn.wire.send("done", turn.number, [sink.cut for sink in sinks], *outcome)


def _outcome(
    agent: PythonAgent, loop: asyncio.AbstractEventLoop, turn: Turn, request: Request
) -> tuple[str, ...]:
    """The claim as text; or ending, message and traceback."""
    try:
        given = agent.act(request, RemoteLease(RemoteTools(turn)))
        claim: Claim = loop.run_until_complete(given) if isawaitable(given) else given
        return (encode_claim(claim).decode(),)
    except AgentFailed as failed:
        return failed.ending.value, failed.message, failed.traceback
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Ending.AGENT_CRASHED.value, f"It raised {told(error)}", traced(error)
