"""The reference solutions of all tasks, called on the twin and on upstream's own functions side by side."""

from dataclasses import dataclass

import orjson
import pytest

from agenttwin.twin import World
from agenttwin.values import equal
from tests.tau2._retail import (
    DATA,
    Task,
    answer_of,
    by_upstream,
    definition,
    own_records,
    play,
    records,
    tasks,
    twin,
    world,
)

BUSINESS_TOOLS = 16
SAYS_OTHERWISE = "transfer_to_human_agents"
"""Both say in their own words that somebody takes over."""


@dataclass(frozen=True)
class Replayed:
    """A task after its reference calls: our records with and without the bug, and what upstream answered."""

    task: Task
    like: World
    right: World
    answers: list
    changed: bool
    like_is_same: bool
    right_is_same: bool


@pytest.fixture(scope="module")
def replayed():
    return [replay(task) for task in tasks()]


def replay(task):
    theirs = own_records()
    answers = list(by_upstream(theirs, task.actions))
    like = play(world(settings={"last_variant_for_all": True}), task.actions)
    right = play(world(settings={"last_variant_for_all": False}), task.actions)
    return Replayed(
        task=task,
        like=like,
        right=right,
        answers=answers,
        changed=theirs != records(),
        like_is_same=like.tree.plain() == theirs,
        right_is_same=right.tree.plain() == theirs,
    )


def test_with_upstreams_bug_every_task_ends_in_the_same_state(replayed):
    assert [each.task.id for each in replayed if not each.like_is_same] == []
    assert len(replayed) == 114


def test_without_the_bug_five_tasks_end_otherwise(replayed):
    assert [each.task.id for each in replayed if not each.right_is_same] == ["20", "21", "36", "37", "100"]


def test_every_call_is_answered_as_upstream_answers_it(replayed):
    calls = errors = 0
    for each in replayed:
        for call, (well, body) in zip(each.like.calls, each.answers, strict=True):
            assert call.ok == well, (each.task.id, call.tool, call.code, body)
            assert not well or call.tool == SAYS_OTHERWISE or equal(answer_of(call), body), (
                each.task.id,
                call.tool,
            )
            calls += 1
            errors += not well
    assert (calls, errors) == (550, 18)


def test_the_changes_told_are_there_where_upstream_changed_something(replayed):
    assert all(bool(each.like.changes) == each.changed for each in replayed)
    assert sum(each.changed for each in replayed) == 103
    assert sum(not each.changed for each in replayed) == 11


def test_the_twin_is_one_document_of_all_tools_without_code_and_each_write_names_its_effect():
    tools = definition().spec.tools
    assert len(tools) == BUSINESS_TOOLS == len(twin().tools)
    assert all(tool.effect_key for tool in tools if tool.actual_risk != "READ")
    assert {tool.handler.kind for tool in tools} == {"read", "mutate", "static"}


def test_the_records_of_the_benchmark_are_still_those_of_its_file(replayed):
    assert records() == orjson.loads((DATA / "db.json").read_bytes())
