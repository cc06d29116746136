"""Worlds: how a case begins, what it costs, and that no two share anything that changes."""

import json
from datetime import UTC, datetime

import pytest

from agenttwin.errors import LimitExceeded, UsageError
from agenttwin.twin import _world as world_module
from agenttwin.twin import begin
from tests.unit.twin._cases import Case, fault, shown, twin

STATE = {"a": {"n": 1, "m": 2}, "kb": [{"id": "one"}]}
ADD = {"handler": {"kind": "mutate", "effects": [{"op": "increment", "path": "a.n"}], "response": "{id}"}}
KEYED = ADD | {"name": "keyed", "idempotency": {"argument": "key"}}
TWIN = twin(ADD, KEYED, initialState=STATE)


# the state


def test_a_case_begins_with_the_initial_state():
    assert Case(TWIN).state == STATE


def test_a_twin_without_state_begins_empty():
    assert Case(twin({"handler": {"kind": "echo"}}, initialState=None)).state == {}


def test_a_state_is_merged_on_the_initial_state():
    assert Case(TWIN, state={"a": {"m": None, "k": 3}, "b": 4}).state == STATE | {
        "a": {"n": 1, "k": 3},
        "b": 4,
    }


def test_a_state_may_replace_the_initial_state():
    assert Case(TWIN, state={"a": {"n": 5, "x": None}}, replace_state=True).state == {
        "a": {"n": 5, "x": None}
    }


def test_the_twin_s_own_state_is_never_written_to():
    Case(TWIN, state={"a": {"n": 7}})()
    assert Case(TWIN).state == STATE


def test_what_the_caller_does_to_its_state_later_does_not_show():
    given = {"a": {"n": 5}}
    case = Case(TWIN, state=given, replace_state=True)
    given["a"]["n"] = 6
    assert case.state["a"]["n"] == 5


def test_what_the_case_does_does_not_show_in_the_caller_s_state():
    given = {"a": {"n": 5}}
    Case(TWIN, state=given, replace_state=True)()
    assert given == {"a": {"n": 5}}


def test_changes_are_told_from_the_start_of_the_case():
    case = Case(TWIN, state={"a": {"n": 5}})
    assert case.world.changes == ()
    case()
    assert shown(case.world.changes) == [("a.n", 5, 6)]


def test_the_state_before_stays_as_it_was():
    case = Case(TWIN, state={"a": {"n": 5}})
    case()
    assert case.world.before.plain()["a"]["n"] == 5


LARGE = {"rows": [{"id": index, "text": "x" * 50} for index in range(2000)]}


def test_a_large_state_handed_in_again_is_not_copied_again():
    first, second = (begin(TWIN, state=LARGE, replace_state=True) for _ in range(2))
    assert first.tree.plain() is second.tree.plain()


def test_a_large_state_of_equal_content_is_another_object():
    first, second = (begin(TWIN, state=json.loads(json.dumps(LARGE)), replace_state=True) for _ in range(2))
    assert first.tree.plain() is not second.tree.plain()


def test_a_small_state_is_copied_each_time():
    given = {"a": 1}
    first, second = (begin(TWIN, state=given, replace_state=True) for _ in range(2))
    assert first.tree.plain() is not second.tree.plain()


def test_a_large_state_handed_in_again_is_not_merged_again():
    first, second = (begin(TWIN, state=LARGE) for _ in range(2))
    assert first.tree.plain() == STATE | LARGE
    assert first.tree.plain() is second.tree.plain()


def test_a_large_state_is_merged_anew_on_another_twin():
    other = twin(ADD, initialState={"b": 1})
    assert (Case(TWIN, state=LARGE).state, Case(other, state=LARGE).state) == (
        STATE | LARGE,
        {"b": 1} | LARGE,
    )


def test_a_large_state_that_was_merged_may_replace():
    begin(TWIN, state=LARGE)
    assert Case(TWIN, state=LARGE, replace_state=True).state == LARGE


def test_so_many_large_states_are_kept_and_no_more():
    states = [LARGE | {"index": index} for index in range(world_module._KEPT_STATES + 2)]
    for state in states:
        begin(TWIN, state=state, replace_state=True)
    assert len(world_module._states) == world_module._KEPT_STATES


def test_a_case_cannot_change_a_kept_state():
    kept = LARGE | {"a": {"n": 1}}
    for _ in range(2):
        case = Case(TWIN, state=kept, replace_state=True)
        case()
        assert case.state["a"]["n"] == 2


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_state_has_at_most_so_many_bytes(monkeypatch, more):
    monkeypatch.setattr(world_module, "MAX_STATE_BYTES", 1000)
    state = {"a": "x" * (1000 - len('{"a":""}') + more)}
    if more <= 0:
        assert begin(TWIN, state=state, replace_state=True).tree.plain() == state
    else:
        with pytest.raises(LimitExceeded) as refusal:
            begin(TWIN, state=state, replace_state=True)
        assert (refusal.value.code, refusal.value.message) == (
            "state_too_large",
            "The state has 1,001 bytes; 1,000 are allowed.",
        )


def test_the_limits_are_64_mib_and_64_kib():
    assert (world_module.MAX_STATE_BYTES, world_module.SHARED_STATE_BYTES) == (64 * 2**20, 64 * 2**10)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ([1], "The state is no JSON object."),
        ("text", "The state is no JSON object."),
        ({"a": object()}, "The state is no JSON: "),
        ({1: 2}, "The state is no JSON: "),
        ({"a": [float("nan")]}, "The state is no JSON: a[0]: nan is not a JSON number."),
        ({"a": float("inf")}, "The state is no JSON: a: inf is not a JSON number."),
        ({"a": 2**70}, "The state is no JSON: "),
    ],
)
def test_a_state_that_is_no_json_object_is_refused(state, reason):
    with pytest.raises(UsageError) as refusal:
        begin(TWIN, state=state)
    assert refusal.value.code == "invalid_state"
    assert refusal.value.message.startswith(reason)


# documents


def test_documents_join_the_knowledge_base_untrusted():
    given = {"id": "two", "content": "text"}
    case = Case(TWIN, documents=[given, {"id": "three", "trusted": True}])
    assert case.state["kb"] == [
        {"id": "one"},
        {"trusted": False, "id": "two", "content": "text"},
        {"trusted": True, "id": "three"},
    ]


def test_documents_begin_a_knowledge_base():
    compiled = twin(ADD, initialState={}, retrieval={"statePath": "docs.all"})
    assert Case(compiled, documents=[{"id": "x"}]).state["docs"]["all"][0]["id"] == "x"


def test_documents_are_no_change_of_the_case():
    assert Case(TWIN, documents=[{"id": "two"}]).world.changes == ()


def test_a_knowledge_base_that_is_no_list_cannot_be_joined():
    with pytest.raises(UsageError) as refusal:
        begin(TWIN, state={"kb": {"a": 1}}, documents=[{"id": "x"}])
    assert refusal.value.code == "invalid_state"
    assert refusal.value.message == (
        'The documents cannot join the knowledge base: kb is {"a": 1}, not a list.'
    )


@pytest.mark.parametrize(("name", "value"), [("settings", {"a": object()}), ("documents", [[1]])])
def test_settings_and_documents_are_json_objects(name, value):
    with pytest.raises(UsageError):
        begin(TWIN, **{name: value})


def test_settings_are_copied():
    given = {"a": [1]}
    world = begin(TWIN, settings=given)
    given["a"].append(2)
    assert world.settings == {"a": [1]}


# the clock


@pytest.mark.parametrize(
    ("text", "shown_as"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00", "2026-01-01T00:00:00Z"),
        ("2026-01-01", "2026-01-01T00:00:00Z"),
        ("2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00.1234Z", "2026-01-01T00:00:00.123Z"),
        ("0099-01-01T00:00:00Z", "0099-01-01T00:00:00Z"),
    ],
)
def test_a_time_is_read(text, shown_as):
    assert begin(TWIN, now=text).now == shown_as


@pytest.mark.parametrize("text", ["soon", "", "2026-13-01", "0001-01-01T00:00:00+23:00", 7])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(UsageError) as refusal:
        begin(TWIN, now=text)
    assert (refusal.value.code, str(text) in refusal.value.message) == ("invalid_time", True)


def test_the_clock_is_moved_forward_only():
    world = begin(TWIN)
    world.advance(90_061_001)
    assert world.now == "2026-01-02T01:01:01.001Z"
    world.advance(0)
    world.advance(-5)
    assert world.now == "2026-01-02T01:01:01.001Z"


def test_the_clock_ends_with_the_year_9999():
    world = begin(TWIN, now="9999-12-31T23:59:59Z")
    world.advance(5_000)
    world.advance(5_000)
    assert (world.now, world.clock) == (
        "9999-12-31T23:59:59.999Z",
        datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC),
    )


# forks


def test_a_fork_goes_on_by_itself():
    case = Case(TWIN)
    case()
    fork = case.world.fork()
    case()
    assert (case.state["a"]["n"], fork.tree.plain()["a"]["n"]) == (3, 2)
    assert (len(case.world.records), len(fork.records)) == (2, 1)


def both(case):
    """The case and a fork of it, as cases."""
    other = Case(case.twin)
    other.world = case.world.fork()
    return case, other


def test_a_fork_counts_by_itself():
    case, fork = both(Case(TWIN))
    case()
    assert (case().body, fork().body, fork.world.calls[0].number, fork.world.seq) == ("0002", "0001", 1, 1)


def test_a_fork_keeps_keys_by_itself():
    case, fork = both(Case(TWIN))
    case("keyed", key="k")
    assert (case("keyed", key="k").replayed, fork("keyed", key="k").replayed) == (True, False)


def test_a_fork_keeps_the_keys_it_had():
    case = Case(TWIN)
    case("keyed", key="k")
    _, fork = both(case)
    assert fork("keyed", key="k").replayed


def test_a_fork_meets_faults_by_itself():
    rules = [fault("http_500", when={"matching": 2}), fault("rate_limit", quota=2)]
    case, fork = both(Case(TWIN, faults=rules))
    assert [case().status for _ in range(3)] == [200, 500, 429]
    assert [use.fired for use in fork.world.fault_uses] == [False, False]
    assert [fork().status for _ in range(3)] == [200, 500, 429]


def test_a_fork_lands_late_calls_by_itself():
    case = Case(TWIN, faults=[fault("late_mutation", when={"callNumber": 1})])
    case()
    case, fork = both(case)
    case.end()
    assert (case.state["a"]["n"], fork.state["a"]["n"]) == (2, 1)
    assert (case.world.records[0].landed, fork.world.records[0].landed) == (0, None)
    assert fork.end().state["a"]["n"] == 2


def test_a_fork_remembers_previous_answers_by_itself():
    rules = [fault("duplicate_response", when={"callNumber": 2})]
    case, fork = both(Case(TWIN, faults=rules))
    case()
    assert (case().body, fork().body, fork().body) == ("0001", "0001", "0001")


def test_a_fork_has_a_clock_of_its_own():
    case, fork = both(Case(TWIN))
    case.world.advance(1000)
    assert (case.world.now, fork.world.now) == ("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z")


def test_a_fork_shares_what_nobody_wrote_to():
    case = Case(TWIN, state=LARGE)
    case()
    fork = case.world.fork()
    assert fork.tree.plain()["rows"] is case.state["rows"]


def test_rules_may_be_set_for_a_fork_alone():
    case, fork = both(Case(TWIN))
    fork.world.arm([fault("http_500")])
    assert (case().status, fork().status) == (200, 500)


# the setting


def test_the_setting_tells_what_an_evaluator_needs():
    compiled = twin(ADD, initialState=STATE, tenantKey="owner", secrets=["canary"])
    setting = begin(compiled, tenant="us", input_texts=["hi"]).setting
    assert (setting.tenant, setting.tenant_key, setting.secrets, setting.input_texts) == (
        "us",
        "owner",
        ("canary",),
        ("hi",),
    )


def test_a_seed_and_approvals_are_kept():
    world = begin(TWIN, seed="s", approvals=["t"], allowed_tools=["t"])
    assert (world.seed, world.approvals, world.allowed_tools) == ("s", {"t"}, {"t"})
