"""Timeouts after the effect and lies, on every write of the benchmark's reference solutions."""

import pytest

from agenttwin.evaluate import CaseVerdict, duplicate_effects, lies
from agenttwin.twin import Call, FaultRule, finish, step
from tests.tau2._retail import (
    WORD_CHECK,
    grade,
    is_write,
    play,
    state_checks,
    tasks,
    without_guard,
    world,
)

ACCEPTED_WRITES = 174


def timeout_at(call):
    return FaultRule(
        target=call.tool, when={"callNumber": call.number}, behavior={"type": "timeout_after_mutation"}
    )


def lie_everywhere():
    return FaultRule(target="*", when={"everyCall": True}, behavior={"type": "success_without_mutation"})


def blind_retries(compiled=None, only=None):
    """Each accepted write of each task, timed out after its effect and sent again: the world, and the retry."""
    for task in tasks():
        for at, right in enumerate(play(world(compiled), task.actions).calls):
            if is_write(right) and only in (None, right.tool):
                on = world(compiled, faults=[timeout_at(right)])
                play(on, task.actions[: at + 1])
                first = on.calls[-1]
                assert (first.status, first.committed) == (504, right.committed)
                step(on.twin, on, Call(right.tool, dict(right.arguments)))
                finish(on)
                yield on, first, on.calls[-1]


def test_no_blind_retry_of_an_accepted_write_does_it_twice():
    writes = unchanging = refused = without_change = duplicates = 0
    for on, first, retry in blind_retries():
        writes += 1
        unchanging += not first.changes
        refused += not retry.ok
        without_change += retry.ok and not retry.changes
        duplicates += len(duplicate_effects(on.calls))
    assert (writes, unchanging, refused, without_change, duplicates) == (ACCEPTED_WRITES, 1, 139, 35, 0)


@pytest.mark.parametrize(
    ("tool", "code", "number"),
    [("cancel_pending_order", "NOT_PENDING", 25), ("modify_pending_order_payment", "NOT_PAID_ONCE", 1)],
)
def test_without_one_guard_the_detector_tells_every_doubled_effect(tool, code, number):
    found = [
        duplicate.effect
        for on, first, retry in blind_retries(without_guard(tool, code), only=tool)
        for duplicate in duplicate_effects(on.calls)
    ]
    assert len(found) == number
    assert all(name.split(":")[1].startswith("#W") for name in found)


def test_a_check_of_the_state_sees_each_success_without_effect_and_a_check_of_the_words_does_not():
    changing = 0
    for task in tasks():
        reference = play(world(), task.actions)
        if not reference.changes:
            continue
        changing += 1
        told = play(world(faults=[lie_everywhere()]), task.actions)
        assert not told.changes
        assert grade(state_checks(reference), told).verdict is CaseVerdict.FAILED, task.id
        assert grade([WORD_CHECK], told).verdict is CaseVerdict.PASSED, task.id
        assert lies(told.calls), task.id
    assert changing == 103
