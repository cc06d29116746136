"""Keys: what is kept, what is replayed, what is in conflict."""

import pytest

from tests.unit.twin._cases import Case, fault, twin

TAKE = {
    "kind": "mutate",
    "preconditions": [{"that": "state.left >= n"}],
    "effects": [{"op": "decrement", "path": "left", "by": "{n}"}],
    "response": {"ref": "{id}", "left": "{state.left}"},
}
STATE = {"left": 10}


def case(handler=None, *, key=None, **given):
    tool = {"handler": handler or TAKE, "idempotency": key or {"argument": "key"}}
    other = {"name": "other", "handler": TAKE, "idempotency": {"argument": "key"}}
    return Case(twin(tool, other, initialState=STATE), **given)


def test_the_same_key_with_the_same_arguments_is_answered_again():
    taking = case()
    first, second = taking(n=3, key="k"), taking(n=3, key="k")
    assert (second.status, second.answer, second.replayed) == (200, first.answer, True)
    assert (second.changes, second.committed, taking.state) == ((), "none", {"left": 7})


def test_a_replay_says_so_in_a_header():
    taking = case()
    assert [taking(n=3, key="k").headers for _ in range(2)] == [{}, {"Idempotent-Replayed": "true"}]


def test_what_a_caller_does_to_its_headers_shows_in_no_later_reply():
    taking = case()
    replies = [taking.step("t", {"n": 3, "key": "k"}).reply for _ in range(2)]
    replies[-1].headers["X"] = "1"
    assert taking.step("t", {"n": 3, "key": "k"}).reply.headers == {"Idempotent-Replayed": "true"}


def test_a_replay_counts_as_a_call_and_takes_no_id():
    taking = case()
    taking(n=1, key="k")
    assert taking(n=1, key="k").number == 2
    assert taking(n=1, key="l").body["ref"] == "0002"


def test_a_replay_is_replayed_as_often_as_asked():
    taking = case()
    assert [taking(n=3, key="k").replayed for _ in range(3)] == [False, True, True]


def test_a_key_with_other_arguments_is_a_conflict():
    taking = case()
    taking(n=3, key="k")
    call = taking(n=4, key="k")
    assert (call.status, call.code, call.replayed, call.changes) == (409, "IDEMPOTENCY_CONFLICT", False, ())
    assert call.body["error"]["message"] == "This idempotency key was used with other arguments."


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [(3, 3.0, 200), (3.0, 3, 200), (1, True, 409), (3, "3", 409), (3, None, 409)],
)
def test_arguments_are_compared_as_json(first, second, status):
    taking = case({"kind": "echo"})
    taking(n=first, key="k")
    assert taking(n=second, key="k").status == status


def test_a_missing_argument_is_another():
    taking = case({"kind": "echo"})
    taking(n=None, key="k")
    assert taking(key="k").status == 409


def test_the_order_of_arguments_does_not_count():
    taking = case({"kind": "echo"})
    taking(a=1, b=2, key="k")
    assert taking(key="k", b=2, a=1).replayed


def test_without_a_key_nothing_is_replayed():
    taking = case()
    assert [taking(n=3).replayed for _ in range(2)] == [False, False]
    assert taking.state == {"left": 4}


def test_a_null_key_is_no_key():
    taking = case()
    assert [taking(n=3, key=None).idempotency_key for _ in range(2)] == [None, None]
    assert taking.state == {"left": 4}


def test_a_key_that_is_no_text_is_its_spelling():
    taking = case()
    assert [taking(n=3, key=42).idempotency_key, taking(n=3, key=42.0).replayed] == ["42", True]


def test_a_key_holds_for_one_tool():
    taking = case()
    taking("t", n=3, key="k")
    assert not taking("other", n=3, key="k").replayed


def test_a_key_may_come_in_a_header():
    taking = case(key={"header": "Idempotency-Key"})
    first = taking(n=3, headers={"idempotency-KEY": "k"})
    second = taking(n=3, headers={"Other": "x", "IDEMPOTENCY-Key": "k"})
    assert (first.idempotency_key, second.replayed) == ("k", True)


def test_with_a_header_every_argument_counts():
    taking = case({"kind": "echo"}, key={"header": "Idempotency-Key"})
    taking(key="a", headers={"Idempotency-Key": "k"})
    assert taking(key="b", headers={"Idempotency-Key": "k"}).status == 409


def test_an_argument_wins_over_a_header():
    taking = case(key={"header": "K", "argument": "key"})
    assert taking(n=1, key="a", headers={"K": "b"}).idempotency_key == "a"
    assert taking(n=1, headers={"K": "b"}).idempotency_key == "b"


@pytest.mark.parametrize("headers", [{"K": 7}, {7: "x", "K": "7"}])
def test_headers_may_be_anything(headers):
    assert case(key={"header": "K"})(n=1, headers=headers).idempotency_key == "7"


def test_a_key_in_a_header_is_made_readable():
    assert case(key={"header": "K"})(n=1, headers={"K": "\ud800"}).idempotency_key == "?"


def test_a_tool_without_idempotency_knows_no_key():
    taking = Case(twin({"handler": TAKE}, initialState=STATE))
    call = taking(n=3, key="k", headers={"Idempotency-Key": "k"})
    assert (call.idempotency_key, call.declares_idempotency) == (None, False)


def test_a_template_sees_the_key():
    echo = {"kind": "static", "response": "{idempotency_key}"}
    assert case(echo)(key="k").body == "k"


def test_a_refusal_is_not_kept():
    taking = case()
    assert taking(n=11, key="k").status == 409
    taking.world.tree.set(("left",), 20)
    assert (taking(n=11, key="k").status, taking.state) == (200, {"left": 9})


def test_a_read_is_kept_too():
    looking = case({"kind": "read", "path": "left"})
    assert [looking(key="k").replayed for _ in range(2)] == [False, True]


def test_a_success_that_changes_nothing_is_kept():
    taking = case()
    assert [taking(n=0, key="k").replayed for _ in range(2)] == [False, True]


@pytest.mark.parametrize(
    ("kind", "replayed", "left"),
    [
        ("timeout_before_mutation", False, 7),
        ("timeout_after_mutation", True, 7),
        ("success_without_mutation", False, 7),
        ("partial_response", True, 7),
        ("semantic_bad_response", True, 7),
        ("late_mutation", True, 10),
        ("message_duplication", True, 7),
    ],
)
def test_only_a_success_that_was_wholly_committed_or_accepted_is_kept(kind, replayed, left):
    body = {"body": 1} if kind == "semantic_bad_response" else {}
    taking = case(faults=[fault(kind, "t", when={"callNumber": 1}, **body)])
    taking(n=3, key="k")
    again = taking(n=3, key="k")
    assert (again.replayed, again.status, taking.state["left"]) == (replayed, 200, left)


def test_what_is_kept_is_the_handler_s_answer_and_not_the_fault_s():
    taking = case(faults=[fault("semantic_bad_response", "t", when={"callNumber": 1}, body={"no": 1})])
    assert taking(n=3, key="k").body == {"no": 1}
    assert taking(n=3, key="k").body == {"ref": "0001", "left": 7}


def test_a_half_committed_call_is_not_kept():
    handler = TAKE | {"effects": [*TAKE["effects"], {"op": "increment", "path": "taken"}]}
    taking = case(handler, faults=[fault("inconsistent_state", "t", when={"callNumber": 1})])
    assert [taking(n=3, key="k").committed, taking(n=3, key="k").committed] == ["first", "all"]
    assert taking.state == {"left": 4, "taken": 1}


def test_where_the_first_effect_is_all_the_call_is_whole():
    taking = case(faults=[fault("inconsistent_state", "t", when={"callNumber": 1})])
    assert [taking(n=3, key="k").committed, taking(n=3, key="k").replayed] == ["all", True]


def test_a_replay_can_time_out():
    taking = case(faults=[fault("timeout_after_mutation", "t", when={"callNumber": 2})])
    taking(n=3, key="k")
    call = taking(n=3, key="k")
    assert (call.status, call.replayed, call.took_effect, taking.state) == (504, True, True, {"left": 7})


def test_a_conflict_passes_a_fault_as_the_refusal_it_is():
    taking = case(faults=[fault("semantic_bad_response", "t", when={"callNumber": 2}, body=1)])
    taking(n=3, key="k")
    call = taking(n=4, key="k")
    assert (call.status, call.took_effect) == (409, False)


def test_a_failure_of_the_twin_keeps_nothing():
    taking = case(faults=[fault("timeout_after_mutation", "t", when={"callNumber": 1}, message="{nobody}")])
    assert taking(n=3, key="k").status == 500
    again = taking(n=3, key="k")
    assert (again.replayed, taking.state) == (False, {"left": 7})
