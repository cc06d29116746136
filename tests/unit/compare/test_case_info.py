"""What a case is, read off its scenario and its twin."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from agenttwin.compare import case_info
from agenttwin.document import read
from agenttwin.scenario import MODELS

TWIN = {
    "apiVersion": "agenttwin.dev/v1",
    "kind": "TwinDefinition",
    "metadata": {"name": "shop"},
    "spec": {
        "tools": [
            {"name": "mail", "compare": {"ignore": ["body"]}, "handler": {"kind": "echo"}},
            {"name": "look", "handler": {"kind": "echo"}},
        ]
    },
}
SCENARIO: dict[str, Any] = {
    "apiVersion": "agenttwin.dev/v1",
    "kind": "Scenario",
    "metadata": {"name": "s", "severity": "high", "tags": ["a", "b"], "description": "About it."},
    "spec": {
        "twin": "shop",
        "input": {"message": "Hello."},
        "expectations": [
            {"type": "state", "path": "a.b", "equals": 1},
            {"id": "same", "type": "stateUnchanged", "path": "c"},
            {"type": "outcomeVerified"},
            {"type": "outcomeVerified", "path": "a.b"},
            {"type": "toolCalled", "tool": "look"},
        ],
        "expectedFailures": [
            {"expectation": "e1", "reason": "A bug.", "until": "2026-06-01"},
            {"expectation": "same", "reason": "Another."},
        ],
    },
}


def info(**spec: Any) -> Any:
    scenario = {**SCENARIO, "spec": {**SCENARIO["spec"], **spec}}
    text = orjson.dumps(scenario, option=orjson.OPT_INDENT_2)
    twin = read(orjson.dumps(TWIN), file="twin.json", models=MODELS)
    return case_info(read(text, file="scenarios/s.json", models=MODELS), twin.model)


def test_a_case_is_what_its_scenario_says():
    found = info()
    assert (found.scenario, found.severity, found.tags) == ("s", "high", ("a", "b"))
    assert (found.file, found.line) == ("scenarios/s.json", 4)
    assert (found.description, found.asked) == ("About it.", "Hello.")
    assert found.expectations == ("e1", "same", "e3", "e4", "e5")
    assert found.ignore == {"mail": ("body",)}
    assert found.expected_failures == {"e1": "A bug. (until 2026-06-01)", "same": "Another."}


def test_what_is_said_in_turns_is_asked_line_by_line():
    assert info(input={"turns": [{"say": "Hello."}, {"say": "Well?"}]}).asked == "Hello.\nWell?"


@pytest.mark.parametrize(
    ("expectations", "reads"),
    [
        (SCENARIO["spec"]["expectations"], ("a.b", "c")),
        ([{"id": "e1", "type": "onlyChanged", "paths": ["a"]}, {"id": "same", "type": "noLoop"}], ("",)),
        ([{"id": "e1", "type": "noLoop"}, {"id": "same", "type": "noLoop"}], ()),
    ],
)
def test_expectations_look_at_paths_of_the_state(expectations, reads):
    assert info(expectations=expectations).reads == reads
