"""What is wrong with a fault rule is told at the field that is wrong, all of it at once."""

import pytest
from pydantic import ValidationError

from agenttwin.document import parse, validate
from agenttwin.twin import FaultRule


def problems(behavior):
    text = "\n  ".join(["target: t\nbehavior:", *behavior])
    return validate(parse(text, file="rule.yaml"), FaultRule)[1]


def test_an_unknown_kind_is_told_where_it_stands_with_the_nearest():
    (problem,) = problems(["type: timout_after_mutation"])
    assert (problem.code, problem.path, problem.nearest) == (
        "unknown_value",
        "behavior.type",
        "timeout_after_mutation",
    )
    assert (problem.location.line, problem.location.column) == (3, 9)


def test_every_field_of_another_kind_is_told():
    told = problems(["type: delay", "quota: 1", "code: X"])
    fields = "One of: type, delayMs, retryAfterSeconds, message, body"
    assert [(problem.path, problem.message) for problem in told] == [
        ("behavior.quota", f"'quota' is no field of a delay fault. {fields}"),
        ("behavior.code", f"'code' is no field of a delay fault. {fields}"),
    ]


@pytest.mark.parametrize("field", ["message", "body"])
def test_a_text_that_is_no_template_is_told_where_it_stands(field):
    (problem,) = problems(["type: http_500", f"{field}: '{{x'"])
    assert (problem.path, problem.message) == (
        f"behavior.{field}",
        "'{' is not closed; a brace itself is doubled",
    )


def test_of_an_unknown_kind_nothing_more_is_told():
    assert len(problems(["type: dely", "quota: 1"])) == 1


def test_python_is_told_the_nearest_too():
    with pytest.raises(ValidationError, match="did you mean 'delay'"):
        FaultRule.model_validate({"target": "t", "behavior": {"type": "dellay"}})
