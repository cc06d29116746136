"""Effects: operations and blocks on the state, compiled once and applied in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from agenttwin.expression import (
    EvaluationError,
    Lazy,
    Names,
    Scope,
    Template,
    add,
    compile,
    compile_expression,
    compile_path,
)
from agenttwin.twin._model import Block, Effect, Operation
from agenttwin.twin._names import condition
from agenttwin.values import MISSING, Arr, Segments, Tree, describe, plain


class EffectError(Exception):
    """An effect that cannot be made: the definition is at fault, not the caller."""


class FirstDone(Exception):  # noqa: N818 - not an error: the first effect is done, and no more is wanted
    """Raised after the first effect that changed something, where only that is wanted."""


@dataclass(slots=True)  # not frozen: one is made in every call
class Target:
    """Where a handler acts: the state, and the place of the record that `value` shows, once it is known."""

    tree: Tree
    first_only: bool = False
    record: Segments | None = None


Run: TypeAlias = Callable[[Scope], Any]
Apply: TypeAlias = Callable[[Target, Scope], None]
Write: TypeAlias = Callable[[Target, Scope], bool]
"""Makes one change; whether it changed anything."""


def refresher(used: Iterable[str]) -> Apply | None:
    """Lets `state` and `value` show what has been done so far; None where no name of `used` needs it."""
    shows_state, shows_value = "state" in used, "value" in used

    def refresh(target: Target, scope: Scope) -> None:
        if shows_state:
            scope.roots["state"] = target.tree.root
        if shows_value and target.record is not None:
            scope.roots["value"] = target.tree.get(target.record)

    return refresh if shows_state or shows_value else None


def compile_effects(effects: Sequence[Effect], names: Names) -> Apply:
    """The effects as one function; TemplateError where a text cannot be compiled."""
    writes = tuple(
        _block(effect, names) if isinstance(effect, Block) else _operation(effect, names)
        for effect in effects
    )

    def apply(target: Target, scope: Scope) -> None:
        for write in writes:
            if write(target, scope) and target.first_only:
                raise FirstDone

    return apply


def _operation(effect: Operation, names: Names) -> Write:
    path = compile_path(effect.path, names)
    operand = compile(effect.by if effect.op in COUNTING else effect.value, names)
    only_if = compile_expression(condition(effect.if_), names) if effect.if_ is not None else None
    write = _WRITES[effect.op](effect, path.resolve, operand.render)
    refresh = refresher(
        path.names_used | operand.names_used | (only_if.names_used if only_if else frozenset())
    )

    def fresh(target: Target, scope: Scope) -> bool:
        if refresh is not None:
            refresh(target, scope)
        return (only_if is None or only_if.is_true(scope)) and write(target, scope)

    return write if refresh is None and only_if is None else fresh


def _block(effect: Block, names: Names) -> Write:
    inner = names.with_roots(*([effect.for_each.as_] if effect.for_each else []), *effect.let)
    lets = {name: compile(value, inner) for name, value in effect.let.items()}
    only_if = compile_expression(condition(effect.if_), inner) if effect.if_ is not None else None
    used = frozenset().union(
        *(let.names_used for let in lets.values()), only_if.names_used if only_if else ()
    )
    refresh = refresher(used)
    body = compile_effects(effect.effects, inner)

    def once(target: Target, scope: Scope) -> bool:
        if refresh is not None:
            refresh(target, scope)
        for lazy in bind(lets, scope):
            lazy.get()
        if only_if is None or only_if.is_true(scope):
            body(target, scope)
        return False  # the effects within have told already

    if effect.for_each is None:
        return once
    return _loop(compile(effect.for_each.in_, names), effect.for_each.as_, once)


def _loop(elements: Template, name: str, once: Write) -> Write:
    refresh = refresher(elements.names_used)

    def each(target: Target, scope: Scope) -> bool:
        if refresh is not None:
            refresh(target, scope)
        found = elements.render(scope)
        if not isinstance(found, list | Arr):
            raise EffectError(f"forEach needs a list, not {describe(found)}")
        for element in [plain(item) for item in found]:  # taken once: what the body writes does not show
            scope.meter.spend(1)
            scope.roots[name] = element
            once(target, scope)
        return False

    return each


def bind(lets: Mapping[str, Template], scope: Scope) -> list[Lazy]:
    """Binds names that are computed when first used; the caller forces the rest before the first effect."""
    bound = []
    for name, template in lets.items():
        lazy = scope.roots[name] = Lazy(partial(_settled, template, scope))
        bound.append(lazy)
    return bound


def _settled(template: Template, scope: Scope) -> object:
    """The value as it is now: a node would change with the state that it is of."""
    value = template.render(scope)
    return value if value is MISSING else plain(value)


# operations


COUNTING: Final = frozenset({"increment", "decrement"})
"""They read `by`; the others read `value`."""


def _set(effect: Operation, resolve: Run, render: Run) -> Write:
    return lambda target, scope: target.tree.set(resolve(scope), _present(render(scope), effect))


def _append(effect: Operation, resolve: Run, render: Run) -> Write:
    return lambda target, scope: target.tree.append(resolve(scope), _present(render(scope), effect))


def _merge(effect: Operation, resolve: Run, render: Run) -> Write:
    return lambda target, scope: target.tree.merge(resolve(scope), plain(_present(render(scope), effect)))


def _present(value: object, effect: Operation) -> object:
    if value is MISSING:
        raise EvaluationError(f"there is no value to {effect.op} at {effect.path}")
    return value


def _delete(effect: Operation, resolve: Run, render: Run) -> Write:
    return lambda target, scope: target.tree.delete(resolve(scope))


_NUMBERS: Final = frozenset({int, float})


def _count(effect: Operation, resolve: Run, render: Run) -> Write:
    sign = 1 if effect.op == "increment" else -1

    def write(target: Target, scope: Scope) -> bool:
        by = render(scope)

        def counted(number: Any) -> object:
            if number is MISSING:
                number = 0
            if type(number) in _NUMBERS and type(by) in _NUMBERS:
                return add(number, sign * by)
            what, value = (
                ("by", by) if type(number) in _NUMBERS else (f"what stands at {effect.path}", number)
            )
            raise EffectError(f"{effect.op} needs numbers, but {what} is {describe(value)}")

        return target.tree.revise(resolve(scope), counted)

    return write


_WRITES: Final[Mapping[str, Callable[[Operation, Run, Run], Write]]] = {
    "set": _set,
    "increment": _count,
    "decrement": _count,
    "append": _append,
    "delete": _delete,
    "merge": _merge,
}
