"""Templates `{order_id}`, paths `orders[{order_id}]` and CEL `{= … }`: compiled once, checked early."""

from agenttwin.expression._errors import BudgetExceeded, EvaluationError, TemplateError, UnknownName
from agenttwin.expression._expression import Expression, compile_expression
from agenttwin.expression._functions import FUNCTIONS, Function
from agenttwin.expression._macros import MACROS, Macro
from agenttwin.expression._names import Names
from agenttwin.expression._numbers import add
from agenttwin.expression._path import PathTemplate, compile_path
from agenttwin.expression._scope import DEFAULT_BUDGET, Lazy, Scope
from agenttwin.expression._template import Template, compile, compile_text
from agenttwin.expression._tokens import MAX_EXPRESSION_BYTES

__all__ = [
    "DEFAULT_BUDGET",
    "FUNCTIONS",
    "MACROS",
    "MAX_EXPRESSION_BYTES",
    "BudgetExceeded",
    "EvaluationError",
    "Expression",
    "Function",
    "Lazy",
    "Macro",
    "Names",
    "PathTemplate",
    "Scope",
    "Template",
    "TemplateError",
    "UnknownName",
    "add",
    "compile",
    "compile_expression",
    "compile_path",
    "compile_text",
]
