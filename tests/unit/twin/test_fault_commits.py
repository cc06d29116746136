"""How much of a call a fault lets happen: the first effect, all of it late, all of it twice."""

import pytest

from agenttwin.twin import AdapterAnswer, search
from tests.unit.twin._cases import Case, fault, shown, twin

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
TWIN = twin(WRITE, ROW, initialState=STATE)


def case(*faults, **given):
    return Case(TWIN, faults=list(faults), **given)


# first


def test_only_the_first_effect_that_changes_something_is_done():
    effects = [{"op": "delete", "path": "none"}, *WRITE["handler"]["effects"]]
    tool = {"handler": {"kind": "mutate", "effects": effects}}
    writing = Case(twin(tool, initialState=STATE), faults=[fault("inconsistent_state")])
    call = writing()
    assert (call.committed, call.computed_changes, writing.state) == ("first", 2, STATE | {"n": 1})
    assert shown(call.changes) == [("n", 0, 1)]


def test_the_first_effect_may_be_within_a_block():
    block = {
        "forEach": {"in": [1, 2], "as": "i"},
        "effects": [{"op": "append", "path": "log", "value": "{i}"}],
    }
    writing = Case(
        twin({"handler": {"kind": "mutate", "effects": [block]}}, initialState=STATE),
        faults=[fault("inconsistent_state")],
    )
    assert (writing().committed, writing.state["log"]) == ("first", [1])


def test_the_first_effect_shows_where_the_whole_would_have_changed_nothing():
    effects = [{"op": "set", "path": "n", "value": 1}, {"op": "set", "path": "n", "value": 0}]
    writing = Case(
        twin({"handler": {"kind": "mutate", "effects": effects}}, initialState=STATE),
        faults=[fault("inconsistent_state")],
    )
    call = writing()
    assert (call.committed, call.computed_changes, writing.state["n"]) == ("first", 0, 1)


def test_an_adapter_s_first_change_is_its_first_effect():
    def adapter(arguments, state, context):
        return AdapterAnswer(state={"n": 2, "log": [1], "row": {}})

    writing = Case(
        twin({"handler": {"kind": "custom", "adapter": "a"}}, adapters={"a": adapter}, initialState=STATE),
        faults=[fault("inconsistent_state")],
    )
    call = writing()
    assert (call.committed, len(call.changes), call.computed_changes) == ("first", 1, 3)


def test_what_is_kept_has_the_id_of_the_call():
    writing = case(fault("custom", commit="first", answer="computed"))
    assert writing("write").body["id"] == "0001"
    writing.world.arm([])
    assert writing("write").body["id"] == "0002"


def test_a_block_that_changes_nothing_is_no_first_effect():
    effects = [
        {"let": {"no": False}, "if": "no", "effects": [{"op": "set", "path": "n", "value": 9}]},
        {"forEach": {"in": [], "as": "i"}, "effects": [{"op": "set", "path": "n", "value": 9}]},
        {"op": "append", "path": "log", "value": 1},
        {"op": "set", "path": "n", "value": 1},
    ]
    tool = {"handler": {"kind": "mutate", "effects": effects}}
    writing = Case(twin(tool, initialState=STATE), faults=[fault("inconsistent_state")])
    assert (writing().committed, writing.state) == ("first", STATE | {"log": [1]})


# late


def late(**more):
    return fault("late_mutation", "write", when={"callNumber": 1}, **more)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_late_call_lands_before_the_nth_further_call(n):
    calling = case(late(landsBeforeCall=n))
    calling("write")
    states = []
    for _ in range(4):
        calling("row")
        states.append(calling.state["n"])
    assert states == [0] * (n - 1) + [1] * (5 - n)
    assert calling.world.records[0].landed == 1 + n


def test_a_late_call_lands_before_the_second_further_call_by_default():
    calling = case(late())
    for tool in ("write", "row", "row"):
        calling(tool)
    assert calling.world.records[0].landed == 3


def test_a_refused_call_counts_too_and_a_search_does_not():
    calling = case(late(landsBeforeCall=2))
    calling("write")
    search(TWIN, calling.world, "x")
    calling("none")
    assert calling.state["n"] == 0
    calling("none")
    assert (calling.state["n"], calling.world.records[0].landed) == (1, 4)


def test_a_late_call_lands_at_the_end_at_the_latest():
    calling = case(late(landsBeforeCall=100))
    calling("write")
    assert calling.state["n"] == 0
    calling.end()
    record = calling.world.records[0]
    assert (calling.state["n"], record.landed, record.committed) == (1, 0, "late")
    assert shown(record.changes) == [("log[0]", ..., "0001"), ("n", 0, 1)]


def test_a_late_call_lands_once():
    calling = case(late(landsBeforeCall=1))
    calling("write")
    calling("row")
    assert calling.end().end().state["n"] == 1


def test_a_keyed_retry_of_a_late_call_is_answered_at_once():
    calling = case(late())
    assert calling("write", key="k").status == 504
    again = calling("write", key="k")
    assert (again.replayed, again.body) == (True, {"id": "0001", "n": 1})
    assert calling.end().state["n"] == 1


def test_a_late_call_is_executed_when_it_lands_and_not_pasted():
    calling = case(late(landsBeforeCall=2))
    calling("write")
    calling("write")
    calling("row")
    assert (calling.state["n"], calling.state["log"]) == (2, ["0002", "0001"])


def test_guards_are_not_asked_again():
    effects = [{"op": "decrement", "path": "left", "by": 3}]
    tool = {"handler": {"kind": "mutate", "preconditions": [{"that": "state.left >= 3"}], "effects": effects}}
    calling = Case(
        twin(tool, initialState={"left": 3}), faults=[fault("late_mutation", when={"callNumber": 1})]
    )
    assert [calling().status, calling().status] == [504, 200]
    assert calling.end().state == {"left": -3}


def test_names_are_computed_when_it_lands():
    handler = {
        "kind": "mutate",
        "path": "row",
        "let": {"seen": "{state.n}"},
        "effects": [{"op": "append", "path": "log", "value": ["{seen}", "{value.a}", "{now}", "{id}"]}],
    }
    tools = [{"name": "slow", "handler": handler}, WRITE]
    rules = [fault("late_mutation", "slow", delayMs=1000)]
    calling = Case(twin(*tools, initialState=STATE), faults=rules)
    calling("slow")
    calling("write")
    assert calling.end().state["log"][-1] == [1, 1, "2026-01-01T00:00:01Z", "0001"]


def test_a_late_call_about_a_record_that_is_gone_does_nothing():
    spend = {"kind": "mutate", "path": "row", "effects": [{"op": "increment", "path": "row.a"}]}
    drop = {"kind": "mutate", "effects": [{"op": "delete", "path": "row"}]}
    tools = [{"name": "spend", "handler": spend}, {"name": "drop", "handler": drop}]
    calling = Case(twin(*tools, initialState=STATE), faults=[fault("late_mutation", "spend")])
    calling("spend")
    calling("drop")
    calling.end()
    assert ("row" in calling.state, calling.world.records[0].changes, calling.world.twin_error) == (
        False,
        (),
        None,
    )
    assert calling.world.records[0].landed == 0


def test_late_calls_land_in_the_order_in_which_they_are_due():
    rules = [
        fault("late_mutation", "write", when={"callNumber": 1}, landsBeforeCall=9),
        fault("late_mutation", "write", when={"callNumber": 2}, landsBeforeCall=5),
    ]
    calling = case(*rules)
    calling("write")
    calling("write")
    assert calling.end().state["log"] == ["0002", "0001"]


def test_a_late_call_that_changes_nothing_now_may_change_something_then():
    handler = {"kind": "mutate", "effects": [{"op": "set", "path": "n", "value": 0}]}
    tools = [{"name": "reset", "handler": handler}, WRITE]
    calling = Case(twin(*tools, initialState=STATE), faults=[fault("late_mutation", "reset")])
    assert (calling("reset").committed, calling("write").committed) == ("late", "all")
    assert calling.end().state["n"] == 0


def test_a_late_call_that_fails_is_the_twin_s_fault():
    effects = [{"op": "increment", "path": "n"}, {"op": "append", "path": "row.list", "value": 1}]
    block = {"op": "set", "path": "row.list", "value": 1}
    tools = [
        {"name": "slow", "handler": {"kind": "mutate", "effects": effects}},
        {"name": "block", "handler": {"kind": "mutate", "effects": [block]}},
    ]
    calling = Case(twin(*tools, initialState=STATE), faults=[fault("late_mutation", "slow")])
    calling("slow")
    calling("block")
    calling.end()
    assert calling.world.twin_error.startswith("slow: an accepted call failed later: row.list is 1")
    assert (calling.state["n"], calling.world.records[0].changes) == (0, ())


def test_a_late_adapter_runs_again_when_it_lands():
    def adapter(arguments, state, context):
        return AdapterAnswer(state=state | {"n": state["n"] + 1})

    tools = [{"name": "slow", "handler": {"kind": "custom", "adapter": "a"}}, WRITE]
    calling = Case(
        twin(*tools, adapters={"a": adapter}, initialState=STATE), faults=[fault("late_mutation", "slow")]
    )
    calling("slow")
    calling("write")
    assert calling.end().state["n"] == 2


def test_a_read_is_never_late():
    calling = case(fault("late_mutation", "row"))
    assert (calling("row").committed, calling.world.late) == (None, [])


# message_duplication


def test_a_redelivery_is_a_record_of_its_own_with_the_same_number():
    step = case(fault("message_duplication")).step("write", {})
    first, second = step.records
    assert (first.number, second.number, first.seq, second.seq) == (1, 1, 1, 1)
    assert (first.redelivered, second.redelivered) == (False, True)
    assert (first.committed, second.committed) == ("twice", "all")
    assert (first.computed_changes, second.computed_changes) == (2, 2)
    assert step.reply.body == first.answer


def test_a_redelivery_stands_in_the_records_and_is_no_call_of_the_agent():
    calling = case(fault("message_duplication", "write"))
    calling("write")
    assert (calling("row").seq, len(calling.world.records)) == (2, 3)


def test_a_second_run_that_is_refused_leaves_one_effect():
    handler = {
        "kind": "mutate",
        "preconditions": [{"that": "state.n == 0"}],
        "effects": [{"op": "increment", "path": "n"}],
    }
    calling = Case(twin({"handler": handler}, initialState=STATE), faults=[fault("message_duplication")])
    first, second = calling.step("t", {}).records
    assert (first.committed, first.took_effect) == ("all", False)
    assert (second.status, second.committed, calling.state["n"]) == (409, "none", 1)


def test_a_second_run_that_changes_nothing_leaves_one_effect():
    handler = {"kind": "mutate", "effects": [{"op": "set", "path": "n", "value": 1}]}
    calling = Case(twin({"handler": handler}, initialState=STATE), faults=[fault("message_duplication")])
    assert [record.committed for record in calling.step("t", {}).records] == ["all", "none"]


def test_a_read_is_delivered_twice_without_effect():
    first, second = case(fault("message_duplication")).step("row", {}).records
    assert (first.committed, first.took_effect, second.committed, second.redelivered) == (
        None,
        False,
        None,
        True,
    )
