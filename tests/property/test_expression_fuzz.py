"""Whatever is written, it is refused or fails with a sentence; and what holds for every value."""

import json
from contextlib import suppress
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from agenttwin.expression import (
    FUNCTIONS,
    MACROS,
    EvaluationError,
    Names,
    Scope,
    TemplateError,
    compile,
    compile_expression,
    compile_path,
    compile_text,
)
from agenttwin.values import MAX_INTEGER, canonical, equal

NAMES = Names(arguments=frozenset({"x", "y"}), roots=frozenset({"state", "x"}))

NUMBERS = st.integers(-MAX_INTEGER, MAX_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
WORDS = (
    "( ) [ ] { } {{ }} {= . .. , : ? ! - + * / % && || == != < <= >= in x y state z $x $ has size map all "
    "1 0 2.5 1e3 9007199254740992 0x 'a' \" ' ''' r' b'a' \\ \\u // ` null true if length() .length() é 😀"
)
PIECES = [*WORDS.split(" "), " ", "\n", "\x00"]
GIBBERISH = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=40)


def scope(x: object) -> Scope:
    return Scope({"x": x}, {"state": {"a": [x, {"b": x}]}}, 1_000)


def outcome(compiled: Any, x: object) -> None:
    """Reads and runs; any exception but the two of the package escapes."""
    with suppress(TemplateError, EvaluationError):
        compiled()(scope(x))


@settings(max_examples=300)
@given(GIBBERISH, JSON)
@example("('" * 60, None)
@example("{=" * 60, None)
@example("[x?x:" * 60, None)
def test_any_text_is_refused_or_read(text: str, x: object):
    outcome(lambda: compile_expression(text, NAMES).evaluate, x)
    outcome(lambda: compile(text, NAMES).render, x)
    outcome(lambda: compile(["{= " + text + " }", text], NAMES).render, x)
    outcome(lambda: compile_text(text, NAMES).render, x)
    outcome(lambda: compile_path(text, NAMES).resolve, x)


def spelled(value: object) -> str:
    """A JSON value as CEL."""
    return json.dumps(value, ensure_ascii=False)


def calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Every function and macro with any arguments, as many as it takes."""

    def of(row: Any) -> st.SearchStrategy[str]:
        macro = row.name in MACROS
        size = st.sampled_from(row.arity)
        arguments = size.flatmap(lambda n: st.lists(inner, min_size=n - macro, max_size=n - macro))
        if macro:
            return st.builds(
                lambda source, rest: f"({source}).{row.name}({', '.join(['v', *rest])})", inner, arguments
            )
        return arguments.map(lambda rest: f"{row.name}({', '.join(rest)})")

    return st.sampled_from([*FUNCTIONS.values(), *MACROS.values()]).flatmap(of)


OPERATORS = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||"]
EXPRESSIONS = st.recursive(
    JSON.map(spelled) | st.sampled_from(["x", "y", "$state", "state.a", "args.x", "x.a", "x[0]", "has(y)"]),
    lambda inner: st.one_of(
        calls(inner),
        st.builds("({} {} {})".format, inner, st.sampled_from(OPERATORS), inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("({})[{}]".format, inner, inner),
        st.builds("({}).{}".format, inner, st.sampled_from(["a", "b", "size()"])),
        st.builds("has(({}).a)".format, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("{{{}: {}}}".format, inner, inner),
        st.builds("{}({})".format, st.sampled_from("!-"), inner),
        st.builds("({}).map(v, [v, {}])".format, inner, inner),
    ),
    max_leaves=8,
)


@settings(max_examples=300)
@given(EXPRESSIONS, JSON)
def test_any_expression_has_a_json_value_or_fails(text: str, x: object):
    names = NAMES.with_roots("args")
    try:
        value = compile_expression(text, names).evaluate(scope(x))
    except (TemplateError, EvaluationError):
        return
    canonical(value)


@given(JSON)
def test_every_json_value_is_an_expression_of_itself(value: object):
    assert equal(compile_expression(spelled(value), NAMES).evaluate(scope(None)), value)


@given(JSON)
def test_a_placeholder_alone_gives_exactly_the_argument(value: object):
    assert compile("{x}", NAMES).render(scope(value)) is value
    assert compile({"a": ["{x?}"]}, NAMES).render(scope(value)) == {"a": [value]}


@given(st.text())
def test_doubled_braces_write_any_text(text: str):
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert compile(doubled, NAMES).render(scope(None)) == text
    assert compile(doubled + "{x}", NAMES).render(scope("")) == text


@given(NUMBERS, NUMBERS)
def test_numbers_follow_the_rule(a: float, b: float):
    def result(operator: str) -> object:
        expression = compile_expression(f"state.l {operator} state.r", NAMES)
        return expression.evaluate(Scope({}, {"state": {"l": a, "r": b}}))

    exact = isinstance(a, int) and isinstance(b, int)
    for operator, expected in (("+", lambda: a + b), ("-", lambda: a - b), ("*", lambda: a * b)):
        wanted = expected() if exact else float(expected())
        try:
            assert result(operator) == (wanted if abs(wanted) <= MAX_INTEGER else float(wanted))
        except EvaluationError:
            assert abs(wanted) == float("inf")


@given(st.lists(st.integers(-100, 100)), st.integers(-3, 3))
def test_lists_behave_like_lists(values: list[int], pivot: int):
    def of(text: str) -> Any:
        return compile_expression(text, NAMES).evaluate(Scope({"x": values, "y": pivot}, {}))

    assert of("sorted(x)") == sorted(values)
    assert of("sum(x)") == sum(values)
    assert of("x.filter(v, v > y)") == [value for value in values if value > pivot]
    assert of("x.map(v, v * y)") == [value * pivot for value in values]
    assert of("x.exists(v, v == y)") == of("y in x") == (pivot in values)
    assert of("count(x, y)") == values.count(pivot)
    assert of("distinct(x)") == list(dict.fromkeys(values))
    assert of("x.indexWhere(v, v == y)") == (values.index(pivot) if pivot in values else -1)
    assert of("x.sortBy(v, -v)") == sorted(values, reverse=True)
