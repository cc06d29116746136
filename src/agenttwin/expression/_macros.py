"""The macros of CEL: loops over the elements of a list, or the keys of an object, with a variable.

`source` gives what is looped over; `slot` is the variable's place in the frame; bodies read it there.
Each call costs a step and one more for each element visited.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from agenttwin.expression._errors import BudgetExceeded, EvaluationError
from agenttwin.expression._functions import LIST, OBJECT, arity_of
from agenttwin.expression._library import alike
from agenttwin.expression._names import Run
from agenttwin.expression._operators import key_of, no_boolean
from agenttwin.expression._scope import Dynamic, Scope
from agenttwin.values import describe


@dataclass(frozen=True, slots=True)
class Macro:
    """One macro: how it is called, what it gives, an expression that is true, and what compiles it."""

    usage: str
    summary: str
    example: str
    build: Callable[..., Run]

    @property
    def name(self) -> str:
        """What it is called by."""
        return self.usage.removeprefix("list.").partition("(")[0]

    @property
    def arity(self) -> range:
        """How many arguments it takes, the variable among them."""
        return arity_of(self.usage)


def _visits(scope: Scope, source: Run) -> Iterable[Dynamic]:
    """The elements of what `source` gives, each for a step."""
    value = source(scope)
    if type(value) not in LIST.types:
        if type(value) not in OBJECT.types:
            raise EvaluationError(f"a macro goes over a list or an object, not {describe(value)}")
        value = list(value)
    meter = scope.meter
    meter.spend(1)
    for element in value:
        meter.left -= 1
        if meter.left < 0:
            meter.spend(0)
        yield element


def _holds(condition: Run, scope: Scope) -> bool:
    value = condition(scope)
    if type(value) is bool:
        return value
    raise no_boolean(value)


def _quantifier(decisive: bool) -> Callable[[Run, int, Run], Run]:
    """exists (true decides) and all (false decides): a decisive element wins over any failure."""

    def build(source: Run, slot: int, condition: Run) -> Run:
        def run(scope: Scope) -> bool:
            frame = scope.frame
            failure = None
            for frame[slot] in _visits(scope, source):
                try:
                    value = _holds(condition, scope)
                except BudgetExceeded:
                    raise
                except EvaluationError as error:
                    failure = failure or error.args
                    continue
                if value is decisive:
                    return decisive
            if failure is not None:
                raise EvaluationError(*failure)
            return not decisive

        return run

    return build


def _exists_one(source: Run, slot: int, condition: Run) -> Run:
    def run(scope: Scope) -> bool:
        frame, found = scope.frame, 0
        for frame[slot] in _visits(scope, source):
            found += _holds(condition, scope)
        return found == 1

    return run


def _filter(source: Run, slot: int, condition: Run) -> Run:
    def run(scope: Scope) -> list[Dynamic]:
        frame, kept = scope.frame, []
        for element in _visits(scope, source):
            frame[slot] = element
            if _holds(condition, scope):
                kept.append(element)
        return kept

    return run


def _map(source: Run, slot: int, *bodies: Run) -> Run:
    condition, body = bodies if len(bodies) == 2 else (None, bodies[0])

    def run(scope: Scope) -> list[Dynamic]:
        frame, made = scope.frame, []
        for frame[slot] in _visits(scope, source):
            if condition is None or _holds(condition, scope):
                made.append(body(scope))
        return made

    return run


def _first_where(source: Run, slot: int, condition: Run) -> Run:
    def run(scope: Scope) -> Dynamic:
        frame = scope.frame
        for element in _visits(scope, source):
            frame[slot] = element
            if _holds(condition, scope):
                return element
        return None

    return run


def _index_where(source: Run, slot: int, condition: Run) -> Run:
    def run(scope: Scope) -> int:
        frame = scope.frame
        for index, frame[slot] in enumerate(_visits(scope, source)):
            if _holds(condition, scope):
                return index
        return -1

    return run


def _to_object(source: Run, slot: int, key: Run, value: Run | None = None) -> Run:
    def run(scope: Scope) -> dict[str, Dynamic]:
        frame, made = scope.frame, {}
        for element in _visits(scope, source):
            frame[slot] = element
            made[key_of(key(scope))] = element if value is None else value(scope)
        return made

    return run


def _sort_by(source: Run, slot: int, key: Run) -> Run:
    def run(scope: Scope) -> list[Dynamic]:
        frame, keys, elements = scope.frame, [], []
        for element in _visits(scope, source):
            frame[slot] = element
            elements.append(element)
            keys.append(key(scope))
        order = sorted(range(len(keys)), key=alike(keys).__getitem__)
        return [elements[index] for index in order]

    return run


# fmt: off
_TABLE: Final = (
    Macro("list.all(x, condition)", "Whether the condition holds for every element.",
          "[1, 2].all(x, x > 0)", _quantifier(decisive=False)),
    Macro("list.exists(x, condition)", "Whether the condition holds for an element.",
          "[1, 2].exists(x, x > 1)", _quantifier(decisive=True)),
    Macro("list.exists_one(x, condition)", "Whether the condition holds for exactly one element.",
          "[1, 2].exists_one(x, x > 1)", _exists_one),
    Macro("list.filter(x, condition)", "The elements for which the condition holds.",
          "[1, 2, 3].filter(x, x > 1) == [2, 3]", _filter),
    Macro("list.map(x, condition?, value)", "A value for each element (for which the condition holds).",
          "[1, 2, 3].map(x, x > 1, x * 10) == [20, 30]", _map),
    Macro("list.firstWhere(x, condition)", "The first element for which the condition holds, or null.",
          "[1, 2, 3].firstWhere(x, x > 1) == 2", _first_where),
    Macro("list.indexWhere(x, condition)", "The index of the first such element, or -1.",
          "[1, 2, 3].indexWhere(x, x > 1) == 1", _index_where),
    Macro("list.toObject(x, key, value?)", "An object with a member for each element; of one key the last.",
          "['a', 'b'].toObject(x, x, upper(x)) == {'a': 'A', 'b': 'B'}", _to_object),
    Macro("list.sortBy(x, key)", "The elements in ascending order of their keys; equal ones stay in order.",
          "['bb', 'a'].sortBy(x, size(x)) == ['a', 'bb']", _sort_by),
)
# fmt: on

MACROS: Final[Mapping[str, Macro]] = MappingProxyType({row.name: row for row in _TABLE})
