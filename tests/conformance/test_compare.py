"""The vectors of `conformance/` that pin the class of a case and the first divergence in every language."""

import json
from pathlib import Path
from typing import Any

import pytest

from agenttwin.compare import classify, diverge, trajectory
from agenttwin.evaluate import Verdict
from agenttwin.transcript import (
    ClaimedOutcome,
    Commit,
    PolicyDecision,
    Result,
    Retrieval,
    Risk,
)
from agenttwin.values import canonical
from tests.unit.compare._make import NOTHING, applied, judged, side

CONFORMANCE = Path(__file__).parents[2] / "conformance"


def vectors(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((CONFORMANCE / f"{name}.json").read_text("utf-8"))["vectors"]
    return found


def test_every_case_has_its_class():
    for vector in vectors("classification"):
        rows = [
            (Verdict(item["baseline"]), Verdict(item["candidate"]), item["critical"])
            for item in vector["expectations"]
        ]
        made = judged(*rows, baseline=vector["baseline_ran"], candidate=vector["candidate_ran"])
        assert classify(made).classification == vector["classification"], vector


EFFECTS = {
    "applied": {"committed": Commit.ALL},
    "replayed": {**NOTHING, "replayed": True, "computed_changes": 1},
    "none": NOTHING,
}


def steps(written: list[dict[str, Any]], ignore: dict[str, list[str]]) -> Any:
    """The trajectory of a side as a vector writes it."""
    events: list[Any] = []
    for number, step in enumerate(written, 1):
        if "call" in step:
            call = {
                "risk": Risk(step.get("risk", "READ")),
                "result": Result(step.get("result", "ok")),
                "code": step.get("code"),
                "idempotency_key": step.get("key"),
                "effect_key": step.get("effect_key"),
                "role": step.get("role"),
                "answer": canonical(step.get("answer", {})),
                **EFFECTS[step.get("effect", "none")],
            }
            events.append(applied(step["call"], step.get("arguments"), **call))
        elif "policy" in step:
            events.append(
                PolicyDecision(seq=number, call=number - 1, policy=step["policy"], decision=step["decision"])
            )
        elif "search" in step:
            events.append(Retrieval(seq=number, query=step["search"], documents=()))
    outcome = ClaimedOutcome(written[-1]["claims"])
    return trajectory(
        side(events=events, outcome=outcome), {tool: tuple(names) for tool, names in ignore.items()}
    )


@pytest.mark.parametrize("vector", vectors("divergence"), ids=lambda vector: vector["name"])
def test_two_sides_part_where_and_as_told(vector):
    ignore = vector.get("ignore", {})
    found = diverge(steps(vector["baseline"], ignore), steps(vector["candidate"], ignore))
    told = found and {
        "step": found.step,
        "kind": found.kind,
        "summary": found.summary,
        "meaning": found.meaning,
    }
    assert told == vector["divergence"]
