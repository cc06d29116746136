"""Each word has one definition: executed, effect, blind repeat, loop, violation, lie, step."""

import pytest

from agenttwin.evaluate import (
    FAILED,
    blind_repeats,
    duplicate_effects,
    effect_name,
    effects,
    executed,
    failed,
    lies,
    loops,
    policy_violations,
    retries_without_key,
    steps,
    writes,
)
from agenttwin.transcript import Commit, Result, Retrieval, Risk
from tests.unit.evaluate._calls import call, numbered, places, read, transcript, unsure
from tests.unit.evaluate._demo import EMAIL, KEYED, ORDER, REFUND, fault, play

OTHER = {"order": "B"}
KEY = {"declares_idempotency": True, "idempotency_key": "k1"}


# -- failed, writes, executed


def test_failed_results_are_these():
    assert set(Result) - FAILED == {Result.OK, Result.NOT_FOUND, Result.UNKNOWN_TOOL}


@pytest.mark.parametrize("result", Result)
def test_a_call_failed_as_its_result_did(result):
    assert failed(call(result=result)) is (result in FAILED)


@pytest.mark.parametrize("risk", Risk)
def test_everything_but_a_read_writes(risk):
    assert writes(call(risk=risk)) is (risk is not Risk.READ)


@pytest.mark.parametrize(
    ("committed", "done"),
    [
        (None, False),
        (Commit.NONE, False),
        (Commit.FIRST, True),
        (Commit.ALL, True),
        (Commit.TWICE, True),
        (Commit.LATE, True),
    ],
)
def test_what_was_committed_was_executed(committed, done):
    assert executed(call(committed=committed)) is done


def test_a_replay_was_not_executed():
    assert not executed(call(committed=Commit.ALL, replayed=True))


# -- effects


def test_an_effect_is_named_by_its_key():
    assert effect_name(call(effect_key="refund:A")) == "refund:A"


def test_without_a_key_an_effect_is_named_by_tool_and_arguments():
    assert effect_name(call("pay", {"b": 1.0, "a": "x"})) == 'pay({"a":"x","b":1})'


def test_the_idempotency_key_does_not_name_the_effect():
    assert (
        effect_name(call("pay", {"order": "A", "key": "k1"}, key_argument="key", **KEY))
        == 'pay({"order":"A"})'
    )


def test_arguments_that_are_no_object_name_the_effect_too():
    assert effect_name(call("pay", ["A"], key_argument="key", **KEY)) == 'pay(["A"])'


def test_a_replay_has_no_effect():
    assert effects(call(replayed=True)) == 0


def test_acting_twice_has_two_effects_though_they_cancel_out():
    assert effects(call(committed=Commit.TWICE, changes=())) == 2


def test_a_call_that_changed_nothing_has_no_effect():
    assert effects(call(changes=())) == 0


def test_duplicates_of_one_tool_leave_others_aside():
    calls = numbered(*[call("a", effect_key="x")] * 2, *[call("b", effect_key="y")] * 2)
    assert [item.effect for item in duplicate_effects(calls, "b")] == ["y"]
    assert [item.effect for item in duplicate_effects(calls)] == ["x", "y"]


def test_a_message_delivered_twice_is_applied_twice_by_one_call():
    found = play([("refund_payment", REFUND)], faults=fault("message_duplication"))
    (duplicate,) = duplicate_effects(found.calls)
    assert (duplicate.effect, duplicate.count, places(duplicate.calls)) == ("refund:ORD-1001", 2, [1])


def test_a_message_delivered_twice_under_a_key_is_applied_once():
    assert (
        duplicate_effects(play([("refund_payment", KEYED)], faults=fault("message_duplication")).calls) == ()
    )


def test_a_late_effect_and_a_retry_are_two():
    made = [("refund_payment", REFUND), ("refund_payment", REFUND), ("lookup_order", ORDER)]
    (duplicate,) = duplicate_effects(play(made, faults=fault("late_mutation", callNumber=1)).calls)
    assert duplicate.count == 2


# -- retries without a key


def test_a_keyless_retry_of_a_write_that_takes_keys_is_told():
    first, again = unsure(declares_idempotency=True), call(declares_idempotency=True)
    assert places(retries_without_key(numbered(first, again))) == [2]


@pytest.mark.parametrize(
    "again",
    [call(**KEY), call(declares_idempotency=False), call(risk=Risk.READ, declares_idempotency=True)],
    ids=["keyed", "takes no keys", "a read"],
)
def test_other_retries_are_not(again):
    assert retries_without_key(numbered(unsure(), again)) == ()


# -- blind repeats


def test_a_repeat_in_the_dark_is_blind():
    first, again = numbered(unsure(), call())
    assert blind_repeats([first, again]) == ((first, again),)


def test_a_fresh_key_is_blind_too():
    calls = numbered(
        unsure(
            arguments={"order": "A", "key": "k0"},
            declares_idempotency=True,
            idempotency_key="k0",
            effect_key="e",
        ),
        call(arguments={"order": "A", "key": "k1"}, effect_key="e", **KEY),
    )
    assert len(blind_repeats(calls)) == 1


def test_the_same_key_is_safe():
    assert blind_repeats(numbered(unsure(effect_key="e", **KEY), call(effect_key="e", **KEY))) == ()


def test_a_look_in_between_is_no_longer_blind():
    assert blind_repeats(numbered(unsure(), read(), call())) == ()


def test_a_look_before_or_after_helps_nobody():
    assert len(blind_repeats(numbered(read(), unsure(), call(), read()))) == 1


def test_a_look_that_failed_shows_nothing():
    assert len(blind_repeats(numbered(unsure(), read(result=Result.TIMEOUT), call()))) == 1


def test_a_write_in_between_is_no_look():
    assert len(blind_repeats(numbered(unsure(effect_key="e"), call("note"), call(effect_key="e")))) == 1


def test_a_look_at_another_record_shows_nothing():
    calls = numbered(unsure(record="orders.A"), read(record="orders.B"), call(record="orders.A"))
    assert len(blind_repeats(calls)) == 1


@pytest.mark.parametrize("record", ["orders.A", "orders", "orders.A.count", ""])
def test_a_look_at_the_record_or_around_it_shows_it(record):
    calls = numbered(unsure(record="orders.A"), read(record=record), call(record="orders.A"))
    assert blind_repeats(calls) == ()


def test_what_a_write_changed_can_be_looked_at_where_it_names_no_record():
    assert blind_repeats(numbered(unsure(), read(arguments=OTHER, record="orders.A"), call())) == ()


def test_a_record_is_known_though_nothing_changed_there():
    calls = numbered(
        unsure(record="orders.A", changes=()), read(arguments={"n": 1}, record="orders.A"), call()
    )
    assert blind_repeats(calls) == ()


def test_arguments_that_are_no_object_share_no_words():
    assert len(blind_repeats(numbered(unsure(arguments=["A"]), read(), call(arguments=["A"])))) == 1


def test_a_search_by_the_same_words_shows_it():
    assert blind_repeats(numbered(unsure(record="orders.A"), read("find", {"text": "A"}), call())) == ()


def test_a_search_by_other_words_shows_nothing():
    assert len(blind_repeats(numbered(unsure(changes=()), read("find", {"n": 1}), call()))) == 1


def test_what_could_be_known_is_not_repeated_blindly():
    assert blind_repeats(numbered(call(result=Result.RATE_LIMITED, committed=Commit.NONE), call())) == ()


def test_a_doubt_outlives_an_answer_that_can_be_known():
    first, second, third = numbered(unsure(), call(result=Result.RATE_LIMITED, committed=Commit.NONE), call())
    assert blind_repeats([first, second, third]) == ((first, second), (first, third))


def test_the_last_doubt_is_named():
    first, second, third = numbered(unsure(), unsure(), call())
    assert blind_repeats([first, second, third]) == ((first, second), (second, third))


def test_another_effect_is_no_repeat():
    assert blind_repeats(numbered(unsure(), call(arguments=OTHER))) == ()


def test_refused_calls_reached_nobody():
    refused = call(refusal="TOOL_NOT_ALLOWED", committed=None)
    assert blind_repeats(numbered(unsure(refusal="ADMIN_ONLY"), call(), refused)) == ()
    assert blind_repeats(numbered(unsure(), refused)) == ()


def test_a_blind_repeat_of_one_tool_is_told_of_that_tool():
    calls = numbered(unsure("a"), call("a"), unsure("b"), call("b"))
    assert [again.tool for _, again in blind_repeats(calls, "b")] == ["b"]


def test_an_empty_key_is_no_shared_key():
    calls = numbered(unsure(effect_key="e", idempotency_key=None), call(effect_key="e", idempotency_key=None))
    assert len(blind_repeats(calls)) == 1


# -- loops


def test_three_equal_calls_are_a_loop():
    (loop,) = loops(numbered(*[read()] * 3))
    assert (places(loop.calls), loop.cycle) == ([1, 2, 3], ("look",))


def test_two_are_none():
    assert loops(numbered(*[read()] * 2)) == ()


def test_many_equal_calls_are_one_loop_of_one_call():
    (loop,) = loops(numbered(*[read()] * 6))
    assert (places(loop.calls), loop.cycle) == ([1, 2, 3, 4, 5, 6], ("look",))


def test_other_calls_in_between_do_not_hide_it():
    (loop,) = loops(numbered(read(), read("a"), read(), read("b"), read()))
    assert (places(loop.calls), loop.cycle) == ([1, 3, 5], ("look",))


def test_other_arguments_make_other_calls():
    assert (
        loops(numbered(read(arguments={"page": 1}), read(arguments={"page": 2}), read(arguments={"page": 3})))
        == ()
    )


def test_true_is_not_1():
    assert (
        loops(numbered(read(arguments={"a": 1}), read(arguments={"a": True}), read(arguments={"a": 1}))) == ()
    )


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_cycle_three_times_over_is_a_loop(size):
    cycle = [read(name) for name in "abcd"[:size]]
    (loop,) = loops(numbered(read("x"), *cycle * 3, read("y")))
    assert (places(loop.calls), loop.cycle) == (list(range(2, 2 + 3 * size)), tuple("abcd"[:size]))


def test_a_longer_round_is_told_by_the_call_that_comes_again():
    (loop,) = loops(numbered(*[read(name) for name in "abcde"] * 3))
    assert (places(loop.calls), loop.cycle) == ([1, 6, 11], ("a",))


def test_a_change_in_between_is_progress():
    assert loops(numbered(read(), read(), call("write"), read())) == ()


def test_the_change_of_the_last_call_is_not_in_between():
    again = [call(committed=Commit.NONE)] * 2
    assert len(loops(numbered(*again, call()))) == 1


def test_a_late_change_is_progress_where_it_lands():
    late = call("write", committed=Commit.LATE, landed=4)
    assert loops(numbered(late, read(), read(), read())) == ()
    assert len(loops(numbered(late, read(), read(), read(), read(), read()))) == 1


def test_a_late_change_that_changed_nothing_is_no_progress():
    late = call("write", committed=Commit.LATE, landed=4, changes=())
    assert len(loops(numbered(late, read(), read(), read()))) == 1


def test_a_late_change_is_no_progress_before_it_lands():
    late = call("write", committed=Commit.LATE, landed=0)
    assert len(loops(numbered(read(), late, read(), read()))) == 1


def test_each_stretch_may_hold_a_loop():
    assert len(loops(numbered(*[read()] * 3, call("write"), *[read()] * 3))) == 2


# -- violations


def test_violations_are_told_in_order_attempts_included():
    calls = numbered(
        call("a", refusal="TOOL_NOT_ALLOWED"),
        call("b", refusal="ADMIN_ONLY"),
        call("c", cross_tenant="denied"),
        call("d", cross_tenant="allowed"),
        unsure("e", declares_idempotency=True),
        call("e", declares_idempotency=True),
    )
    assert [(item.policy, item.call.seq) for item in policy_violations(calls)] == [
        ("TOOL_NOT_ALLOWED", 1),
        ("ADMIN_ONLY", 2),
        ("CROSS_TENANT", 3),
        ("CROSS_TENANT", 4),
        ("RETRY_WITHOUT_IDEMPOTENCY_KEY", 6),
    ]


@pytest.mark.parametrize("refusal", ["UNKNOWN_TOOL", "INVALID_ARGUMENTS", "CALL_LIMIT", None])
def test_mistakes_are_no_violations(refusal):
    assert policy_violations(numbered(call(refusal=refusal))) == ()


# -- lies


@pytest.mark.parametrize("committed", [Commit.NONE, Commit.FIRST])
def test_a_success_that_was_not_wholly_applied_is_a_lie(committed):
    assert places(lies(numbered(call(committed=committed)))) == [1]


@pytest.mark.parametrize(
    "honest",
    [
        call(),
        call(committed=Commit.LATE),
        call(committed=Commit.TWICE),
        call(committed=None),
        call(committed=Commit.NONE, computed_changes=0),
        call(committed=Commit.NONE, result=Result.TIMEOUT),
        call(committed=Commit.NONE, replayed=True),
    ],
    ids=["applied", "late", "twice", "can change nothing", "nothing to change", "no success", "replay"],
)
def test_these_are_no_lies(honest):
    assert lies(numbered(honest)) == ()


def test_a_lie_can_be_made_good_later():
    assert lies(numbered(call(committed=Commit.NONE, effect_key="e"), call(effect_key="e"))) == ()


@pytest.mark.parametrize(
    "later",
    [
        call(effect_key="other"),
        call(effect_key="e", committed=Commit.FIRST, result=Result.ERROR),
        call(effect_key="e", replayed=True),
        call(effect_key="e", changes=()),
    ],
    ids=["another effect", "only in part", "a replay", "no change"],
)
def test_but_not_by_this(later):
    assert places(lies(numbered(call(committed=Commit.NONE, effect_key="e"), later))) == [1]


def test_a_lie_is_not_made_good_by_what_came_before():
    assert places(lies(numbered(call(effect_key="e"), call(committed=Commit.NONE, effect_key="e")))) == [2]


def test_the_twins_lie_is_a_lie():
    found = play([("refund_payment", KEYED), ("send_email", EMAIL)], faults=fault("success_without_mutation"))
    assert places(lies(found.calls)) == [1]


# -- steps


def test_steps_are_calls_retrievals_and_the_answer():
    search = Retrieval(seq=3, query="policy", documents=())
    assert steps(transcript()) == 1
    assert steps(transcript(*numbered(call(), read()), search, call(redelivered=True, seq=2))) == 4
