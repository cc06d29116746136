"""The names that a twin's tools share: `spec.let`, as if it stood in each handler that uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from agenttwin.expression import Names, Template, compile
from agenttwin.twin._model import Tool
from agenttwin.twin._names import handler_names

Compiled = TypeVar("Compiled")


def reached(
    shared: Mapping[str, Any], read: Iterable[str], look: Callable[[str, set[str]], Compiled]
) -> Iterator[tuple[str, Compiled]]:
    """The shared names that ``read`` needs, themselves or through one another, each once.

    ``look`` compiles one of them and adds the names that it reads to the set it is given.
    """
    waiting, seen = sorted(shared.keys() & set(read)), set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        found = set[str]()
        yield name, look(name, found)
        waiting += sorted((shared.keys() & found) - seen)


def shared_names(tool: Tool, shared: Iterable[str], read: set[str]) -> Names:
    """What a shared text sees in a tool: no `let` of the handler, but all that the others share."""
    return handler_names(tool, shared, read)


def compile_shared(shared: Mapping[str, Any], read: Iterable[str], tool: Tool) -> dict[str, Template]:
    """What a handler that reads these names needs; TemplateError where a text cannot be compiled."""

    def look(name: str, found: set[str]) -> Template:
        return compile(shared[name], shared_names(tool, shared, found))

    return dict(reached(shared, read, look))
