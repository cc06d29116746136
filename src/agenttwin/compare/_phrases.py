"""Every sentence that comparing says, in one table. They describe what was recorded, and no reason for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

# ruff: noqa: E501 - a sentence is one line, so that the table reads as a table
# fmt: off

PHRASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # the class of a case
        "new_critical": "The candidate fails a critical expectation that the baseline did not fail: {names}.",
        "new_criticals": "The candidate fails critical expectations that the baseline did not fail: {names}.",
        "baseline_unverified": "Whether the baseline met {names} is not known: it was not judged there.",
        "regressed": "Passed on the baseline, fails on the candidate: {names}.",
        "improved": "Failed on the baseline, passes on the candidate: {names}.",
        "still_failing": "Still failing on both sides: {names}.",
        "unchanged": "Same result on both sides.",
        "as_expected": "Fails as expected: {names}.",
        "no_transcript": "The {side} has no transcript.",
        "error": "Could not be judged on the {side}: {names}.",
        "skipped": "Skipped on the {side}: {names}.",
        "absent": "Missing on the {side}: {names}.",
        "regraded": "Judged by other versions of the evaluator on the two sides, regrade first: {names}.",
        "candidate_critical": "The candidate fails critical {names}; whether that is new is unknown.",
        "not_compared": "Not compared: the two sides did not run the same.",
        # what the sides ran
        "pin_missing": "In {scenario} the {side} does not say with which {what} it ran.",
        "pin_of_plan": "In {scenario} the {side} ran with another {what} than planned: {found} for {planned}.",
        "pin_of_sides": "In {scenario} the baseline ran with the {what} {baseline}, the candidate with {candidate}.",
        # the first divergence
        "tool": "At step {step} the baseline called {baseline}; the candidate called {candidate}.",
        "arguments": "At step {step} both called {tool}, with different arguments: {changes}.",
        "result": "At step {step} both made the same {tool} call; the baseline's ended {baseline}, the candidate's {candidate}.",
        "policy": "At step {step} the {side}'s {tool} call met policy {policy} ({decision}); the {other}'s did not.",
        "policies": "At step {step} the candidate's {tool} call met policy {policy} ({decision}); the baseline's met policy {other} ({instead}).",
        "stopped": "The {side} stopped after step {step} and reported {outcome}; the {other} went on with {call}.",
        "stopped_at_once": "The {side} stopped before any step and reported {outcome}; the {other} went on with {call}.",
        "outcome": "The baseline reported outcome {baseline}; the candidate reported outcome {candidate}.",
        # parts of it
        "changed": "{name} {before} → {after}",
        "dropped": "{name} dropped",
        "added": "{name} added",
        "ended": "{result} ({effect})",
        "ended_with_code": "{result} {code} ({effect})",
        # what it means
        "without_check": "The candidate called the irreversible {tool} without first calling {check}, which the baseline called at this point.",
        "check_first": "The candidate called {check} before the irreversible {tool}, which the baseline called at this point.",
        "without_key": "The candidate sent {tool} without the idempotency key the baseline used.",
        "repeated": "The candidate repeated {tool} after a failure that had already applied it.",
        "repeated_again": "The candidate repeated {tool} after a failure that had already applied it, and it was applied again.",
        "after_stop": "The candidate made an irreversible call of {tool} after the baseline had stopped.",
        "ended_without": "The candidate ended without the irreversible {tool} call that the baseline made.",
        "never_escalated": "The candidate never escalated; the baseline did, with {tool}.",
        # the verdict
        "worse": "The candidate is worse in {cases}: {counts}.",
        "unknown_critical": "The candidate fails critical expectations in {cases}; whether they are new is unknown.",
        "fails_still": "Nothing got worse, but the candidate still fails where the baseline does: {cases}.",
        "invalid": "Invalid: {first}",
        "incomplete": "Nothing got worse as far as it shows, but {cases} could not be compared.",
        "no_evidence": "Nothing can be concluded: no expectation was judged on both sides.",
        "nothing_selected": "Nothing was selected.",
        "not_worse": "Nothing got worse in {cases}: {counts}.",
        "never_ran": "The case never ran.",
        "run_fail": "Failed: {names}.",
        "run_error": "Could not be judged: {names}.",
        "run_holds": "Nothing failed.",
        "run_passed": "All expectations hold in {cases}.",
        "run_expected": "Nothing failed that is not expected to: of {cases} {counts}.",
        "run_failed": "Of {cases} {counts}.",
        "run_errored": "Not everything could be judged: of {cases} {counts}.",
        # warnings
        "fault_idle": "In {scenario} the fault {type} on {target} {how}{where}.",
        "on_side": " on the {side}",
        "on_both": " on both sides",
        "never_fired": "never fired",
        "no_difference": "fired and made no difference",
        "unexpected_pass": "In {scenario} {name} is expected to fail, and passed{where}.",
        "no_tool_called": "No tool was called in any case.",
    }
)

CLASS_WORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "NEW_CRITICAL_FAILURE": ("new critical failure", "new critical failures"),
        "REGRESSED": ("regression", "regressions"),
        "INCOMPLETE": ("incomplete", "incomplete"),
        "INCONCLUSIVE": ("inconclusive", "inconclusive"),
        "IMPROVED": ("improved", "improved"),
        "UNCHANGED": ("unchanged", "unchanged"),
    }
)
"""Each class as a noun to count, one and several."""


# fmt: on


def say(phrase: str, **parts: object) -> str:
    """The sentence of that name, with its parts filled in."""
    return PHRASES[phrase].format(**parts)


def listed(names: Iterable[str]) -> str:
    """Names in a row, as sentences name several things."""
    return ", ".join(names)


def counted(number: int, one: str, several: str) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else several}"


def cases(number: int) -> str:
    """So many cases."""
    return counted(number, "case", "cases")
