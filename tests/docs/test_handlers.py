"""The page of handlers shows every construct of the language, and each example does what it is there for."""

from collections import defaultdict
from typing import get_args

import pytest
from pydantic import BaseModel

from agenttwin.twin import _model as model
from tools.reference import _handlers
from tools.reference._handlers import EXAMPLES, definition, played

MODELS = (
    *get_args(get_args(model.Handler)[0]), model.Precondition, model.ErrorAnswer, model.Operation, model.Block,
    model.ForEach, model.Fixture,
)  # fmt: skip
OPERATIONS = get_args(model.Operation.model_fields["op"].annotation)
MISTAKES = {"all or nothing", "outputSchema"}


def parts(value):
    """Every model within a value, itself included."""
    if isinstance(value, BaseModel):
        yield value
        value = [getattr(value, name) for name in type(value).model_fields]
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(part)


def test_every_field_of_the_language_is_in_use():
    used = defaultdict(set)
    for example in EXAMPLES:
        for part in parts(definition(example)):
            used[type(part)] |= part.model_fields_set
    assert {each.__name__: set(each.model_fields) - used[each] for each in MODELS} == {
        each.__name__: set() for each in MODELS
    }


def test_every_operation_is_in_use():
    effects = [
        part
        for example in EXAMPLES
        for part in parts(definition(example))
        if isinstance(part, model.Operation)
    ]
    assert {effect.op for effect in effects} == set(OPERATIONS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_only_what_shows_a_mistake_of_the_twin_fails(example):
    assert (played(example).twin_error is not None) == (example.name in MISTAKES)


@pytest.mark.parametrize("example", _handlers.GUARDS, ids=lambda example: example.name)
def test_every_guard_is_shown_letting_through_or_refusing(example):
    assert {call.ok for call in played(example).calls} >= {False}


@pytest.mark.parametrize("example", _handlers.EFFECTS, ids=lambda example: example.name)
def test_every_effect_is_shown_changing_something(example):
    assert bool(played(example).changes) == (example.name not in MISTAKES)
