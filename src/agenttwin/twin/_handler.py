"""Handlers: what a tool answers and changes, computed on a state that may be taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

import orjson

from agenttwin.expression import Expression, Names, PathTemplate, Scope, Template, compile, compile_expression
from agenttwin.expression import compile_path, compile_text
from agenttwin.twin._effect import Apply, Target, compile_effects, lazily
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
from agenttwin.values import MISSING, Json, Path, Tree, diff, equal, plain
from agenttwin.values import match as compare


@dataclass(frozen=True, slots=True)
class Answered:
    """What a handler answered. ``body`` may hold nodes of the state: encode it before the next write."""

    status: int
    body: Any
    code: str | None = None

    @property
    def success(self) -> bool:
        """Whether it did what it was asked to."""
        return self.status < 400


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterAnswer:
    """What a custom adapter gives back: the answer, and the state as it should be (None: unchanged)."""

    body: Json = None
    status: int = 200
    code: str | None = None
    state: Json = None


class Adapter(Protocol):
    """A custom handler. It is given copies; what it raises is an error of the twin."""

    def __call__(self, arguments: dict[str, Json], state: dict[str, Json], context: Mapping[str, Json]) -> AdapterAnswer:
        """Answers one call. ``context`` has tenant, now, id, settings."""


Handle: TypeAlias = Callable[[Tree, Scope, bool], Answered]
"""Computes the answer on a tree, applying effects; the flag asks for the first effect only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledHandler:
    """A handler ready to run. ``effects`` are kept apart for a commit that comes late."""

    handle: Handle
    record: PathTemplate | None
    writes: bool
    effects: Apply | None = None
    lets: Mapping[str, Template] = field(default_factory=dict)


def compile_handler(tool: Tool, adapters: Mapping[str, Adapter]) -> CompiledHandler:
    """The tool's handler; TemplateError where a text cannot be compiled."""
    handler = tool.handler
    names = handler_names(tool)
    match handler:
        case StaticHandler():
            template = compile(handler.response, names)
            return CompiledHandler(handle=_templated(template), record=None, writes=False)
        case EchoHandler():
            return CompiledHandler(handle=_echo(tool.name), record=None, writes=False)
        case RecordedHandler():
            return CompiledHandler(handle=_recorded(handler.fixtures), record=None, writes=False)
        case CustomHandler():
            return CompiledHandler(handle=_custom(handler.adapter, adapters), record=None, writes=True)
        case ReadHandler() | MutateHandler():
            return _stateful(handler, tool)


def _templated(template: Template) -> Handle:
    return lambda tree, scope, first_only: Answered(200, template.render(scope))


def _echo(name: str) -> Handle:
    return lambda tree, scope, first_only: Answered(200, {"tool": name, "arguments": scope.args})


Guard: TypeAlias = Callable[[Tree, Scope], Answered | None]

NOT_FOUND: Final = (404, "NOT_FOUND", "There is no such record.")
PRECONDITION_FAILED: Final = (409, "PRECONDITION_FAILED", "The call is not possible in this state.")


def _stateful(handler: ReadHandler | MutateHandler, tool: Tool) -> CompiledHandler:
    names = handler_names(tool, handler.let)
    record = compile_path(handler.path, names) if handler.path is not None else None
    lets = {name: compile(value, names) for name, value in handler.let.items()}
    guards = tuple(_guard(precondition, names) for precondition in handler.preconditions)
    missing = _refusal(handler.not_found, NOT_FOUND, names)
    effects = compile_effects(handler.effects, names) if isinstance(handler, MutateHandler) else None
    has_response = "response" in handler.model_fields_set
    response = compile(handler.response, names) if has_response else None

    def handle(tree: Tree, scope: Scope, first_only: bool) -> Answered:
        path, value = None, MISSING
        if record is not None:
            path = record.resolve(scope)
            value = tree.get(path)
            if value is MISSING:
                return missing(scope)
            if record.length:
                value, path = len(value), None
            scope.roots["value"] = value
        waiting = lazily(lets, scope) if lets else ()
        for guard in guards:
            refused = guard(tree, scope)
            if refused is not None:
                return refused
        if effects is not None:
            for lazy in waiting:
                lazy.get()
            effects(Target(tree, path, first_only), scope)
        if response is not None:
            return Answered(200, response.render(scope))
        if record is None:
            return Answered(200, {"ok": True})
        return Answered(200, scope.roots["value"] if path is None else _after(tree, path))

    return CompiledHandler(handle=handle, record=record, writes=effects is not None, effects=effects, lets=lets)


def _after(tree: Tree, path: tuple[str | int, ...]) -> object:
    value = tree.get(path)
    return {"ok": True} if value is MISSING else value


def _guard(precondition: Precondition, names: Names) -> Guard:
    refusal = _refusal(precondition.error, PRECONDITION_FAILED, names)
    if precondition.that is not None:
        return _cel_guard(compile_expression(condition(precondition.that), names), refusal)
    return _path_guard(compile_path(precondition.path or "", names), _comparators(precondition, names), refusal)


def _cel_guard(that: Expression, refusal: Callable[[Scope], Answered]) -> Guard:
    return lambda tree, scope: None if that.is_true(scope) else refusal(scope)


def _path_guard(path: PathTemplate, comparators: Template, refusal: Callable[[Scope], Answered]) -> Guard:
    def guard(tree: Tree, scope: Scope) -> Answered | None:
        value = tree.get(path.resolve(scope))
        if path.length and value is not MISSING:
            value = len(value)  # type: ignore[arg-type]
        return None if compare(comparators.render(scope), value).ok else refusal(scope)

    return guard


def _comparators(precondition: Precondition, names: Names) -> Template:
    return compile(precondition.comparators(), names)


def _refusal(error: ErrorAnswer, default: tuple[int, str, str], names: Names) -> Callable[[Scope], Answered]:
    status, code = error.status or default[0], error.code or default[1]
    message = compile_text(error.message or default[2], names)
    return lambda scope: refuse(status, code, message.render(scope))


def refuse(status: int, code: str, message: str, **more: Json) -> Answered:
    """The one form of a refusal: `{"error": {"code", "message"}}`."""
    return Answered(status, {"error": {"code": code, "message": message, **more}}, code)


def contains(part: Json, whole: Json) -> bool:
    """Whether ``whole`` holds everything that ``part`` says; lists are compared whole."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and contains(value, whole[key]) for key, value in part.items())
    return equal(part, whole)


def _recorded(fixtures: Sequence[Fixture]) -> Handle:
    def handle(tree: Tree, scope: Scope, first_only: bool) -> Answered:
        for fixture in fixtures:
            if contains(fixture.match, scope.args):
                return _replayed(fixture)
        return refuse(404, "NO_FIXTURE", _nearest_fixture(fixtures, scope.args))

    return handle


def _replayed(fixture: Fixture) -> Answered:
    if fixture.error is None:
        return Answered(fixture.status or 200, fixture.response)
    error = fixture.error
    return refuse(error.status or fixture.status or 500, error.code or "ERROR", error.message)


def _nearest_fixture(fixtures: Sequence[Fixture], arguments: dict[str, Json]) -> str:
    def distance(fixture: Fixture) -> int:
        return len(diff({key: arguments.get(key) for key in fixture.match}, fixture.match))

    near = min(fixtures, key=distance)
    differences = [
        f"{change.path}: recorded {change.after!r}, called with {change.before!r}"
        for change in diff({key: arguments.get(key) for key in near.match}, near.match)[:3]
    ]
    return f"Nothing was recorded for these arguments. Nearest: {'; '.join(differences)}."


def _custom(name: str, adapters: Mapping[str, Adapter]) -> Handle:
    def handle(tree: Tree, scope: Scope, first_only: bool) -> Answered:
        state = tree.plain()
        context = {key: scope.roots[key] for key in ("tenant", "now", "id", "settings")}
        answer = adapters[name](_copy(scope.args), _copy(state), _copy(context))
        if answer.state is not None and answer.status < 400:
            _take_state(tree, state, answer.state)
        return Answered(answer.status, answer.body, answer.code)

    return handle


def _take_state(tree: Tree, before: Json, after: Json) -> None:
    for change in diff(before, after):
        apply_change(tree, change.path, change.before, change.after)


def apply_change(tree: Tree, path: str, before: object, after: object) -> None:
    """One change of a diff made on a tree."""
    segments = Path.parse(path).segments
    if after is MISSING:
        tree.delete(segments)
    elif before is MISSING and segments and isinstance(segments[-1], int):
        tree.append(segments[:-1], after)
    else:
        tree.set(segments, after)


def _copy(value: Any) -> Any:
    """A copy that code from outside may write to."""
    return orjson.loads(orjson.dumps(plain(value)))

