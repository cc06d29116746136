"""Handlers: what a tool answers and changes, computed on a state that may be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

import orjson

from agenttwin.expression import (
    EvaluationError,
    Lazy,
    Names,
    PathTemplate,
    Scope,
    compile,
    compile_expression,
    compile_path,
    compile_text,
)
from agenttwin.twin._answer import Sent, answer, refuse
from agenttwin.twin._effect import Apply, FirstDone, Target, bind, compile_effects, refresher
from agenttwin.twin._model import (
    CustomHandler,
    EchoHandler,
    ErrorAnswer,
    Fixture,
    MutateHandler,
    Precondition,
    ReadHandler,
    RecordedHandler,
    StaticHandler,
    Tool,
)
from agenttwin.twin._names import condition, handler_names
from agenttwin.twin._shared import compile_shared
from agenttwin.values import MISSING, Change, Json, Path, Segments, Tree, Value, describe, diff, equal, plain
from agenttwin.values import Missing as NotThere
from agenttwin.values import match as compare


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterAnswer:
    """What a custom adapter gives back: the answer, and the state as it should be (None: unchanged)."""

    body: Json = None
    status: int = 200
    code: str | None = None
    state: Json = None


class Adapter(Protocol):
    """A custom handler. It is given copies; what it raises is an error of the twin."""

    def __call__(
        self, arguments: dict[str, Json], state: dict[str, Json], context: Mapping[str, Json]
    ) -> AdapterAnswer:
        """Answers one call. ``context`` has tenant, now, id, settings."""


Handle: TypeAlias = Callable[[Target, Scope], Sent]
"""Applies the effects of a call to the target, and answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledHandler:
    """A handler ready to run. ``locate`` gives the place of the record a call is about, if it names one.

    ``land`` applies the effects of a call that was accepted earlier, without asking its guards again; None
    where the handler can change nothing. ``foreign``: it is code from outside.
    """

    handle: Handle
    locate: Callable[[Scope], Segments] | None = None
    land: Apply | None = None
    foreign: bool = False

    @property
    def writes(self) -> bool:
        """Whether it could change something."""
        return self.land is not None


def compile_handler(
    tool: Tool, adapters: Mapping[str, Adapter], shared: Mapping[str, Any]
) -> CompiledHandler:
    """The tool's handler; ``shared`` is `spec.let`. TemplateError where a text cannot be compiled."""
    handler = tool.handler
    match handler:
        case StaticHandler():
            return CompiledHandler(handle=_static(handler, tool, shared))
        case EchoHandler():
            return CompiledHandler(handle=_echo(tool.name))
        case RecordedHandler():
            return CompiledHandler(handle=_recorded(handler.fixtures))
        case CustomHandler():
            return _custom(adapters[handler.adapter])
        case ReadHandler() | MutateHandler():
            return _stateful(handler, tool, shared)


def _static(handler: StaticHandler, tool: Tool, shared: Mapping[str, Any]) -> Handle:
    read = set[str]()
    response = compile(handler.response, handler_names(tool, shared, read))
    lets = compile_shared(shared, read, tool)

    def handle(target: Target, scope: Scope) -> Sent:
        bind(lets, scope)
        return answer(response.render(scope))

    return handle


def _echo(name: str) -> Handle:
    return lambda target, scope: answer({"tool": name, "arguments": scope.args})


# read and mutate

Refuse: TypeAlias = Callable[[Scope], Sent]
Guard: TypeAlias = Callable[[Tree, Scope], Sent | None]

NOT_FOUND: Final = ErrorAnswer(status=404, code="NOT_FOUND", message="There is no such record.")
PRECONDITION_FAILED: Final = ErrorAnswer(
    status=409, code="PRECONDITION_FAILED", message="The call is not possible in this state."
)


def _stateful(handler: ReadHandler | MutateHandler, tool: Tool, shared: Mapping[str, Any]) -> CompiledHandler:
    read = set[str]()
    names = handler_names(tool, [*shared, *handler.let], read)
    own = {name: compile(value, names) for name, value in handler.let.items()}
    record = compile_path(handler.path, names) if handler.path is not None else None
    find = _finder(record, refusal(handler.not_found, NOT_FOUND, names))
    guards = tuple(_guard(precondition, names) for precondition in handler.preconditions)
    effects = compile_effects(handler.effects, names) if isinstance(handler, MutateHandler) else None
    respond = _responder(handler, record, names)
    lets = compile_shared(shared, read, tool) | own

    def act(effects: Apply, waiting: Iterable[Lazy], target: Target, scope: Scope) -> None:
        for lazy in waiting:
            lazy.get()
        effects(target, scope)

    def locate(scope: Scope) -> Segments:
        bind(lets, scope)
        assert record is not None
        place: Segments = record.resolve(scope)
        return place

    def handle(target: Target, scope: Scope) -> Sent:
        waiting = bind(lets, scope) if lets else ()
        missing = find(target, scope)
        if missing is not None:
            return missing
        for guard in guards:
            refused = guard(target.tree, scope)
            if refused is not None:
                return refused
        if effects is not None:
            act(effects, waiting, target, scope)
        return answer(respond(target, scope))

    def land(target: Target, scope: Scope) -> None:
        waiting = bind(lets, scope)
        if effects is not None and find(target, scope) is None:  # else what the call was about is gone
            act(effects, waiting, target, scope)

    return CompiledHandler(
        handle=handle,
        locate=locate if record is not None else None,
        land=land if effects is not None else None,
    )


def _finder(record: PathTemplate | None, missing: Refuse) -> Callable[[Target, Scope], Sent | None]:
    """Finds the record's place and binds `value` to what stands there; answers where nothing does."""
    counts = record is not None and record.length

    def find(target: Target, scope: Scope) -> Sent | None:
        if record is None:
            return None
        place = target.record
        if place is None:
            place = target.record = record.resolve(scope)
        value = _at(target.tree, place, True) if counts else target.tree.get(place)
        if value is MISSING:
            return missing(scope)
        scope.roots["value"] = value
        return None

    return find


def _at(tree: Tree, path: Segments, counts: bool) -> Value | NotThere:
    return Path(path, True).get(tree.root) if counts else tree.get(path)


def _responder(
    handler: ReadHandler | MutateHandler, record: PathTemplate | None, names: Names
) -> Callable[[Target, Scope], object]:
    """The answer of a success: the response, else the record after, else that all went well."""
    if "response" in handler.model_fields_set:
        response = compile(handler.response, names)
        refresh = refresher(response.names_used) if isinstance(handler, MutateHandler) else None

        def shaped(target: Target, scope: Scope) -> object:
            if refresh is not None:
                refresh(target, scope)
            return response.render(scope)

        return shaped
    if record is None:
        return lambda target, scope: {"ok": True}
    if isinstance(handler, ReadHandler):
        return lambda target, scope: scope.roots["value"]
    counts = record.length

    def after(target: Target, scope: Scope) -> object:
        assert target.record is not None
        value = _at(target.tree, target.record, counts)
        return {"ok": True} if value is MISSING else value

    return after


def _guard(precondition: Precondition, names: Names) -> Guard:
    refuses = refusal(precondition.error, PRECONDITION_FAILED, names)
    if precondition.that is not None:
        holds = compile_expression(condition(precondition.that), names).is_true
        return lambda tree, scope: None if holds(scope) else refuses(scope)
    path = compile_path(precondition.path or "", names)
    comparators = compile(precondition.comparators(), names)

    def guard(tree: Tree, scope: Scope) -> Sent | None:
        value = _at(tree, path.resolve(scope), path.length)
        return None if _satisfies(comparators.render(scope), value) else refuses(scope)

    return guard


def _satisfies(comparators: Any, value: Value | NotThere) -> bool:
    try:
        return compare(comparators, value).ok
    except ValueError as error:  # a placeholder gave what its comparator does not take
        raise EvaluationError(f"a precondition cannot be judged: {error}") from None


def refusal(error: ErrorAnswer, default: ErrorAnswer, names: Names) -> Refuse:
    """Answers with an error; what it does not say is said by ``default``."""
    status, code = error.status or default.status, error.code or default.code
    message = compile_text(error.message or default.message, names)
    return lambda scope: refuse(status, code, message.render(scope))


# recorded


def contains(part: Json, whole: Json) -> bool:
    """Whether ``whole`` holds everything that ``part`` says; lists are compared whole."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and contains(value, whole[key]) for key, value in part.items())
    return equal(part, whole)


def _recorded(fixtures: Sequence[Fixture]) -> Handle:
    def handle(target: Target, scope: Scope) -> Sent:
        for fixture in fixtures:
            if contains(fixture.match, scope.args):
                return _played(fixture)
        return refuse(404, "NO_FIXTURE", _no_fixture(fixtures, scope.args))

    return handle


def _played(fixture: Fixture) -> Sent:
    if fixture.error is None:
        return answer(fixture.response, fixture.status or 200)
    error = fixture.error
    return refuse(error.status or fixture.status or 500, error.code or "ERROR", error.message)


SHOWN_DIFFERENCES: Final = 3


def _no_fixture(fixtures: Sequence[Fixture], arguments: dict[str, Json]) -> str:
    """What a caller can mend: where its arguments differ from those of the nearest recording."""
    apart = [diff(fixture.match, _alike(fixture.match, arguments)) for fixture in fixtures]
    near = min(range(len(apart)), key=lambda index: (len(apart[index]), -len(fixtures[index].match)))
    told = [
        f"{change.path}: recorded {describe(change.before)}, called with {describe(change.after)}"
        for change in apart[near][:SHOWN_DIFFERENCES]
    ]
    return f"Nothing was recorded for these arguments. The nearest is fixture {near + 1}: {'; '.join(told)}."


def _alike(part: Json, whole: Json) -> Json:
    """``whole`` without what ``part`` says nothing about."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return {key: _alike(value, whole[key]) for key, value in part.items() if key in whole}
    return whole


# custom


def _custom(adapter: Adapter) -> CompiledHandler:
    def handle(target: Target, scope: Scope) -> Sent:
        state = target.tree.plain()
        context = {key: scope.roots[key] for key in ("tenant", "now", "id", "settings")}
        given = adapter(_copy(scope.args), _copy(state), _copy(context))
        status = given.status
        if type(status) is not int or not 200 <= status <= 599:
            raise EvaluationError(
                f"the adapter answered the status {status!r}; it is a number from 200 to 599"
            )
        sent = answer(given.body, status, given.code)
        if sent.success and given.state is not None:
            _take_changes(target, diff(state, _copy(given.state)))
        return sent

    def land(target: Target, scope: Scope) -> None:
        handle(target, scope)

    return CompiledHandler(handle=handle, land=land, foreign=True)


def _take_changes(target: Target, changes: Sequence[Change]) -> None:
    target.tree.apply(changes[:1] if target.first_only else changes)
    if changes and target.first_only:
        raise FirstDone


def _copy(value: object) -> Any:
    return orjson.loads(orjson.dumps(plain(value)))
