"""The API against its published document: what breaks is found, and what is new asks to be written down."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from agenttwin.server import openapi_document
from tools.api_changes import PUBLISHED, breaking, written

PAIRS = "/api/v1/pairs"


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    return json.loads(PUBLISHED.read_text("utf-8"))


def test_the_api_is_the_published_one(published: dict[str, Any]) -> None:
    fresh = openapi_document()
    assert breaking(published, fresh) == [], "Keep to the document, or tell of it in CHANGELOG.md."
    assert written(fresh) == PUBLISHED.read_text("utf-8"), "Run `python -m tools.api_changes`."


def shape(document: dict[str, Any], name: str) -> dict[str, Any]:
    return document["components"]["schemas"][name]


BREAKS: dict[str, Callable[[dict[str, Any]], Any]] = {
    f"{PAIRS} is gone": lambda api: api["paths"].pop(PAIRS),
    f"POST {PAIRS} is gone": lambda api: api["paths"][PAIRS].pop("post"),
    f"GET {PAIRS} query agent is gone": lambda api: api["paths"][PAIRS]["get"]["parameters"].pop(0),
    f"POST {PAIRS} no longer answers 202": lambda api: api["paths"][PAIRS]["post"]["responses"].pop("202"),
    f"GET {PAIRS} 200.items[].total is gone": lambda api: shape(api, "PairOut")["properties"].pop("total"),
    f"GET {PAIRS} 200.items[].total may be missing": lambda api: shape(api, "PairOut")["required"].remove(
        "total"
    ),
    f"GET {PAIRS} 200.items[].total may be string": lambda api: shape(api, "PairOut")["properties"][
        "total"
    ].update(type="string"),
    f'GET {PAIRS} 200.items[].state may be "lost"': lambda api: shape(api, "PairOut")["properties"]["state"][
        "enum"
    ].append("lost"),
    f"POST {PAIRS} body.suite is needed": lambda api: shape(api, "PairIn")["required"].append("suite"),
    f"POST {PAIRS} body.suite is gone": lambda api: shape(api, "PairIn")["properties"].pop("suite"),
    f"POST {PAIRS} body.baseline: maxLength is 100": lambda api: shape(api, "PairIn")["properties"][
        "baseline"
    ].update(maxLength=100),
    'POST /api/v1/comparisons/{id}/cases/{scenario}/overrides body.verdict may no longer be "FAIL"': (
        lambda api: shape(api, "OverrideIn")["properties"]["verdict"]["enum"].remove("FAIL")
    ),
}


@pytest.mark.parametrize("what", BREAKS)
def test_what_breaks_is_told(published: dict[str, Any], what: str) -> None:
    changed = copy.deepcopy(published)
    BREAKS[what](changed)
    assert what in breaking(published, changed)


def test_what_is_new_breaks_nothing(published: dict[str, Any]) -> None:
    changed = copy.deepcopy(published)
    changed["paths"]["/api/v1/new"] = changed["paths"]["/api/v1/health"]
    shape(changed, "PairOut")["properties"]["note"] = {"type": "string"}
    shape(changed, "PairIn")["properties"]["note"] = {"type": "string"}
    shape(changed, "OverrideIn")["properties"]["verdict"]["enum"].append("SKIP")
    changed["paths"][PAIRS]["get"]["parameters"].append(
        {"in": "query", "name": "new", "required": False, "schema": {"type": "string"}}
    )
    shape(changed, "RunOut")["properties"]["side"] = {"enum": ["baseline", "candidate"]}
    shape(changed, "OverrideIn")["properties"]["side"] = {"type": "string"}
    assert breaking(published, changed) == []
    assert written(changed) != written(published)
