"""One version alone: what it did, graded, without a baseline beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agenttwin.compare._json import MEASURED, named, report_digest, side_json
from agenttwin.compare._values import CaseInfo, Side, Version
from agenttwin.compare._verdict import Decision, ExitCode
from agenttwin.evaluate import CaseVerdict, Evaluation, Verdict
from agenttwin.transcript import redact
from agenttwin.values import Json

FORMAT: Final = "run/1"

_ORDER: Final = (CaseVerdict.FAILED, CaseVerdict.ERRORED, CaseVerdict.PASSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleCase:
    """One case of one side."""

    info: CaseInfo
    trial: int
    seed: str
    side: Side

    @property
    def verdict(self) -> CaseVerdict:
        """The case's verdict; ERRORED where it never ran."""
        return self.side.grade.verdict if self.side.grade is not None else CaseVerdict.ERRORED


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """One version's cases."""

    version: Version
    plan_digest: str
    seed: int
    cases: tuple[SingleCase, ...]
    secrets: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def decide_single(run: Single) -> Decision:
    """The verdict and the exit code of a run alone."""
    if not run.cases:
        return Decision(code=ExitCode.NOTHING_SELECTED, headline="Nothing was selected, so nothing was run.")
    counts = {verdict: sum(case.verdict is verdict for case in run.cases) for verdict in _ORDER}
    words = ", ".join(f"{count} {verdict.value.lower()}" for verdict, count in counts.items() if count)
    if counts[CaseVerdict.FAILED]:
        return Decision(code=ExitCode.WORSE, headline=f"Failed: {words}.")
    if counts[CaseVerdict.ERRORED]:
        return Decision(code=ExitCode.INCOMPLETE, headline=f"Not decided: {words}.")
    return Decision(code=ExitCode.NOTHING_WORSE, headline=f"Passed: {words}.")


def single_as_json(
    run: Single, *, measured: Mapping[str, Json] | None = None, qualified: bool = False
) -> dict[str, Json]:
    """A run alone as JSON, `run/1`; worst cases first. Parameters as of a comparison."""
    decision = decide_single(run)
    version = run.version
    body: dict[str, Json] = {
        "format": FORMAT,
        "agent": version.agent,
        "version": version.version,
        "digest": version.digest,
        "model_kind": version.model_kind,
        "headline": decision.headline,
        "plan_digest": run.plan_digest,
        "seed": run.seed,
        "cases": [_case(case, run, qualified=qualified) for case in sorted(run.cases, key=_worst_first)],
        "warnings": list(run.warnings),
        "exit_code": int(decision.code),
    }
    masked: Any = redact(body, run.secrets)
    return {**masked, "report_digest": report_digest(masked), MEASURED: dict(measured or {})}


def _worst_first(case: SingleCase) -> tuple[int, str, int]:
    return _ORDER.index(case.verdict), case.info.scenario, case.trial


def _case(case: SingleCase, run: Single, *, qualified: bool) -> Json:
    version = named(run.version, qualified=qualified)
    return {
        "scenario": case.info.scenario,
        "severity": case.info.severity,
        "tags": list(case.info.tags),
        "trial": case.trial,
        "seed": case.seed,
        "source": {"file": case.info.file, "line": case.info.line},
        "verdict": case.verdict.value,
        "reason": _reason(case.side),
        "side": side_json(case.side),
        "rerun": f"agenttwin run {version} --scenario {case.info.scenario} --seed {run.seed}",
    }


def _reason(side: Side) -> str:
    if side.grade is None:
        return "The case never ran."
    worst = next(
        (item for item in side.grade.evaluations if item.verdict in (Verdict.FAIL, Verdict.ERROR)), None
    )
    return worst.reason if worst is not None else _passed(side.grade.evaluations)


def _passed(evaluations: tuple[Evaluation, ...]) -> str:
    count = sum(item.verdict is Verdict.PASS for item in evaluations) - 1
    return f"{count} of {len(evaluations) - 1} expectations hold."
