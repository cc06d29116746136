"""Whatever a judge does becomes an opinion, or the reason why there is none."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from agenttwin.evaluate import JudgeIdentity, NoOpinion, Opinion, Question
from agenttwin.run import Bench, Grading
from tests.unit.run._scene import pays, record

IDENTITY = JudgeIdentity(provider="acme", model="m-1")
GOOD = Opinion(label="pass", score=0.9, reason="It says so.", judge=IDENTITY)
QUESTION = Question(
    id="polite",
    rubric="It is polite.",
    category=None,
    threshold=0.7,
    judge=None,
    answer="Please.",
    digest="d",
)
POLITE = "[{id: polite, type: semantic, rubric: It is polite.}]"


@dataclass
class Judge:
    answer: Callable[[Question], Any]
    identity: JudgeIdentity = IDENTITY
    asked: int = 0

    def __call__(self, question: Question) -> Any:
        self.asked += 1
        return self.answer(question)


class Cache(dict[tuple[str, JudgeIdentity], Opinion]):
    def get(self, question: str, judge: JudgeIdentity) -> Opinion | None:  # type: ignore[override]
        return super().get((question, judge))

    def put(self, question: str, opinion: Opinion) -> None:
        self[question, opinion.judge] = opinion


async def in_time(question: Question) -> Opinion:
    await asyncio.sleep(0)
    return GOOD


async def too_late(question: Question) -> Opinion:
    await asyncio.sleep(60)
    return GOOD


def broken(question: Question) -> Opinion:
    raise ConnectionError("nobody answers")


@pytest.mark.parametrize("answer", [lambda question: GOOD, in_time])
def test_an_opinion_is_taken_at_once_or_awaited(answer: Any) -> None:
    assert Bench(judge=Judge(answer)).opinion(QUESTION) == GOOD


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        (None, "No judge is configured."),
        (Judge(broken), "The judge failed: ConnectionError: nobody answers."),
        (Judge(too_late), "The judge gave no answer within 0.05 seconds."),
        (Judge(lambda question: "yes"), "The judge gave no opinion."),
        (
            Judge(lambda question: Opinion(label="pass", score=7, reason="", judge=IDENTITY)),
            "The judge gave the score 7.",
        ),
    ],
)
def test_what_is_no_opinion_says_why(judge: Judge | None, reason: str) -> None:
    opinion = Bench(judge=judge, timeout_seconds=0.05).opinion(QUESTION)
    assert isinstance(opinion, NoOpinion)
    assert opinion.reason == reason


def test_a_judge_that_is_asked_for_by_name_must_be_there() -> None:
    question = Question(
        id="q", rubric="r", category=None, threshold=0.7, judge="other", answer="a", digest="d"
    )
    opinion = Bench(judge=Judge(lambda question: GOOD)).opinion(question)
    assert isinstance(opinion, NoOpinion)
    assert opinion.reason == "The judge 'other' is not configured."


def test_a_question_is_asked_once() -> None:
    judge = Judge(lambda question: GOOD)
    bench = Bench(judge=judge, cache=Cache())
    assert bench.opinion(QUESTION) == bench.opinion(QUESTION) == GOOD
    assert judge.asked == 1


def test_that_there_is_no_opinion_is_not_kept() -> None:
    judge = Judge(broken)
    bench = Bench(judge=judge, cache=Cache())
    bench.opinion(QUESTION)
    bench.opinion(QUESTION)
    assert judge.asked == 2


def test_the_record_holds_question_and_opinion() -> None:
    found = record(pays, Grading(bench=Bench(judge=Judge(lambda question: GOOD))), expectations=POLITE)
    assert [question.id for question in found.questions] == ["polite"]
    assert found.opinions == {"polite": GOOD}


def test_a_judge_that_is_down_gives_an_error_and_no_score() -> None:
    found = record(pays, Grading(bench=Bench(judge=Judge(broken))), expectations=POLITE)
    (evaluation,) = [one for one in found.grade.evaluations if one.id == "polite"]
    assert (evaluation.verdict, evaluation.score) == ("ERROR", None)
