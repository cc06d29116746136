"""Path templates: a placeholder is exactly one segment, whatever it contains."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenttwin.expression import EvaluationError, TemplateError, compile_path
from agenttwin.values import MAX_PATH_CHARACTERS, Path
from tests.unit.expression._cel import NAMES, scope

ARGS: dict[str, Any] = {"order_id": "O-1", "amount": 2}
ROOTS = {"value": {"user_id": "u-1", "none": None, "half": 0.5, "two": 2.0, "yes": True, "list": []}}


def resolve(path: str, **args: object) -> Any:
    return compile_path(path, NAMES).resolve(scope(ARGS | args, **ROOTS))


def refusal(path: str) -> TemplateError:
    with pytest.raises(TemplateError) as raised:
        compile_path(path, NAMES)
    return raised.value


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ()),
        ("orders", ("orders",)),
        ("orders.O-1.items[0]", ("orders", "O-1", "items", 0)),
        ("orders[-1]", ("orders", -1)),
        ("orders['two words'].x", ("orders", "two words", "x")),
        ("orders[{order_id}]", ("orders", "O-1")),
        ("orders.{order_id}.total", ("orders", "O-1", "total")),
        ("{order_id}.x", ("O-1", "x")),
        ("users[{value.user_id}]", ("users", "u-1")),
        ("users.{value.user_id}", ("users", "u-1")),
        ("orders[{amount}]", ("orders", 2)),
        ("orders[{value.two}]", ("orders", 2)),
        ("orders[{= amount - 3 }]", ("orders", -1)),
        ("orders[{= string(amount) }]", ("orders", "2")),
        ("orders.order-{order_id}-{amount}", ("orders", "order-O-1-2")),
        ("orders[{order_id}{amount}]", ("orders", "O-12")),
        ("log.length()", ("log",)),
        ("orders[{order_id}].items.length()", ("orders", "O-1", "items")),
    ],
)
def test_a_path_resolves_to_segments(path: str, expected: tuple[str | int, ...]):
    assert resolve(path) == expected
    assert compile_path(path, NAMES).length is path.endswith(".length()")


@pytest.mark.parametrize(
    "path", ["orders[{order_id}].total", "orders.{order_id}.total", "orders[{args.order_id}].total"]
)
@given(name=st.text())
def test_no_argument_walks_the_state(path: str, name: str):
    assert resolve(path, order_id=name) == ("orders", name, "total")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("a[{note}]", "{note} is missing"),
        ("a[{value.none}]", "{value.none} is null, but a segment of a path is text or an integer"),
        ("a[{value.half}]", "{value.half} is 0.5, but a segment of a path is text or an integer"),
        ("a[{value.yes}]", "{value.yes} is true, but a segment of a path is text or an integer"),
        ("a[{value.list}]", "{value.list} is [], but a segment of a path is text or an integer"),
        ("a[{= 1 / 0 }]", "division by zero, in {= 1 / 0 }"),
    ],
)
def test_what_is_no_segment_fails(path: str, words: str):
    with pytest.raises(EvaluationError) as raised:
        resolve(path)
    assert raised.value.message == words


@pytest.mark.parametrize(
    ("path", "position", "words"),
    [
        ("a[{oder_id}]", 2, "{oder_id}: 'oder_id' is neither an argument nor a root"),
        ("a[{= 1 + }]", 9, "expected a value, but the expression ends"),
        ("a[{note?}]", 2, "{note?} cannot be left out here, so it takes no '?'"),
        ("a['{note}']", 1, "a placeholder stands without quotes: [{note}]"),
        ("a" * 501, 0, "a path has at most 500 characters, this one has 501"),
        (".".join("a" * 65), 0, "a path has at most 64 segments, this one has 65"),
    ],
)
def test_what_is_no_path_is_refused(path: str, position: int, words: str):
    problem = refusal(path)
    assert (problem.position, problem.message) == (position, words)


@pytest.mark.parametrize("path", ["a..b", "a.", "a b", "a[", "a[x]", "a.length().b", "a[{note]", "a}"])
def test_what_cannot_be_read_as_a_path_is_refused(path: str):
    refusal(path)


def test_a_path_may_have_five_hundred_characters_and_sixty_four_segments():
    assert resolve("a" * MAX_PATH_CHARACTERS) == ("a" * 500,)
    assert len(resolve(".".join("a" * 64))) == 64
    assert len(resolve(".".join("a" * 64) + ".length()")) == 64


def test_a_path_knows_what_is_known_without_a_call():
    path = compile_path("orders[{order_id}].items[0]", NAMES)
    assert path.shape == ("orders", None, "items", 0)
    assert path.heads == "orders"
    assert path.static is None
    assert path.names_used == {"order_id"}
    assert compile_path("{order_id}.x", NAMES).heads is None
    assert compile_path("", NAMES).heads is None
    assert compile_path("[0].x", NAMES).heads == 0
    assert compile_path("log.length()", NAMES).static == Path(("log",), length=True)
    assert compile_path("", NAMES).static == Path()


def test_a_path_knows_which_argument_hides_a_root():
    assert compile_path("orders[{tenant}]", NAMES).shadowed == {"tenant"}
    assert compile_path("orders[{$tenant}]", NAMES).shadowed == frozenset()
