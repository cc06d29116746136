"""The rules of real services for idempotency keys, each against what happens to a caller's retry."""

from dataclasses import replace

import pytest

from tests.unit.twin._cases import Case, fault, twin
from tests.unit.twin.test_check import only

TAKE = {
    "kind": "mutate",
    "preconditions": [{"that": "state.left >= n", "error": {"status": 422, "code": "TOO_MUCH"}}],
    "effects": [{"op": "decrement", "path": "left", "by": "{n}"}, {"op": "increment", "path": "taken"}],
    "response": {"ref": "{id}", "left": "{state.left}"},
}
REPLAY = {"Idempotent-Replayed": "true"}


def case(faults=(), tenant=None, **rules):
    tool = {"handler": TAKE, "idempotency": {"argument": "key"} | rules}
    tools = tool, {"name": "other"} | tool
    return Case(twin(*tools, initialState={"left": 10}), faults=list(faults), tenant=tenant)


def first_call(kind, **more):
    return fault(kind, "t", when={"callNumber": 1}, **more)


def twice(taking, first=3, second=None):
    """A call and its retry with the same key: (status, replayed) of the retry, and how often was taken."""
    taking(n=first, key="k")
    retry = taking(n=first if second is None else second, key="k")
    return retry.status, retry.replayed, taking.state.get("taken", 0)


KEEPS = ["success", "executed", "final"]


# what is kept


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize(
    "kind", ["timeout_after_mutation", "dropped_after_mutation", "partial_response", "malformed_json"]
)
def test_after_an_answer_that_got_lost_the_retry_is_given_it_and_nothing_is_done_again(keep, kind):
    assert twice(case([first_call(kind)], keep=keep)) == (200, True, 1)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize(
    "kind", ["timeout_before_mutation", "dropped_connection", "http_500", "http_503", "http_429"]
)
def test_after_a_call_that_never_arrived_the_retry_is_the_first(keep, kind):
    assert twice(case([first_call(kind)], keep=keep)) == (200, False, 1)


@pytest.mark.parametrize(
    ("keep", "retry"),
    [
        ("success", (200, True, 1)),  # what was done is known
        (
            "executed",
            (500, True, 1),
        ),  # the error is: nothing is done again, and nobody learns that it was done
        ("final", (200, False, 2)),  # an error of the server is forgotten, though it had done all
    ],
)
def test_after_a_500_of_a_service_that_had_done_it(keep, retry):
    assert twice(case([first_call("http_500_after_mutation")], keep=keep)) == retry


@pytest.mark.parametrize(
    ("keep", "retry"),
    [("success", (200, False, 2)), ("executed", (500, True, 1)), ("final", (200, False, 2))],
)
def test_after_a_500_of_a_service_that_broke_off_half_way(keep, retry):
    counted_first = TAKE | {"effects": TAKE["effects"][::-1]}
    tool = {"handler": counted_first, "idempotency": {"argument": "key", "keep": keep}}
    taking = Case(twin(tool, initialState={"left": 10}), faults=[first_call("inconsistent_state")])
    assert twice(taking) == retry


@pytest.mark.parametrize(
    ("keep", "retry"),
    [("success", (200, False, 1)), ("executed", (422, True, 0)), ("final", (422, True, 0))],
)
def test_after_a_422_that_would_no_longer_be_one(keep, retry):
    taking = case(keep=keep)
    assert taking(n=11, key="k").status == 422
    taking.world.tree.set(("left",), 20)
    again = taking(n=11, key="k")
    assert (again.status, again.replayed, taking.state.get("taken", 0)) == retry
    assert again.code == (None if again.ok else "TOO_MUCH")


def answering(status, keep):
    """A service that answers so, whatever is asked."""
    handler = {"kind": "recorded", "fixtures": [{"error": {"status": status, "code": "E"}}]}
    return Case(twin({"handler": handler, "idempotency": {"argument": "key", "keep": keep}}))


@pytest.mark.parametrize("status", [429, 500, 503, 400, 409, 422])
def test_which_errors_of_the_service_are_kept(status):
    def kept(keep):
        taking = answering(status, keep)
        taking(key="k")
        return taking(key="k").replayed

    assert [kept(keep) for keep in KEEPS] == [False, True, status < 429]


@pytest.mark.parametrize("keep", KEEPS)
def test_a_call_that_the_gate_refuses_is_not_kept(keep):
    tool = {
        "handler": TAKE,
        "inputSchema": {"properties": {"n": {"type": "number"}, "key": {}}},
        "idempotency": {"argument": "key", "keep": keep},
    }
    taking = Case(twin(tool, initialState={"left": 10}))
    assert taking(n="3", key="k").status == 422
    assert (taking(n=3, key="k").replayed, taking.state["taken"]) == (False, 1)


@pytest.mark.parametrize("keep", KEEPS)
def test_what_a_tenant_may_not_reach_is_not_kept(keep):
    tool = {
        "tenantPath": "rows[{row}]",
        "handler": {"kind": "read", "path": "rows[{row}]"},
        "idempotency": {"argument": "key", "keep": keep},
    }
    state = {"rows": {"a": {"owner": "them"}}}
    reading = Case(twin(tool, initialState=state, tenantKey="owner"), tenant="us")
    assert [reading(row="a", key="k").replayed for _ in range(2)] == [False, False]


@pytest.mark.parametrize(
    ("keep", "retry"), [("success", (200, False, 1)), ("executed", (200, True, 0)), ("final", (200, True, 0))]
)
def test_a_success_without_effect_is_kept_by_a_service_that_keeps_what_it_answered(keep, retry):
    assert twice(case([first_call("success_without_mutation")], keep=keep)) == retry


def test_a_kept_error_says_that_it_is_a_replay():
    taking = case(keep="executed")
    replies = [taking.step("t", {"n": 11, "key": "k"}).reply for _ in range(2)]
    assert [reply.headers for reply in replies] == [{}, REPLAY]
    assert replies[0].body == replies[1].body


# the same key with another call


@pytest.mark.parametrize(("mismatch", "retry"), [("error", (409, False, 1)), ("replay", (200, True, 1))])
def test_with_a_changed_amount(mismatch, retry):
    assert twice(case(mismatch=mismatch), 3, 4) == retry


def test_a_changed_amount_may_get_the_service_s_own_error():
    error = {
        "status": 400,
        "code": "idempotency_error",
        "message": "{idempotency_key} was used for another call than {n}.",
    }
    taking = case(mismatchError=error)
    taking(n=3, key="k")
    call = taking(n=4, key="k")
    assert (call.status, call.code) == (400, "idempotency_error")
    assert call.body["error"]["message"] == "k was used for another call than 4."


def test_a_conflict_is_not_kept_in_place_of_the_answer():
    taking = case(keep="executed")
    taking(n=3, key="k")
    taking(n=4, key="k")
    assert taking(n=3, key="k").replayed


# two at once


def in_flight(**rules):
    """The first call is accepted and lands before the third of any tool."""
    return case([first_call("late_mutation", landsBeforeCall=2)], **rules)


def test_while_the_first_is_in_flight_the_second_is_given_its_answer():
    assert twice(in_flight()) == (200, True, 0)


@pytest.mark.parametrize("keep", KEEPS)
def test_while_the_first_is_in_flight_the_second_may_be_refused(keep):
    taking = in_flight(inFlight="error", keep=keep)
    assert [taking(n=3, key="k").status for _ in range(3)] == [504, 409, 200]
    assert (taking.world.calls[1].code, taking.world.calls[2].replayed) == ("IDEMPOTENCY_IN_FLIGHT", True)
    assert taking.end().state == {"left": 7, "taken": 1}


def test_the_refusal_of_the_second_may_be_the_service_s_own():
    taking = in_flight(
        inFlight="error", inFlightError={"status": 422, "code": "704", "message": "{n} is being taken."}
    )
    taking(n=3, key="k")
    call = taking(n=3, key="k")
    assert (call.status, call.code, call.body["error"]["message"]) == (422, "704", "3 is being taken.")


def test_another_call_with_the_key_of_one_in_flight_is_a_mismatch_first():
    taking = in_flight(inFlight="error")
    taking(n=3, key="k")
    assert taking(n=4, key="k").code == "IDEMPOTENCY_CONFLICT"


def test_a_fork_knows_what_is_in_flight():
    taking = in_flight(inFlight="error")
    taking(n=3, key="k")
    apart = Case(taking.twin)
    apart.world = taking.world.fork()
    assert apart(n=3, key="k").code == "IDEMPOTENCY_IN_FLIGHT"


# expiry


@pytest.mark.parametrize(
    ("passed", "retry"), [(24 * 3_600_000 - 1, (200, True, 1)), (24 * 3_600_000, (200, False, 2))]
)
def test_a_key_is_known_until_it_expires_on_the_case_s_clock(passed, retry):
    taking = case(expiresAfter="PT24H")
    taking(n=3, key="k")
    taking.world.advance(passed)
    again = taking(n=3, key="k")
    assert (again.status, again.replayed, taking.state["taken"]) == retry


def test_after_expiry_the_key_is_free_for_another_call():
    taking = case(expiresAfter="P1D")
    taking(n=3, key="k")
    taking.world.advance(24 * 3_600_000)
    assert (taking(n=4, key="k").status, taking(n=4, key="k").replayed) == (200, True)


def test_a_replay_does_not_make_a_key_live_longer():
    taking = case(expiresAfter="PT2H")
    for _ in range(2):
        taking(n=3, key="k")
        taking.world.advance(3_600_000)
    assert not taking(n=3, key="k").replayed


def test_without_expiry_a_key_is_known_for_ever():
    taking = case()
    taking(n=3, key="k")
    taking.world.advance(10_000 * 24 * 3_600_000)
    assert taking(n=3, key="k").replayed


# scope


@pytest.mark.parametrize(
    ("scope", "other_tool", "other_tenant"),
    [("tool", 200, 200), ("tenant", 409, 200), ("twin", 409, 409)],
)
def test_a_key_is_used_again_by_another_tool_or_tenant(scope, other_tool, other_tenant):
    taking = case(tenant="us", scope=scope)
    taking("t", n=3, key="k")
    assert taking("other", n=3, key="k").status == other_tool
    taking.world.act_for("them")
    call = taking("t", n=4, key="k")
    assert (call.status, call.replayed) == (other_tenant, False)


def test_where_a_mismatch_is_replayed_another_tool_gets_the_answer_of_the_first():
    taking = case(scope="tenant", mismatch="replay")
    first = taking("t", n=3, key="k")
    call = taking("other", n=5, key="k")
    assert (call.replayed, call.answer, taking.state["taken"]) == (True, first.answer, 1)


def test_a_tool_with_a_scope_of_its_own_does_not_see_the_keys_of_all():
    rules = {"argument": "key"}
    tools = (
        {"handler": TAKE, "idempotency": rules | {"scope": "twin"}},
        {"name": "other", "handler": TAKE, "idempotency": rules},
    )
    taking = Case(twin(*tools, initialState={"left": 10}))
    assert [taking(name, n=1, key="k").replayed for name in ("t", "other", "t", "other")] == [
        False,
        False,
        True,
        True,
    ]


def test_acting_for_another_tenant_changes_what_is_foreign():
    tool = {"tenantPath": "rows[{row}]", "handler": {"kind": "read", "path": "rows[{row}]"}}
    state = {"rows": {"a": {"owner": "us"}, "b": {"owner": "them"}}}
    reading = Case(twin(tool, initialState=state, tenantKey="owner"), tenant="us")
    assert [reading(row=row).status for row in "ab"] == [200, 403]
    reading.world.act_for("them")
    assert [reading(row=row).status for row in "ab"] == [403, 200]


# keys that will not do


@pytest.mark.parametrize(("length", "status"), [(7, 400), (8, 200), (9, 200), (10, 200), (11, 400)])
def test_a_key_has_a_length(length, status):
    taking = case(minLength=8, maxLength=10)
    call = taking(n=3, key="k" * length)
    assert (call.status, call.code) == (status, None if call.ok else "INVALID_IDEMPOTENCY_KEY")
    assert taking.state.get("taken", 0) == call.ok


def test_a_key_may_be_required():
    taking = case(required=True)
    assert (taking(n=3).code, taking(n=3, key="k").status) == ("IDEMPOTENCY_KEY_MISSING", 200)


def test_a_missing_or_wrong_key_may_get_the_service_s_own_error():
    taking = case(
        required=True,
        maxLength=3,
        keyError={"status": 422, "code": "KEY", "message": "{idempotency_key?} will not do"},
    )
    assert [taking(n=1, **key).code for key in ({}, {"key": "long"})] == ["KEY", "KEY"]


def test_a_key_in_a_header_has_a_length_too():
    tool = {"handler": TAKE, "idempotency": {"header": "Idempotency-Key", "maxLength": 3}}
    taking = Case(twin(tool, initialState={"left": 10}))
    assert [taking(n=1, headers={"idempotency-key": key}).status for key in ("abc", "abcd")] == [200, 400]


def test_a_message_that_cannot_be_rendered_is_a_failure_of_the_twin():
    taking = case(required=True, keyError={"message": "{n}"})
    assert (taking().code, taking.world.twin_error is not None) == ("TWIN_ERROR", True)


# what is found when it is read


def idempotency(**rules):
    return {"handler": {"kind": "echo"}, "idempotency": {"header": "K"} | rules}


@pytest.mark.parametrize(
    ("rules", "place", "code"),
    [
        ({"expiresAfter": "24h"}, "expiresAfter", "invalid_duration"),
        ({"expiresAfter": "PT0S"}, "expiresAfter", "invalid_duration"),
        ({"minLength": 9, "maxLength": 8}, "minLength", "conflicting_fields"),
        ({"keyError": {"code": "X"}}, "keyError", "conflicting_fields"),
        ({"mismatch": "replay", "mismatchError": {"code": "X"}}, "mismatchError", "conflicting_fields"),
        ({"inFlightError": {"code": "X"}}, "inFlightError", "conflicting_fields"),
        ({"mismatchError": {"message": "{nobody}"}}, "mismatchError.message", "unknown_name"),
        ({"required": True, "keyError": {"message": "{state.x}"}}, "keyError.message", "unknown_name"),
    ],
)
def test_rules_that_make_no_sense_are_told_where_they_stand(rules, place, code):
    found = only(idempotency(**rules))
    assert (".".join(map(str, found.at[4:])), found.code) == (place, code)


def test_a_case_that_is_copied_keeps_its_keys():
    taking = case()
    taking(n=3, key="k")
    taking.world = replace(taking.world.fork(), seed="other")
    assert taking(n=3, key="k").replayed
