"""Faults of the twin itself: a 500, nothing kept, and a case that cannot be judged."""

import pytest

from agenttwin.twin import AdapterAnswer
from tests.unit.twin._cases import Case, fault, twin

STATE = {"n": 1, "log": []}
WRITE = {"op": "append", "path": "log", "value": 1}


def failing(tool, **given):
    case = Case(twin({"name": "t"} | tool, initialState=STATE, adapters=given.pop("adapters", None)), **given)
    return case, case()


BROKEN = {
    "response": ({"handler": {"kind": "static", "response": "{missing}"}}, "{missing} is missing"),
    "response after effects": (
        {"handler": {"kind": "mutate", "effects": [WRITE], "response": "{missing}"}},
        "{missing} is missing",
    ),
    "guard": (
        {"handler": {"kind": "read", "response": 1, "preconditions": [{"that": "missing == 1"}]}},
        "missing is missing",
    ),
    "refusal": (
        {
            "handler": {
                "kind": "read",
                "response": 1,
                "preconditions": [{"that": "false", "error": {"message": "{missing}"}}],
            }
        },
        "{missing} is missing",
    ),
    "effect": (
        {"handler": {"kind": "mutate", "effects": [WRITE, {"op": "append", "path": "n", "value": 1}]}},
        "n is 1",
    ),
    "effect key": (
        {"handler": {"kind": "mutate", "effects": [WRITE]}, "effectKey": "{missing}"},
        "{missing} is missing",
    ),
    "record": ({"handler": {"kind": "read", "path": "log[{missing}]"}}, "{missing} is missing"),
    "answer": (
        {"handler": {"kind": "mutate", "effects": [WRITE]}, "outputSchema": {"required": ["id"]}},
        'the answer breaks the tool\'s outputSchema: "id" is a required property',
    ),
}


@pytest.mark.parametrize(("tool", "reason"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_done_is_the_twin_s_fault(tool, reason):
    case, call = failing(tool)
    assert case.world.twin_error.startswith("t: ")
    assert reason in case.world.twin_error
    assert (call.status, call.code, call.result) == (500, "TWIN_ERROR", "error")


@pytest.mark.parametrize(("tool", "reason"), BROKEN.values(), ids=BROKEN)
def test_everything_is_taken_back(tool, reason):
    case, call = failing(tool)
    assert (case.state, call.changes, call.computed_changes) == (STATE, (), 0)
    assert call.committed == ("none" if tool["handler"]["kind"] == "mutate" else None)


def test_the_agent_reads_why():
    _, call = failing({"handler": {"kind": "static", "response": "{missing}"}})
    assert call.body == {"error": {"code": "TWIN_ERROR", "message": "The twin failed: {missing} is missing."}}


def test_an_answer_that_fits_its_schema_passes():
    case, call = failing(
        {"handler": {"kind": "mutate", "effects": [WRITE]}, "outputSchema": {"required": ["ok"]}}
    )
    assert (call.status, case.world.twin_error) == (200, None)


def test_a_refusal_need_not_fit_the_schema():
    handler = {"kind": "read", "path": "none"}
    assert failing({"handler": handler, "outputSchema": {"required": ["id"]}})[1].status == 404


@pytest.mark.parametrize(
    ("adapter", "reason"),
    [
        (lambda *_: 1 / 0, "t: ZeroDivisionError: division by zero"),
        (lambda *_: {"body": 1}, "t: AttributeError: "),
        (lambda *_: AdapterAnswer(body=object()), "t: TypeError: "),
        (lambda *_: AdapterAnswer(state={"x": object()}), "t: TypeError: "),
    ],
)
def test_whatever_an_adapter_raises_is_the_twin_s_fault(adapter, reason):
    case, call = failing({"handler": {"kind": "custom", "adapter": "a"}}, adapters={"a": adapter})
    assert (call.status, case.state) == (500, STATE)
    assert case.world.twin_error.startswith(reason)


def test_a_failure_that_cannot_be_written_is_made_readable():
    def adapter(*_):
        raise RuntimeError("\ud800" * 2000)

    case, call = failing({"handler": {"kind": "custom", "adapter": "a"}}, adapters={"a": adapter})
    assert case.world.twin_error == "t: " + "RuntimeError: ".ljust(1000, "?")
    assert call.status == 500


def test_the_first_failure_is_kept():
    case = Case(twin({"handler": {"kind": "static", "response": ["{a}", "{b}"]}}))
    case()
    case(a=1)
    assert case.world.twin_error == "t: {a} is missing"


def test_the_case_goes_on():
    case = Case(twin({"handler": {"kind": "static", "response": "{a}"}}))
    assert [case().status, case(a=1).status] == [500, 200]


@pytest.mark.parametrize("kind", ["http_500", "timeout_after_mutation", "dropped_after_mutation"])
def test_a_failure_is_told_whatever_fault_befell_the_call(kind):
    tool = {"handler": {"kind": "mutate", "effects": [WRITE]}}
    case, call = failing(tool, faults=[fault(kind, message="{missing}")])
    expected = None if kind == "dropped_after_mutation" else "t: {missing} is missing"
    assert case.world.twin_error == expected
    assert case.state == (STATE if expected else STATE | {"log": [1]})
    assert (call.fault, call.rule, call.took_effect) == (kind, "0", expected is None)


def test_a_failed_call_takes_no_time():
    tool = {"handler": {"kind": "static", "response": "{missing}"}}
    case, call = failing(tool, faults=[fault("delay")])
    assert (call.delay_ms, case.world.now) == (0, "2026-01-01T00:00:00Z")
    assert [use.fired for use in case.world.fault_uses] == [True]


def test_a_second_delivery_that_fails_takes_both_back():
    effect = {"op": "set", "path": "log[{state.log.length()}]", "value": 1}
    handler = {"kind": "mutate", "effects": [WRITE, effect | {"if": "size(state.log) > 1"}]}
    case, call = failing({"handler": handler}, faults=[fault("message_duplication")])
    assert (call.status, case.state, len(case.world.records)) == (500, STATE, 1)
