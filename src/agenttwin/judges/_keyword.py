"""The keyword judge: counts words of the rubric in the answer. Deterministic, and not a language model."""

from __future__ import annotations

import re
from typing import Final

from agenttwin.evaluate import JudgeIdentity, Opinion, Question

MIN_WORD: Final = 4
"""Letters of a word that is worth looking for."""

STEM: Final = 5
"""Letters that are compared: enough to tell words apart, few enough to leave endings aside."""

MET: Final = 0.5
"""The share of words that meets a statement, and of statements that passes."""

_STOP_WORDS: Final = """
about after again also because been before being both could does doing done down during each either from
further have having here into itself just more most must neither once only other over same shall should some
such than that their them then there these they this those through under until upon very were what when where
whether which while whom whose will with within without would your yours
"""

STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""Words that tell nothing about an answer."""

SAYS_WHAT_IT_IS: Final = "(Keyword judge, not a language model; it ignores negation.)"

_STATEMENT: Final = re.compile(r"[\n\r]+|(?<=[.!?])\s+")
_WORD: Final = re.compile(r"[^\W_]+")


class KeywordJudge:
    """Asks of each statement of a rubric whether at least half of its words occur in the answer.

    It ignores negation, and says so. It costs nothing and gives the same opinion every time.
    """

    identity: Final = JudgeIdentity(provider="keyword", kind="deterministic-fake")

    def __call__(self, question: Question) -> Opinion:
        """The opinion on a question, at once: the share of statements that are met."""
        return opinion(question.rubric, question.answer, self.identity)


def opinion(rubric: str, answer: str, judge: JudgeIdentity) -> Opinion:
    """What the words say: score = met statements ÷ statements; `pass` from a half on."""
    found = [(len(words), len(words & _beginnings(answer))) for words in map(stems, statements(rubric))]
    met = sum(hits >= words * MET for words, hits in found)
    score = met / len(found) if found else 0.0
    return Opinion(
        label="pass" if score >= MET else "fail", score=score, reason=_reason(found, met), judge=judge
    )


def statements(rubric: str) -> tuple[str, ...]:
    """The statements of a rubric: its lines, bullets and sentences that hold a word to look for."""
    parts = (part.strip(" \t-*•") for part in _STATEMENT.split(rubric))
    return tuple(part for part in parts if stems(part))


def stems(text: str) -> frozenset[str]:
    """The words of a text that are worth looking for, by their first letters."""
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(word[:STEM] for word in words if len(word) >= MIN_WORD and word not in STOP_WORDS)


def _beginnings(answer: str) -> frozenset[str]:
    """What the words of the answer begin with, in every length that a stem can have."""
    words = {word.lower() for word in _WORD.findall(answer)}
    return frozenset(word[:length] for word in words for length in range(MIN_WORD, STEM + 1))


def _reason(found: list[tuple[int, int]], met: int) -> str:
    if not found:
        return f"The rubric held no word to look for. {SAYS_WHAT_IT_IS}"
    counts = ", ".join(f"{hits} of {words} words" for words, hits in found)
    noun = "statement was" if len(found) == 1 else "statements were"
    return f"{met} of {len(found)} {noun} met ({counts}). {SAYS_WHAT_IT_IS}"
