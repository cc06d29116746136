"""Putting tools in the place of functions that one does not want to mark."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

from agenttwin.interception._tool import MARK, Failed, tooled


@contextmanager
def intercept(
    functions: Mapping[str, str | Callable[..., Any]],
    *,
    leave_out: Mapping[str, Collection[str]] | None = None,
    failed: Failed | None = None,
) -> Iterator[None]:
    """While it lasts, functions are tools: ``{"refund_payment": "shop.payments:refund"}``, or the function.

    Every module that has imported such a function by then calls the tool instead; it is `tool` in all other
    respects, so that without an active case the functions run as ever. ``leave_out`` names parameters by
    tool. At the end everything is as it was.

    NoSuchFunction, a LookupError, where a name leads nowhere; TypeError for what is no function.
    """
    with ExitStack() as places:
        for name, given in functions.items():
            owner, attribute, function = _found(given)
            if getattr(function, MARK, None) == name:
                continue
            made = tooled(function, name=name, leave_out=(leave_out or {}).get(name, ()), failed=failed)
            for holder, key in {(id(owner), attribute): (owner, attribute), **_holders(function)}.values():
                places.callback(_put, holder, key, vars(holder)[key])
                _put(holder, key, _bound(vars(holder)[key], made))
        yield


class NoSuchFunction(LookupError):  # noqa: N818 - reads as what happened
    """What was to be intercepted is not there."""


def _found(given: str | Callable[..., Any]) -> tuple[Any, str, Callable[..., Any]]:
    """Where a function lies: its module or class, its name there, and itself."""
    if isinstance(given, str):
        module, _, path = given.partition(":")
        if not path:
            module, _, path = given.rpartition(".")
        text = given
    else:
        if not callable(given):
            raise TypeError(f"what is intercepted is a function or its name, not {given!r}")
        module, path = given.__module__, given.__qualname__
        text = f"{module}:{path}"
        if "<" in path:
            raise NoSuchFunction(f"{text} lies in another function, where nothing can take its place.")
    try:
        owner: Any = importlib.import_module(module)
    except (ImportError, ValueError) as error:  # ValueError: a name of nothing
        raise NoSuchFunction(f"There is no {text!r}: {error}.") from error
    *between, attribute = path.split(".")
    for part in between:
        owner = getattr(owner, part, None)
    if owner is None or attribute not in vars(owner):
        raise NoSuchFunction(f"There is no {text!r}.")
    function = getattr(owner, attribute)
    return owner, attribute, getattr(function, "__func__", function)


def _holders(function: Callable[..., Any]) -> dict[tuple[int, str], tuple[Any, str]]:
    """Every module that knows the function under a name of its own."""
    return {
        (id(module), key): (module, key)
        for module in list(sys.modules.values())  # copied at once: other threads import meanwhile
        if isinstance(module, ModuleType)
        for key, value in list(vars(module).items())
        if value is function
    }


def _bound(before: Any, made: Callable[..., Any]) -> Any:
    """The tool as the same kind of member of a class as the function was."""
    return type(before)(made) if isinstance(before, staticmethod | classmethod) else made


def _put(holder: Any, key: str, value: Any) -> None:
    setattr(holder, key, value)
