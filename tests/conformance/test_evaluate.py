"""The vectors of `conformance/` that pin what a retry, a duplicate effect, a contradiction, a verdict are."""

import json
from pathlib import Path

import pytest

from agenttwin.evaluate import (
    Evaluation,
    Verdict,
    case_verdict,
    contradicts,
    duplicate_effects,
    grade,
    retries,
)
from agenttwin.transcript import ClaimedOutcome, Commit, Outcome, OutcomeStatus, Result, Risk, ToolCall
from agenttwin.values import Change

CONFORMANCE = Path(__file__).parents[2] / "conformance"


def vectors(name, key="vectors"):
    entries = json.loads((CONFORMANCE / f"{name}.json").read_text("utf-8"))[key]
    return [pytest.param(entry, id=entry.get("name")) for entry in entries]


WORDS = {"result": Result, "committed": Commit}


def call(seq, facts):
    fields = {key: WORDS[key](value) if value and key in WORDS else value for key, value in facts.items()}
    places = range(fields.pop("changes", 0))
    return ToolCall(
        **{"status": None, "result": Result.OK} | fields,
        seq=seq,
        number=seq,
        headers={},
        risk=Risk.WRITE_IRREVERSIBLE,
        changes=tuple(Change(path=f"p{place}", before=0, after=1) for place in places),
    )


def calls(vector):
    return [call(seq, fields) for seq, fields in enumerate(vector["calls"], 1)]


def evaluations(vector):
    return tuple(
        Evaluation(**{"type": "state", **fields, "verdict": Verdict(fields["verdict"])}, version=1, reason="")
        for fields in vector["evaluations"]
    )


@pytest.mark.parametrize("vector", vectors("retry"))
def test_a_retry(vector):
    assert [call.seq for call in retries(calls(vector))] == vector["retries"]


@pytest.mark.parametrize("vector", vectors("duplicate-effect"))
def test_a_duplicate_effect(vector):
    found = duplicate_effects(calls(vector))
    assert [
        {
            "effect": item.effect,
            "count": item.count,
            "calls": [call.seq for call in item.calls],
            "by_arguments": item.by_arguments,
        }
        for item in found
    ] == vector["duplicates"]


@pytest.mark.parametrize("vector", vectors("contradiction"))
def test_a_contradiction(vector):
    outcome = Outcome(status=OutcomeStatus(vector["status"]), verified=vector["verified"], by="simulation")
    assert contradicts(ClaimedOutcome(vector["claimed"]), outcome) is vector["contradiction"]


def test_the_truth_table_is_whole():
    rows = [tuple(row.values[0].values())[:3] for row in vectors("contradiction")]
    whole = [
        (claimed, status, known)
        for claimed in ClaimedOutcome
        for status in OutcomeStatus
        for known in (True, False)
    ]
    assert rows == whole


@pytest.mark.parametrize("vector", vectors("verdict"))
def test_a_verdict(vector):
    assert case_verdict(evaluations(vector)) == vector["verdict"]


@pytest.mark.parametrize("vector", vectors("verdict", "outcomes"))
def test_an_outcome(vector):
    outcome = grade(evaluations(vector)).outcome
    assert (outcome.status, outcome.verified) == (vector["status"], vector["verified"])
    assert outcome.by == ("simulation" if vector["verified"] else "nobody")
