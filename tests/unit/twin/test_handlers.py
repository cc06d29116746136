"""What each kind of handler answers and changes."""

import pytest

from agenttwin.twin import AdapterAnswer
from tests.unit.twin._cases import Case, shown, twin

ORDERS = {"orders": {"A": {"total": 40}, "B": None, "C": 7}, "log": []}


def called(handler, *, state=None, adapters=None, **arguments):
    """The record of one call of a tool with this handler."""
    compiled = twin({"handler": handler}, initialState=state or ORDERS, adapters=adapters)
    return Case(compiled)(**arguments)


def answered(handler, **more):
    return called(handler, **more).body


# static


def test_static_answers_its_response():
    assert answered({"kind": "static", "response": {"a": [1, None]}}) == {"a": [1, None]}


def test_a_static_response_is_a_template():
    assert answered({"kind": "static", "response": {"you": "{name}"}}, name="Ada") == {"you": "Ada"}


def test_a_response_that_is_left_out_is_null():
    assert called({"kind": "static", "response": "{name?}"}).answer == b"null"


def test_a_static_tool_can_change_nothing():
    assert called({"kind": "static", "response": 1}).committed is None


# echo


def test_echo_answers_tool_and_arguments():
    assert answered({"kind": "echo"}, a=1, b=[2]) == {"tool": "t", "arguments": {"a": 1, "b": [2]}}


# read


@pytest.mark.parametrize(("item", "value"), [("A", {"total": 40}), ("B", None), ("C", 7)])
def test_read_answers_what_stands_there(item, value):
    assert answered({"kind": "read", "path": "orders[{item}]"}, item=item) == value


def test_a_response_shapes_what_was_read():
    handler = {"kind": "read", "path": "orders[{item}]", "response": {"sum": "{value.total}"}}
    assert answered(handler, item="A") == {"sum": 40}


def test_a_read_without_a_path_answers_its_response():
    assert answered({"kind": "read", "response": "{= size(state.orders) }"}) == 3


def test_a_record_that_is_missing_is_not_found():
    call = called({"kind": "read", "path": "orders[{item}]"}, item="Z")
    assert (call.status, call.result, call.code) == (404, "not_found", "NOT_FOUND")
    assert call.body == {"error": {"code": "NOT_FOUND", "message": "There is no such record."}}


def test_not_found_is_answered_as_declared():
    error = {"status": 410, "code": "GONE", "message": "No {item}."}
    call = called({"kind": "read", "path": "orders[{item}]", "notFound": error}, item="Z")
    assert (call.status, call.body) == (410, {"error": {"code": "GONE", "message": "No Z."}})


@pytest.mark.parametrize(
    "declared", [{"status": 410}, {"code": "GONE"}, {"message": "Gone."}], ids=["status", "code", "message"]
)
def test_what_an_error_does_not_say_is_the_default(declared):
    call = called({"kind": "read", "path": "none", "notFound": declared}, state={"a": 1})
    told = {"status": 404, "code": "NOT_FOUND", "message": "There is no such record."} | declared
    status = told.pop("status")
    assert (call.status, call.body["error"]) == (status, told)


def test_a_length_is_read():
    assert answered({"kind": "read", "path": "orders.length()"}) == 3


def test_what_has_no_length_is_not_found():
    assert called({"kind": "read", "path": "orders.C.length()"}).status == 404


def test_a_read_shows_what_was_written_before():
    compiled = twin(
        {"name": "look", "handler": {"kind": "read", "path": "orders.A"}},
        {"handler": {"kind": "mutate", "effects": [{"op": "set", "path": "orders.A.paid", "value": True}]}},
        initialState=ORDERS,
    )
    case = Case(compiled)
    case("t")
    assert case("look").body == {"total": 40, "paid": True}


def test_a_record_is_named_by_its_path():
    assert called({"kind": "read", "path": "orders[{item}]"}, item="A").record == "orders.A"


def test_a_tool_about_no_record_names_none():
    assert called({"kind": "read", "response": 1}).record is None


# preconditions


def guarded(*preconditions, **arguments):
    handler = {"kind": "read", "path": "orders[{item}]", "preconditions": list(preconditions), "response": 1}
    return called(handler, item="A", **arguments)


def test_a_condition_that_holds_lets_the_call_pass():
    assert guarded({"that": "value.total == 40"}).status == 200


@pytest.mark.parametrize("that", ["false", "1", "null", "'true'"])
def test_only_exactly_true_is_true(that):
    assert guarded({"that": that}).status == 409


def test_a_condition_may_stand_in_its_braces():
    assert guarded({"that": "{= value.total == 40 }"}).status == 200


def test_the_first_precondition_that_does_not_hold_answers():
    call = guarded({"that": "true"}, {"that": "false", "error": {"code": "ONE"}}, {"that": "false"})
    assert (call.status, call.code) == (409, "ONE")


def test_a_refusal_has_a_default():
    assert guarded({"that": "false"}).body == {
        "error": {"code": "PRECONDITION_FAILED", "message": "The call is not possible in this state."}
    }


def test_a_refusal_speaks_of_the_call():
    error = {"status": 422, "code": "TOO_MUCH", "message": "{amount} is more than {value.total}."}
    call = guarded({"that": "amount <= value.total", "error": error}, amount=41)
    assert (call.status, call.body["error"]["message"]) == (422, "41 is more than 40.")


@pytest.mark.parametrize(
    ("comparators", "status"),
    [
        ({}, 200),
        ({"equals": 40}, 200),
        ({"equals": "{amount}"}, 200),
        ({"gte": 40, "lt": 41}, 200),
        ({"gte": 40, "lt": 40}, 409),
        ({"exists": False}, 409),
        ({"in": [1, "{amount}"]}, 200),
        ({"notEquals": 40}, 409),
    ],
)
def test_a_place_is_held_against_comparators(comparators, status):
    assert guarded({"path": "orders[{item}].total"} | comparators, amount=40).status == status


@pytest.mark.parametrize(("path", "status"), [("orders.Z", 409), ("orders.B", 200), ("orders.length()", 200)])
def test_without_comparators_something_must_be_there(path, status):
    assert guarded({"path": path}).status == status


def test_a_length_is_compared():
    assert guarded({"path": "orders.length()", "equals": 3}).status == 200


def test_an_operand_that_cannot_be_compared_is_the_twin_s_fault():
    call = guarded({"path": "orders.A.total", "gte": "{amount}"}, amount=[1])
    assert call.code == "TWIN_ERROR"


# mutate


def test_mutate_answers_the_record_after():
    handler = {
        "kind": "mutate",
        "path": "orders.A",
        "effects": [{"op": "set", "path": "orders.A.paid", "value": 1}],
    }
    assert answered(handler) == {"total": 40, "paid": 1}


def test_mutate_without_a_record_answers_ok():
    handler = {"kind": "mutate", "effects": [{"op": "append", "path": "log", "value": 1}]}
    assert answered(handler) == {"ok": True}


def test_mutate_of_a_record_that_is_gone_answers_ok():
    handler = {"kind": "mutate", "path": "orders.A", "effects": [{"op": "delete", "path": "orders.A"}]}
    assert answered(handler) == {"ok": True}


def test_a_response_sees_the_state_after():
    handler = {
        "kind": "mutate",
        "path": "orders.A",
        "effects": [{"op": "increment", "path": "orders.A.total", "by": 2}],
        "response": ["{value.total}", "{state.orders.A.total}"],
    }
    assert answered(handler) == [42, 42]


def test_a_null_response_is_answered():
    handler = {
        "kind": "mutate",
        "effects": [{"op": "append", "path": "log", "value": 1}],
        "response": None,
    }
    assert called(handler).answer == b"null"


def test_a_refused_mutation_changes_nothing():
    handler = {
        "kind": "mutate",
        "preconditions": [{"that": "false"}],
        "effects": [{"op": "append", "path": "log", "value": 1}],
    }
    call = called(handler)
    assert (call.changes, call.committed, call.computed_changes) == ((), "none", 0)


def test_a_mutation_of_a_missing_record_changes_nothing():
    handler = {
        "kind": "mutate",
        "path": "orders.Z",
        "effects": [{"op": "append", "path": "log", "value": 1}],
    }
    assert (called(handler).status, called(handler).changes) == (404, ())


def test_an_effect_is_told_by_path_before_and_after():
    handler = {
        "kind": "mutate",
        "effects": [
            {"op": "increment", "path": "orders.A.total"},
            {"op": "append", "path": "log", "value": "x"},
        ],
    }
    call = called(handler)
    assert shown(call.changes) == [("log[0]", ..., "x"), ("orders.A.total", 40, 41)]
    assert (call.committed, call.computed_changes) == ("all", 2)


def test_an_effect_that_changes_nothing_is_no_change():
    handler = {"kind": "mutate", "effects": [{"op": "set", "path": "orders.A.total", "value": 40.0}]}
    call = called(handler)
    assert (call.changes, call.committed, call.computed_changes) == ((), "none", 0)


# recorded

FIXTURES = [
    {"match": {"city": "Oslo", "units": {"t": "C"}}, "response": {"t": 4}},
    {"match": {"city": "Rome"}, "response": {"t": 20}, "status": 201},
    {"match": {"city": "Bern"}, "error": {"status": 503, "code": "DOWN", "message": "Down."}},
    {"match": {"city": "Nice", "day": 1}, "status": 404, "error": {"code": "NO_DAY"}},
    {"match": {"city": "Graz"}, "error": {}},
]


def recorded(**arguments):
    return called({"kind": "recorded", "fixtures": FIXTURES}, **arguments)


def test_the_first_fixture_that_is_part_of_the_arguments_answers():
    call = recorded(city="Oslo", units={"t": "C", "w": "m/s"}, extra=1)
    assert (call.status, call.body) == (200, {"t": 4})


def test_a_fixture_has_a_status():
    assert recorded(city="Rome").status == 201


def test_a_recorded_error_is_answered():
    call = recorded(city="Bern")
    assert (call.status, call.code, call.body) == (
        503,
        "DOWN",
        {"error": {"code": "DOWN", "message": "Down."}},
    )


def test_a_recorded_error_may_have_the_status_of_the_exchange():
    assert (recorded(city="Nice", day=1).status, recorded(city="Graz").status) == (404, 500)


def test_a_recorded_error_has_a_code_by_default():
    assert recorded(city="Graz").code == "ERROR"


def test_a_recording_without_match_fits_every_call():
    assert called({"kind": "recorded", "fixtures": [{"response": 1}]}, a=2).body == 1


def test_an_unknown_call_names_the_nearest_recording():
    call = recorded(city="Nice", day=2)
    assert (call.status, call.code) == (404, "NO_FIXTURE")
    assert call.body["error"]["message"] == (
        "Nothing was recorded for these arguments. The nearest is fixture 4: day: recorded 1, called with 2."
    )


def test_what_is_missing_or_nested_is_named_too():
    call = recorded(city="Oslo", units={})
    assert 'fixture 1: units.t: recorded "C", called with nothing' in call.body["error"]["message"]


def test_recorded_lists_are_compared_whole():
    handler = {"kind": "recorded", "fixtures": [{"match": {"ids": [1]}, "response": 1}]}
    assert (called(handler, ids=[1]).status, called(handler, ids=[1, 2]).status) == (200, 404)


def test_a_recorded_response_is_no_template():
    assert called({"kind": "recorded", "fixtures": [{"response": "{x}"}]}).body == "{x}"


# custom


def custom(adapter, **more):
    return called({"kind": "custom", "adapter": "a"}, adapters={"a": adapter}, **more)


def test_an_adapter_answers_and_changes():
    def adapter(arguments, state, context):
        state["orders"]["A"]["total"] = arguments["total"]
        state["log"].append("x")
        return AdapterAnswer(body={"done": True}, state=state)

    call = custom(adapter, total=1)
    assert call.body == {"done": True}
    assert shown(call.changes) == [("log[0]", ..., "x"), ("orders.A.total", 40, 1)]


def test_an_adapter_may_take_things_out():
    def adapter(arguments, state, context):
        return AdapterAnswer(state={"log": []})

    assert shown(custom(adapter).changes) == [("orders", ORDERS["orders"], ...)]


def test_an_adapter_sees_the_case():
    def adapter(arguments, state, context):
        return AdapterAnswer(body=context)

    compiled = twin(
        {"handler": {"kind": "custom", "adapter": "a"}}, adapters={"a": adapter}, settings={"x": 1}
    )
    case = Case(compiled, tenant="demo")
    assert case().body == {
        "tenant": "demo",
        "now": "2026-01-01T00:00:00Z",
        "id": "0001",
        "settings": {"x": 1},
    }


def test_an_adapter_is_given_copies():
    def adapter(arguments, state, context):
        arguments["a"].append(1)
        state["log"].append(1)
        context["settings"]["x"] = 2
        return AdapterAnswer()

    compiled = twin(
        {"handler": {"kind": "custom", "adapter": "a"}},
        adapters={"a": adapter},
        initialState=ORDERS,
        settings={"x": 1},
    )
    case = Case(compiled)
    assert case(a=[]).arguments == {"a": []}
    assert (case.state, case.world.settings) == (ORDERS, {"x": 1})


def test_what_a_refusing_adapter_changed_is_not_taken():
    def adapter(arguments, state, context):
        return AdapterAnswer(status=409, code="NO", body={"why": 1}, state={})

    call = custom(adapter)
    assert (call.status, call.code, call.body, call.changes) == (409, "NO", {"why": 1}, ())


@pytest.mark.parametrize("status", [199, 600, True, "200", None])
def test_an_adapter_s_status_is_one(status):
    call = custom(lambda *_: AdapterAnswer(status=status))
    assert (call.status, call.code) == (500, "TWIN_ERROR")


@pytest.mark.parametrize("status", [200, 299])
def test_a_status_below_300_is_a_success(status):
    assert custom(lambda *_: AdapterAnswer(status=status, state={})).changes != ()


def test_a_status_of_300_is_no_success():
    call = custom(lambda *_: AdapterAnswer(status=300, state={}))
    assert (call.result, call.changes) == ("error", ())
