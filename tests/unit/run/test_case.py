"""What a case is for its agent and for the engine."""

import threading
from typing import Any

import pytest

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.run import Case, CaseClosed
from agenttwin.surfaces import PythonTools
from agenttwin.transcript import Ending
from tests.unit.run._scene import events, finished, pays, record, records, scenario, works


def case(**options: Any) -> Case:
    (work,) = works(pays, **options)
    return Case(work.begin(), token="t", started=0, seconds=60)


def test_a_record_tells_what_happened() -> None:
    found = record(pays)
    assert [call.tool for call in found.transcript.calls] == ["pay"]
    assert found.transcript.after.get(("accounts", "A-1", "balance")) == 90
    assert found.claim.answer == "Done! I have paid 10."
    assert found.grade.verdict == "PASSED"


def test_the_pins_name_what_was_run() -> None:
    (work,) = works(pays)
    found = record(pays)
    assert found.pins == work.pins
    assert set(found.pins) == {"scenario", "twin", "manifest", "evaluators", "seed"}


def test_both_sides_begin_with_the_same_world_and_do_not_share_it() -> None:
    baseline, candidate = records(works(pays, sides=("baseline", "candidate")))
    assert baseline.transcript.after.get(("accounts", "A-1", "balance")) == 90
    assert candidate.transcript.after.get(("accounts", "A-1", "balance")) == 90
    assert baseline.pins["seed"] == candidate.pins["seed"]


def test_the_request_tells_what_the_input_says_and_no_more() -> None:
    seen: dict[str, Any] = {}

    def look(request: Any, tools: Any) -> str:
        seen.update({name: getattr(request, name) for name in request.__dataclass_fields__})
        return "Looked."

    record(look)
    del seen["session_id"], seen["manifest"]
    assert seen == {
        "message": "Pay 10 from A-1.",
        "turns": ("Pay 10 from A-1.",),
        "answers": (),
        "context": {"plan": "gold"},
        "tenant": "acme",
        "customer_id": "CUS-1",
        "version": "1.0.0",
    }


def test_the_agent_is_not_told_the_name_of_the_scenario() -> None:
    seen: list[Any] = []

    def look(request: Any, tools: Any) -> str:
        seen.append(repr(request))
        return "Looked."

    record(look)
    assert "pay-once" not in seen[0]


def test_what_an_agent_does_to_its_request_stays_in_its_case() -> None:
    def spoil(request: Any, tools: Any) -> str:
        request.manifest["spec"]["instructions"] += "!"
        request.context.clear()
        return request.manifest["spec"]["instructions"]

    found = records(works(spoil, sides=("baseline", "candidate")))
    assert [one.claim.answer for one in found] == ["Pay.!", "Pay.!"]


def test_turns_are_said_one_after_the_other_and_move_the_clock() -> None:
    heard: list[tuple[str, tuple[str, ...], str]] = []

    def listen(request: Any, tools: Any) -> dict[str, Any]:
        heard.append((request.message, request.turns, request.session_id))
        return {"output": f"Turn {len(heard)}.", "steps": 2}

    turns = "{turns: [{say: Hello}, {say: And now?, after: PT24H}]}"
    found = record(listen, input=turns)
    assert [(message, said) for message, said, _ in heard] == [
        ("Hello", ("Hello",)),
        ("And now?", ("Hello", "And now?")),
    ]
    assert heard[0][2] == heard[1][2]
    assert found.claim.answer == "Turn 1.\n\nTurn 2."
    assert found.claim.steps == 4


def test_a_turn_is_told_what_the_agent_said_to_those_before() -> None:
    heard = []

    def listen(request: Any, tools: Any) -> str | None:
        heard.append(request.answers)
        return f"Answer {len(heard)}." if len(heard) != 2 else None

    record(listen, input="{turns: [{say: a}, {say: b}, {say: c}]}")
    assert heard == [(), ("Answer 1.",), ("Answer 1.", None)]


def test_an_outcome_that_is_not_stated_is_read_from_the_answer() -> None:
    found = record(pays)
    assert (found.claim.outcome, found.claim.inferred) == ("SUCCESS", True)


def test_calls_after_the_end_are_refused_and_recorded_nowhere() -> None:
    kept: list[Any] = []

    def keep(request: Any, tools: Any) -> str:
        kept.append(tools)
        return "Kept."

    found = record(keep)
    with pytest.raises(CaseClosed, match="The case is over"):
        kept[0].call("pay", account="A-1", amount=10)
    with pytest.raises(AgentTwinError):
        kept[0].search("fees")
    assert found.transcript.calls == ()
    assert found.transcript.after.get(("accounts", "A-1", "balance")) == 100


def test_the_call_beyond_the_limit_is_refused_and_fails_the_case() -> None:
    statuses: list[int | None] = []

    def repeat(request: Any, tools: Any) -> str:
        statuses.extend(tools.call("balance", account="A-1").status for _ in range(201))
        return "Counted."

    found = record(repeat)
    assert statuses == [200] * 200 + [409]
    assert found.transcript.ending is Ending.CALL_LIMIT_EXCEEDED
    assert found.grade.evaluations[0].label == "CALL_LIMIT_EXCEEDED"


def test_the_limit_itself_may_be_reached() -> None:
    def repeat(request: Any, tools: Any) -> str:
        for _ in range(200):
            tools.call("balance", account="A-1")
        return "Counted."

    assert record(repeat).transcript.ending is Ending.FINISHED


def test_a_case_records_only_so_much() -> None:
    tools = PythonTools(case())
    for _ in range(10_000):
        tools.search("fees")
    with pytest.raises(LimitExceeded):
        tools.search("fees")


def test_a_failure_of_the_twin_wins_over_what_the_agent_did() -> None:
    def crash(request: Any, tools: Any) -> str:
        tools.call("broken")
        raise ValueError("no answer")

    found = record(crash)
    assert found.transcript.ending is Ending.TWIN_ERROR
    assert found.grade.verdict == "ERRORED"


def test_calls_of_several_threads_are_served_one_at_a_time() -> None:
    one = case()
    tools = PythonTools(one)
    threads = [
        threading.Thread(target=tools.call, args=("pay", {"account": "A-1", "amount": 1})) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one.world.tree.get(("accounts", "A-1", "balance")) == 80
    assert [call.seq for call in one.world.calls] == list(range(1, 21))


def test_only_one_can_end_a_case_and_what_was_left_is_done_then() -> None:
    one = case()
    told: list[bool] = []
    one.at_end(told.append)
    assert one.end()
    assert not one.end()
    one.let_go(running=True)
    assert told == [True]


def test_delays_of_the_twin_count_though_nobody_waits() -> None:
    slow = "[{target: pay, behavior: {type: delay, delayMs: 20000}}]"
    found = record(pays, faults=slow)
    assert 20_000 < found.measured["latency_ms"] < 25_000


def test_nothing_to_run_is_over_at_once() -> None:
    end = finished(events(()))
    assert (end.finished, end.stopped) == (0, None)


def test_works_can_be_chosen() -> None:
    chosen = works(pays, scenario("a"), scenario("b"), only={("candidate", "b", 1)})
    assert [work.scenario.name for work in chosen] == ["b"]
