"""What every call has: numbers, ids, a time, a record of its own."""

import pytest

from agenttwin.twin import Call, step
from tests.unit.twin._cases import Case, fault, shown, twin

ID = {"kind": "static", "response": "{id}"}
LOG = {"kind": "mutate", "effects": [{"op": "append", "path": "log", "value": "{v}"}], "response": "{id}"}
TWIN = twin(
    {"name": "one", "handler": ID},
    {"name": "two", "handler": ID},
    {"name": "log", "handler": LOG, "effectKey": "log:{v}"},
    initialState={"log": []},
)


# numbers


def test_every_call_has_its_place_in_the_case():
    case = Case(TWIN)
    assert [case("one").seq, case("two").seq, case("none").seq] == [1, 2, 3]


def test_calls_are_numbered_by_tool():
    case = Case(TWIN)
    assert [case("one").number, case("two").number, case("one").number] == [1, 1, 2]


def test_a_template_sees_both_numbers():
    case = Case(twin({"handler": {"kind": "static", "response": "{call}"}}))
    case("none")
    assert case().body == {"number": 1, "seq": 2}


def test_ids_number_the_executions_of_a_tool():
    case = Case(TWIN)
    assert [case("one").body, case("two").body, case("one").body] == ["0001", "0001", "0002"]


def test_a_refused_execution_has_its_id_too():
    handler = {"kind": "read", "response": "{id}", "preconditions": [{"that": "pass"}]}
    case = Case(twin({"handler": handler}))
    assert (case(**{"pass": False}).status, case(**{"pass": True}).body) == (409, "0002")


def test_a_call_that_was_never_reached_has_no_id():
    case = Case(TWIN, faults=[fault("http_500", when={"callNumber": 1})])
    case("one")
    assert case("one").body == "0001"


def test_an_id_may_stand_in_the_path_of_a_record():
    handler = {"kind": "read", "path": "rows[{id}]"}
    call = Case(twin({"handler": handler}, initialState={"rows": {"0001": "x"}}))()
    assert (call.body, call.record) == ("x", "rows.0001")


# arguments


def test_what_the_caller_does_later_reaches_neither_state_nor_record():
    arguments = {"v": {"list": [1]}}
    case = Case(TWIN)
    record = case.step("log", arguments).records[0]
    arguments["v"]["list"].append(2)
    assert (case.state, record.arguments) == ({"log": [{"list": [1]}]}, {"v": {"list": [1]}})


def test_numbers_are_taken_as_json_has_them():
    call = Case(twin({"handler": {"kind": "static", "response": "{n} of {m}"}}))(n=40.0, m=-0.0)
    assert (call.body, call.answer) == ("40 of 0", b'"40 of 0"')


def test_the_order_of_arguments_does_not_show():
    echo = twin({"handler": {"kind": "echo"}})
    assert Case(echo)(a=1, b=2).answer == Case(echo)(b=2, a=1).answer


# names of arguments and roots


def test_an_argument_wins_over_a_root_of_its_name():
    schema = {"properties": {"now": {}, "order": {}}}
    handler = {"kind": "static", "response": ["{now}", "{$now}", "{args.now}"]}
    compiled = twin({"handler": handler, "inputSchema": schema})
    assert Case(compiled)(now="soon").body == ["soon", "2026-01-01T00:00:00Z", "soon"]


def test_settings_may_be_set_for_a_case():
    compiled = twin({"handler": {"kind": "static", "response": "{settings}"}}, settings={"a": 1, "b": 2})
    assert Case(compiled)().body == {"a": 1, "b": 2}
    assert Case(compiled, settings={"b": 3})().body == {"a": 1, "b": 3}


def test_the_tenant_is_a_root():
    compiled = twin({"handler": {"kind": "static", "response": "{tenant}"}})
    assert Case(compiled, tenant="us")().body == "us"


# the clock


def now_of(case):
    return case("one").body


CLOCK = twin({"name": "one", "handler": {"kind": "static", "response": "{now}"}})


def test_the_time_stands_still():
    case = Case(CLOCK)
    assert [now_of(case), now_of(case)] == ["2026-01-01T00:00:00Z"] * 2


def test_a_case_may_begin_at_another_time():
    assert now_of(Case(CLOCK, now="2026-05-06T07:08:09+02:00")) == "2026-05-06T05:08:09Z"


def test_a_twin_may_begin_at_another_time():
    compiled = twin({"name": "one", "handler": CLOCK_HANDLER}, clock={"start": "1999-12-31T23:59:59Z"})
    assert now_of(Case(compiled)) == "1999-12-31T23:59:59Z"


CLOCK_HANDLER = {"kind": "static", "response": "{now}"}


def test_a_delay_that_took_effect_moves_the_time():
    case = Case(CLOCK, faults=[fault("delay", when={"callNumber": 1}, delayMs=1500)])
    assert [now_of(case), now_of(case)] == ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01.500Z"]


def test_any_fault_may_be_slow():
    case = Case(CLOCK, faults=[fault("http_500", when={"callNumber": 1}, delayMs=30_000)])
    reply = case.step("one", {}).reply
    assert (reply.delay_ms, case.world.calls[0].delay_ms, now_of(case)) == (
        30_000,
        30_000,
        "2026-01-01T00:00:30Z",
    )


def test_a_refused_call_takes_no_time():
    case = Case(CLOCK, faults=[fault("delay")])
    case("none")
    assert now_of(case) == "2026-01-01T00:00:00Z"


# the record


def test_a_record_says_what_the_tool_is():
    tool = {
        "name": "escalate_now",
        "handler": {"kind": "echo"},
        "risk": "EXECUTE",
        "idempotency": {"header": "K"},
    }
    call = Case(twin(tool))("escalate_now")
    assert (call.risk, call.role, call.declares_idempotency, call.approved) == (
        "EXECUTE",
        "escalation",
        True,
        False,
    )


def test_an_approved_call_says_so():
    tool = {"handler": {"kind": "echo"}, "risk": "ADMIN"}
    assert Case(twin(tool), approvals=["t"])().approved


def test_an_effect_is_named():
    assert Case(TWIN)("log", v=7).effect_key == "log:7"


def test_a_call_without_a_fault_names_none():
    call = Case(TWIN)("log", v=1)
    assert (call.fault, call.rule, call.took_effect, call.knowable, call.delay_ms) == (
        None,
        None,
        False,
        True,
        0,
    )
    assert (call.landed, call.refusal, call.attempt, call.code) == (None, None, None, None)


def test_the_reply_is_what_the_record_says():
    step = Case(TWIN).step("log", {"v": 1})
    (record,) = step.records
    assert (step.reply.status, step.reply.body, step.reply.headers) == (200, record.answer, record.headers)
    assert (step.reply.result, step.reply.ok, step.reply.wire) == ("ok", True, "whole")


def test_records_stand_in_the_order_of_arrival():
    case = Case(TWIN)
    made = [case("one"), case("none"), case("log", v=1)]
    assert case.world.records == made


SIZES = [(2**18 - 1, False), (2**18, False), (2**18 + 1, True)]


@pytest.mark.parametrize(("size", "cut"), SIZES)
def test_an_answer_beyond_256_kib_is_recorded_by_digest_and_length(size, cut):
    compiled = twin({"handler": {"kind": "static", "response": "x" * (size - 2)}})
    step = Case(compiled).step("t", {})
    (record,) = step.records
    assert len(step.reply.body) == size
    assert (record.answer != step.reply.body) == cut
    if cut:
        assert (record.body["bytes"], record.body["digest"][:7]) == (size, "sha256:")


def test_an_answer_is_encoded_before_the_next_write():
    look = {"name": "look", "handler": {"kind": "read", "path": "log"}}
    case = Case(twin({"name": "log", "handler": LOG}, look, initialState={"log": []}))
    case("log", v=1)
    seen = case("look")
    case("log", v=2)
    assert seen.body == [1]


def test_changes_are_of_the_call_alone():
    case = Case(TWIN)
    case("log", v=1)
    assert shown(case("log", v=2).changes) == [("log[1]", ..., 2)]


def test_the_twin_of_a_step_is_the_world_s():
    case = Case(TWIN)
    assert step(TWIN, case.world, Call("one", {})).reply.ok


# results


@pytest.mark.parametrize(
    ("status", "result"),
    [
        (200, "ok"),
        (204, "ok"),
        (299, "ok"),
        (302, "error"),
        (400, "invalid"),
        (401, "denied"),
        (403, "denied"),
        (404, "not_found"),
        (408, "timeout"),
        (409, "invalid"),
        (410, "error"),
        (413, "invalid"),
        (422, "invalid"),
        (429, "rate_limited"),
        (500, "error"),
        (503, "error"),
        (504, "timeout"),
    ],
)
def test_a_status_is_a_result(status, result):
    handler = {"kind": "recorded", "fixtures": [{"status": status, "response": 1}]}
    assert Case(twin({"handler": handler}))().result == result
