"""A twin in one's own hands: load it, start a case, call its tools, look at what happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from agenttwin.document import read
from agenttwin.errors import NotFound, UsageError
from agenttwin.frameworks import GivenTools, ToolSpec, specs_of
from agenttwin.interception import active
from agenttwin.run import AwaitedTools, Reply, Tools, given_arguments
from agenttwin.surfaces import seen
from agenttwin.transcript import ToolCall
from agenttwin.twin import (
    DEFAULT_CALL_LIMIT,
    Adapter,
    Call,
    CompiledTwin,
    FaultRule,
    TwinDefinition,
    World,
    begin,
    compile,
    finish,
    search,
    step,
    targets_of,
)
from agenttwin.values import Change, Json, nearest
from agenttwin.workspace import read_state


class Case:
    """One case of a twin: a world that changes as its tools are called. For one thread at a time."""

    __slots__ = ("_twin", "_world")

    def __init__(self, twin: CompiledTwin, world: World) -> None:
        self._twin = twin
        self._world = world

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Json] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Calls a tool. Whatever it answers, and whatever fault befalls it, nothing is raised.

        TypeError for arguments that are no mapping.
        """
        if not isinstance(arguments, Mapping | None):
            raise TypeError(f"arguments are a mapping of names to values, not {arguments!r}")
        made = Call(tool, dict(arguments or {}), headers or {})
        return seen(step(self._twin, self._world, made).reply)

    @property
    def tools(self) -> Tools:
        """The tools as an agent in Python gets them."""
        return _Tools(self)

    @contextmanager
    def active(self) -> Iterator[None]:
        """While it lasts, functions that are marked or intercepted as tools reach this case."""
        with active(self.tools):
            yield

    def search(self, query: str) -> list[Json]:
        """The knowledge documents that share words with the query, best first."""
        return search(self._twin, self._world, query)[0]

    def finish(self) -> None:
        """Ends the case: what is still late happens now."""
        finish(self._world)

    def arm(self, faults: Sequence[Mapping[str, Any] | FaultRule]) -> None:
        """Replaces the faults, from the next call on."""
        self._world.arm(_rules(faults, self._twin))

    def fork(self) -> Case:
        """A case of its own that goes on from here; it costs what changed, not what the world holds."""
        return Case(self._twin, self._world.fork())

    @property
    def state(self) -> Any:
        """The state as plain JSON. Parts that were never written to are shared: read it only."""
        return self._world.tree.plain()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The record of every call."""
        return self._world.calls

    @property
    def changes(self) -> tuple[Change, ...]:
        """What differs from the start: path, before, after."""
        return self._world.changes

    @property
    def now(self) -> str:
        """The time of the case's world, in UTC."""
        return self._world.now


class _Tools(GivenTools):
    """The tools of a case in one's own hands."""

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
        return specs_of(self._case._world)

    def call(self, tool: str, arguments: Mapping[str, Json] | None = None, /, **named: Any) -> Reply:
        """Calls a tool; see run.Tools."""
        given, headers = given_arguments(arguments, named)
        return self._case.call(tool, given, headers=headers)

    def search(self, query: str) -> list[Any]:
        """Searches the knowledge base."""
        return self._case.search(query)


class Twin:
    """Stand-ins of tools, ready to start cases."""

    __slots__ = ("_twin", "definition")

    def __init__(
        self, definition: TwinDefinition, *, adapters: Mapping[str, Adapter] | None = None, state: Json = None
    ) -> None:
        self.definition = definition
        self._twin = compile(definition, adapters=adapters, initial_state=state)

    @classmethod
    def of(cls, definition: TwinDefinition, compiled: CompiledTwin) -> Twin:
        """A twin that is compiled already."""
        made = cls.__new__(cls)
        made.definition = definition
        made._twin = compiled
        return made

    @classmethod
    def load(cls, path: str | Path, *, adapters: Mapping[str, Adapter] | None = None) -> Twin:
        """The twin in a file. DocumentError holds every problem, each with its line."""
        file = Path(path)
        if not file.is_file():
            raise NotFound("no_such_file", f"There is no file {str(path)!r}.")
        document = read(file.read_bytes(), file=file.name, models={"TwinDefinition": TwinDefinition})
        source = document.model.spec.initial_state_from
        state = read_state(file.parent / source, name=source) if source is not None else None
        return cls(document.model, adapters=adapters, state=state)

    @classmethod
    def read(cls, text: str, *, adapters: Mapping[str, Adapter] | None = None) -> Twin:
        """The twin in a text."""
        document = read(text, file="twin.yaml", models={"TwinDefinition": TwinDefinition})
        return cls(document.model, adapters=adapters)

    @property
    def name(self) -> str:
        """The twin's name."""
        return self._twin.name

    @property
    def compiled(self) -> CompiledTwin:
        """The twin as surfaces serve it."""
        return self._twin

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._twin.tools)

    def start(
        self,
        *,
        state: Mapping[str, Json] | None = None,
        replace_state: bool = False,
        tenant: str | None = None,
        faults: Sequence[Mapping[str, Any] | FaultRule] = (),
        seed: int | str = 0,
        now: str | None = None,
        allowed_tools: Sequence[str] | None = None,
        approvals: Sequence[str] = (),
        settings: Mapping[str, Json] | None = None,
        documents: Sequence[Mapping[str, Json]] = (),
        call_limit: int = DEFAULT_CALL_LIMIT,
    ) -> Case:
        """Begins a case.

        ``state`` is merged on the initial state, or replaces it with ``replace_state``. A large state is
        copied once: hand in a changed copy, not the same object changed. ``faults`` are rules as a scenario
        writes them.
        """
        world = begin(
            self._twin,
            state=state,
            replace_state=replace_state,
            tenant=tenant,
            now=now,
            faults=_rules(faults, self._twin),
            allowed_tools=allowed_tools,
            approvals=approvals,
            seed=str(seed),
            settings=settings,
            documents=documents,
            call_limit=call_limit,
        )
        return Case(self._twin, world)


def _rules(faults: Sequence[Mapping[str, Any] | FaultRule], twin: CompiledTwin) -> tuple[FaultRule, ...]:
    """The rules; UsageError for one that makes no sense, NotFound for a tool that the twin lacks."""
    rules = tuple(
        fault if isinstance(fault, FaultRule) else _rule(fault, index) for index, fault in enumerate(faults)
    )
    targets = targets_of(twin.tools)
    for rule in rules:
        if rule.target not in targets:
            close = nearest(rule.target, targets)
            hint = f" Did you mean {close!r}?" if close else ""
            raise NotFound("unknown_tool", f"No tool of the twin is the target {rule.target!r}.{hint}")
    return rules


def _rule(fault: Mapping[str, Any], index: int) -> FaultRule:
    try:
        return FaultRule.model_validate_json(orjson.dumps(fault))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        message = (
            f"faults[{index}]{'.' + where if where else ''}: {first['msg'].removeprefix('Value error, ')}."
        )
        raise UsageError("invalid_fault", message) from None
