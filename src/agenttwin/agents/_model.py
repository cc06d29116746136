"""An agent that is a language model: it is shown the twin's tools and asked until it wants none any more."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import orjson

from agenttwin.agents._claim import claim_from
from agenttwin.agents._model_budget import Budget, ModelPrice
from agenttwin.agents._model_dialect import (
    DIALECTS,
    Heard,
    ModelAnswer,
    ModelSettings,
    ModelTool,
    Talk,
    Wanted,
)
from agenttwin.run import AgentFailed, Case, Lease, Request, capped
from agenttwin.transcript import Claim, Ending
from agenttwin.twin import CompiledTwin, World
from agenttwin.values import Json

SEARCH: Final = "search_knowledge_base"
"""The tool by which a model searches the knowledge base, unless the twin has one of that name."""

SLACK_SECONDS: Final = 1.0
"""The engine ends a turn at its deadline; the client's own limit is only for an engine that does not."""

MAX_NAME: Final = 64
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")

_ENDINGS: Final[Mapping[int, Ending]] = {
    401: Ending.AGENT_AUTH,
    403: Ending.AGENT_AUTH,
    408: Ending.AGENT_UNREACHABLE,
    429: Ending.AGENT_UNREACHABLE,
}
"""What a provider's status means; others from 500 on are AGENT_UNREACHABLE, the rest AGENT_REJECTED."""


class ModelAgent:
    """Asks the model of one version. ``max_turns`` bounds its answers to one message.

    ``tools`` are the names of those of the twin's tools that it is shown, all of them where it is None.
    Tokens are what the provider says, cost comes from ``price``. AgentTwinError where a package is missing.
    """

    def __init__(
        self,
        provider: str,
        settings: ModelSettings,
        *,
        budget: Budget,
        system: str = "",
        tools: Collection[str] | None = None,
        price: ModelPrice | None = None,
        max_turns: int = 20,
        base_url: str | None = None,
        api_key: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._dialect = DIALECTS[provider]
        self._package = self._dialect.load()
        self._settings = settings
        self._budget = budget
        self._system = system
        self._tools = tools
        self._price = price
        self._max_turns = max_turns
        self._where = {"base_url": base_url, "api_key": api_key}
        self._clock = clock
        self._conversations: dict[str, _Conversation] = {}

    @property
    def price(self) -> ModelPrice | None:
        """What its tokens cost, where that is known."""
        return self._price

    def prompt_size(self, twin: CompiledTwin) -> int:
        """Characters that each request begins with: the system prompt, and the tools."""
        tools = (tool for name, tool in twin.tools.items() if self._tools is None or name in self._tools)
        schemas = (orjson.dumps(tool.input_schema) for tool in tools)
        return len(self._system) + sum(map(len, schemas))

    def act(self, request: Request, lease: Lease) -> Claim:
        """One turn: answers and calls, until an answer wants no call."""
        talk = self._conversations.get(request.session_id) or self._begin(request, lease)
        talk.messages.append({"role": "user", "content": request.message})
        spent: dict[str, float | None] = {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}
        for number in range(1, self._max_turns + 1):
            self._budget.check()
            answer = self._answer(talk, lease.case)
            usage = self._budget.charge(self._price, answer.read, answer.written)
            for name, total in spent.items():
                more = getattr(usage, name)
                spent[name] = None if total is None or more is None else total + more
            talk.messages.append(answer.message)
            if not answer.wanted:
                return claim_from({"output": answer.text, "steps": number, "usage": spent})
            heard = [talk.call(wanted, lease) for wanted in answer.wanted]
            talk.messages += self._dialect.told(heard)
        message = f"The model wanted to go on after {self._max_turns} answers."
        raise AgentFailed(Ending.AGENT_ERROR, message)

    def _begin(self, request: Request, lease: Lease) -> _Conversation:
        """Opens a client of the case's own: closing it at the end breaks off what is still asked."""
        try:
            client = getattr(self._package, self._dialect.client)(
                **{name: value for name, value in self._where.items() if value}
            )
        except Exception as error:
            raise AgentFailed(Ending.AGENT_AUTH, f"The client cannot be opened: {error}") from None
        talk = _Conversation(client, self._told(request), _shown(lease.case.world, self._tools))
        self._conversations[request.session_id] = talk

        def leave(running: bool) -> None:
            del running
            del self._conversations[request.session_id]
            client.close()

        lease.case.at_end(leave)
        return talk

    def _told(self, request: Request) -> str:
        """The system prompt, and what the scenario's context says."""
        given: dict[str, Json] = {"tenant": request.tenant, "customer_id": request.customer_id}
        context = {name: value for name, value in given.items() if value is not None} | dict(request.context)
        if not context:
            return self._system
        return f"{self._system}\n\nContext of this conversation: {orjson.dumps(context).decode()}".strip()

    def _answer(self, talk: _Conversation, case: Case) -> ModelAnswer:
        package = self._package
        asked = Talk(
            settings=self._settings,
            system=talk.system,
            messages=talk.messages,
            tools=list(talk.tools.values()),
            seconds=max(case.deadline - self._clock(), 0) + SLACK_SECONDS,
            at_home=self._where["base_url"] is None,
        )
        try:
            return self._dialect.ask(talk.client, asked)
        except package.APIStatusError as error:
            status = error.status_code
            ending = _ENDINGS.get(
                status, Ending.AGENT_UNREACHABLE if status >= 500 else Ending.AGENT_REJECTED
            )
            message = f"The provider answered with HTTP status {status}."
            raise AgentFailed(ending, message, traceback=capped(str(error))) from None
        except package.APIConnectionError as error:
            message = "There is no connection to the provider."
            raise AgentFailed(Ending.AGENT_UNREACHABLE, message, traceback=capped(str(error))) from None
        except (AttributeError, KeyError, IndexError, TypeError, package.APIError) as error:
            message = "The provider's answer has another form than its API says."
            raise AgentFailed(Ending.AGENT_REJECTED, message, traceback=capped(repr(error))) from None


class _Conversation:
    """One case: what was said in it, and its tools, by the names that the model has for them."""

    def __init__(self, client: Any, system: str, tools: Mapping[str, ModelTool]) -> None:
        self.client = client
        self.system = system
        self.tools = tools
        self.messages: list[dict[str, Any]] = []
        self._names = {tool.name: name for name, tool in tools.items()}

    def call(self, wanted: Wanted, lease: Lease) -> Heard:
        """Calls the tool that the model means; one that it made up is called under the name it has."""
        name = self._names.get(wanted.name, wanted.name)
        if name == SEARCH and name not in lease.case.world.twin.tools:
            return _searched(wanted, lease)
        arguments = wanted.arguments if isinstance(wanted.arguments, dict) else {"…": wanted.arguments}
        reply = lease.tools.call(name, arguments)
        text = reply.text if reply.status is not None else "No answer came: the connection was lost."
        return Heard(id=wanted.id, text=text, ok=reply.ok)


def _searched(wanted: Wanted, lease: Lease) -> Heard:
    query = wanted.arguments.get("query") if isinstance(wanted.arguments, dict) else None
    if not isinstance(query, str):
        return Heard(id=wanted.id, text="query must be a text.", ok=False)
    return Heard(id=wanted.id, text=orjson.dumps(lease.tools.search(query)).decode(), ok=True)


def _shown(world: World, wanted: Collection[str] | None) -> dict[str, ModelTool]:
    """The twin's tools, each under a name of the letters that providers take."""
    twin = world.twin
    shown: dict[str, ModelTool] = {}
    taken: set[str] = set()
    for name, tool in twin.tools.items():
        if wanted is None or name in wanted:
            schema = {**(tool.input_schema or {}), "type": "object"}
            shown[name] = ModelTool(
                name=_free(name, taken), description=tool.description, schema={"properties": {}, **schema}
            )
    if SEARCH not in twin.tools and world.tree.get(twin.knowledge):
        shown[SEARCH] = ModelTool(name=_free(SEARCH, taken), description=_SEARCHES, schema=_QUERY)
    return shown


_SEARCHES: Final = "Search the knowledge base; the documents that fit best come first."
_QUERY: Final[Mapping[str, Json]] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "Words to look for."}},
    "required": ["query"],
}


def _free(name: str, taken: set[str]) -> str:
    """The name in letters that are allowed, told apart from those that are taken."""
    plain = _NOT_IN_NAMES.sub("_", name)[:MAX_NAME]
    number = 1
    free = plain
    while free in taken:
        number += 1
        free = f"{plain[: MAX_NAME - 4]}_{number}"
    taken.add(free)
    return free
