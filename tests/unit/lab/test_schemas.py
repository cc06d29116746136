"""The published schemas are those of the code."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from agenttwin.lab import EXAMPLES, example_folder, schemas

ROOT = Path(__file__).parents[3]


def test_the_committed_schemas_are_up_to_date() -> None:
    written = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text())
        for path in (ROOT / "schemas").glob("*.json")
    }
    assert written == json.loads(json.dumps(schemas())), "run `make schemas`"


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_fit_the_schemas(example: str) -> None:
    validators = {name: jsonschema_rs.Draft202012Validator(schema) for name, schema in schemas().items()}
    for path in example_folder(example).rglob("*.yaml"):
        document = yaml.safe_load(path.read_text())
        validators[document.get("kind", "Workspace")].validate(document)
