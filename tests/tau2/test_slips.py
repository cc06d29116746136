"""A reference solution with one slip in it is told from the right one, and the first divergence is the slip."""

import pytest

from agenttwin.compare import diverge
from agenttwin.evaluate import CaseVerdict
from tests.tau2._retail import Action, grade, is_write, play, state_checks, steps_of, tasks, world

ELSEWHERE = Action(
    "modify_user_address",
    {
        "user_id": "noah_brown_6181", "address1": "1 Slip Street", "address2": "", "city": "Nowhere",
        "state": "NV", "country": "USA", "zip": "00000",
    },
)  # fmt: skip


def dropped(task, reference):
    """One write that was accepted is left out, each in turn; of equal calls in a row, the last."""
    for at, call in enumerate(reference.calls):
        if is_write(call):
            yield at, (*task.actions[:at], *task.actions[at + 1 :])


def swapped(task, reference):
    """Two calls in a row change places."""
    for at, (first, second) in enumerate(zip(task.actions, task.actions[1:], strict=False)):
        if first != second:
            yield at, (*task.actions[:at], second, first, *task.actions[at + 2 :])


def added(task, reference):
    """A write that nobody asked for."""
    for at in range(len(task.actions) + 1):
        yield at, (*task.actions[:at], ELSEWHERE, *task.actions[at:])


def altered(task, reference):
    """One argument of one write says something else."""
    for at, call in enumerate(reference.calls):
        if is_write(call):
            action = task.actions[at]
            for name, value in action.arguments.items():
                other = value[:-1] if isinstance(value, list) else f"{value}x"
                changed = Action(action.name, {**action.arguments, name: other})
                yield at, (*task.actions[:at], changed, *task.actions[at + 1 :])


def nothing(task, reference):
    """Nothing is called, and success is claimed; two tasks are solved by that."""
    if task.actions:
        yield 0, ()


@pytest.mark.parametrize(
    ("slip", "number"), [(dropped, 174), (swapped, 438), (added, 664), (altered, 708), (nothing, 112)]
)
def test_the_first_divergence_is_at_the_slip(slip, number):
    made = 0
    for task in tasks():
        steps = steps_of(play(world(), task.actions))
        for at, actions in slip(task, play(world(), task.actions)):
            divergence = diverge(steps, steps_of(play(world(), actions)))
            assert divergence is not None, (task.id, at)
            assert divergence.step == at + 1, (task.id, at, divergence.summary)
            made += 1
    assert made == number


@pytest.mark.parametrize(
    ("slip", "number"),
    [
        (dropped, 172),
        (nothing, 103),
        pytest.param(added, 664, marks=pytest.mark.extended),
        pytest.param(altered, 700, marks=pytest.mark.extended),
    ],
)
def test_a_check_of_the_state_fails_wherever_a_slip_shows_in_the_state(slip, number):
    caught = 0
    for task in tasks():
        reference = play(world(), task.actions)
        checks, right = state_checks(reference), reference.tree.plain()
        assert grade(checks, reference).verdict is CaseVerdict.PASSED, task.id
        for at, actions in slip(task, reference):
            other = play(world(), actions)
            wrong = grade(checks, other).verdict is CaseVerdict.FAILED
            assert wrong == (other.tree.plain() != right), (task.id, at)
            caught += wrong
    assert caught == number


def test_repeating_the_reference_diverges_nowhere():
    for task in tasks():
        assert diverge(steps_of(play(world(), task.actions)), steps_of(play(world(), task.actions))) is None
