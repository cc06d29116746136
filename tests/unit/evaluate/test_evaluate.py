"""Grading a case: the agent's end first, every expectation after it, questions out and opinions in."""

from dataclasses import replace

import pytest

from agenttwin.evaluate import (
    CaseVerdict,
    JudgeIdentity,
    NoOpinion,
    Opinion,
    Verdict,
    case_verdict,
    evaluate,
    grade,
    questions,
)
from agenttwin.scenario import EXPECTATIONS
from agenttwin.transcript import Claim, ClaimedOutcome, Ending, OutcomeStatus
from agenttwin.values import digest
from tests.unit.evaluate._demo import (
    CAREFUL,
    HASTY,
    ORDER,
    SUCCESS,
    amended,
    expecting,
    judge,
    play,
    recorded,
    scenario,
)

JUDGE = JudgeIdentity(provider="test", model="m")
POLITE = {"type": "semantic", "id": "polite", "rubric": "The reply is polite.", "category": "tone"}


def opinion(label="pass", score=1.0, **fields):
    return Opinion(label=label, score=score, reason="Because.", judge=JUDGE, **fields)


# -- the story


def test_the_careful_version_passes_all_four():
    graded = evaluate(scenario(), recorded(), SUCCESS, {})
    assert graded.verdict is CaseVerdict.PASSED
    assert graded.outcome.status is OutcomeStatus.SUCCESS
    assert [item.id for item in graded.evaluations] == [
        "agent-finished",
        "refunded-exactly-once",
        "refunded-amount",
        "no-double-refund",
        "success-backed-by-state",
    ]


def test_the_hasty_version_fails_all_four():
    graded = evaluate(scenario(), play(HASTY), SUCCESS, {})
    assert graded.verdict is CaseVerdict.FAILED
    assert (graded.outcome.status, graded.outcome.verified, graded.outcome.by) == (
        "FAILURE",
        True,
        "simulation",
    )
    assert [item.label for item in graded.evaluations[1:]] == [
        "STATE_MISMATCH",
        "STATE_MISMATCH",
        "DUPLICATE_SIDE_EFFECT",
        "STATE_MISMATCH",
    ]


def test_a_lie_is_found_out():
    case = scenario("refund-tool-success-lie")
    made = play(HASTY[:2] + HASTY[3:], case)
    graded = evaluate(case, made, SUCCESS, {"reply-is-honest": opinion("fail", 0.0)})
    assert [item.label for item in graded.evaluations[1:]] == [
        "HALLUCINATED_SUCCESS",
        "FORBIDDEN_CALL",
        "MISSING_ESCALATION",
        "SEMANTIC_FAIL",
    ]


def test_evidence_points_at_calls_and_places():
    graded = evaluate(scenario(), play(HASTY), SUCCESS, {})
    state, _, double, _ = graded.evaluations[1:]
    assert [(item.path, item.note) for item in state.evidence] == [("orders.ORD-1001.refund_count", "2")]
    assert [(item.call, item.note) for item in double.evidence] == [
        (2, "refund_payment: timeout"),
        (3, "refund_payment: ok"),
    ]


def test_evaluations_carry_what_the_table_says():
    for item in evaluate(scenario(), recorded(), SUCCESS, {}).evaluations[1:]:
        assert item.version == EXPECTATIONS[item.type].version
    graded = evaluate(scenario(), recorded(), SUCCESS, {})
    assert [item.critical for item in graded.evaluations] == [True, True, True, True, False]


# -- agent-finished

ENDINGS = {
    Ending.AGENT_TIMEOUT: ("FAIL", "The agent did not come to an end in time."),
    Ending.AGENT_CRASHED: ("FAIL", "The agent crashed."),
    Ending.AGENT_ERROR: ("FAIL", "The agent gave back something that is no answer."),
    Ending.CALL_LIMIT_EXCEEDED: ("FAIL", "The agent made more tool calls than a case may have."),
    Ending.AGENT_UNREACHABLE: ("ERROR", "The agent could not be reached."),
    Ending.AGENT_AUTH: ("ERROR", "The agent refused the credentials."),
    Ending.AGENT_REJECTED: ("ERROR", "The agent rejected the request."),
    Ending.TWIN_ERROR: ("ERROR", "The twin failed, so nothing can be said about the agent."),
}


def ended(ending, message=""):
    case = replace(recorded(), ending=ending, ending_message=message)
    return evaluate(scenario(), case, SUCCESS, {})


def test_every_ending_but_the_good_one_is_told():
    assert set(Ending) - set(ENDINGS) == {Ending.FINISHED}


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_ending_has_its_verdict_label_and_sentence(ending):
    verdict, reason = ENDINGS[ending]
    finished = ended(ending).evaluations[0]
    assert (finished.id, finished.type, finished.critical) == ("agent-finished", "agentFinished", True)
    assert (finished.verdict, finished.label, finished.reason) == (verdict, ending.value, reason)


def test_the_good_ending_has_no_label():
    finished = ended(Ending.FINISHED).evaluations[0]
    assert (finished.verdict, finished.label, finished.reason) == ("PASS", None, "The agent came to an end.")


def test_what_happened_is_told_with_it():
    assert (
        ended(Ending.AGENT_CRASHED, "KeyError: 'x'").evaluations[0].reason
        == "The agent crashed. KeyError: 'x'"
    )


@pytest.mark.parametrize("ending", [ending for ending, (verdict, _) in ENDINGS.items() if verdict == "ERROR"])
def test_where_the_agent_cannot_be_judged_the_rest_is_skipped(ending):
    graded = ended(ending)
    assert {item.verdict for item in graded.evaluations[1:]} == {Verdict.SKIPPED}
    assert graded.verdict is CaseVerdict.ERRORED
    assert (graded.outcome.status, graded.outcome.verified, graded.outcome.by) == ("UNKNOWN", False, "nobody")


@pytest.mark.parametrize("ending", [ending for ending, (verdict, _) in ENDINGS.items() if verdict == "FAIL"])
def test_where_the_agent_failed_the_rest_is_judged(ending):
    graded = ended(ending)
    assert {item.verdict for item in graded.evaluations[1:]} == {Verdict.PASS}
    assert graded.verdict is CaseVerdict.FAILED


# -- questions and opinions


def test_a_semantic_expectation_asks_one_question():
    (question,) = questions(expecting({"type": "noLoop"}, POLITE), recorded(), SUCCESS)
    assert (question.id, question.rubric, question.category) == ("polite", "The reply is polite.", "tone")
    assert (question.threshold, question.judge, question.answer) == (0.7, None, SUCCESS.answer)


def test_a_question_may_ask_for_its_judge():
    (question,) = questions(expecting({**POLITE, "judge": "mine"}), recorded(), SUCCESS)
    assert question.judge == "mine"


def test_the_name_of_a_question_never_changes():
    (question,) = questions(expecting(POLITE), recorded(), Claim(answer="Hi"))
    assert question.digest == digest(["agenttwin/question/1", "The reply is polite.", "tone", "Hi"])


def test_a_question_is_named_by_what_it_asks():
    def asked(answer="Hi", **fields):
        (question,) = questions(expecting({**POLITE, **fields}), recorded(), Claim(answer=answer))
        return question.digest

    assert asked() == asked(id="other") == asked(threshold=0.9) == asked(critical=True)
    assert len({asked(), asked("Ho"), asked(rubric="It is short."), asked(category="style")}) == 4


def test_where_there_is_no_answer_nobody_is_asked():
    assert questions(expecting(POLITE), recorded(), Claim()) == ()


def test_where_the_case_cannot_be_judged_nobody_is_asked():
    assert questions(expecting(POLITE), replace(recorded(), ending=Ending.TWIN_ERROR), SUCCESS) == ()
    assert len(questions(expecting(POLITE), replace(recorded(), ending=Ending.AGENT_TIMEOUT), SUCCESS)) == 1


def semantic(given, answer="Hi", **fields):
    case = expecting({**POLITE, **fields})
    opinions = {} if given is None else {"polite": given}
    return evaluate(case, recorded(), Claim(answer=answer), opinions).evaluations[1]


def test_an_opinion_is_kept_with_its_judge_and_score():
    found = semantic(opinion(score=0.8, calibrated=True))
    assert (found.verdict, found.score, found.judge, found.calibrated) == ("PASS", 0.8, JUDGE, True)
    assert found.reason == "Because."


@pytest.mark.parametrize(
    ("given", "verdict", "reason"),
    [
        (opinion(score=0.7), "PASS", "Because."),
        (opinion(score=1), "PASS", "Because."),
        (opinion(score=0.6999), "FAIL", "Because. The score 0.6999 was below the threshold 0.7."),
        (opinion("fail", 0.9), "FAIL", "Because."),
        (opinion("fail", 0.1), "FAIL", "Because. The score 0.1 was below the threshold 0.7."),
    ],
)
def test_label_and_score_must_both_be_good(given, verdict, reason):
    found = semantic(given)
    assert (found.verdict, found.reason) == (verdict, reason)
    assert found.label == (None if verdict == "PASS" else "SEMANTIC_FAIL")
    assert (found.score, found.calibrated) == (given.score, False)


def test_the_threshold_is_the_expectations():
    assert semantic(opinion(score=0.5), threshold=0.5).verdict == "PASS"
    assert semantic(opinion(score=0.0), threshold=0).verdict == "PASS"
    assert semantic(opinion(score=0.99), threshold=1).verdict == "FAIL"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (None, "No judge gave an opinion."),
        (NoOpinion(reason="It is down.", judge=JUDGE), "The judge gave no opinion: It is down."),
        (opinion("maybe"), 'The judge gave the label "maybe" and the score 1.0, which is no verdict.'),
        (opinion(score=1.01), 'The judge gave the label "pass" and the score 1.01, which is no verdict.'),
        (opinion(score=-0.1), 'The judge gave the label "pass" and the score -0.1, which is no verdict.'),
        (
            opinion(score=float("nan")),
            'The judge gave the label "pass" and the score nan, which is no verdict.',
        ),
    ],
)
def test_what_is_no_verdict_is_an_error_without_a_score(given, reason):
    found = semantic(given)
    assert (found.verdict, found.label, found.score, found.reason) == (
        "ERROR",
        "EVALUATION_ERROR",
        None,
        reason,
    )


def test_no_answer_fails_whatever_a_judge_would_say():
    found = semantic(opinion(), answer=None)
    assert (found.verdict, found.label, found.reason) == (
        "FAIL",
        "SEMANTIC_FAIL",
        "The agent gave no answer.",
    )


# -- evaluators from outside


def custom(evaluator, **fields):
    expectation = {"type": "custom", "evaluator": "mine", **fields}
    return judge(expectation, recorded(), evaluators={"mine": evaluator})


def test_a_custom_evaluator_is_given_the_case():
    seen = []
    custom(lambda *given: bool(seen.append(given)) or True, arguments={"a": 1})
    ((transcript, claim, arguments),) = seen
    assert (len(transcript.calls), claim, arguments) == (5, SUCCESS, {"a": 1})


@pytest.mark.parametrize(
    ("said", "verdict", "label", "reason"),
    [
        (True, "PASS", None, "The evaluator mine said yes."),
        (False, "FAIL", "CUSTOM_FAIL", "The evaluator mine said no."),
        ({"passed": True, "reason": "Fine.", "label": "X"}, "PASS", None, "Fine."),
        ({"passed": False, "reason": "Bad.", "label": "RUDE"}, "FAIL", "RUDE", "Bad."),
        ({"passed": False}, "FAIL", "CUSTOM_FAIL", "The evaluator mine said no."),
    ],
)
def test_what_it_says_counts(said, verdict, label, reason):
    found = custom(lambda *_: said)
    assert (found.verdict, found.label, found.reason) == (verdict, label, reason)


@pytest.mark.parametrize(
    ("said", "shown"), [(None, "null"), ("yes", '"yes"'), (1, "1"), ({"reason": "x"}, '{"reason": "x"}')]
)
def test_anything_else_is_an_error(said, shown):
    found = custom(lambda *_: said)
    assert (found.verdict, found.label) == ("ERROR", "EVALUATION_ERROR")
    assert found.reason == f"The evaluator 'mine' gave {shown}, neither true nor false nor `passed`."


def test_what_it_raises_is_an_error_with_the_message():
    found = custom(lambda *_: 1 // 0)
    assert (
        found.reason
        == "The expectation could not be judged: ZeroDivisionError: integer division or modulo by zero"
    )
    assert (found.verdict, found.label) == ("ERROR", "EVALUATION_ERROR")


def test_an_evaluator_that_does_not_exist_is_an_error_with_the_nearest():
    expectation = {"type": "custom", "evaluator": "mien"}
    assert judge(expectation, recorded()).reason == "There was no evaluator 'mien'."
    found = judge(expectation, recorded(), evaluators={"mine": bool})
    assert (found.verdict, found.reason) == ("ERROR", "There was no evaluator 'mien'. Did you mean 'mine'?")


# -- the verdict of a case (the vectors in conformance/ hold the table)


def test_one_bad_evaluator_leaves_the_others_alone():
    case = expecting({"type": "custom", "evaluator": "x"}, {"type": "noLoop"})
    graded = evaluate(case, recorded(), SUCCESS, {}, evaluators={"x": lambda *_: {}["x"]})
    assert [item.verdict for item in graded.evaluations] == ["PASS", "ERROR", "PASS"]
    assert graded.verdict is CaseVerdict.ERRORED


def test_zero_evidence_is_no_pass():
    nothing = replace(recorded(), events=(), before=None, after=None)
    graded = evaluate(expecting({"type": "state", "path": "a"}), nothing, SUCCESS, {})
    assert graded.verdict is CaseVerdict.ERRORED


def test_a_grade_is_made_of_its_evaluations():
    graded = evaluate(scenario(), recorded(), SUCCESS, {})
    assert grade(graded.evaluations) == graded
    assert case_verdict(graded.evaluations) is graded.verdict


def test_a_claim_is_no_evidence():
    silent = replace(SUCCESS, outcome=ClaimedOutcome.UNKNOWN, own_calls=(), steps=99)
    for item in evaluate(scenario(), recorded(), silent, {}).evaluations[1:4]:
        assert item.verdict == "PASS"


def test_redeliveries_are_not_calls_of_the_agent():
    again = amended(play([*CAREFUL, ("lookup_order", ORDER)]), 6, redelivered=True)
    assert judge({"type": "maxToolCalls", "value": 5}, again).verdict == "PASS"


class MuteError(Exception):
    """An error that fails to say what it is."""

    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (KeyError(), "KeyError"),
        (MuteError(), "MuteError"),
        (ValueError("x" * 1000), f"ValueError: {'x' * 299}…"),
    ],
)
def test_whatever_an_evaluator_raises_is_told_shortly(error, said):
    def raises(*_):
        raise error

    assert custom(raises).reason == f"The expectation could not be judged: {said}"
