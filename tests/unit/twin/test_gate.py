"""The gate: what is refused, in which order, and what is recorded of it."""

from collections.abc import Mapping

import pytest

from agenttwin.twin import Call, begin, step
from tests.unit.twin._cases import Case, fault, twin

ECHO = {"kind": "echo"}
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "a": {"type": "string"}, "b": {"type": "string"}},
    "required": ["n"],
}
TWIN = twin(
    {"name": "refund", "handler": ECHO, "inputSchema": SCHEMA, "idempotency": {"argument": "a"}},
    {"name": "erase", "handler": ECHO, "risk": "ADMIN"},
    {"name": "look", "handler": {"kind": "read", "response": 1}},
)


class Odd(Mapping):
    """A mapping that cannot be gone through."""

    def __getitem__(self, key):
        raise RuntimeError("no")

    def __iter__(self):
        raise RuntimeError("no")

    def __len__(self):
        return 1


def refused(tool, arguments, **given):
    call = Case(TWIN, **given).step(tool, arguments).records[0]
    return call.status, call.code, call.result


def message(tool, arguments, **given):
    return Case(TWIN, **given).step(tool, arguments).records[0].body["error"]["message"]


# each refusal


def test_an_unknown_tool_is_refused():
    assert refused("refnud", {}) == (404, "UNKNOWN_TOOL", "unknown_tool")


def test_the_nearest_tool_is_named():
    assert message("refnud", {}) == "There is no tool 'refnud'. Did you mean 'refund'?"


def test_no_tool_is_named_where_none_is_near():
    assert message("xyz", {}) == "There is no tool 'xyz'."


def test_a_tool_that_is_not_allowed_is_refused():
    assert refused("look", {}, allowed_tools=["refund"]) == (403, "TOOL_NOT_ALLOWED", "denied")


def test_no_tool_may_be_allowed():
    assert refused("look", {}, allowed_tools=[])[1] == "TOOL_NOT_ALLOWED"


def test_an_admin_tool_needs_an_approval():
    assert refused("erase", {}) == (403, "ADMIN_ONLY", "denied")
    assert refused("erase", {}, approvals=["erase"]) == (200, None, "ok")


@pytest.mark.parametrize("arguments", [None, 1, "text", [], [{}]])
def test_arguments_are_a_json_object(arguments):
    assert refused("look", arguments) == (400, "INVALID_ARGUMENTS", "invalid")
    assert message("look", arguments) == "The arguments are not a JSON object."


@pytest.mark.parametrize(
    "arguments",
    [{"a": float("nan")}, {"a": 2**53 + 1}, {"a": object()}, {1: 2}, {"a": "\ud800"}, {"a": {1, 2}}, Odd()],
    ids=["nan", "huge", "object", "key", "surrogate", "set", "odd"],
)
def test_arguments_that_are_no_json_are_refused(arguments):
    assert refused("look", arguments) == (400, "INVALID_ARGUMENTS", "invalid")
    assert message("look", arguments).startswith("The arguments are no JSON: ")


def test_arguments_nest_so_deep_and_no_deeper():
    deep = {"a": 1}
    for _ in range(300):
        deep = {"a": deep}
    assert refused("look", deep)[1] == "INVALID_ARGUMENTS"


def sized(size):
    """Arguments of so many bytes of JSON."""
    return {"a": "x" * (size - len('{"a":""}'))}


@pytest.mark.parametrize(("size", "status"), [(2**18 - 1, 200), (2**18, 200), (2**18 + 1, 413)])
def test_arguments_have_at_most_256_kib(size, status):
    assert refused("look", sized(size))[0] == status


def test_too_large_is_said_so():
    assert refused("look", sized(2**18 + 1))[1:] == ("ARGUMENTS_TOO_LARGE", "invalid")
    assert message("look", sized(2**18 + 1)) == "The arguments have more than 262,144 bytes."


def nested(levels):
    arguments = {}
    for _ in range(levels - 1):
        arguments = {"a": [arguments], "b": 1} if levels % 2 else {"a": arguments}
    return arguments


@pytest.mark.parametrize(("levels", "status"), [(62, 200), (64, 200), (66, 400)])
def test_arguments_have_at_most_64_levels(levels, status):
    assert Case(TWIN).step("look", nested(levels)).reply.status == status


def test_lists_are_levels_too():
    assert refused("look", nested(35))[:2] == (400, "INVALID_ARGUMENTS")
    assert message("look", nested(35)) == "The arguments nest deeper than 64 levels."


def test_many_containers_side_by_side_are_not_deep():
    assert Case(TWIN).step("look", {"a": [[] for _ in range(200)], "b": "[" * 200}).reply.status == 200


def test_arguments_that_are_too_deep_are_recorded_by_digest_and_length():
    (record,) = Case(TWIN).step("look", nested(100)).records
    assert set(record.arguments) == {"digest", "bytes"}


def test_arguments_must_fit_the_schema():
    assert refused("refund", {}) == (422, "INVALID_ARGUMENTS", "invalid")
    assert message("refund", {}) == 'The arguments do not fit: "n" is a required property.'


def test_up_to_three_problems_are_named_with_their_place():
    schema = {"properties": {name: {"type": "string"} for name in "abcd"}}
    case = Case(twin({"handler": ECHO, "inputSchema": schema}))
    told = case(a=1, b=2, c=3, d=4).body["error"]["message"]
    assert told.count('is not of type "string"') == 3
    assert "a: 1 is not" in told


def test_a_problem_with_a_large_value_is_told_briefly():
    schema = {"properties": {"a": {"type": "integer"}}}
    told = Case(twin({"handler": ECHO, "inputSchema": schema}))(a="x" * 10_000).body["error"]["message"]
    assert told == f'The arguments do not fit: a: "{"x" * 195}….'


@pytest.mark.parametrize(("calls", "status"), [(1, 200), (2, 200), (3, 409)])
def test_a_case_may_make_so_many_calls(calls, status):
    case = Case(TWIN, call_limit=2)
    assert [case("look").status for _ in range(calls)][-1] == status
    assert case.world.limit_exceeded == (status == 409)


def test_the_limit_is_200_and_refused_calls_count():
    case = Case(TWIN)
    statuses = [case("none").status] + [case("look").status for _ in range(200)]
    assert (statuses[-2], statuses[-1]) == (200, 409)
    assert case.world.calls[-1].code == "CALL_LIMIT_EXCEEDED"
    assert case.world.calls[-1].body["error"]["message"] == "A case may make 200 calls."


# the order


def test_an_unknown_tool_comes_first():
    assert refused("none", None, allowed_tools=[])[1] == "UNKNOWN_TOOL"


def test_what_is_not_allowed_comes_before_what_needs_an_approval():
    assert refused("erase", None, allowed_tools=[])[1] == "TOOL_NOT_ALLOWED"


def test_what_needs_an_approval_comes_before_the_arguments():
    assert refused("erase", None)[1] == "ADMIN_ONLY"


def test_the_arguments_come_before_the_limit():
    assert refused("look", None, call_limit=0)[1] == "INVALID_ARGUMENTS"
    assert refused("refund", {}, call_limit=0)[1] == "INVALID_ARGUMENTS"
    assert refused("look", {}, call_limit=0)[1] == "CALL_LIMIT_EXCEEDED"


# what a refusal is


def test_a_refused_call_is_recorded_without_a_number():
    case = Case(TWIN)
    call = case("erase", a=1)
    assert case.world.calls == (call,)
    assert (call.seq, call.number, call.tool, call.arguments) == (1, None, "erase", {"a": 1})
    assert (call.refusal, call.risk, call.committed, call.changes) == ("ADMIN_ONLY", "ADMIN", None, ())


def test_a_refused_call_takes_no_number():
    case = Case(TWIN)
    assert [case("refund").number, case("refund", n=1).number] == [None, 1]


def test_the_reply_to_a_refusal_is_its_record():
    reply = Case(TWIN).step("erase", {}).reply
    assert (reply.status, reply.wire, reply.delay_ms, reply.result, reply.ok) == (
        403,
        "whole",
        0,
        "denied",
        False,
    )
    assert reply.body == (
        b'{"error":{"code":"ADMIN_ONLY","message":"The tool \'erase\' needs an administrator\'s approval."}}'
    )


def test_a_refusal_tells_the_idempotency_key():
    case = Case(TWIN)
    call = case("refund", a="k")
    assert (call.idempotency_key, call.declares_idempotency) == ("k", True)


def test_a_refused_call_of_an_approved_tool_says_so():
    case = Case(TWIN, approvals=["erase"], call_limit=0)
    assert case("erase").approved


def test_an_unknown_tool_is_taken_for_the_worst():
    call = Case(TWIN)("none")
    assert (call.risk, call.role, call.declares_idempotency, call.idempotency_key) == (
        "WRITE_IRREVERSIBLE",
        None,
        False,
        None,
    )


def test_faults_never_touch_what_the_gate_refuses():
    case = Case(TWIN, faults=[fault("dropped_connection")])
    assert (case("none").status, case("erase").status, case("refund").status) == (404, 403, 422)
    assert [use.fired for use in case.world.fault_uses] == [False]


def test_too_large_arguments_are_recorded_by_digest_and_length():
    call = Case(TWIN).step("look", sized(2**18 + 1)).records[0]
    assert call.arguments["bytes"] == 2**18 + 1
    assert call.arguments["digest"].startswith("sha256:")


def test_arguments_that_are_no_json_are_not_recorded():
    assert Case(TWIN).step("look", {"a": object()}).records[0].arguments is None


def test_the_name_of_an_unknown_tool_is_recorded_cut_and_readable():
    call = Case(TWIN)("\ud800" + "x" * 1000)
    assert call.tool == "?" + "x" * 199


@pytest.mark.parametrize("tool", [None, 7, [], {"a": 1}])
def test_a_name_may_be_anything(tool):
    assert step(TWIN, begin(TWIN), Call(tool, {})).reply.status == 404


# a leaky twin


def test_a_leaky_twin_lets_pass_what_permissions_refuse():
    case = Case(TWIN, leaky=True, allowed_tools=[])
    assert (case("erase").status, case("look").status) == (200, 200)


def test_a_leaky_twin_still_needs_a_tool_and_arguments():
    case = Case(TWIN, leaky=True)
    assert (case("none").status, case("refund").status) == (404, 422)
