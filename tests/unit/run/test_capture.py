"""What an agent prints is kept beside its case, and beside no other."""
# ruff: noqa: T201 - printing is what is tested

import asyncio
import logging
import sys
import threading
from typing import Any

import pytest

from agenttwin.run import MAX_CAPTURED
from tests.unit.run._scene import record, records, scenario, works


def test_both_streams_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    def speak(request: Any, tools: Any) -> str:
        print("out")
        print("err", file=sys.stderr)
        return "Spoke."

    measured = record(speak).measured
    assert (measured["stdout"], measured["stderr"]) == ("out\n", "err\n")
    assert capsys.readouterr() == ("", "")


def test_a_silent_agent_leaves_no_trace_of_it() -> None:
    assert {"stdout", "stderr", "traceback"}.isdisjoint(record(lambda request, tools: "Hm.").measured)


def test_each_case_has_its_own_even_side_by_side() -> None:
    async def speak(request: Any, tools: Any) -> str:
        for word in range(5):
            print(request.message, word)
            await asyncio.sleep(0.001)
        return "Spoke."

    scenarios = [scenario(f"case-{number}", input=f"{{message: Case {number}.}}") for number in range(8)]
    for number, found in enumerate(records(works(speak, *scenarios), concurrency=8)):
        assert found.measured["stdout"] == "".join(f"Case {number}. {word}\n" for word in range(5))


def test_threads_of_a_case_print_into_it() -> None:
    def speak(request: Any, tools: Any) -> str:
        def whisper() -> None:
            inner = threading.Thread(target=print, args=("from a thread's thread",))
            inner.start()
            inner.join()

        thread = threading.Thread(target=whisper)
        thread.start()
        thread.join()
        return "Spoke."

    assert record(speak).measured["stdout"] == "from a thread's thread\n"


def test_work_handed_to_a_thread_by_a_coroutine_prints_into_its_case() -> None:
    async def speak(request: Any, tools: Any) -> str:
        await asyncio.to_thread(print, "from a thread")
        return "Spoke."

    assert record(speak).measured["stdout"] == "from a thread\n"


def test_bytes_are_kept_as_text() -> None:
    def speak(request: Any, tools: Any) -> str:
        sys.stdout.buffer.write(b"caf\xc3\xa9 \xff\n")
        return "Spoke."

    assert record(speak).measured["stdout"] == "café \ufffd\n"


def test_a_log_that_goes_to_standard_error_is_kept() -> None:
    def speak(request: Any, tools: Any) -> str:
        logging.StreamHandler().emit(logging.makeLogRecord({"msg": "careful"}))
        return "Spoke."

    assert record(speak).measured["stderr"] == "careful\n"


@pytest.mark.parametrize("size", [MAX_CAPTURED - 1, MAX_CAPTURED])
def test_as_much_as_the_limit_is_kept_whole(size: int) -> None:
    def speak(request: Any, tools: Any) -> str:
        sys.stdout.write("x" * size)
        return "Spoke."

    assert record(speak).measured["stdout"] == "x" * size


def test_ten_megabytes_are_cut_and_said_to_be() -> None:
    def speak(request: Any, tools: Any) -> str:
        for _ in range(10):
            print("x" * 1_000_000, end="")
        return "Spoke."

    kept, note = record(speak).measured["stdout"].split("\n")
    assert len(kept) == MAX_CAPTURED
    assert note == "… 9,934,464 more characters were cut."


def test_planted_secrets_are_masked() -> None:
    def leak(request: Any, tools: Any) -> str:
        print("the key is hunter2-canary")
        raise ValueError("hunter2-canary")

    measured = record(leak).measured
    assert "hunter2-canary" not in measured["stdout"] + measured["traceback"]


def test_the_streams_are_as_before_when_the_run_is_over() -> None:
    before = sys.stdout, sys.stderr, threading.Thread.start
    record(lambda request, tools: "Hm.")
    assert (sys.stdout, sys.stderr, threading.Thread.start) == before
