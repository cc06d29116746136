"""The operators of CEL as closures: each takes compiled operands and gives the compiled whole."""

import operator
from collections.abc import Callable
from typing import Final

from agenttwin.expression._errors import BudgetExceeded, EvaluationError
from agenttwin.expression._functions import CONTAINERS, LIST, OBJECT
from agenttwin.expression._names import Run
from agenttwin.expression._numbers import ARITHMETIC, NUMERIC, negate
from agenttwin.expression._scope import Dynamic, Meter, Scope
from agenttwin.values import MISSING, describe, equal


def constant(value: Dynamic) -> Run:
    """A value that is known when the expression is read."""

    def run(scope: Scope) -> Dynamic:
        return value

    return run


# access


def select(operand: Run, field: str) -> Run:
    """`operand.field`."""

    def run(scope: Scope) -> Dynamic:
        value = operand(scope)
        try:
            return value[field]
        except (KeyError, TypeError):  # only objects take text
            raise _nothing_at(value, field) from None

    return run


def index(operand: Run, key: Run) -> Run:
    """`operand[key]`."""

    def run(scope: Scope) -> Dynamic:
        value, at = operand(scope), key(scope)
        found = member(value, at)
        if found is MISSING:
            raise _nothing_at(value, at)
        return found

    return run


def member(value: Dynamic, key: Dynamic) -> Dynamic:
    """What stands under a key of an object or at an index of a list, or MISSING."""
    kind = type(value)
    if kind in OBJECT.types:
        return value.get(key, MISSING) if type(key) is str else MISSING
    if kind in LIST.types and type(key) in NUMERIC and key == int(key) and 0 <= key < len(value):
        return value[int(key)]
    return MISSING


def _nothing_at(value: Dynamic, key: Dynamic) -> EvaluationError:
    if type(value) in OBJECT.types:
        return EvaluationError(f"there is no {describe(key)} in {describe(value)}")
    if type(value) in LIST.types and type(key) in NUMERIC:
        return EvaluationError(f"{describe(key)} is no index of a list of {len(value)}")
    return EvaluationError(f"{describe(value)} has no {describe(key)}")


def has_field(operand: Run, field: str) -> Run:
    """`has(operand.field)`: false where the object has no such member."""

    def run(scope: Scope) -> bool:
        value = operand(scope)
        if type(value) not in OBJECT.types:
            raise EvaluationError(f"has() asks an object for {describe(field)}, not {describe(value)}")
        return field in value

    return run


def has_index(operand: Run, key: Run) -> Run:
    """`has(operand[key])`: false where the object or list has nothing there."""

    def run(scope: Scope) -> bool:
        value = operand(scope)
        if type(value) not in CONTAINERS:
            raise EvaluationError(f"has() asks an object or a list, not {describe(value)}")
        return member(value, key(scope)) is not MISSING

    return run


def has_name(read: Run) -> Run:
    """`has(name)`: whether an optional reader finds something."""

    def run(scope: Scope) -> bool:
        return read(scope) is not MISSING

    return run


# lists and objects


def list_of(elements: tuple[Run, ...]) -> Run:
    """`[elements]`."""

    def run(scope: Scope) -> list[Dynamic]:
        return [element(scope) for element in elements]

    return run


def object_of(members: tuple[tuple[Run, Run], ...]) -> Run:
    """`{key: value}`; keys are text, each once."""

    def run(scope: Scope) -> dict[str, Dynamic]:
        result: dict[str, Dynamic] = {}
        for key, value in members:
            name = key_of(key(scope))
            if name in result:
                raise EvaluationError(f"the key {describe(name)} stands twice in one object")
            result[name] = value(scope)
        return result

    return run


def key_of(value: Dynamic) -> str:
    """`value`, which is the key of an object."""
    if type(value) is not str:
        raise EvaluationError(f"a key is text, not {describe(value)}")
    return value


# comparison


def same(left: Dynamic, right: Dynamic, meter: Meter) -> bool:
    """JSON equality; comparing containers costs a step for each member of the left one."""
    kind = type(left)
    if kind is str or type(right) is str:
        return bool(left == right)
    if kind in CONTAINERS:
        meter.spend(len(left))
    return equal(left, right)


def _equality(wanted: bool) -> Callable[[Run, Run], Run]:
    def build(left: Run, right: Run) -> Run:
        def run(scope: Scope) -> bool:
            return same(left(scope), right(scope), scope.meter) is wanted

        return run

    return build


_ORDERED: Final = frozenset({str, bool})


def _order(symbol: str, holds: Callable[[Dynamic, Dynamic], bool]) -> Callable[[Run, Run], Run]:
    def build(left: Run, right: Run) -> Run:
        def run(scope: Scope) -> bool:
            a, b = left(scope), right(scope)
            kind, other = type(a), type(b)
            if (kind in NUMERIC and other in NUMERIC) or (kind is other and kind in _ORDERED):
                return holds(a, b)
            raise EvaluationError(f"{symbol} cannot compare {describe(a)} with {describe(b)}")

        return run

    return build


_KEY_LIKE: Final = frozenset({str, bool, int, float})  # what CEL lets one look for among keys


def _membership(left: Run, right: Run) -> Run:
    def run(scope: Scope) -> bool:
        part, whole = left(scope), right(scope)
        if type(whole) in OBJECT.types and type(part) in _KEY_LIKE:
            return type(part) is str and part in whole
        if type(whole) not in LIST.types:
            raise EvaluationError(f"in cannot look for {describe(part)} in {describe(whole)}")
        scope.meter.spend(len(whole))
        if type(part) is str:
            return part in whole
        return any(equal(element, part) for element in whole)

    return run


RELATIONS: Final[dict[str, Callable[[Run, Run], Run]]] = {
    "==": _equality(True),
    "!=": _equality(False),
    "<": _order("<", operator.lt),
    "<=": _order("<=", operator.le),
    ">": _order(">", operator.gt),
    ">=": _order(">=", operator.ge),
    "in": _membership,
}


# arithmetic


def chain(first: Run, rest: tuple[tuple[str, Run], ...]) -> Run:
    """`first + second - third`, from left to right."""
    if len(rest) == 1:
        return _binary(rest[0][0], first, rest[0][1])
    steps = tuple((ARITHMETIC[symbol], operand) for symbol, operand in rest)

    def run(scope: Scope) -> Dynamic:
        value = first(scope)
        for apply, operand in steps:
            value = apply(value, operand(scope))
        return value

    return run


def _binary(symbol: str, left: Run, right: Run) -> Run:
    apply = ARITHMETIC[symbol]

    def run(scope: Scope) -> Dynamic:
        return apply(left(scope), right(scope))

    return run


def negation(operand: Run) -> Run:
    """`-operand`."""

    def run(scope: Scope) -> Dynamic:
        return negate(operand(scope))

    return run


# logic


def inversion(operand: Run) -> Run:
    """`!operand`."""

    def run(scope: Scope) -> bool:
        value = operand(scope)
        if type(value) is bool:
            return not value
        raise no_boolean(value)

    return run


def logic(operands: tuple[Run, ...], decisive: bool) -> Run:
    """`&&` (false decides) and `||` (true decides): a decisive operand wins over the failure of any other."""

    def run(scope: Scope) -> bool:
        failure = None  # what the first error is made of; the error itself would hold this frame in a cycle
        for operand in operands:
            try:
                value: object = operand(scope)
            except BudgetExceeded:
                raise
            except EvaluationError as error:
                failure = failure or error.args
                continue
            if value is decisive:
                return decisive
            if type(value) is not bool:
                failure = failure or no_boolean(value).args
        if failure is not None:
            raise EvaluationError(*failure)
        return not decisive

    return run


def choice(cases: tuple[tuple[Run, Run], ...], otherwise: Run) -> Run:
    """`condition ? then : otherwise`."""

    def run(scope: Scope) -> Dynamic:
        for condition, then in cases:
            value = condition(scope)
            if value is True:
                return then(scope)
            if value is not False:
                raise no_boolean(value)
        return otherwise(scope)

    return run


def no_boolean(value: Dynamic) -> EvaluationError:
    """What a condition that is neither true nor false fails with."""
    return EvaluationError(f"a condition is true or false, not {describe(value)}")
