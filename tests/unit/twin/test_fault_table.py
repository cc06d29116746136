"""Every kind of fault × read, write, write with a key × first and second call × success and refusal."""

import json
from functools import cache
from pathlib import Path

import pytest

from agenttwin.transcript import Result
from agenttwin.twin import FAULTS, compile
from tests.unit.twin._cases import Case, fault, loaded
from tests.unit.twin._oracle import Oracle, compact

TABLE = json.loads((Path(__file__).parents[3] / "conformance" / "fault-table.json").read_text("utf-8"))
COLUMNS, ARGUMENTS = TABLE["columns"], TABLE["arguments"]
STORE = compile(loaded(TABLE["twin"]))
CASES = [
    (kind, tool, at, handler)
    for kind in COLUMNS
    for tool in ARGUMENTS
    for at in (1, 2)
    for handler in ("succeeds", "refuses")
]
RESULTS = {
    200: Result.OK,
    403: Result.DENIED,
    404: Result.NOT_FOUND,
    409: Result.INVALID,
    422: Result.INVALID,
    429: Result.RATE_LIMITED,
    500: Result.ERROR,
    503: Result.ERROR,
    504: Result.TIMEOUT,
}
BROKEN = {"nothing": Result.DROPPED, "truncated": Result.PARTIAL, "garbled": Result.MALFORMED}


@cache
def run(kind, tool, at, handler):
    """A restock, two calls of which one meets the fault, and the end."""
    behavior = COLUMNS[kind].get("behavior", {})
    case = Case(STORE, faults=[fault(kind, tool, when={"callNumber": at}, **behavior)])
    case("restock")
    for _ in range(2):
        case(tool, **ARGUMENTS[tool][handler])
    return case.end()


@cache
def reasoned(kind, tool, at, handler):
    """The same as the rules have it."""
    oracle = Oracle(TABLE["twin"]["spec"]["initialState"], tool, ARGUMENTS[tool][handler])
    oracle.restock()
    for number in (1, 2):
        oracle.call(COLUMNS[kind] if number == at else None)
    oracle.end()
    return oracle


def test_the_table_has_every_kind_of_fault():
    assert list(FAULTS) == list(COLUMNS)


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_kind_has_its_columns(kind):
    row, told = FAULTS[kind], COLUMNS[kind]
    assert (row.commit, row.answer, row.wire, row.status, row.knowable, row.code, row.retry_after) == (
        told["commit"],
        told["answer"],
        told["wire"],
        told["status"],
        told["knowable"],
        told.get("code"),
        "retry_after" in told,
    )
    assert (row.message, row.description != "") == (told.get("message", ""), True)


@pytest.mark.parametrize(("kind", "tool", "at", "handler"), CASES)
def test_the_state_is_what_was_committed(kind, tool, at, handler):
    case, oracle = run(kind, tool, at, handler), reasoned(kind, tool, at, handler)
    assert (case.state, case.world.twin_error) == (oracle.state, None)


@pytest.mark.parametrize(("kind", "tool", "at", "handler"), CASES)
def test_the_caller_sees_what_the_fault_makes_of_the_answer(kind, tool, at, handler):
    records, told = run(kind, tool, at, handler).world.records[1:], reasoned(kind, tool, at, handler).records
    assert [(record.status, record.answer, dict(record.headers)) for record in records] == [
        (seen.answer.status, seen.answer.body, seen.answer.headers) for seen in told
    ]
    assert [record.result for record in records] == [
        BROKEN.get(seen.wire) or RESULTS[seen.answer.status] for seen in told
    ]


@pytest.mark.parametrize(("kind", "tool", "at", "handler"), CASES)
def test_the_record_says_what_happened(kind, tool, at, handler):
    records, told = run(kind, tool, at, handler).world.records[1:], reasoned(kind, tool, at, handler).records
    assert [
        (record.committed, record.took_effect, record.replayed, record.redelivered) for record in records
    ] == [(seen.committed, seen.took_effect, seen.replayed, seen.redelivered) for seen in told]


@pytest.mark.parametrize(("kind", "tool", "at", "handler"), CASES)
def test_the_changes_tell_every_effect_once(kind, tool, at, handler):
    records = run(kind, tool, at, handler).world.records[1:]
    taken = sum(
        change.after - change.before
        for record in records
        for change in record.changes
        if change.path == "items.A.taken"
    )
    assert taken == reasoned(kind, tool, at, handler).state["items"]["A"]["taken"]


@pytest.mark.parametrize(("kind", "tool", "at", "handler"), CASES)
def test_the_wire_is_told_to_the_surface(kind, tool, at, handler):
    behavior = COLUMNS[kind].get("behavior", {})
    case = Case(STORE, faults=[fault(kind, tool, **behavior)])
    reply = case.step(tool, ARGUMENTS[tool][handler]).reply
    assert (reply.wire, reply.delay_ms) == (COLUMNS[kind]["wire"], COLUMNS[kind].get("delay_ms", 0))


@pytest.mark.parametrize(("kind", "tool", "at", "handler"), CASES)
def test_only_the_record_that_the_fault_befell_names_it(kind, tool, at, handler):
    world = run(kind, tool, at, handler).world
    named = {(record.number, record.fault, record.rule) for record in world.calls[1:]}
    assert named == {(at, kind, "0"), (3 - at, None, None)}
    (use,) = world.fault_uses
    took_effect = any(record.took_effect for record in world.calls if not record.redelivered)
    assert (use.rule, use.type, use.target, use.fired, use.took_effect) == (
        "0",
        kind,
        tool,
        True,
        took_effect,
    )


@pytest.mark.parametrize(("kind", "tool", "at", "handler"), CASES)
def test_a_caller_cannot_know_where_the_table_says_so(kind, tool, at, handler):
    for record in run(kind, tool, at, handler).world.calls:
        assert record.knowable == (not record.took_effect or COLUMNS[kind]["knowable"])


@pytest.mark.parametrize("row", TABLE["rows"], ids=lambda row: f"{row['fault']}-{row['tool']}-{row['at']}")
def test_a_row_worked_out_by_hand_comes_out(row):
    case = run(row["fault"], row["tool"], row["at"], "refuses" if row.get("refuses") else "succeeds")
    told = [
        {
            "status": record.status,
            "body": record.body,
            "committed": record.committed,
            "took_effect": record.took_effect,
        }
        | {name: True for name in ("replayed", "redelivered") if getattr(record, name)}
        | ({"landed": record.landed} if record.landed is not None else {})
        for record in case.world.records[1:]
    ]
    item = case.state["items"]["A"]
    log = [entry["ref"] for entry in case.state["log"]]
    assert (told, item["taken"], item["left"], log) == (row["calls"], row["taken"], row["left"], row["log"])


def test_the_oracle_agrees_with_what_was_worked_out_by_hand():
    for row in TABLE["rows"]:
        oracle = reasoned(
            row["fault"], row["tool"], row["at"], "refuses" if row.get("refuses") else "succeeds"
        )
        bodies = [call["body"] and compact(call["body"]) for call in row["calls"]]
        assert [seen.answer.body for seen in oracle.records] == bodies
        assert [seen.committed for seen in oracle.records] == [call["committed"] for call in row["calls"]]
        assert oracle.state["items"]["A"]["taken"] == row["taken"]
