"""The words of results: classes, verdicts, labels, outcomes, exit codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Final

from agenttwin.compare import Classification, ExitCode, Movement
from agenttwin.compare import _divergence as divergence
from agenttwin.evaluate import FAILED, CaseVerdict, Verdict
from agenttwin.evaluate._evaluate import ENDINGS
from agenttwin.evaluate._finding import EVALUATION_ERROR
from agenttwin.scenario import EXPECTATIONS
from agenttwin.transcript import ClaimedOutcome, Ending, ModelKind, OutcomeStatus, Result

from ._markdown import code, link, page, slug, table

CLASSES: Final[Mapping[str, str]] = {
    "NEW_CRITICAL_FAILURE": "The candidate fails a critical expectation that the baseline, which did run, did not fail.",
    "REGRESSED": "An expectation that passed on the baseline fails on the candidate.",
    "INCOMPLETE": "A side has no transcript, an expectation could not be judged on a side or was judged on one side only, "
    "or a critical one was skipped. The report names the side and the expectation.",
    "INCONCLUSIVE": "With repeated trials: the difference may be chance.",
    "IMPROVED": "An expectation that failed on the baseline passes on the candidate, and nothing above holds.",
    "UNCHANGED": "The same result on both sides, passing or failing.",
}
MOVEMENTS: Final[Mapping[str, str]] = {
    "broken": "PASS on the baseline, FAIL on the candidate.",
    "fixed": "FAIL on the baseline, PASS on the candidate.",
    "still_failing": "FAIL on both sides.",
    "same": "PASS on both sides.",
    "not_judged": "ERROR, SKIPPED or missing on a side.",
}
VERDICTS: Final[Mapping[str, str]] = {
    "PASS": "It holds.",
    "FAIL": "It does not hold.",
    "ERROR": "It could not be judged. It has no score, ever.",
    "SKIPPED": "What it needs is not there. The reason says what.",
}
CASE_VERDICTS: Final[Mapping[str, str]] = {
    "PASSED": "Something was judged, and nothing below holds.",
    "FAILED": "An expectation is FAIL.",
    "ERRORED": "The twin or the way to the agent failed; or nothing is FAIL, and an expectation is ERROR, a critical one "
    "SKIPPED, or nothing was judged.",
}
OUTCOMES: Final[Mapping[str, str]] = {
    "SUCCESS": "It did what was asked.",
    "PARTIAL": "It did a part, or handed the rest on.",
    "FAILURE": "It did not do it.",
    "ESCALATED": "It handed the case to a person.",
    "REFUSED": "It declined.",
    "UNKNOWN": "It does not say, and nothing can be read from its answer.",
}
VERIFIED: Final[Mapping[str, str]] = {
    "SUCCESS": "All expectations that bear on the outcome pass.",
    "PARTIAL": "One that is not critical fails.",
    "FAILURE": "A critical one fails.",
    "UNKNOWN": "None was judged: nothing is verified, and no claim is disproved.",
}
CALLS: Final[Mapping[str, str]] = {
    "ok": "2xx, complete.",
    "rate_limited": "429.",
    "denied": "401 or 403.",
    "not_found": "404.",
    "unknown_tool": "404 of the twin: it has no such tool.",
    "timeout": "408 or 504.",
    "invalid": "400, 409, 413 or 422.",
    "dropped": "Nothing came.",
    "partial": "It broke off half-way.",
    "malformed": "What came is no JSON.",
    "error": "Any other status from 400.",
}
MODELS: Final[Mapping[str, str]] = {
    "llm": "The manifest names a model's provider.",
    "deterministic-fake": "The manifest's provider is `scripted`: a program, no language model.",
    "unknown": "The manifest names no provider.",
}
DIVERGENCES: Final[Mapping[str, str]] = {
    "tool": "They called different tools.",
    "arguments": "They called the same tool with different arguments. What a tool's `compare.ignore` names does not count.",
    "result": "The same call ended differently, or had another effect.",
    "policy": "A policy decided on one side only, or differently.",
    "stopped_early": "The candidate stopped, the baseline went on.",
    "extra_steps": "The baseline stopped, the candidate went on.",
    "outcome": "They did the same and reported different outcomes.",
}
EXITS: Final[Mapping[int, tuple[str, str]]] = {
    0: ("Nothing got worse.", "Nothing failed."),
    1: ("A case regressed or has a new critical failure; or critical failures of which nobody knows whether they are new.",
        "Something failed."),
    2: ("A mistake in a document, a flag or the workspace. Nothing was run.", "The same."),
    3: ("It cannot be told: a case is incomplete or inconclusive, the two sides did not run the same, or nothing was judged.",
        "Not everything could be judged, or nothing was."),
    4: ("Waiting for a person. No command ends with it yet.", "The same."),
    5: ("The selection is empty.", "The same."),
    130: ("Interrupted. What was finished is kept; the same `--key` goes on.", "The same."),
}  # fmt: skip


def results() -> str:
    """The page of results."""
    return page(
        "Results",
        "The words that reports use, and what each means.",
        "## Classes of a case",
        "What the change did to a case; the first that holds. Measures such as latency, tokens and numbers of calls stand "
        "beside the class and never change it.",
        table(("class", "when"), _each(Classification, CLASSES)),
        "## What becomes of an expectation",
        table(("movement", "when"), _each(Movement, MOVEMENTS)),
        "## Exit codes",
        "Where several hold: 2, 1, 3, 4, 5, 0. The headline of a report and the exit code come from one function.",
        table(("code", "compare, reproduce", "run"), _exits()),
        "`--fail-on still-failing` makes it 1 also where an expectation fails on both sides and is not expected to.",
        "## Verdicts",
        "Of an expectation:",
        table(("verdict", "meaning"), _each(Verdict, VERDICTS)),
        "Of a case:",
        table(("verdict", "when"), _each(CaseVerdict, CASE_VERDICTS)),
        "## Labels",
        "Why an expectation is FAIL or ERROR, in a word.",
        table(("label", "of"), _labels()),
        "## How an agent ends",
        "The labels of `agent-finished`. ERROR says nothing about the agent: the rest of the case is SKIPPED.",
        table(("label", "verdict", "sentence"), _endings()),
        "## Claimed outcomes",
        "What the agent says. Where it says nothing, it is read from its answer and marked *inferred*.",
        table(("outcome", "meaning"), _each(ClaimedOutcome, OUTCOMES)),
        "## Verified outcomes",
        "What the expectations that bear on the outcome show. A claimed SUCCESS whose verified outcome is FAILURE or PARTIAL "
        "is a contradiction.",
        table(("outcome", "when"), _each(OutcomeStatus, VERIFIED)),
        "## Results of calls",
        "What the caller saw. *Failed*: whether the same call made again counts as a retry.",
        table(
            ("result", "status", "failed"),
            ((code(word), CALLS[word.value], "yes" if word in FAILED else "no") for word in Result),
        ),
        "## Divergences",
        "The first step at which the two sides part. It is no verdict: cases that are unchanged may have one. "
        + link("Reading a divergence", "../how-to/read-a-divergence.md")
        + " has examples.",
        table(("kind", "when"), ((code(kind), DIVERGENCES[kind]) for kind in divergence.DIVERGENCES)),
        "## Kinds of model",
        table(("kind", "when"), _each(ModelKind, MODELS)),
    )


def _each(words: type[Enum], meanings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for word in words:
        yield code(word.value), meanings[word.value]


def _exits() -> Iterator[tuple[str, str, str]]:
    for number in ExitCode:
        yield f"**{int(number)}**", *EXITS[int(number)]


def _labels() -> Iterator[tuple[str, str]]:
    kinds: dict[str, list[str]] = {}
    for name, kind in EXPECTATIONS.items():
        for label in kind.labels:
            kinds.setdefault(label, []).append(name)
    for label in sorted(kinds):
        yield code(label), _links(kinds[label])
    yield code(EVALUATION_ERROR), "any kind: judging itself failed"


def _links(names: Iterable[str]) -> str:
    return ", ".join(link(code(name), f"expectations.md#{slug(name)}") for name in names)


def _endings() -> Iterator[tuple[str, str, str]]:
    for ending, (verdict, told) in ENDINGS.items():
        label = "–" if ending is Ending.FINISHED else code(ending.value)
        yield label, verdict.value, told
