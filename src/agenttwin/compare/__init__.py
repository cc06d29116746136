"""Baseline against candidate, paired: a class with its reason, and the first step at which they part."""

from agenttwin.compare._classify import classify, usable
from agenttwin.compare._compare import case_info, compare, zero_evidence
from agenttwin.compare._coverage import Coverage, IrreversibleTool, coverage
from agenttwin.compare._divergence import MEANINGS, SENTENCES, diverge
from agenttwin.compare._json import (
    as_json,
    call_json,
    masked_side,
    report_digest,
    rerun,
    side_json,
    without_measured,
)
from agenttwin.compare._schema import comparison_schema
from agenttwin.compare._single import Single, SingleCase, decide_single, single_as_json
from agenttwin.compare._trajectory import align, effect_of, text_of, trajectory
from agenttwin.compare._values import (
    Aligned,
    CaseComparison,
    CaseInfo,
    Classification,
    Comparison,
    Divergence,
    Movement,
    Pair,
    PairedCase,
    Side,
    Step,
    Version,
)
from agenttwin.compare._verdict import Decision, ExitCode, decide

__all__ = [
    "MEANINGS",
    "SENTENCES",
    "Aligned",
    "CaseComparison",
    "CaseInfo",
    "Classification",
    "Comparison",
    "Coverage",
    "Decision",
    "Divergence",
    "ExitCode",
    "IrreversibleTool",
    "Movement",
    "Pair",
    "PairedCase",
    "Side",
    "Single",
    "SingleCase",
    "Step",
    "Version",
    "align",
    "as_json",
    "call_json",
    "case_info",
    "classify",
    "compare",
    "comparison_schema",
    "coverage",
    "decide",
    "decide_single",
    "diverge",
    "effect_of",
    "masked_side",
    "report_digest",
    "rerun",
    "side_json",
    "single_as_json",
    "text_of",
    "trajectory",
    "usable",
    "without_measured",
    "zero_evidence",
]
