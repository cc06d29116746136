"""The schemas that are published for editors: they take what we take, and say what every field is for."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from agenttwin.document import parse
from agenttwin.scenario import MODELS
from agenttwin.workspace import document_schemas
from tests.unit.scenario._documents import DATASET, MANIFEST, SCENARIO, TWIN
from tests.unit.workspace._workspace import FILE

ROOT = Path(__file__).parents[3]
SCHEMAS = document_schemas()
WHOLE = sorted((ROOT / "tests/unit/scenario/whole").glob("*.yaml"))
EXAMPLES = sorted((ROOT / "examples").rglob("*.yaml"))


def errors(value):
    kind = value.get("kind", "Workspace")
    validator = jsonschema_rs.Draft202012Validator(SCHEMAS[kind])
    return [error.message for error in validator.iter_errors(value)]


def test_there_is_one_for_every_kind_and_one_for_the_workspace():
    assert set(SCHEMAS) == {*MODELS, "Workspace"}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_it_is_a_schema(kind):
    jsonschema_rs.meta.validate(SCHEMAS[kind])
    assert SCHEMAS[kind]["title"] == kind


@pytest.mark.parametrize(
    "path", EXAMPLES, ids=[str(path.relative_to(ROOT / "examples")) for path in EXAMPLES]
)
def test_the_examples_fit(path):
    assert errors(parse(path.read_text(), file=path.name).value) == []


@pytest.mark.parametrize("path", WHOLE, ids=[path.stem for path in WHOLE])
def test_documents_with_every_field_fit(path):
    text = path.read_text().replace("DIGEST", "0" * 64)
    assert errors(parse(text, file=path.name).value) == []


def changed(base, path, value):
    copy = json.loads(json.dumps(base))
    *parents, last = path
    here = copy
    for part in parents:
        here = here[part]
    here[last] = value
    return copy


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        (SCENARIO, ["metadata", "severity"], "urgent"),
        (SCENARIO, ["metadata", "name"], "Not A Name"),
        (SCENARIO, ["spec", "expectations"], []),
        (SCENARIO, ["spec", "expectations", 0, "type"], "noLop"),
        (SCENARIO, ["spec", "expectations", 0, "tool"], "pay"),
        (SCENARIO, ["spec", "faults"], [{"target": "pay", "behavior": {"type": "dely"}}]),
        (SCENARIO, ["spec", "timeoutSeconds"], 0),
        (SCENARIO, ["apiVersion"], "v1"),
        (TWIN, ["spec", "tools", 0, "risk"], "REED"),
        (TWIN, ["spec", "tools", 0, "handler", "kind"], "reed"),
        (TWIN, ["spec", "tools", 1, "handler", "effects", 0, "op"], "push"),
        (MANIFEST, ["metadata", "version"], "1"),
        (DATASET, ["spec", "cases", 0, "digest"], "abc"),
        ({"twins": "t", "scenarios": "s"}, ["agnets"], {}),
        ({"twins": "t", "scenarios": "s"}, ["concurrency"], 0),
    ],
)
def test_what_we_refuse_for_its_shape_an_editor_marks_too(base, path, value):
    assert errors(base) == []
    assert errors(changed(base, path, value)) != []


def test_the_workspace_file_fits():
    assert errors(parse(FILE, file="agenttwin.yaml").value) == []


def properties(kind):
    """Each property of a schema with its owner, and what it refers to."""
    schema = SCHEMAS[kind]
    parts = schema.get("$defs", {})
    for owner, part in [(kind, schema), *parts.items()]:
        for name, field in part.get("properties", {}).items():
            texts = [field.get("description", "")]
            nested = [field, *(each for word in ("anyOf", "oneOf", "allOf") for each in field.get(word, []))]
            texts += [
                parts[each["$ref"].rpartition("/")[2]].get("description", "")
                for each in nested
                if "$ref" in each
            ]
            yield f"{owner}.{name}", " ".join(texts).strip()


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_field_says_what_it_is_for(kind):
    assert [name for name, text in properties(kind) if not text] == []


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_committed_schema_is_up_to_date(kind):
    written = json.loads((ROOT / "schemas" / f"{kind}.schema.json").read_text())
    assert written == json.loads(json.dumps(SCHEMAS[kind])), "run `make schemas`"
