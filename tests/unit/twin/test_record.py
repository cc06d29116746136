"""The record that a call is about: found by its path, and named whether or not the call came to it."""

import pytest

from tests.unit.twin._cases import Case, fault, twin

STATE = {"orders": {"A": {"n": 1}}, "names": {"first": "A"}}
BY_NAME = {"let": {"order": "{= state.names[name] }"}, "path": "orders[{order}]"}
COUNT = {"kind": "mutate", "effects": [{"op": "increment", "path": "orders[{order}].n"}]} | BY_NAME


def case(handler, *faults, **tool):
    return Case(twin(tool | {"handler": handler}, initialState=STATE), faults=faults)


def test_a_name_may_lead_to_the_record():
    call = case({"kind": "read"} | BY_NAME)(name="first")
    assert (call.body, call.record) == ({"n": 1}, "orders.A")


def test_a_name_may_lead_to_the_record_that_is_changed():
    assert case(COUNT)(name="first").body == {"n": 2}


def test_a_name_may_lead_a_late_call_to_its_record():
    late = case(COUNT, fault("late_mutation"))
    late(name="first")
    assert late.end().state["orders"]["A"]["n"] == 2


def test_what_is_not_found_may_be_named():
    handler = {"kind": "read", "let": {"shown": "<{id}>"}, "path": "orders[{id}]"}
    declared = {"inputSchema": {"properties": {"id": {}}}}
    call = case(handler | {"notFound": {"message": "No {shown}."}}, **declared)(id="Z")
    assert call.body["error"]["message"] == "No <Z>."


def test_a_name_that_needs_the_record_cannot_lead_to_it():
    call = case({"kind": "read", "let": {"order": "{value.id}"}, "path": "orders[{order}]"})()
    assert call.code == "TWIN_ERROR"


@pytest.mark.parametrize("kind", ["dropped_connection", "timeout_before_mutation", "http_503"])
def test_a_call_that_never_arrived_names_its_record(kind):
    assert case(COUNT, fault(kind))(name="first").record == "orders.A"


def test_a_replay_names_its_record():
    keyed = case(COUNT, idempotency={"header": "Key"})
    keyed.step("t", {"name": "first"}, {"Key": "k"})
    again = keyed.step("t", {"name": "first"}, {"Key": "k"}).records[0]
    assert (again.replayed, again.record) == (True, "orders.A")


def test_a_record_that_cannot_be_told_is_not_named():
    handler = {"kind": "read", "path": "orders[{order}]"}
    assert case(handler, fault("dropped_connection"))().record is None
