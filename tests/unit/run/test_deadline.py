"""A case ends at its deadline, whatever its agent does."""

import asyncio
import contextlib
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

from agenttwin.run import CaseRecord
from agenttwin.transcript import Ending
from tests.unit.run._scene import events, finished, pays, record, records, scenario, works

SHORT = 0.2
LONG = 20.0


def ended_in_time(agent: Any) -> CaseRecord:
    started = time.monotonic()
    found = record(agent, timeoutSeconds=SHORT)
    assert time.monotonic() - started < SHORT + 1
    assert found.transcript.ending is Ending.AGENT_TIMEOUT
    assert found.grade.evaluations[0].label == "AGENT_TIMEOUT"
    return found


def test_a_function_that_hangs_is_left_behind() -> None:
    release = threading.Event()

    def hang(request: Any, tools: Any) -> str:
        tools.call("pay", account="A-1", amount=10)
        release.wait(LONG)
        return "Late."

    found = ended_in_time(hang)
    assert [call.tool for call in found.transcript.calls] == ["pay"]
    assert "release.wait(LONG)" in found.measured["traceback"]
    release.set()


def test_the_others_go_on_beside_one_that_hangs() -> None:
    release = threading.Event()

    def hang(request: Any, tools: Any) -> str:
        if request.message == "Hang.":
            release.wait(LONG)
        return pays(request, tools)

    scenarios = [
        scenario(
            f"case-{number}",
            timeoutSeconds=SHORT,
            input="{message: Hang.}" if number == 2 else "{message: Pay.}",
        )
        for number in range(6)
    ]
    found = records(works(hang, *scenarios), concurrency=2)
    endings = [one.transcript.ending for one in found]
    assert endings == [Ending.AGENT_TIMEOUT if number == 2 else Ending.FINISHED for number in range(6)]
    release.set()


def test_a_loop_that_catches_everything_it_can_is_made_to_stop() -> None:
    threads: list[threading.Thread] = []

    def spin(request: Any, tools: Any) -> str:
        threads.append(threading.current_thread())
        while True:
            try:
                tools.call("balance", account="A-1")
            except Exception:
                continue

    record(spin, timeoutSeconds=SHORT)
    threads[0].join(LONG)
    assert not threads[0].is_alive()


def test_what_an_agent_calls_after_its_deadline_is_not_done() -> None:
    over = threading.Event()
    tried = threading.Event()

    def late(request: Any, tools: Any) -> str:
        with contextlib.suppress(SystemExit):  # it is asked to stop, and does not
            over.wait(LONG)
        try:
            tools.call("pay", account="A-1", amount=10)
        finally:
            tried.set()
        return "Late."

    found = ended_in_time(late)
    over.set()
    assert tried.wait(LONG)
    assert found.transcript.calls == ()
    assert found.transcript.after.get(("accounts", "A-1", "balance")) == 100


def test_a_coroutine_that_hangs_is_cancelled() -> None:
    cancelled = threading.Event()

    async def hang(request: Any, tools: Any) -> str:
        await tools.call("pay", account="A-1", amount=10)
        try:
            await asyncio.sleep(LONG)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return "Late."

    found = ended_in_time(hang)
    assert cancelled.is_set()
    assert [call.tool for call in found.transcript.calls] == ["pay"]
    assert "await asyncio.sleep(LONG)" in found.measured["traceback"]


def test_a_coroutine_that_swallows_its_cancellation_is_left_behind() -> None:
    release: list[asyncio.Event] = []

    async def swallow(request: Any, tools: Any) -> str:
        release.append(asyncio.Event())
        while not release[0].is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        return "Late."

    told = events(works(swallow, scenario(timeoutSeconds=SHORT)))
    assert finished(told).abandoned == 1
    release[0].set()


def test_a_coroutine_that_blocks_the_loop_costs_no_other_case() -> None:
    async def block(request: Any, tools: Any) -> str:
        if request.message == "Block.":
            time.sleep(4 * SHORT)  # that is the point
        await asyncio.sleep(0)
        await tools.call("pay", account="A-1", amount=10)
        return "Done! I have paid 10."

    scenarios = [
        scenario(
            f"case-{number}",
            timeoutSeconds=SHORT,
            input="{message: Block.}" if number == 0 else "{message: Pay.}",
        )
        for number in range(4)
    ]
    found = records(works(block, *scenarios), concurrency=4)
    assert [one.transcript.ending for one in found] == [Ending.AGENT_TIMEOUT] + [Ending.FINISHED] * 3


def test_a_coroutine_that_calls_for_ever_is_cancelled() -> None:
    async def spin(request: Any, tools: Any) -> str:
        while True:
            try:
                await tools.call("balance", account="A-1")
            except Exception:
                continue

    started = time.monotonic()
    found = record(spin, timeoutSeconds=SHORT)
    assert time.monotonic() - started < SHORT + 2
    assert found.transcript.ending is Ending.CALL_LIMIT_EXCEEDED


def test_the_deadline_is_of_all_turns_together() -> None:
    def slow(request: Any, tools: Any) -> str:
        time.sleep(SHORT)
        return "Slowly."

    found = record(slow, timeoutSeconds=2.5 * SHORT, input="{turns: [{say: a}, {say: b}, {say: c}]}")
    assert found.transcript.ending is Ending.AGENT_TIMEOUT


def test_an_adapter_that_hangs_is_a_failure_of_the_twin() -> None:
    release = threading.Event()

    def adapter(arguments: Any, state: Any, context: Any) -> Any:
        release.wait(LONG)

    from tests.unit.run import _scene

    twin = _scene.TWIN + "    - {name: stuck, handler: {kind: custom, adapter: stuck}}\n"
    documents = _scene.library([scenario(timeoutSeconds=SHORT)], twin)
    contender = _scene.Contender(
        side="candidate",
        agent=_scene.PythonAgent(lambda request, tools: tools.call("stuck")),
        manifest=_scene.manifest(),
    )
    prepared = _scene.prepare(documents, _scene.planned(documents), [contender], adapters={"stuck": adapter})
    (found,) = records(prepared)
    assert found.transcript.ending is Ending.TWIN_ERROR
    assert found.transcript.after is None
    release.set()


def test_an_agent_that_hangs_does_not_keep_the_process() -> None:
    program = f"""
        import sys, time
        sys.path[:0] = {sys.path!r}
        from tests.unit.run._scene import record

        def hang(request, tools):
            while True:
                try:
                    time.sleep({LONG})
                except BaseException:
                    pass

        print(record(hang, timeoutSeconds={SHORT}).transcript.ending)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=LONG - 5,
        check=True,
    )
    assert ended.stdout == "AGENT_TIMEOUT\n"
