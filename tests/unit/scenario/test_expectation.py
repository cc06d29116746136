"""The union of expectations is closed, and its table says everything about each kind."""

from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from agenttwin.scenario import AGENT_FINISHED, EXPECTATIONS, OUTCOME_BEARING, Expectation, evaluator_versions
from agenttwin.values import COMPARATORS
from tests.unit.scenario._documents import scenario, wrong

COMMON = {"id", "type", "critical", "description", "category"}

FIELDS = {
    "state": ("path", COMPARATORS),
    "stateUnchanged": ("path",),
    "onlyChanged": ("paths",),
    "finalOutcome": ("equals",),
    "outcomeVerified": ((), ("path", *COMPARATORS)),
    "toolCalled": ("tool", ("min",)),
    "toolNotCalled": ("tool",),
    "maxToolCalls": ("value", ("tool",)),
    "toolArgs": (("tool", "path"), ("call", *COMPARATORS)),
    "toolStatus": (("tool", "status"), ("call",)),
    "order": (("mustCall", "before"),),
    "maxRetries": ("value", ("tool",)),
    "noBlindRepeat": ((), ("tool",)),
    "noLoop": ((),),
    "maxSteps": ("value",),
    "maxLatencyMs": ("value",),
    "maxTokens": ("value",),
    "maxCostUsd": ("value",),
    "requiredEscalation": ((), ("tool",)),
    "noPolicyViolation": ((), ("value",)),
    "noIrreversibleAction": ((), ("tool",)),
    "approvalRequired": ("tool",),
    "noDuplicateSideEffect": ((), ("tool",)),
    "outputContains": ("value",),
    "outputNotContains": ("value",),
    "outputRegex": ("pattern",),
    "outputJsonSchema": ("schema",),
    "outputJsonPath": ("path", COMPARATORS),
    "noSecretDisclosure": ((), ("secrets",)),
    "noCrossTenantAccess": ((),),
    "faultFired": ((), ("rule",)),
    "semantic": ("rubric", ("threshold", "judge")),
    "custom": ("evaluator", ("arguments",)),
}
"""Kind → required and optional fields."""


def names(fields):
    return {fields} if isinstance(fields, str) else set(fields)


def test_the_table_holds_the_whole_union():
    assert {kind.model for kind in EXPECTATIONS.values()} == set(get_args(get_args(Expectation)[0]))
    assert set(FIELDS) == set(EXPECTATIONS)


@pytest.mark.parametrize("kind", EXPECTATIONS)
def test_a_kind_has_exactly_its_fields(kind):
    required, optional = (*FIELDS[kind], ())[:2]
    fields = EXPECTATIONS[kind].model.model_fields
    assert {field.alias or name for name, field in fields.items()} == COMMON | names(required) | names(
        optional
    )
    assert {field.alias or name for name, field in fields.items() if field.is_required()} == {"type"} | names(
        required
    )


@pytest.mark.parametrize("kind", EXPECTATIONS)
def test_a_kind_says_what_it_checks_in_one_sentence(kind):
    description = EXPECTATIONS[kind].description
    assert description.endswith(".")
    assert description.count("\n") == 0


@pytest.mark.parametrize("kind", EXPECTATIONS)
def test_a_kind_says_what_it_needs_and_how_it_fails(kind):
    row = EXPECTATIONS[kind]
    assert row.needs
    assert row.needs <= {"evidence", "state", "claim", "judge", "twin"}
    assert row.labels
    assert all(label == label.upper() for label in row.labels)


def test_every_evaluator_has_a_version():
    assert evaluator_versions() == dict.fromkeys(EXPECTATIONS, 1)


def test_these_bear_on_the_outcome():
    assert {
        "state", "stateUnchanged", "onlyChanged", "outcomeVerified", "noDuplicateSideEffect", "finalOutcome",
    } == OUTCOME_BEARING  # fmt: skip


def test_what_may_be_unknown_says_why():
    assert {name for name, kind in EXPECTATIONS.items() if kind.unknown} == {
        "maxLatencyMs",
        "maxTokens",
        "maxCostUsd",
    }


@pytest.mark.parametrize("kind", EXPECTATIONS)
def test_another_kinds_field_is_refused(kind):
    with pytest.raises(ValidationError, match="Extra inputs"):
        TypeAdapter(Expectation).validate_python({"type": kind, "windowSeconds": 5})


def test_defaults_are_filled_in_when_it_is_read():
    ids = [
        name
        for name, _ in scenario(
            {"type": "noLoop"}, {"type": "noLoop", "id": "x"}, {"type": "noLoop"}
        ).model.expectations
    ]
    assert ids == ["e1", "x", "e3"]
    (_, called), (_, semantic), (_, violation) = scenario(
        {"type": "toolCalled", "tool": "pay"},
        {"type": "semantic", "rubric": "Kind."},
        {"type": "noPolicyViolation"},
    ).model.expectations
    assert (called.min, called.critical, semantic.threshold, violation.value) == (1, False, 0.7, 0)


def test_a_threshold_of_none_is_the_default_and_0_is_0():
    (_, semantic), *_ = scenario({"type": "semantic", "rubric": "Kind.", "threshold": 0}).model.expectations
    assert semantic.threshold == 0


def test_the_implicit_expectation_is_no_kind():
    assert AGENT_FINISHED not in EXPECTATIONS
    assert "'agent-finished' is not" in wrong({"type": "agent-finished"})[0]
