"""Effects: operations and blocks on the state, compiled once and applied in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from agenttwin.expression import (
    EvaluationError,
    Expression,
    Lazy,
    Names,
    Scope,
    Template,
    compile,
    compile_expression,
    compile_path,
)
from agenttwin.twin._model import Block, Effect, Operation
from agenttwin.twin._names import condition
from agenttwin.values import MISSING, Arr, Tree, describe, plain


class EffectError(Exception):
    """An effect that cannot be made: the definition is at fault, not the caller."""


class FirstDone(Exception):  # noqa: N818 - not an error: the first effect is done, and no more is wanted
    """Raised after the first effect that changed something, where only that is wanted."""


@dataclass(slots=True)
class Target:
    """Where effects are applied: the state, and the record whose changes `value` shows."""

    tree: Tree
    record: tuple[str | int, ...] | None
    first_only: bool = False

    def show(self, scope: Scope) -> None:
        """Lets `state` and `value` show what has been done so far."""
        scope.roots["state"] = self.tree.root
        if self.record is not None:
            scope.roots["value"] = self.tree.get(self.record)


Apply: TypeAlias = Callable[[Target, Scope], None]


def compile_effects(effects: Sequence[Effect], names: Names) -> Apply:
    """The effects as one function; TemplateError where a text cannot be compiled."""
    compiled = tuple(
        _block(effect, names) if isinstance(effect, Block) else _operation(effect, names) for effect in effects
    )

    def apply(target: Target, scope: Scope) -> None:
        for effect in compiled:
            effect(target, scope)

    return apply if len(compiled) > 1 else compiled[0]


def _operation(effect: Operation, names: Names) -> Apply:
    write = _WRITES[effect.op]
    path = compile_path(effect.path, names)
    operand = compile(_operand(effect), names)
    only_if = compile_expression(condition(effect.if_), names) if effect.if_ is not None else None

    def apply(target: Target, scope: Scope) -> None:
        if only_if is not None and not only_if.is_true(scope):
            return
        changed = write(target.tree, path.resolve(scope), operand.render(scope), effect)
        if changed:
            target.show(scope)
            if target.first_only:
                raise FirstDone

    return apply


def _operand(effect: Operation) -> Any:
    if effect.op in ("increment", "decrement"):
        return effect.by if "by" in effect.model_fields_set else 1
    return effect.value


def _block(effect: Block, names: Names) -> Apply:
    inner = names.with_roots(*([effect.for_each.as_] if effect.for_each else []))
    lets: list[tuple[str, Template]] = []
    for name, value in effect.let.items():
        lets.append((name, compile(value, inner)))
        inner = inner.with_roots(name)
    only_if = compile_expression(condition(effect.if_), inner) if effect.if_ is not None else None
    body = compile_effects(effect.effects, inner)
    once = _once(tuple(lets), only_if, body)
    if effect.for_each is None:
        return once
    elements, name = compile(effect.for_each.in_, names), effect.for_each.as_

    def apply(target: Target, scope: Scope) -> None:
        found = elements.render(scope)
        if not isinstance(found, list | Arr):
            raise EffectError(f"forEach needs a list, not {describe(found)}")
        for element in [plain(item) for item in found]:
            scope.meter.spend(1)
            scope.roots[name] = element
            once(target, scope)
        scope.roots.pop(name, None)

    return apply


def _once(lets: tuple[tuple[str, Template], ...], only_if: Expression | None, body: Apply) -> Apply:
    def apply(target: Target, scope: Scope) -> None:
        for name, template in lets:
            scope.roots[name] = plain(template.render(scope))
        if only_if is None or only_if.is_true(scope):
            body(target, scope)

    return apply


def lazily(lets: Mapping[str, Template], scope: Scope) -> tuple[Lazy, ...]:
    """Binds names that are computed when first used; the caller forces the rest before the first effect."""
    bound = []
    for name, template in lets.items():
        lazy = Lazy(lambda template=template: _settled(template, scope))
        scope.roots[name] = lazy
        bound.append(lazy)
    return tuple(bound)


def _settled(template: Template, scope: Scope) -> object:
    value = template.render(scope)
    return value if value is MISSING else plain(value)


def _set(tree: Tree, path: tuple[str | int, ...], value: object, effect: Operation) -> bool:
    if value is MISSING:
        raise EvaluationError(f"there is no value to set at {effect.path}")
    return tree.set(path, value)


def _append(tree: Tree, path: tuple[str | int, ...], value: object, effect: Operation) -> bool:
    if value is MISSING:
        raise EvaluationError(f"there is no value to append at {effect.path}")
    return tree.append(path, value)


def _increment(tree: Tree, path: tuple[str | int, ...], by: object, effect: Operation) -> bool:
    return _add(tree, path, by, 1, effect)


def _decrement(tree: Tree, path: tuple[str | int, ...], by: object, effect: Operation) -> bool:
    return _add(tree, path, by, -1, effect)


def _add(tree: Tree, path: tuple[str | int, ...], by: Any, sign: int, effect: Operation) -> bool:
    number = tree.get(path)
    if number is MISSING:
        number = 0
    for value, what in ((number, f"what stands at {effect.path}"), (by, "by")):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise EffectError(f"{effect.op} needs numbers, but {what} is {describe(value)}")
    total = number + sign * by
    return tree.set(path, int(total) if isinstance(total, float) and total.is_integer() else total)


def _delete(tree: Tree, path: tuple[str | int, ...], _: object, effect: Operation) -> bool:
    return tree.delete(path)


def _merge(tree: Tree, path: tuple[str | int, ...], patch: object, effect: Operation) -> bool:
    return tree.merge(path, plain(patch))


_WRITES: Final[Mapping[str, Callable[[Tree, tuple[str | int, ...], Any, Operation], bool]]] = {
    "set": _set,
    "increment": _increment,
    "decrement": _decrement,
    "append": _append,
    "delete": _delete,
    "merge": _merge,
}
