"""Baseline against candidate, paired: a class with its reason for each case, and where the sides part."""

from agenttwin.compare._case_info import case_info
from agenttwin.compare._classify import Class, classify, usable
from agenttwin.compare._compare import compare
from agenttwin.compare._comparison import (
    CaseComparison,
    Classification,
    Compared,
    Comparison,
    Divergence,
    Movement,
)
from agenttwin.compare._coverage import Coverage, IdleFault, IrreversibleTool, coverage
from agenttwin.compare._decision import STILL_FAILING, Decision, ExitCode, Word, decide
from agenttwin.compare._digest import report_digest, without_measured
from agenttwin.compare._divergence import diverge
from agenttwin.compare._document import (
    CaseDocument,
    ComparisonDocument,
    CoverageDocument,
    ManifestDiffDocument,
    RunDocument,
    SingleCaseDocument,
    TotalsDocument,
)
from agenttwin.compare._phrases import PHRASES
from agenttwin.compare._schema import comparison_schema, run_schema
from agenttwin.compare._side import change_document
from agenttwin.compare._side_document import (
    CallDocument,
    ChangeDocument,
    EvaluationDocument,
    RetrievalDocument,
    SideDocument,
    StepDocument,
)
from agenttwin.compare._single import decide_single, outcome_of, single_as_json
from agenttwin.compare._trajectory import Effect, Kind, Row, Step, align, trajectory
from agenttwin.compare._values import (
    CaseInfo,
    Pair,
    PairedCase,
    Side,
    Single,
    SingleCase,
    TwinCheck,
    Version,
)
from agenttwin.compare._write import as_json, rerun

__all__ = [
    "PHRASES",
    "STILL_FAILING",
    "CallDocument",
    "CaseComparison",
    "CaseDocument",
    "CaseInfo",
    "ChangeDocument",
    "Class",
    "Classification",
    "Compared",
    "Comparison",
    "ComparisonDocument",
    "Coverage",
    "CoverageDocument",
    "Decision",
    "Divergence",
    "Effect",
    "EvaluationDocument",
    "ExitCode",
    "IdleFault",
    "IrreversibleTool",
    "Kind",
    "ManifestDiffDocument",
    "Movement",
    "Pair",
    "PairedCase",
    "RetrievalDocument",
    "Row",
    "RunDocument",
    "Side",
    "SideDocument",
    "Single",
    "SingleCase",
    "SingleCaseDocument",
    "Step",
    "StepDocument",
    "TotalsDocument",
    "TwinCheck",
    "Version",
    "Word",
    "align",
    "as_json",
    "case_info",
    "change_document",
    "classify",
    "compare",
    "comparison_schema",
    "coverage",
    "decide",
    "decide_single",
    "diverge",
    "outcome_of",
    "report_digest",
    "rerun",
    "run_schema",
    "single_as_json",
    "trajectory",
    "usable",
    "without_measured",
]
