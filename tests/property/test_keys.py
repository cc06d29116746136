"""Laws of idempotency keys: whatever the rules of a service, whatever is called, fails and passes."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agenttwin.document import read
from agenttwin.transcript import Commit
from agenttwin.twin import FAULTS, Call, FaultRule, TwinDefinition, begin, compile, finish, milliseconds, step
from agenttwin.values import equal

HANDLER = {
    "kind": "mutate",
    "preconditions": [{"that": "state.left >= n", "error": {"status": 422}}],
    "effects": [
        {"op": "decrement", "path": "left", "by": "{n}"},
        {"op": "append", "path": "log", "value": "{n}"},
    ],
    "response": {"left": "{state.left}"},
}
RULES = st.fixed_dictionaries(
    {"argument": st.just("key")},
    optional={
        "keep": st.sampled_from(["success", "executed", "final"]),
        "scope": st.sampled_from(["tool", "tenant", "twin"]),
        "expiresAfter": st.sampled_from(["PT1S", "PT10S", "P1D"]),
        "mismatch": st.sampled_from(["error", "replay"]),
        "inFlight": st.sampled_from(["error", "replay"]),
        "maxLength": st.just(1),
        "required": st.booleans(),
    },
)
KINDS = sorted(set(FAULTS) - {"custom", "semantic_bad_response", "message_duplication"})
CALLS = st.tuples(
    st.sampled_from(["a", "b"]),
    st.sampled_from(["us", "them"]),
    st.sampled_from([None, "k", "l", "long"]),
    st.integers(1, 3),
    st.none() | st.sampled_from(KINDS),
    st.sampled_from([0, 999, 1_000, 10_000]),
)


def play(rules, calls):
    """The world after the calls, and for each (rules' slot, time in ms, tenant, record)."""
    tools = [{"name": name, "handler": HANDLER, "idempotency": rules} for name in "ab"]
    document = {
        "apiVersion": "agenttwin.dev/v1",
        "kind": "TwinDefinition",
        "metadata": {"name": "keys"},
        "spec": {"initialState": {"left": 9, "log": []}, "tools": tools},
    }
    models = {"TwinDefinition": TwinDefinition}
    world = begin(compile(read(json.dumps(document), file="twin.json", models=models).model), tenant="us")
    told = []
    scope = rules.get("scope", "tool")
    for tool, tenant, key, n, fault, passed in calls:
        world.act_for(tenant)
        behavior = {"type": fault, **({"delayMs": 0} if fault in ("delay", "slow_response") else {})}
        world.arm([FaultRule(target="*", behavior=behavior)] if fault else [])
        now = world.clock
        arguments = {"n": n} | ({"key": key} if key is not None else {})
        record = step(world.twin, world, Call(tool, arguments)).records[0]
        slot = (tool if scope == "tool" else "", "" if scope == "twin" else tenant, key)
        told.append((slot, now, len(world.records) - 1, n))
        world.advance(passed)
        assert record.status != 500 or record.code != "TWIN_ERROR"
    finish(world)
    return world, told


def done(record):
    """Whether the call was executed whole: it took what it was asked to take."""
    return not record.replayed and record.committed in (Commit.ALL, Commit.LATE) and bool(record.changes)


@given(RULES, st.lists(CALLS, min_size=2, max_size=10))
def test_one_key_does_one_thing_until_it_expires_or_its_answer_is_forgotten(rules, calls):
    world, told = play(rules, calls)
    assert world.twin_error is None
    lifetime = milliseconds(rules["expiresAfter"]) if "expiresAfter" in rules else None
    last = {}
    for slot, now, index, _ in told:
        record = world.records[index]
        if slot[2] is None or not done(record):
            continue
        earlier = last.get(slot)
        if earlier is not None:
            then, first = earlier
            expired = lifetime is not None and (now - then).total_seconds() * 1000 >= lifetime
            forgotten = rules.get("keep") == "final" and first.status in range(500, 504)
            assert expired or forgotten, (slot, first.status, record.status)
        last[slot] = now, record


@given(RULES, st.lists(CALLS, min_size=2, max_size=10))
def test_a_replay_changes_nothing_and_says_so(rules, calls):
    world, told = play(rules, calls)
    for _, _, index, _ in told:
        record = world.records[index]
        if record.replayed:
            assert (record.changes, record.committed, record.landed) == ((), Commit.NONE, None)
            assert record.headers.get("Idempotent-Replayed") == "true" or record.took_effect


@given(RULES, st.lists(CALLS, min_size=2, max_size=10))
def test_the_state_holds_what_the_records_say_was_done(rules, calls):
    world, told = play(rules, calls)
    taken = [n for _, _, index, n in told if done(world.records[index])]
    state = world.tree.plain()
    assert len(state["log"]) == len(taken)
    assert sorted(state["log"]) == sorted(taken)


@given(RULES, st.lists(CALLS, min_size=2, max_size=10))
def test_playing_it_again_gives_the_same_records(rules, calls):
    first, again = play(rules, calls)[0], play(rules, calls)[0]
    assert [(r.status, r.answer, r.replayed, r.code) for r in first.records] == [
        (r.status, r.answer, r.replayed, r.code) for r in again.records
    ]
    assert equal(first.tree.plain(), again.tree.plain())
