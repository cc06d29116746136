"""Laws of the engine: whatever agents do, each trial has one record, the same at any concurrency."""

import asyncio
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agenttwin.run import CaseFinished, CaseRecord, RunStarted, Work, run
from agenttwin.storage import Recorder, open_store
from agenttwin.surfaces import lend_python
from agenttwin.transcript import Ending
from tests.storage._scene import ordered
from tests.unit.run._scene import events, finished, pays, records, scenario, works

BEHAVIOURS = {
    "pays": Ending.FINISHED,
    "crashes": Ending.AGENT_CRASHED,
    "leaves": Ending.AGENT_CRASHED,
    "says nonsense": Ending.AGENT_ERROR,
    "calls too often": Ending.CALL_LIMIT_EXCEEDED,
    "breaks the twin": Ending.TWIN_ERROR,
    "waits": Ending.FINISHED,
}


def behaves(request: Any, tools: Any) -> Any:
    match request.message:
        case "crashes":
            raise ValueError("no")
        case "leaves":
            raise SystemExit(1)
        case "says nonsense":
            return 7
        case "calls too often":
            for _ in range(201):
                tools.call("balance", account="A-1")
        case "breaks the twin":
            tools.call("broken")
        case "waits":
            time.sleep(0.03)
    return pays(request, tools)


async def behaves_soon(request: Any, tools: Any) -> Any:
    class Now:
        @staticmethod
        def call(tool: str, **arguments: Any) -> Any:
            call = tools.call(tool, **arguments)
            try:
                call.send(None)
            except StopIteration as done:
                return done.value

    return behaves(request, Now())


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from(list(BEHAVIOURS)), max_size=12),
    st.integers(1, 16),
    st.sampled_from([behaves, behaves_soon]),
)
def test_each_trial_has_one_record_and_ends_as_its_agent_did(
    does: list[str], at_once: int, agent: Any
) -> None:
    scenarios = [scenario(f"case-{number}", input=f"{{message: {word}}}") for number, word in enumerate(does)]
    told = events(works(agent, *scenarios) if scenarios else (), concurrency=at_once)
    ended = {
        event.record.scenario: event.record.transcript.ending
        for event in told
        if isinstance(event, CaseFinished)
    }
    assert ended == {f"case-{number}": BEHAVIOURS[word] for number, word in enumerate(does)}
    assert told[0] == RunStarted(cases=len(does))
    assert (finished(told).finished, finished(told).stopped) == (len(does), None)


FAULTS = st.sampled_from(["timeout_after_mutation", "malformed_json", "late_mutation", "message_duplication"])


@settings(max_examples=10)
@given(st.lists(st.tuples(FAULTS, st.floats(0, 1).map(lambda p: round(p, 2))), min_size=1, max_size=3))
def test_records_are_the_same_at_any_concurrency(faults: list[tuple[str, float]]) -> None:
    rules = ", ".join(
        f"{{target: pay, when: {{probability: {share}}}, behavior: {{type: {kind}}}}}"
        for kind, share in faults
    )
    scenarios = [scenario(f"case-{number}", faults=f"[{rules}]") for number in range(6)]

    def told(at_once: int) -> list[Any]:
        prepared = works(waits_and_pays, *scenarios, sides=("baseline", "candidate"))
        return [evidence(record) for record in records(prepared, concurrency=at_once)]

    assert told(1) == told(4) == told(16)


def waits_and_pays(request: Any, tools: Any) -> Any:
    time.sleep(0.001)
    return pays(request, tools)


def evidence(record: CaseRecord) -> Any:
    transcript = record.transcript
    return (
        record.scenario,
        record.side,
        transcript.events,
        transcript.changes,
        record.claim,
        record.grade,
        record.pins,
    )


def test_both_sides_of_a_trial_differ_in_nothing_but_the_version() -> None:
    found = records(works(pays, *map(scenario, "abc"), sides=("baseline", "candidate")))
    for baseline, candidate in zip(found[::2], found[1::2], strict=True):
        assert evidence(baseline)[2:] == evidence(candidate)[2:]


def test_records_do_not_depend_on_the_hash_seed() -> None:
    program = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from tests.property.test_run import evidence, pays, records, scenario, works\n"
        "for record in records(works(pays, *map(scenario, 'abc'))): print(evidence(record))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_memory_does_not_grow_with_the_number_of_cases(tmp_path: Path) -> None:
    """A record weighs some 15 kB until it is bytes; hundreds of them kept would show."""

    def peak(cases: int) -> int:
        many = [scenario(f"case-{number:04}") for number in range(cases)]
        prepared = works(pays, *many)
        with open_store(tmp_path / f"{cases}.db") as store:
            recorder = Recorder(store, {"candidate": ordered(store, "k", *many).candidate.id})
            tracemalloc.start()
            asyncio.run(recorded(recorder, prepared))
            _, highest = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        return highest

    async def recorded(recorder: Recorder, prepared: Sequence[Work]) -> None:
        with recorder:
            async for _ in recorder.through(run(prepared, lend=lend_python)):
                pass

    peak(10)  # what is made once
    few, many = peak(200), peak(1_600)
    assert many < few + 1_400 * 15_000 / 2  # how many wait to become bytes is up to the machine
