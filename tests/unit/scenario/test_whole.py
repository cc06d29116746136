"""Documents that others wrote load unchanged, with every field of every kind in use."""

from collections import defaultdict
from pathlib import Path

import pytest
from pydantic import BaseModel

from agenttwin.document import read
from agenttwin.scenario import EXPECTATIONS, MODELS, Library, check
from agenttwin.twin import FAULTS

FOLDER = Path(__file__).parent / "whole"


def whole(name, digest=""):
    text = (FOLDER / f"{name}.yaml").read_text().replace("DIGEST", digest)
    return read(text, file=f"{name}.yaml", models=MODELS)


SCENARIO = whole("scenario")
DOCUMENTS = {
    "twin": whole("twin"),
    "scenario": SCENARIO,
    "agent": whole("agent"),
    "dataset": whole("dataset", SCENARIO.digest.removeprefix("sha256:")),
}


def models(value):
    """Every model within a value, itself included."""
    if isinstance(value, BaseModel):
        yield value
        parts = [getattr(value, name) for name in type(value).model_fields]
    elif isinstance(value, dict):
        parts = list(value.values())
    else:
        parts = value if isinstance(value, list) else []
    for part in parts:
        yield from models(part)


def test_nothing_is_told_of_them():
    assert [str(problem) for item in DOCUMENTS.values() for problem in item.warnings] == []


def test_they_fit_together():
    library = Library.of(DOCUMENTS.values(), agents=["whole-agent"])
    assert [problem.code for problem in check(library)] == ["not_repeated"]  # its trials


INSTEAD_OF_ANOTHER = {"Input": {"message"}, "AgentSpec": {"instructions"}, "Spec": {"initial_state_from"}}
SHARED = {"id", "critical", "description", "category"} | {
    "equals", "not_equals", "in_", "exists", "gte", "lte", "gt", "lt", "matches", "contains",
}  # fmt: skip
"""What every expectation or guard may say; one that says it stands for the others."""


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_every_field_of_every_part_is_in_use(kind):
    used, declared, shared = defaultdict(set), {}, set()
    for model in models(DOCUMENTS[kind].model):
        used[type(model).__name__] |= model.model_fields_set
        declared[type(model).__name__] = set(type(model).model_fields)
        shared |= model.model_fields_set & SHARED
    unused = {name: fields - used[name] - shared for name, fields in declared.items()}
    assert {
        name: fields for name, fields in unused.items() if fields - INSTEAD_OF_ANOTHER.get(name, set())
    } == {}


def test_every_kind_of_expectation_is_in_use():
    assert {item.type for _, item in SCENARIO.model.expectations} == set(EXPECTATIONS)


def test_every_handler_is_in_use():
    kinds = {tool.handler.kind for tool in DOCUMENTS["twin"].model.spec.tools}
    assert kinds == {"static", "echo", "read", "mutate", "recorded", "custom"}


@pytest.mark.parametrize("kind", FAULTS)
def test_every_kind_of_fault_can_be_written(kind):
    text = (FOLDER / "scenario.yaml").read_text()
    other = text.replace("{type: rate_limit, quota: 5}", f"{{type: {kind}, delayMs: 7, body: {{ok: true}}}}")
    assert read(other, file="scenario.yaml", models=MODELS).warnings == ()


SMALLEST = {
    "Scenario": "{twin: t, input: {message: Hi}, expectations: [{type: noLoop}]}",
    "Agent": "{}",
    "Dataset": f"{{cases: [{{scenario: s, digest: {'ab' * 32}}}]}}",
    "TwinDefinition": "{tools: [{name: x, handler: {kind: echo}}]}",
}
VERSIONED = {"Agent": ", version: 1.0.0", "Dataset": ", version: '1'"}


def smallest(kind):
    metadata = f"metadata: {{name: x{VERSIONED.get(kind, '')}}}"
    text = f"apiVersion: agenttwin.dev/v1\nkind: {kind}\n{metadata}\nspec: {SMALLEST[kind]}\n"
    return read(text, file="x.yaml", models=MODELS)


@pytest.mark.parametrize("kind", SMALLEST)
def test_what_is_not_required_may_be_left_out(kind):
    assert smallest(kind).warnings == ()


def test_a_scenario_without_a_severity_is_of_medium_severity():
    found = smallest("Scenario")
    assert found.model.metadata.severity == "medium"
    assert (found.model.spec.timeout_seconds, found.model.metadata.source) == (120, "manual")
