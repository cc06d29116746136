"""Marking a function as a tool."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeVar, overload

from agenttwin.interception._active import Answer, current
from agenttwin.interception._answer import ToolAnswerError, value_of

F = TypeVar("F", bound=Callable[..., Any])
Failed = Callable[[Answer], Any]

MARK: Final = "__agenttwin_tool__"
"""On the functions that this module makes: the tool's name."""

_BOUND: Final = ("self", "cls")


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *, name: str | None = None, leave_out: Collection[str] = (), failed: Failed | None = None
) -> Callable[[F], F]: ...
def tool(
    function: F | None = None,
    /,
    *,
    name: str | None = None,
    leave_out: Collection[str] = (),
    failed: Failed | None = None,
) -> F | Callable[[F], F]:
    """Marks a function, or coroutine function, as a tool of a twin.

    While a case is active its calls go to the twin's tool of the same name (or ``name``), and the function
    is not run; otherwise it runs as ever. Arguments are bound by the signature: each becomes an argument of
    the tool, `self` and ``leave_out`` aside, and one that is None by default and was not given is left out.
    The answer comes back as JSON, or as what the return annotation says where that is a dataclass or a
    pydantic model. A tool that gives no success raises ToolError, unless ``failed`` makes something else
    of the reply: what it returns is returned, what it raises is raised.

    TypeError for what is no function, is a generator, or has arguments that are no JSON.
    """
    if function is None:
        return lambda given: tooled(given, name=name, leave_out=leave_out, failed=failed)
    return tooled(function, name=name, leave_out=leave_out, failed=failed)


def tooled(
    function: F, *, name: str | None = None, leave_out: Collection[str] = (), failed: Failed | None = None
) -> F:
    """The function that asks for a case before it runs."""
    if not callable(function) or isinstance(function, type):
        raise TypeError(f"a tool is a function, not {function!r}")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{function.__qualname__} is a generator: a tool gives one answer")
    plan = _Plan(function, name or function.__name__, frozenset(leave_out), failed)
    wrapper: Any = _asynchronous(function, plan) if _awaits(function) else _synchronous(function, plan)
    functools.update_wrapper(wrapper, function)
    setattr(wrapper, MARK, plan.name)
    made: F = wrapper
    return made


def _awaits(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(inspect.unwrap(function))


def _synchronous(function: Callable[..., Any], plan: _Plan) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        tools = current(plan.name)
        if tools is None:
            return function(*args, **named)
        return plan.value(tools.call(plan.name, plan.arguments(args, named)))

    return call


def _asynchronous(function: Callable[..., Any], plan: _Plan) -> Callable[..., Any]:
    async def call(*args: Any, **named: Any) -> Any:
        tools = current(plan.name)
        if tools is None:
            return await function(*args, **named)
        return plan.value(await tools.awaited.call(plan.name, plan.arguments(args, named)))

    return call


class _Plan:
    """How a function's calls become those of a tool."""

    def __init__(
        self, function: Callable[..., Any], name: str, leave_out: frozenset[str], failed: Failed | None
    ) -> None:
        self.name = name
        self._function = function
        self._signature = inspect.signature(function)
        self._failed = failed
        unknown = leave_out - self._signature.parameters.keys()
        if unknown:
            raise TypeError(f"{name} has no parameter {', '.join(sorted(unknown))} to leave out")
        first = next(iter(self._signature.parameters), None)
        self._left_out = leave_out | ({first} if first in _BOUND else frozenset())

    def arguments(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the tool, as JSON."""
        bound = self._signature.bind(*args, **named)
        given = frozenset(bound.arguments)
        bound.apply_defaults()
        found: dict[str, Any] = {}
        for key, value in bound.arguments.items():
            kind = self._signature.parameters[key].kind
            if key in self._left_out or (value is None and key not in given):
                continue
            if kind is inspect.Parameter.VAR_KEYWORD:
                found |= value
            elif kind is not inspect.Parameter.VAR_POSITIONAL or value:
                found[key] = list(value) if kind is inspect.Parameter.VAR_POSITIONAL else value
        return {key: _json(self.name, key, value) for key, value in found.items()}

    def value(self, reply: Answer) -> Any:
        """What the function gives back for an answer."""
        if not reply.ok and self._failed is not None:
            return self._failed(reply)
        value = value_of(self.name, reply)
        if self._shape is None:
            return value
        try:
            return self._shape(value)
        except ValueError as error:
            raise ToolAnswerError(self.name, reply, f"the answer has another form: {error}") from error

    @functools.cached_property
    def _shape(self) -> Callable[[Any], Any] | None:
        """Makes what the return annotation says of JSON, where that is a class with fields."""
        try:
            wanted = inspect.signature(inspect.unwrap(self._function), eval_str=True).return_annotation
        except Exception:  # a name that is only there for type checkers: nothing to go by
            return None
        if not isinstance(wanted, type) or not _has_fields(wanted):
            return None
        from pydantic import TypeAdapter  # only while a case is active, in a process that has it

        shape: Callable[[Any], Any] = TypeAdapter(wanted).validate_python
        return shape


def _has_fields(kind: type) -> bool:
    return hasattr(kind, "__dataclass_fields__") or hasattr(kind, "model_fields")


def _json(tool: str, name: str, value: Any) -> Any:
    """A value as JSON; dates, numbers with decimals, dataclasses and models become what JSON has for them."""
    if value is None or isinstance(value, str | bool):
        return value
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value)
    except PydanticSerializationError:
        raise TypeError(f"{tool}: the argument {name!r} is no JSON: {value!r:.80}") from None
