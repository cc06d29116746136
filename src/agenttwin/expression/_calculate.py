"""Arithmetic that arrives as text, from an agent: numbers, + - * / %, parentheses, and nothing else."""

import re

from agenttwin.expression._errors import EvaluationError, TemplateError
from agenttwin.expression._numbers import ARITHMETIC, Number, negate
from agenttwin.expression._parser import parse
from agenttwin.expression._syntax import Chain, Literal, Node, Prefix
from agenttwin.expression._tokens import tokenize
from agenttwin.values import describe

_ARITHMETIC = re.compile(r"(?!.*//)[0-9eE.+\-*/%() \t]+")


def calculate(text: str) -> Number:
    """The value of `text` under the number rule; EvaluationError where it has none."""
    if not _ARITHMETIC.fullmatch(text):
        raise _no_arithmetic(text)
    try:
        tree = parse(tokenize(text)[0])
    except TemplateError as error:
        raise EvaluationError(f"{describe(text)} is no arithmetic: {error.message}") from None
    return _value(tree, text)


def _value(node: Node, text: str) -> Number:
    negative = False
    while isinstance(node, Prefix):
        node, negative = node.operand, not negative
    match node:
        case Literal():
            value = node.value
        case Chain():
            value = _value(node.first, text)
            for operator, operand in node.rest:
                value = ARITHMETIC[operator](value, _value(operand, text))
        case _:
            raise _no_arithmetic(text)
    return negate(value) if negative else value


def _no_arithmetic(text: str) -> EvaluationError:
    return EvaluationError(f"{describe(text)} is no arithmetic")
