"""A person's word takes the place of one result; the verdict follows, and the original is kept."""

import pytest

from agenttwin.errors import NotFound, UsageError
from agenttwin.evaluate import CaseVerdict, Evaluation, JudgeIdentity, Verdict, grade
from agenttwin.review import MAX_NOTE, Override, effective

JUDGE = JudgeIdentity(provider="test")


def evaluation(name, verdict, type="state", **fields):
    return Evaluation(
        id=name,
        type=type,
        version=1,
        verdict=Verdict(verdict),
        reason="Seen.",
        **{"critical": False} | fields,
    )


FINISHED = evaluation("agent-finished", "PASS", "agentFinished", critical=True)


def graded(*evaluations, finished=FINISHED):
    return grade((finished, *evaluations))


def override(name="e1", verdict="PASS", note="Looked it up.", at="2026-01-02T03:04:05Z"):
    return Override(expectation=name, verdict=Verdict(verdict), note=note, by="ada", at=at)


FAILED = evaluation("e1", "FAIL", critical=True, label="STATE_MISMATCH")


def test_without_overrides_nothing_moves():
    case = graded(FAILED)
    assert effective(case, []) is case


def test_a_result_is_replaced_and_kept():
    (_, found) = effective(graded(FAILED), [override()]).evaluations
    assert (found.verdict, found.label, found.reason) == ("PASS", None, "ada decided PASS: Looked it up.")
    assert found.overridden == {
        "by": "ada",
        "at": "2026-01-02T03:04:05Z",
        "note": "Looked it up.",
        "original": {"verdict": "FAIL", "label": "STATE_MISMATCH", "score": None, "reason": "Seen."},
    }
    assert (found.id, found.type, found.version, found.critical) == ("e1", "state", 1, True)


def test_verdict_and_outcome_follow():
    case = graded(FAILED, evaluation("e2", "PASS"))
    assert (case.verdict, case.outcome.status, case.outcome.by) == ("FAILED", "FAILURE", "simulation")
    after = effective(case, [override()])
    assert (after.verdict, after.outcome.status, after.outcome.by) == ("PASSED", "SUCCESS", "review")
    assert after.outcome.verified


def test_nothing_else_moves():
    other = evaluation("e2", "FAIL", label="STATE_CHANGED")
    after = effective(graded(FAILED, other), [override()])
    assert after.evaluations[0] is FINISHED
    assert after.evaluations[2] is other
    assert after.verdict is CaseVerdict.FAILED
    assert after.outcome.status == "PARTIAL"


def test_an_outcome_that_nobody_reviewed_stays_the_simulations():
    semantic = evaluation("e2", "FAIL", "semantic")
    after = effective(graded(evaluation("e1", "PASS"), semantic), [override("e2")])
    assert (after.verdict, after.outcome.by) == ("PASSED", "simulation")


def test_a_pass_can_be_failed_with_the_kinds_label():
    (_, found) = effective(
        graded(evaluation("e1", "PASS", "semantic", score=0.9)), [override(verdict="FAIL")]
    ).evaluations
    assert (found.verdict, found.label, found.score) == ("FAIL", "SEMANTIC_FAIL", None)
    assert found.overridden["original"]["score"] == 0.9


def test_a_failure_that_stays_one_keeps_its_label():
    (_, found) = effective(graded(FAILED), [override(verdict="FAIL")]).evaluations
    assert found.label == "STATE_MISMATCH"


@pytest.mark.parametrize("verdict", ["ERROR", "SKIPPED"])
def test_what_was_not_judged_can_be_decided(verdict):
    case = graded(evaluation("e1", verdict, critical=True))
    assert case.verdict is CaseVerdict.ERRORED
    assert effective(case, [override()]).verdict is CaseVerdict.PASSED


def test_the_end_of_the_agent_can_be_decided_too():
    case = graded(evaluation("e1", "PASS"), finished=evaluation("agent-finished", "FAIL", "agentFinished"))
    assert effective(case, [override("agent-finished")]).verdict is CaseVerdict.PASSED
    (found, _) = effective(graded(evaluation("e1", "PASS")), [override("agent-finished", "FAIL")]).evaluations
    assert (found.verdict, found.label) == ("FAIL", None)


def test_the_last_word_on_an_expectation_holds():
    words = [override(), override(verdict="FAIL", note="No.")]
    (_, found) = effective(graded(FAILED), words).evaluations
    assert found.reason == "ada decided FAIL: No."


def test_several_expectations_can_be_decided():
    case = graded(FAILED, evaluation("e2", "FAIL"))
    assert effective(case, iter([override(), override("e2")])).verdict is CaseVerdict.PASSED


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("e11", "There is no expectation 'e11' in this case. Did you mean 'e1'?"),
        ("zzz", "There is no expectation 'zzz' in this case."),
    ],
)
def test_an_expectation_that_does_not_exist_is_told(name, message):
    with pytest.raises(NotFound) as caught:
        effective(graded(FAILED), [override(name)])
    assert (caught.value.code, caught.value.message) == ("unknown_expectation", message)


@pytest.mark.parametrize(
    ("fields", "code", "message"),
    [
        ({"verdict": "ERROR"}, "invalid_override", "A person decides PASS or FAIL, not ERROR."),
        ({"verdict": "SKIPPED"}, "invalid_override", "A person decides PASS or FAIL, not SKIPPED."),
        ({"note": ""}, "missing_note", "An override needs a note that says why."),
        ({"note": " \n"}, "missing_note", "An override needs a note that says why."),
        ({"note": "x" * (MAX_NOTE + 1)}, "note_too_long", "The note has more than 4,000 characters."),
    ],
)
def test_an_override_makes_sense_or_is_refused(fields, code, message):
    with pytest.raises(UsageError) as caught:
        override(**fields)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_a_note_may_be_as_long_as_the_limit():
    assert override(note="x" * MAX_NOTE)
