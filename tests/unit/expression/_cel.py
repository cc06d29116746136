"""What the tests of this package say over and over: evaluate, fail, refuse."""

from typing import Any

import pytest

from agenttwin.expression import EvaluationError, Names, Scope, TemplateError, compile_expression

NAMES = Names(
    arguments=frozenset({"order_id", "amount", "tenant", "note"}),
    roots=frozenset({"args", "state", "value", "tenant", "settings"}),
)


def scope(args: dict[str, Any] | None = None, budget: int = 100_000, **roots: object) -> Scope:
    return Scope({} if args is None else args, roots, budget)


def value(text: str, args: dict[str, Any] | None = None, **roots: object) -> Any:
    return compile_expression(text, NAMES).evaluate(scope(args, **roots))


def failure(text: str, args: dict[str, Any] | None = None, **roots: object) -> str:
    """Why the expression has no value."""
    with pytest.raises(EvaluationError) as raised:
        value(text, args, **roots)
    return raised.value.message.partition(", in {=")[0]


def refusal(text: str) -> TemplateError:
    """Why the expression cannot be read."""
    with pytest.raises(TemplateError) as raised:
        compile_expression(text, NAMES)
    return raised.value
