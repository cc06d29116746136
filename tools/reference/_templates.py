"""The language of templates, paths and expressions. Every example here is run while the page is made."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agenttwin.expression import (
    DEFAULT_BUDGET,
    FUNCTIONS,
    MACROS,
    MAX_EXPRESSION_BYTES,
    Names,
    Scope,
    compile,
    compile_expression,
    compile_path,
)
from agenttwin.twin import _names as names
from agenttwin.values import MISSING, Path, plain

from ._markdown import code, fence, page, table

ROOTS: Final[Mapping[str, str]] = {
    "args": "the arguments",
    "state": "the state of the twin; in effects with the effects before them",
    "value": "the record at the handler's `path`",
    "settings": "the twin's `settings`, and what a case puts over them",
    "tenant": "the tenant of the case",
    "now": "the time of the case's world",
    "id": "a number for this execution of the tool, four digits, the same on both sides",
    "call": "`number` (the n-th call of this tool) and `seq` (the n-th call of the case)",
    "idempotency_key": "the key of the call, where it has one",
    "result": "in the message and body of a fault: what the tool answers",
}

ARGS: Final[dict[str, Any]] = {"order_id": "ORD-7", "amount": 40, "note": None, "tags": ["a", "b"]}
ROOT_VALUES: Final[dict[str, Any]] = {
    "state": {
        "orders": {"ORD-7": {"total": 100, "lines": [{"sku": "A-1"}, {"sku": "B-2"}], "by day": {"mon": 1}}}
    },
    "value": {"total": 100, "customer": {"id": "CUS-1"}},
    "settings": {"limit": 100},
    "tenant": "demo",
    "now": "2026-01-01T00:00:00Z",
    "id": "0001",
    "call": {"number": 1, "seq": 3},
    "idempotency_key": None,
}

TEMPLATES: Final[tuple[tuple[Any, str], ...]] = (
    ("{order_id}", "An argument."),
    ("{amount}", "One placeholder alone keeps its type."),
    ("Refund {order_id}: {amount} USD", "Between other text it becomes text."),
    ("{value.customer.id}", "A path into a value."),
    ("{value.total}", "A number of the record."),
    ("{tags[0]}", "An element of a list."),
    ("{tags.length()}", "How many elements there are."),
    ("{tenant}", "A root."),
    ("{$id}", "A root, also where an argument has the same name."),
    ("RF-{id}", "A number that a record can be called by."),
    ("{note}!", "Null is empty in a text."),
    ("{{order_id}}", "Braces themselves are doubled."),
    ({"order": "{order_id}", "reason": "{value.reason?}"}, "`?`: a member that finds nothing is left out."),
    ("{= amount * 2 }", "An expression."),
    ("Rest: {= value.total - amount } USD", "An expression in a text."),
)
PATHS: Final = (
    ("orders[{order_id}].total", "A placeholder is one step, whatever it contains."),
    ("orders.ORD-7.lines[0].sku", "Keys, and an index from 0."),
    ("orders.ORD-7.lines[-1].sku", "An index from the end."),
    ("orders.ORD-7['by day'].mon", "A key with other characters is quoted."),
    ("orders.ORD-7.lines.length()", "How many there are; in a path that is read."),
)
EXPRESSIONS: Final = (
    ("==", "amount == 40.0", "Equality of JSON: a number equals the same number, and nothing else."),
    ("!=", "true != 1", "A boolean equals no number."),
    ("<", "'a' < 'b'", "Numbers with numbers, texts with texts."),
    ("<=", "amount <= settings.limit", ""),
    (">", "value.total > amount", ""),
    (">=", "amount >= 40", ""),
    ("in", "'a' in tags", "An element of a list, or a key of an object."),
    ("+", "[1] + [2]", "Numbers, texts and lists."),
    ("-", "value.total - amount", ""),
    ("*", "amount * 0.5", "Integers stay exact up to 2^53; with a fraction it is one operation on doubles."),
    ("/", "7 / 2", "True division; an integer where it is exact."),
    ("%", "-7 % 3", "With the sign of the left."),
    ("&&", "false && 1 / 0 == 1", "One side that decides wins over an error on the other."),
    ("||", "amount > 10 || amount < 0", ""),
    ("!", "!('c' in tags)", "`and`, `or` and `not` are read as `&&`, `||` and `!`."),
    ("? :", "amount > 100 ? 'large' : 'small'", ""),
    ("[ ]", "tags[1]", "An element, or a member by its key."),
    ("{ }", "{'id': order_id}", "An object; keys are text."),
    (
        "has",
        "has(value.discount)",
        "Whether a member is there. Without it, reading what is missing is an error.",
    ),
)


def templates() -> str:
    """The page of templates."""
    return page(
        "Templates, paths and expressions",
        "The texts of a twin may hold placeholders. They are read when the document is read: a name that is neither an "
        "argument nor a root is a problem with its line. Nothing in a definition is executed as code.",
        "The examples on this page are run with these values:",
        fence("json", _values()),
        "## Names",
        "A placeholder names an argument of the tool, a root, or a name of `let` or `forEach`. A declared argument wins over "
        "a root of the same name; with `$` the root is meant.",
        table(("root", "what it is"), ((code(name), ROOTS[name]) for name in _roots())),
        f"`effectKey` sees {_some(names.KEY_ROOTS)}; `tenantPath` sees {_some(names.RECORD_ROOTS)}.",
        "## Templates",
        table(("template", "gives", "because"), (_template(text, why) for text, why in TEMPLATES)),
        "## Paths",
        "Where in the state to look or to write. Missing is not null.",
        table(("path", "leads to", "because"), (_path(text, why) for text, why in PATHS)),
        "## Expressions",
        "`{= … }` in a text, and the whole of `that` and `if`, is an expression of CEL (Common Expression Language). A number "
        "is a JSON number. Division by zero and results that are not finite are errors. A condition that is not exactly true "
        f"does not hold. An expression has at most {MAX_EXPRESSION_BYTES:,} bytes, and a tool call {DEFAULT_BUDGET:,} steps: "
        "one for each element visited and each function called.",
        table(("operator", "example", "gives", "remark"), (_expression(*row) for row in EXPRESSIONS)),
        "## Functions",
        "Each may be written `f(x)` or `x.f()`. The examples are true.",
        table(("function", "gives", "example"), _functions()),
        "## Macros",
        "They go over the elements of a list, or the keys of an object.",
        table(("macro", "gives", "example"), _macros()),
    )


def _values() -> str:
    members = {"args": ARGS, **ROOT_VALUES}.items()
    lines = (f"  {json.dumps(name)}: {json.dumps(found, ensure_ascii=False)}" for name, found in members)
    return "{\n" + ",\n".join(lines) + "\n}"


def _roots() -> list[str]:
    """In the order of ROOTS; a root without words comes last, and finds none."""
    known = names.ROOTS | {"result"}
    return sorted(known, key=lambda name: list(ROOTS).index(name) if name in ROOTS else len(ROOTS))


def _some(found: frozenset[str]) -> str:
    return ", ".join(code(name) for name in ROOTS if name in found)


def _scope() -> tuple[Names, Scope]:
    return Names(arguments=frozenset(ARGS), roots=frozenset(ROOT_VALUES)), Scope(
        args=dict(ARGS), roots=dict(ROOT_VALUES), budget=DEFAULT_BUDGET
    )


def _template(text: Any, why: str) -> tuple[str, str, str]:
    known, scope = _scope()
    return _shown(text), value_of(compile(text, known).render(scope)), why


def _shown(text: Any) -> str:
    return code(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False))


def value_of(found: Any) -> str:
    """A value as JSON, in code."""
    return "nothing" if found is MISSING else code(json.dumps(plain(found), ensure_ascii=False))


def _path(text: str, why: str) -> tuple[str, str, str]:
    known, scope = _scope()
    if ".length()" in text:
        return code(text), value_of(Path.parse(text).get(ROOT_VALUES["state"])), why
    steps = compile_path(text, known).resolve(scope)
    return code(text), value_of(Path(tuple(steps)).get(ROOT_VALUES["state"])), why


def _expression(symbol: str, text: str, why: str) -> tuple[str, ...]:
    known, scope = _scope()
    return code(symbol), code(text), value_of(compile_expression(text, known).evaluate(scope)), why


def _functions() -> Iterator[tuple[str, ...]]:
    for row in FUNCTIONS.values():
        yield code(row.usage), row.summary, _true(row.example)


def _macros() -> Iterator[tuple[str, ...]]:
    for row in MACROS.values():
        yield code(row.usage), row.summary, _true(row.example)


def _true(text: str) -> str:
    known, scope = _scope()
    if compile_expression(text, known).evaluate(scope) is not True:
        raise ValueError(f"{text} is not true")
    return code(text)
