"""Does the transcript meet the expectations? Questions out, opinions in, verdicts with their reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agenttwin._lazy import lazily

if TYPE_CHECKING:
    from agenttwin.evaluate._claim import FIELDS, ClaimError, read_claim
    from agenttwin.evaluate._definitions import (
        FAILED,
        Duplicate,
        Loop,
        Violation,
        blind_repeats,
        duplicate_effects,
        effect_name,
        effects,
        executed,
        failed,
        lies,
        loops,
        policy_violations,
        retries,
        retries_without_key,
        steps,
        writes,
    )
    from agenttwin.evaluate._evaluate import evaluate, questions
    from agenttwin.evaluate._evaluators import EVALUATORS
    from agenttwin.evaluate._finding import CustomEvaluator
    from agenttwin.evaluate._phrases import read_outcome
    from agenttwin.evaluate._secret import KEY_SHAPES, key_shaped
    from agenttwin.evaluate._testimony import disagreements
    from agenttwin.evaluate._values import (
        CaseVerdict,
        Evaluation,
        Evidence,
        Grade,
        JudgeIdentity,
        NoOpinion,
        Opinion,
        Question,
        Verdict,
    )
    from agenttwin.evaluate._verdict import case_verdict, contradicts, grade
else:
    __getattr__ = lazily(
        __name__,
        {
            "_claim": "FIELDS ClaimError read_claim",
            "_definitions": (
                "FAILED Duplicate Loop Violation blind_repeats duplicate_effects effect_name effects "
                "executed failed lies loops policy_violations retries retries_without_key steps writes"
            ),
            "_evaluate": "evaluate questions",
            "_evaluators": "EVALUATORS",
            "_finding": "CustomEvaluator",
            "_phrases": "read_outcome",
            "_secret": "KEY_SHAPES key_shaped",
            "_testimony": "disagreements",
            "_values": (
                "CaseVerdict Evaluation Evidence Grade JudgeIdentity NoOpinion Opinion Question Verdict"
            ),
            "_verdict": "case_verdict contradicts grade",
        },
    )

__all__ = [
    "EVALUATORS",
    "FAILED",
    "FIELDS",
    "KEY_SHAPES",
    "CaseVerdict",
    "ClaimError",
    "CustomEvaluator",
    "Duplicate",
    "Evaluation",
    "Evidence",
    "Grade",
    "JudgeIdentity",
    "Loop",
    "NoOpinion",
    "Opinion",
    "Question",
    "Verdict",
    "Violation",
    "blind_repeats",
    "case_verdict",
    "contradicts",
    "disagreements",
    "duplicate_effects",
    "effect_name",
    "effects",
    "evaluate",
    "executed",
    "failed",
    "grade",
    "key_shaped",
    "lies",
    "loops",
    "policy_violations",
    "questions",
    "read_claim",
    "read_outcome",
    "retries",
    "retries_without_key",
    "steps",
    "writes",
]
