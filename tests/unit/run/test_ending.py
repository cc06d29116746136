"""Whatever an agent does becomes a finding; what no case can answer for ends the run."""

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from agenttwin.run import AgentFailed, CaseFinished, RunEvent, RunFinished, Work, run
from agenttwin.surfaces import lend_python
from agenttwin.transcript import Ending
from tests.unit.run._scene import events, finished, pays, record, records, scenario, works


async def collect(seen: list[RunEvent], prepared: Sequence[Work], **options: Any) -> None:
    """Gathers events where they are seen even if the run ends with an exception."""
    async for event in run(prepared, lend=lend_python, **options):
        seen += [event]


def test_an_exception_is_a_crash_with_its_traceback() -> None:
    def crash(request: Any, tools: Any) -> str:
        raise ValueError("no  such\naccount")

    found = record(crash)
    assert found.transcript.ending is Ending.AGENT_CRASHED
    assert found.transcript.ending_message == "It raised ValueError: no such account."
    assert found.measured["traceback"].startswith("Traceback (most recent call last):\n")
    assert 'raise ValueError("no  such\\naccount")' in found.measured["traceback"]
    assert "agenttwin/run" not in found.measured["traceback"]


def test_a_coroutine_may_crash_too() -> None:
    async def crash(request: Any, tools: Any) -> str:
        raise ValueError("no such account")

    found = record(crash)
    assert found.transcript.ending_message == "It raised ValueError: no such account."


@pytest.mark.parametrize(
    "error", [SystemExit(3), GeneratorExit(), asyncio.CancelledError(), RecursionError()]
)
def test_leaving_by_the_back_door_is_a_crash(error: BaseException) -> None:
    def leave(request: Any, tools: Any) -> str:
        raise error

    assert record(leave).transcript.ending is Ending.AGENT_CRASHED


def test_addresses_do_not_make_two_runs_differ() -> None:
    def crash(request: Any, tools: Any) -> str:
        raise ValueError(object())

    first, second = record(crash), record(crash)
    assert first.transcript.ending_message == second.transcript.ending_message


@pytest.mark.parametrize("reply", [7, ["Done."], {"claimed_outcome": "MAYBE"}, {"output": 7}, object()])
def test_what_is_no_reply_is_an_error(reply: Any) -> None:
    found = record(lambda request, tools: reply)
    assert found.transcript.ending is Ending.AGENT_ERROR
    assert found.grade.verdict == "FAILED"


def test_half_a_character_is_replaced() -> None:
    def crash(request: Any, tools: Any) -> str:
        raise ValueError("\ud83d")

    assert record(lambda request, tools: "\ud83d").claim.answer == "?"
    assert record(crash).transcript.ending_message == "It raised ValueError: ?."


def test_an_adapter_names_the_ending() -> None:
    class Unreachable:
        def act(self, request: Any, lease: Any) -> Any:
            raise AgentFailed(Ending.AGENT_UNREACHABLE, "Nobody answers.")

    found = record(Unreachable())
    assert found.transcript.ending is Ending.AGENT_UNREACHABLE
    assert found.grade.verdict == "ERRORED"


def test_what_was_done_before_a_crash_is_kept() -> None:
    def crash(request: Any, tools: Any) -> str:
        tools.call("pay", account="A-1", amount=10)
        raise ValueError("too late")

    found = record(crash)
    assert found.transcript.after.get(("accounts", "A-1", "balance")) == 90


def test_an_interrupt_stops_the_run_and_keeps_what_was_finished() -> None:
    def interrupt(request: Any, tools: Any) -> str:
        if request.message == "Stop.":
            raise KeyboardInterrupt
        return pays(request, tools)

    scenarios = [
        scenario(f"case-{number}", input="{message: Stop.}" if number == 3 else "{message: Pay.}")
        for number in range(6)
    ]
    seen: list[RunEvent] = []
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(collect(seen, works(interrupt, *scenarios), concurrency=1))
    assert [event.record.scenario for event in seen if isinstance(event, CaseFinished)] == [
        "case-0",
        "case-1",
        "case-2",
    ]
    assert seen[-1] == RunFinished(finished=3, stopped="KeyboardInterrupt")


def test_cancelling_tells_of_what_was_finished_and_leaves_the_rest() -> None:
    seen: list[RunEvent] = []

    async def hang(request: Any, tools: Any) -> str:
        if request.message == "Hang.":
            await asyncio.sleep(60)
        return "Done."

    prepared = works(hang, scenario("a", input="{message: Go.}"), scenario("b", input="{message: Hang.}"))

    async def interrupt() -> None:
        task = asyncio.create_task(collect(seen, prepared))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupt())
    assert [event.record.scenario for event in seen if isinstance(event, CaseFinished)] == ["a"]
    assert isinstance(seen[-1], RunFinished)
    assert seen[-1].stopped == "interrupted"


def test_failing_fast_begins_nothing_after_a_failure() -> None:
    told = events(
        works(lambda request, tools: "Did nothing.", *map(scenario, "abc")), concurrency=1, fail_fast=True
    )
    assert finished(told) == RunFinished(finished=1, stopped="a did not pass")


def test_the_baseline_does_not_fail_fast() -> None:
    prepared = works(lambda request, tools: "Did nothing.", *map(scenario, "abc"), sides=("baseline",))
    assert finished(events(prepared, concurrency=1, fail_fast=True)).finished == 3


def test_a_failure_of_our_own_is_raised() -> None:
    def lend(case: Any) -> Any:
        raise RuntimeError("the surface is broken")

    async def collect() -> None:
        async for _ in run(works(pays), lend=lend):
            pass

    with pytest.raises(RuntimeError, match="the surface is broken"):
        asyncio.run(collect())


def test_leaving_the_events_early_stops_the_run() -> None:
    async def leave() -> int:
        told = run(works(pays, *(scenario(f"case-{number}") for number in range(50))), lend=lend_python)
        async for event in told:
            if isinstance(event, CaseFinished):
                break
        await told.aclose()  # type: ignore[attr-defined]
        return 1

    assert asyncio.run(leave()) == 1


def test_every_case_is_told_begun_and_finished() -> None:
    told = events(works(pays, scenario("a"), scenario("b")))
    kinds = [type(event).__name__ for event in told]
    assert kinds[0] == "RunStarted"
    assert kinds[-1] == "RunFinished"
    assert sorted(kinds[1:-1]) == ["CaseFinished"] * 2 + ["CaseStarted"] * 2


def test_records_do_not_depend_on_how_many_run_at_a_time() -> None:
    def slow(request: Any, tools: Any) -> str:
        time.sleep(0.005)
        return pays(request, tools)

    faults = "[{target: pay, when: {probability: 0.5}, behavior: {type: timeout_after_mutation}}]"
    scenarios = [scenario(f"case-{number}", faults=faults) for number in range(20)]

    def told(concurrency: int) -> list[Any]:
        found = records(works(slow, *scenarios, sides=("baseline", "candidate")), concurrency=concurrency)
        return [
            (one.scenario, one.side, one.transcript.events, one.claim, one.grade, one.pins) for one in found
        ]

    assert told(1) == told(4) == told(16)


@pytest.mark.parametrize("waiting", [0.015, 0.05])
def test_cases_that_wait_do_so_side_by_side(waiting: float) -> None:
    def wait(request: Any, tools: Any) -> str:
        time.sleep(waiting)
        return "Waited."

    scenarios = [scenario(f"case-{number}") for number in range(64)]
    started = time.monotonic()
    assert len(records(works(wait, *scenarios), concurrency=16)) == 64
    assert time.monotonic() - started < 64 * waiting / 2


def test_no_more_cases_run_at_a_time_than_asked_for() -> None:
    lock = threading.Lock()
    running: list[int] = [0]
    most: list[int] = [0]

    def wait(request: Any, tools: Any) -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.03)
        with lock:
            running[0] -= 1
        return "Waited."

    records(works(wait, *(scenario(f"case-{number}") for number in range(20))), concurrency=3)
    assert most == [3]
