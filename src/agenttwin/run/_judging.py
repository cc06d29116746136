"""Asking a judge, so that whatever it does becomes an opinion or the reason why there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Final

from agenttwin.evaluate import JudgeIdentity, NoOpinion, Opinion, Question
from agenttwin.run._loop import begin_judge
from agenttwin.run._protocols import Judge, OpinionCache
from agenttwin.run._trace import told

JUDGE_TIMEOUT_SECONDS: Final = 60.0

NOBODY: Final = JudgeIdentity(provider="none", kind="unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Who is asked, and where opinions are kept."""

    judge: Judge | None = None
    cache: OpinionCache | None = None
    timeout_seconds: float = JUDGE_TIMEOUT_SECONDS

    def opinions(self, questions: Iterable[Question]) -> dict[str, Opinion | NoOpinion]:
        """The opinion on each question, by the question's id."""
        return {question.id: self.opinion(question) for question in questions}

    def opinion(self, question: Question) -> Opinion | NoOpinion:
        """An opinion that is kept, or a new one; why there is none, where there is none."""
        judge = self.judge
        if judge is None:
            return NoOpinion(reason="No judge is configured.", judge=NOBODY)
        if question.judge not in (None, judge.identity.provider):
            return self._none(f"The judge {question.judge!r} is not configured.", judge)
        try:
            return self._asked(question, judge)
        except Exception as error:  # a judge is code from outside
            return self._none(f"The judge failed: {told(error)}", judge)

    def _asked(self, question: Question, judge: Judge) -> Opinion | NoOpinion:
        cache = (
            self.cache if judge.identity.kind != "deterministic-fake" else None
        )  # which is as quick as a look-up
        kept = cache.get(question.digest, judge.identity) if cache is not None else None
        if kept is not None:
            return kept
        answer = judge(question)
        opinion = self._awaited(answer, judge) if isawaitable(answer) else answer
        if not isinstance(opinion, Opinion):
            return (
                opinion if isinstance(opinion, NoOpinion) else self._none("The judge gave no opinion.", judge)
            )
        if not 0 <= opinion.score <= 1:
            return self._none(f"The judge gave the score {opinion.score}.", judge)
        if cache is not None:
            cache.put(question.digest, opinion)
        return opinion

    def _awaited(self, answer: Awaitable[Opinion | NoOpinion], judge: Judge) -> Opinion | NoOpinion:
        running = begin_judge(answer)
        if running.wait(self.timeout_seconds):
            return running.result()
        running.cancel_soon()
        return self._none(f"The judge gave no answer within {self.timeout_seconds:g} seconds.", judge)

    def _none(self, reason: str, judge: Judge) -> NoOpinion:
        return NoOpinion(reason=reason, judge=judge.identity)
