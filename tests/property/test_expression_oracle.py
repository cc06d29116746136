"""Our CEL against the C++ one, on random expressions of the part that both read alike.

Alike are: integers in range without division, or doubles alone with it; everything else of the language.
Where the number rule differs (mixed arithmetic, overflow, a double's remainder), no expressions are drawn.
"""

import re
from random import Random
from typing import Any

import pytest
from cel_expr_python import cel
from cel_expr_python.ext import ext_strings

from agenttwin.expression import EvaluationError, Names, Scope, TemplateError, compile_expression
from agenttwin.values import canonical

INTEGERS: dict[str, Any] = {
    "i": 7,
    "s": "héllo",
    "b": True,
    "l": [3, 1, 2],
    "t": ["b", "a", ""],
    "m": {"a": 1, "b": 2},
    "r": {"n": {"a": 3, "b": 5, "z": None}, "l": [1, 2]},
}
DOUBLES: dict[str, Any] = INTEGERS | {
    "i": 7.5,
    "l": [3.5, 1.25, -2.0],
    "m": {"a": 1.5, "b": -0.5},
    "r": {"n": {"a": 0.25, "b": 4.0, "z": None}, "l": [0.5, 1.5]},
}
NAMES = Names(arguments=frozenset(), roots=frozenset(INTEGERS))
ORACLE = cel.NewEnv(variables=dict.fromkeys(INTEGERS, cel.Type.DYN), extensions=[ext_strings.ExtStrings()])

# n number, b boolean, s text, l list of numbers, t list of texts, m object of numbers, c a literal number.
# <n> becomes an expression of that kind; <n!> of no other, all through; @n a variable.
LEAVES = {
    "n": "c c i m.a r.n.a l[0]",
    "b": "true false b has(m.a) has(m.zz) has(r.n) r.n.z==null",
    "s": r"""'a' "b" '' s t[1] '\u00e9\x41' r'\n' 'a,b' '\tx\n' '''q'''""",
    "l": "l [] r.l [<c>] [<c>,<c>]",
    "t": "t ['a',s] []",
    "m": "m {} r.n {'a':<c>} {'b':<c>,'a':<c>}",
}
EITHER = {
    "n": (
        "<n> + <n>", "(<n> - <n>)", "<n> * (<n>)", "-(<n>)", "(<b> ? <n> : <n>)", "<l>[0]", "<l>[0]",
        "<l>[1]", "<m>.a", "<m>['b']", "<m>[<s>]",
    ),
    "b": (
        "(<n> == <n>)", "(<n> != <n>)", "(<n> < <n>)", "(<n> >= <n>)", "(<s> <= <s>)", "(<s> > <s>)",
        "(<b> < <b>)", "(<s> == <s>)", "(<b> != <b>)", "(<l> == <l>)", "(<m> != <m>)", "(<n> in <l>)",
        "(<s> in <t>)", "(<s> in <m>)", "(<b> && <b>)", "(<b> || <b>)", "(<b> && <b> || <b> && <b>)",
        "!(<b>)", "has(<m>.a)", "has(<m>.zz)", "<s>.startsWith(<s>)", "<s>.endsWith(<s>)",
        "<s!>.contains(<s>)", "<s>.matches('a')", "<s>.matches('^.$')", "<l!>.all(@n, <b>)",
        "<l!>.exists(@n, <b>)", "<l!>.exists_one(@n, <b>)", "<t!>.all(@s, <b>)", "<t!>.exists(@s, <b>)",
        "<t!>.exists_one(@s, <b>)", "m.all(@s, <b>)", "m.exists(@s, <b>)",
    ),
    "s": (
        "(<s> + <s>)", "(<b> ? <s> : <s>)", "string(true)", "string(i)", "string(s)", "<s>.trim()",
        "<t>[0]", "<s>.replace('a', <s>)", "<s>.substring(0)", "<s>.substring(1)", "<s>.split(',')[0]",
        "<t>.join(<s>)",
    ),
    "l": (
        "[<n>, <n>]", "(<l> + <l>)", "(<b> ? <l> : <l>)", "<l!>.filter(@n, <b>)", "<l!>.map(@n, <n>)",
        "<l!>.map(@n, <b>, <n>)", "<t!>.map(@s, <n>)",
    ),
    "t": ("[<s>, <s>]", "<t!>.filter(@s, <b>)", "<l!>.map(@n, <s>)", "<s>.split(',')"),
    "m": ("{'a': <n>, 'b': <n>}", "{<s!>: <n>}", "(<b> ? <m> : <m>)"),
}  # fmt: skip
ONLY_INTEGERS = {"n": ("<n> % (<n>)", "size(<l>)", "<s>.size()", "size(<m>)", "<l>[<n>]")}
ONLY_DOUBLES = {"n": ("(<n>) / 2.0", "(<n>) / -0.25", "<n> / 3.0")}
LITERALS = {False: "0 1 2 3 -1 10 0x1F 100", True: "0.5 1.25 2.0 1e3 .5 -3.5 0.1 10.0"}

HOLE = re.compile(r"<(\w)(!?)>|@(\w)")
ERROR = "an error"


class Draw:
    """Random expressions. One part in fifty is of a kind that does not fit, to meet the errors too."""

    def __init__(self, seed: int, doubles: bool) -> None:
        self.random = Random(seed)
        only = ONLY_DOUBLES if doubles else ONLY_INTEGERS
        self.rules = {kind: rules + only.get(kind, ()) for kind, rules in EITHER.items()}
        self.leaves = {kind: rules.split() for kind, rules in (LEAVES | {"c": LITERALS[doubles]}).items()}
        self.loops: dict[str, str] = {}

    def of(self, kind: str, depth: int, strict: bool = False) -> str:
        if not strict and kind != "c" and self.random.random() < 1 / 50:
            kind = self.random.choice("nbsltm")
        variables = [name for name, of in self.loops.items() if of == kind]
        if variables and self.random.random() < 0.3:
            return self.random.choice(variables)
        rule = self.random.choice(self.rules[kind] if depth and kind != "c" else self.leaves[kind])
        outer = self.loops
        text = HOLE.sub(lambda hole: self.fill(hole, depth - 1, strict), "<c>" if rule == "c" else rule)
        self.loops = outer
        return text

    def fill(self, hole: re.Match[str], depth: int, strict: bool) -> str:
        kind, only, variable = hole.groups()
        if kind:
            return self.of(kind, max(depth, 0), strict or bool(only))
        name = self.random.choice("xyr")
        self.loops = {other: of for other, of in self.loops.items() if other != name} | {name: variable}
        return name


def ours(text: str, variables: dict[str, Any]) -> object:
    try:
        return canonical(compile_expression(text, NAMES).evaluate(Scope({}, variables)))
    except (TemplateError, EvaluationError):
        return ERROR


def theirs(text: str, variables: dict[str, Any]) -> object:
    try:
        value = ORACLE.compile(text, disable_check=True).eval(data=variables)
    except RuntimeError:
        return ERROR
    return ERROR if value.type().name() == "ERROR" else canonical(value.plain_value())


@pytest.mark.parametrize("doubles", [False, True], ids=["integers", "doubles"])
@pytest.mark.parametrize("seed", range(10))
def test_it_agrees_with_the_reference_implementation(seed: int, doubles: bool):
    draw, variables = Draw(seed, doubles), DOUBLES if doubles else INTEGERS
    errors = 0
    for _ in range(300):
        text = draw.of(draw.random.choice("nbsltm"), 4)
        expected = theirs(text, variables)
        errors += expected is ERROR
        assert ours(text, variables) == expected, text
    assert 30 < errors < 200  # neither all that is drawn fails, nor nothing
