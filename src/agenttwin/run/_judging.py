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
            return NoOpinion(reason=f"The judge {question.judge!r} is not configured.", judge=judge.identity)
        try:
            return self._kept(question, judge) or self._asked(question, judge)
        except Exception as error:  # a judge is code from outside
            return NoOpinion(reason=f"The judge failed: {told(error)}", judge=judge.identity)

    def _kept(self, question: Question, judge: Judge) -> Opinion | None:
        return self.cache.get(question.digest, judge.identity) if self.cache else None

    def _asked(self, question: Question, judge: Judge) -> Opinion | NoOpinion:
        answer = judge(question)
        opinion = self._awaited(answer, judge) if isawaitable(answer) else answer
        if isinstance(opinion, Opinion):
            if not 0 <= opinion.score <= 1:
                return NoOpinion(reason=f"The judge gave the score {opinion.score}.", judge=judge.identity)
            if self.cache:
                self.cache.put(question.digest, opinion)
        elif not isinstance(opinion, NoOpinion):
            return NoOpinion(reason="The judge gave no opinion.", judge=judge.identity)
        return opinion

    def _awaited(self, answer: Awaitable[Opinion | NoOpinion], judge: Judge) -> Opinion | NoOpinion:
        running = begin_judge(answer)
        if running.wait(self.timeout_seconds):
            return running.result()
        running.cancel_soon()
        reason = f"The judge gave no answer within {self.timeout_seconds:g} seconds."
        return NoOpinion(reason=reason, judge=judge.identity)
