"""An agent in a process of its own: as in this one, but for what a process can do to itself."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agenttwin.agents import ProcessAgent
from agenttwin.run import MAX_CAPTURED, CaseRecord
from agenttwin.transcript import Ending
from tests.unit.run._scene import record, records, scenario, works

FOLDER = str(Path(__file__).parent)


@pytest.fixture(scope="module")
def agents() -> Iterator[Any]:
    """Agents by the name of their function, each in warm processes that the tests of this module share."""
    made: dict[str, ProcessAgent] = {}

    def agent(name: str) -> ProcessAgent:
        if name not in made:
            made[name] = ProcessAgent(f"_agents:{name}", folder=FOLDER)
        return made[name]

    yield agent
    for one in made.values():
        one.close()


def test_its_calls_reach_the_world(agents: Any) -> None:
    found = record(agents("pays"))
    assert found.transcript.ending is Ending.FINISHED
    assert found.transcript.after.get(("accounts", "A-1", "balance")) == 90
    assert found.claim.answer == "Paid: 200 90 True."
    assert found.claim.usage.input_tokens == 7


def test_a_coroutine_calls_and_searches_too(agents: Any) -> None:
    found = record(agents("pays_soon"))
    assert found.claim.answer == "Paid: 200, fees."
    assert [event.seq for event in found.transcript.events] == [1, 2]


def test_it_is_told_the_same(agents: Any) -> None:
    answer = record(agents("says_what_it_was_told")).claim.answer
    assert answer == "Pay 10 from A-1. ['Pay 10 from A-1.'] {'plan': 'gold'} acme Agent"


def test_what_it_prints_is_kept_also_past_python(agents: Any) -> None:
    measured = record(agents("prints")).measured
    assert measured["stdout"] == "out\n"
    # Two pipes bring them, and `print` writes its line in two pieces: the other's may come between.
    assert measured["stderr"].replace("past Python\n", "", 1) == "err\n"


def test_ten_megabytes_are_cut_and_said_to_be(agents: Any) -> None:
    kept, note = record(agents("prints_much")).measured["stdout"].split("\n")
    assert len(kept) == MAX_CAPTURED
    assert note == "… 9,934,464 more characters were cut."


def test_an_exception_is_a_crash_with_its_traceback(agents: Any) -> None:
    found = record(agents("crashes"))
    assert found.transcript.ending_message == "It raised ValueError: no such account."
    assert 'raise ValueError("no such account")' in found.measured["traceback"]


def test_what_is_no_reply_is_an_error(agents: Any) -> None:
    assert record(agents("gives_nonsense")).transcript.ending is Ending.AGENT_ERROR


def test_a_process_that_leaves_is_a_crash_and_replaced(agents: Any) -> None:
    for _ in range(2):
        found = record(agents("leaves"))
        assert found.transcript.ending is Ending.AGENT_CRASHED
        assert found.transcript.ending_message == "Its process ended with exit code 7."


def test_one_that_hangs_is_killed_and_replaced(agents: Any) -> None:
    def run() -> CaseRecord:
        return record(agents("hangs"), timeoutSeconds=0.5)

    run()  # once, so that the process is warm
    started = time.monotonic()
    found = run()
    assert time.monotonic() - started < 20
    assert found.transcript.ending is Ending.AGENT_TIMEOUT
    assert [call.tool for call in found.transcript.calls] == ["pay"]
    assert found.measured["stdout"] == "before\n"


def test_the_turns_of_a_case_share_a_process(agents: Any) -> None:
    prepared = works(
        agents("counts"), *(scenario(name, input="{turns: [{say: a}, {say: b}]}") for name in "abc")
    )
    for found in records(prepared, concurrency=3):
        (first, one), (second, two) = (line.split() for line in found.claim.answer.split("\n\n"))
        assert first == second
        assert (one, two) == ("1", "2")


def test_a_process_is_used_again(agents: Any) -> None:
    first, second = (record(agents("counts")).claim.answer.split()[0] for _ in range(2))
    assert first == second


def test_a_thread_that_outlives_its_case_reaches_nothing(agents: Any) -> None:
    found = record(agents("calls_later"))
    time.sleep(0.3)
    again = record(agents("calls_later"))
    assert found.transcript.calls == again.transcript.calls == ()


def test_arguments_that_are_no_json_are_refused_and_recorded(agents: Any) -> None:
    found = record(agents("sends_no_json"))
    assert found.claim.answer == "400"
    assert [call.refusal for call in found.transcript.calls] == ["INVALID_ARGUMENTS"]


def test_an_agent_that_cannot_be_loaded_says_why() -> None:
    with ProcessAgent("_agents:no_such_function", folder=FOLDER) as agent:
        found = record(agent)
    assert found.transcript.ending is Ending.AGENT_CRASHED
    assert found.transcript.ending_message.startswith("It could not be loaded: AttributeError")


def test_the_environment_is_given_to_the_process() -> None:
    with ProcessAgent("os:getenv", folder=FOLDER, env={"Request": "1"}) as agent:
        agent.warm(1)
        assert record(agent).transcript.ending is Ending.AGENT_CRASHED


def test_its_process_imports_no_more_than_an_agent_needs() -> None:
    heavy = "('pydantic', 'sqlalchemy', 'yaml', 'agenttwin.twin', 'agenttwin.document')"
    script = f"import sys, agenttwin.agents._child; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "[]\n"
