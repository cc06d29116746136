"""Whose records are whose: what is denied, what is let through and told."""

import pytest

from tests.unit.twin._cases import Case, fault, twin

STATE = {
    "orders": {
        "A": {"owner": "us", "n": 1},
        "B": {"owner": "them", "n": 2},
        "C": {"n": 3},
        "D": {"owner": None, "n": 4},
        "E": 5,
    }
}
LOOK = {
    "name": "look",
    "tenantPath": "orders[{order}]",
    "handler": {"kind": "read", "path": "orders[{order}]"},
}
OPEN = {"name": "open", "handler": {"kind": "read", "path": "orders[{order}]"}}
ALL = {"name": "all", "handler": {"kind": "read", "path": "orders"}}
SPEND = {
    "name": "spend",
    "tenantPath": "orders[{order}]",
    "idempotency": {"argument": "key"},
    "handler": {"kind": "mutate", "effects": [{"op": "increment", "path": "orders[{order}].n"}]},
}
TWIN = twin(LOOK, OPEN, ALL, SPEND, tenantKey="owner", initialState=STATE)


def case(tenant="us", **given):
    return Case(TWIN, tenant=tenant, **given)


@pytest.mark.parametrize(
    ("order", "status"), [("A", 200), ("B", 403), ("C", 200), ("D", 200), ("E", 200), ("Z", 404)]
)
def test_a_record_of_another_tenant_is_denied(order, status):
    assert case()("look", order=order).status == status


def test_a_denial_is_recorded():
    call = case()("look", order="B")
    assert (call.code, call.result, call.cross_tenant, call.refusal) == (
        "ACCESS_DENIED",
        "denied",
        "denied",
        None,
    )
    assert call.body["error"]["message"] == "This record belongs to another tenant."


def test_a_denied_write_changes_nothing():
    denied = case()
    call = denied("spend", order="B")
    assert (call.committed, call.computed_changes, denied.state) == ("none", 0, STATE)


def test_a_denied_call_is_counted_and_executes_nothing():
    denied = case()
    assert denied("look", order="B").number == 1
    assert denied.world.counters.executions == {}


def test_without_a_tenant_nothing_is_denied():
    call = case(tenant=None)("look", order="B")
    assert (call.status, call.cross_tenant) == (200, None)


def test_without_a_tenant_key_nothing_is_denied():
    compiled = twin(OPEN, initialState=STATE)
    assert Case(compiled, tenant="us")("open", order="B").cross_tenant is None


@pytest.mark.parametrize(
    ("tool", "order", "crossed"), [("open", "A", None), ("open", "B", "allowed"), ("all", None, "allowed")]
)
def test_an_answer_that_holds_a_foreign_record_is_told(tool, order, crossed):
    call = case()(tool, order=order)
    assert (call.status, call.cross_tenant) == (200, crossed)


@pytest.mark.parametrize(
    ("value", "crossed"),
    [
        ({"owner": "us"}, None),
        ({"owner": None}, None),
        ([{"a": [{"owner": "them"}]}], "allowed"),
        ({"owner": 7}, "allowed"),
        ('{"owner":"them"}', None),
        ({"owner": "us", "inner": {"owner": "us2"}}, "allowed"),
    ],
)
def test_a_foreign_record_is_found_wherever_it_stands(value, crossed):
    compiled = twin({"handler": {"kind": "static", "response": "{v}"}}, tenantKey="owner")
    assert Case(compiled, tenant="us")(v=value).cross_tenant == crossed


def test_a_name_that_needs_escaping_is_found():
    compiled = twin({"handler": {"kind": "static", "response": "{v}"}}, tenantKey='own"er')
    assert Case(compiled, tenant='u"s')(v={'own"er': 'u"s'}).cross_tenant is None
    assert Case(compiled, tenant='u"s')(v={'own"er': "us"}).cross_tenant == "allowed"


def test_a_replay_that_holds_a_foreign_record_is_told():
    tool = OPEN | {"idempotency": {"argument": "key"}}
    looking = Case(twin(tool, tenantKey="owner", initialState=STATE), tenant="us")
    assert [looking("open", order="B", key="k").cross_tenant for _ in range(2)] == ["allowed", "allowed"]


def test_the_owner_is_asked_each_time():
    moving = case()
    assert moving("look", order="A").status == 200
    moving.world.tree.set(("orders", "A", "owner"), "them")
    assert moving("look", order="A").status == 403


def test_a_denial_passes_a_fault_as_the_refusal_it_is():
    assert case(faults=[fault("semantic_bad_response", body=1)])("look", order="B").status == 403
    assert case(faults=[fault("timeout_after_mutation")])("look", order="B").status == 504


def test_a_call_that_never_arrives_is_not_denied():
    assert case(faults=[fault("http_500")])("look", order="B").cross_tenant is None


def test_a_leaky_twin_denies_nothing_and_tells_it():
    call = case(leaky=True)("look", order="B")
    assert (call.status, call.cross_tenant) == (200, "allowed")


def test_a_leaky_twin_tells_a_foreign_record_that_the_answer_does_not_show():
    call = case(leaky=True)("spend", order="B")
    assert (call.body, call.cross_tenant) == ({"ok": True}, "allowed")


def test_a_refusal_shows_nothing():
    assert case(leaky=True)("look", order="Z").cross_tenant is None
