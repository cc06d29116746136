"""What a fault makes of an answer, and when that makes a difference."""

import json

import pytest

from tests.unit.twin._cases import Case, fault, twin

STATE = {"n": 0, "log": [], "row": {"a": 1}}
WRITE = {
    "name": "write",
    "idempotency": {"argument": "key"},
    "handler": {
        "kind": "mutate",
        "effects": [
            {"op": "increment", "path": "n"},
            {"op": "append", "path": "log", "value": "{id}"},
        ],
        "response": {"id": "{id}", "n": "{state.n}"},
    },
}
ROW = {"name": "row", "handler": {"kind": "read", "path": "row"}}
ECHO = {"name": "echo", "handler": {"kind": "static", "response": "{value_}"}}
REFUSE = {"name": "refuse", "handler": {"kind": "read", "path": "none"}}
TWIN = twin(WRITE, ROW, ECHO, REFUSE, initialState=STATE)


def case(*faults, **given):
    return Case(TWIN, faults=list(faults), **given)


def custom(**columns):
    return fault("custom", **columns)


# errors


def test_an_error_has_the_message_of_its_rule():
    call = case(fault("http_500", message="Order {order} failed in call {call.number}."))("row", order="A")
    assert call.body == {"error": {"code": "UPSTREAM_ERROR", "message": "Order A failed in call 1."}}


def test_a_message_may_be_empty():
    assert case(fault("http_500", message=""))("row").body["error"]["message"] == ""


def test_an_error_may_have_a_body_of_its_own():
    call = case(fault("http_503", body={"down": "{tool_}"}))("row", tool_="x")
    assert (call.status, call.code, call.body) == (503, "UNAVAILABLE", {"down": "x"})


def test_an_error_after_the_fact_sees_the_computed_answer():
    call = case(fault("timeout_after_mutation", body={"was": "{result}"}))("write")
    assert call.body == {"was": {"id": "0001", "n": 1}}


def test_an_error_before_the_fact_sees_no_answer():
    assert case(fault("timeout_before_mutation", body=["{result}"]))("write").body == [None]


def test_the_texts_of_a_fault_see_the_state_as_it_is_left():
    done = case(fault("timeout_after_mutation", body="{state.n}"))("write")
    lied = case(custom(commit="none", answer="substitute", body="{state.n}"))("write")
    assert (done.body, lied.body) == (1, 0)


def test_the_texts_of_a_fault_see_the_record():
    assert case(fault("semantic_bad_response", body="{value.a}"))("row").body == 1


@pytest.mark.parametrize(
    ("kind", "more", "headers"),
    [
        ("http_429", {}, {"Retry-After": "1"}),
        ("http_429", {"retryAfterSeconds": 7}, {"Retry-After": "7"}),
        ("http_503", {}, {}),
        ("http_503", {"retryAfterSeconds": 0}, {"Retry-After": "0"}),
        ("delay", {"retryAfterSeconds": 7}, {}),
        ("dropped_connection", {"retryAfterSeconds": 7}, {}),
    ],
)
def test_retry_after_goes_with_errors_that_say_it(kind, more, headers):
    assert case(fault(kind, **more))("row").headers == headers


# falsified answers


def test_a_substitute_sees_the_computed_answer():
    call = case(fault("semantic_bad_response", body={"n": "{= result.n + 1 }"}))("write")
    assert (call.status, call.body, call.headers) == (200, {"n": 2}, {})


def test_a_substitute_that_says_the_same_took_no_effect():
    assert not case(fault("semantic_bad_response", body={"a": 1}))("row").took_effect


def test_a_substitute_may_be_null():
    assert case(fault("semantic_bad_response", body=None))("row").answer == b"null"


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        ({"field": "b"}, {"a": 1, "c": 3}),
        ({"field": "b", "renameTo": "z"}, {"a": 1, "z": 2, "c": 3}),
        ({}, {"b": 2, "c": 3}),
        ({"renameTo": "z"}, {"z": 1, "b": 2, "c": 3}),
        ({"field": "none"}, {"a": 1, "b": 2, "c": 3}),
    ],
)
def test_a_field_drifts(more, answer):
    call = case(fault("schema_drift", **more))("echo", value_={"a": 1, "b": 2, "c": 3})
    assert call.answer.decode() == json.dumps(answer, separators=(",", ":"))
    assert call.took_effect == (more != {"field": "none"})


@pytest.mark.parametrize("value", [{}, [1], "text", None])
def test_what_has_no_fields_does_not_drift(value):
    call = case(fault("schema_drift"))("echo", value_=value)
    assert (call.body, call.took_effect) == (value, False)


@pytest.mark.parametrize("value", [{"a": "é"}, [1], None])
def test_an_answer_is_padded_to_its_size(value):
    call = case(fault("oversized_response", bytes=1000))("echo", value_=value)
    whole = call.body
    padding = whole.pop("padding")
    assert (len(call.answer), set(padding)) == (1000, {"x"})
    assert whole == (value if isinstance(value, dict) else {"value": value})


def test_an_answer_that_is_large_already_is_marked():
    assert case(fault("oversized_response", bytes=1))("row").body == {"a": 1, "padding": ""}


def test_an_answer_is_oversized_by_default():
    assert len(case(fault("oversized_response")).step("row", {}).reply.body) == 1_048_576


@pytest.mark.parametrize("value", ["text", 40, None, [1, 2], {"a": {"b": 1}}])
def test_a_garbled_answer_is_no_json(value):
    with pytest.raises(json.JSONDecodeError):
        json.loads(case(fault("malformed_json"))("echo", value_=value).answer)


def test_half_of_an_answer_arrives():
    call = case(fault("partial_response"))("row")
    assert (call.answer, call.status, call.result, call.ok) == (b'{"a', 200, "partial", False)


# previous


def test_the_previous_answer_is_the_computed_one():
    falsified = fault("semantic_bad_response", "write", when={"callNumber": 1}, body=1)
    calling = case(falsified, fault("duplicate_response", "write", when={"callNumber": 2}))
    assert [calling("write").body, calling("write").body] == [1, {"id": "0001", "n": 1}]


def test_the_previous_answer_is_the_tool_s_own():
    calling = case(fault("duplicate_response", "write"))
    calling("row")
    assert calling("write").body == {"id": "0001", "n": 1}


def test_the_previous_answer_may_have_been_a_refusal():
    handler = {"kind": "read", "path": "row[{key}]"}
    calling = Case(
        twin({"handler": handler}, initialState=STATE),
        faults=[fault("duplicate_response", when={"callNumber": 2})],
    )
    calling(key="z")
    call = calling(key="a")
    assert (call.status, call.code, call.result) == (404, "NOT_FOUND", "not_found")


def test_a_call_that_was_never_reached_is_no_previous_answer():
    calling = case(fault("http_500", when={"callNumber": 1}), fault("duplicate_response"))
    calling("row")
    assert not calling("row").took_effect


# stale


def test_a_stale_answer_shows_the_state_before_the_case_s_writes():
    look = {"name": "look", "handler": {"kind": "read", "path": "n"}}
    looking = Case(
        twin(WRITE, look, initialState=STATE), state={"n": 5}, faults=[fault("stale_response", "look")]
    )
    looking("write")
    call = looking("look")
    assert (call.body, call.took_effect, looking.state["n"]) == (5, True, 6)


def test_a_stale_answer_may_be_a_refusal():
    look = {"name": "look", "handler": {"kind": "read", "path": "log[0]"}}
    looking = Case(twin(WRITE, look, initialState=STATE), faults=[fault("stale_response", "look")])
    looking("write")
    assert looking("look").status == 404


def test_a_stale_answer_leaves_the_state_before_as_it_was():
    writing = case(fault("stale_response"))
    assert [writing("write").body, writing("write").body] == [{"id": "0001", "n": 1}, {"id": "0002", "n": 1}]
    assert writing.world.before.plain() == STATE


def test_a_record_is_where_the_call_found_it_and_not_where_a_stale_answer_did():
    look = {"name": "look", "handler": {"kind": "read", "path": "rows[{state.key}]"}}
    turn = {"kind": "mutate", "effects": [{"op": "set", "path": "key", "value": "b"}]}
    rows = {"key": "a", "rows": {"a": 1, "b": 2}}
    looking = Case(
        twin(look, {"name": "turn", "handler": turn}, initialState=rows), faults=[fault("stale_response")]
    )
    looking("turn")
    call = looking("look")
    assert (call.body, call.record) == (1, "rows.b")


# custom


def test_custom_spells_out_the_columns():
    rule = custom(
        commit="none", answer="error", status=418, code="TEAPOT", message="No.", retryAfterSeconds=3
    )
    call = case(rule)("write")
    assert (call.status, call.code, call.headers) == (418, "TEAPOT", {"Retry-After": "3"})
    assert call.body == {"error": {"code": "TEAPOT", "message": "No."}}
    assert (call.committed, call.knowable) == ("none", False)


def test_a_custom_error_has_defaults():
    call = case(custom(answer="error"))("write")
    assert (call.status, call.body) == (
        500,
        {"error": {"code": "CUSTOM_FAULT", "message": "The call failed."}},
    )
    assert call.committed == "all"


def test_a_custom_fault_may_be_knowable():
    assert case(custom(answer="error", knowable=True))("write").knowable


def test_a_custom_success_may_have_another_status():
    call = case(custom(status=202))("write")
    assert (call.status, call.body, call.took_effect) == (202, {"id": "0001", "n": 1}, True)


def test_a_custom_status_leaves_a_true_refusal_alone():
    assert case(custom(status=202))("refuse").status == 404


@pytest.mark.parametrize(
    ("columns", "committed", "sent"),
    [
        ({"commit": "all", "wire": "nothing"}, "all", None),
        ({"commit": "none", "wire": "nothing"}, "none", None),
        ({"commit": "none", "wire": "nothing", "answer": "computed"}, "none", None),
        ({"commit": "none", "answer": "nothing"}, "none", None),
        ({"commit": "first", "answer": "computed"}, "first", {"id": "0001", "n": 1}),
        ({"commit": "late", "answer": "computed"}, "late", {"id": "0001", "n": 1}),
        ({"commit": "twice", "answer": "error", "status": 500, "code": "X", "message": ""}, "twice", ...),
        ({"commit": "none", "answer": "padded", "bytes": 20}, "none", {"id": "0001", "n": 1, "padding": ""}),
        ({"commit": "all", "answer": "drifted", "field": "n"}, "all", {"id": "0001"}),
        ({"answer": "substitute", "body": 1}, "all", 1),
    ],
)
def test_columns_combine(columns, committed, sent):
    call = case(custom(**columns))("write")
    assert call.committed == committed
    assert call.body == ({"error": {"code": "X", "message": ""}} if sent is ... else sent)


def test_an_error_may_break_on_the_way():
    call = case(custom(answer="error", wire="truncated", body="text"))("row")
    assert (call.answer, call.result, call.status) == (b'"te', "partial", 500)


def test_nothing_that_arrives_ends_the_call_early_where_nothing_is_done():
    calling = case(custom(commit="none", wire="nothing", answer="computed"))
    calling("write")
    assert calling.world.counters.executions == {}


# took effect


def imitating(**more):
    refusal = {"answer": "error", "status": 404, "code": "NOT_FOUND", "message": "There is no such record."}
    return custom(**{"commit": "none"} | refusal | more)


def test_a_fault_that_imitates_the_true_refusal_took_no_effect():
    call = case(imitating())("refuse")
    assert (call.status, call.took_effect, call.knowable) == (404, False, True)


@pytest.mark.parametrize(
    "more",
    [{"delayMs": 1}, {"status": 410}, {"message": "No."}, {"retryAfterSeconds": 1}, {"wire": "garbled"}],
)
def test_a_fault_that_differs_a_little_took_effect(more):
    assert case(imitating(**more))("refuse").took_effect


def test_to_imitate_takes_no_id_and_changes_nothing():
    calling = case(custom(commit="none", answer="error", status=200, body={"id": "0001", "n": 1}))
    call = calling("write")
    assert (call.took_effect, calling.state, calling.world.counters.executions["write"]) == (True, STATE, 0)


def test_a_fault_took_effect_where_the_twin_would_have_failed():
    failing = twin({"handler": {"kind": "static", "response": "{missing}"}})
    calling = Case(failing, faults=[fault("http_500")])
    assert (calling().took_effect, calling.world.twin_error) == (True, None)


def test_an_adapter_is_not_asked_what_it_would_have_done():
    def adapter(*_):
        raise AssertionError("never reached")

    calling = Case(
        twin({"handler": {"kind": "custom", "adapter": "a"}}, adapters={"a": adapter}),
        faults=[fault("http_500")],
    )
    assert calling().took_effect


def test_a_delay_of_nothing_took_no_effect():
    call = case(fault("delay", delayMs=0))("row")
    assert (call.took_effect, call.delay_ms) == (False, 0)


def test_a_success_without_mutation_on_nothing_to_change_took_no_effect():
    handler = {"kind": "mutate", "effects": [{"op": "set", "path": "n", "value": 0}]}
    calling = Case(twin({"handler": handler}, initialState=STATE), faults=[fault("success_without_mutation")])
    assert (calling().took_effect, calling().committed) == (False, "none")
