"""The keyword judge: counts words of the rubric in the answer. Deterministic, and not a language model."""

from __future__ import annotations

import re
from typing import Final

from agenttwin.evaluate import JudgeIdentity, Opinion, Question

STEM: Final = 5
MIN_WORD: Final = 4
MET: Final = 0.5

STOP_WORDS: Final = frozenset(
    "about after also because been before being both does doing down during each from further have having here into"
    " itself just more most once only other over same should some such than that their them then there these they"
    " this those through under until very were what when where which while whom will with would your yours".split()
)

_STATEMENT = re.compile(r"[\n\r]+|(?<=[.!?;])\s+")
_WORD = re.compile(r"[^\W_]+")


class KeywordJudge:
    """Asks of each statement of a rubric whether at least half of its words occur in the answer.

    It ignores negation, and says so. It costs nothing and gives the same opinion every time.
    """

    identity: Final = JudgeIdentity(provider="keyword", model=None, kind="deterministic-fake")

    def __call__(self, question: Question) -> Opinion:
        """The opinion: the share of statements that are met."""
        found = statements(question.rubric)
        met = [statement for statement in found if _is_met(statement, question.answer)]
        score = len(met) / len(found) if found else 0.0
        return Opinion(
            label="pass" if score >= MET else "fail",
            score=score,
            reason=_reason(found, met, question.answer),
            judge=self.identity,
        )


def statements(rubric: str) -> tuple[str, ...]:
    """The statements of a rubric: its lines, bullets and sentences that hold a word to look for."""
    parts = (part.strip(" \t-*•") for part in _STATEMENT.split(rubric))
    return tuple(part for part in parts if stems(part))


def stems(text: str) -> tuple[str, ...]:
    """The words worth looking for, each once, by their first letters."""
    words = (word.lower() for word in _WORD.findall(text))
    kept = (word[:STEM] for word in words if len(word) >= MIN_WORD and word not in STOP_WORDS)
    return tuple(dict.fromkeys(kept))


def _hits(statement: str, answer: str) -> tuple[str, ...]:
    lowered = answer.lower()
    return tuple(stem for stem in stems(statement) if stem in lowered)


def _is_met(statement: str, answer: str) -> bool:
    return len(_hits(statement, answer)) * 2 >= len(stems(statement))


def _reason(found: tuple[str, ...], met: list[str], answer: str) -> str:
    if not found:
        return "The rubric holds no word to look for. (Keyword judge, not a language model.)"
    counts = ", ".join(f"{len(_hits(text, answer))} of {len(stems(text))} words" for text in found)
    return (
        f"{len(met)} of {len(found)} {'statement' if len(found) == 1 else 'statements'} met ({counts})."
        " (Keyword judge, not a language model; it ignores negation.)"
    )
