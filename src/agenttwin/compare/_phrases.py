"""Every sentence that comparing says, in one table. They describe the recorded evidence, never a reason for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

PHRASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # the class of a case
        "new_critical": "The candidate fails critical expectations that the baseline did not fail: {names}.",
        "baseline_unverified": "The baseline did not pass {names} either: there it was not judged.",
        "regressed": "Passed on the baseline, fails on the candidate: {names}.",
        "improved": "Failed on the baseline, passes on the candidate: {names}.",
        "still_failing": "Still failing on both sides: {names}.",
        "unchanged": "Same result on both sides.",
        "no_transcript": "The {side} has no transcript.",
        "error": "Could not be judged on the {side}: {names}.",
        "skipped": "Skipped on the {side}: {names}.",
        "absent": "Missing on the {side}: {names}.",
        "candidate_critical": "The candidate fails critical {names}; whether that is new is unknown.",
        "not_compared": "Not compared: {reasons}",
        "invalid": "the two sides of this comparison did not run the same.",
        # what the sides actually ran
        "pin_plan": "{scenario}: the {side} ran with {what} {found}; the plan says {planned}.",
        "pin_sides": "{scenario}: the baseline ran with {what} {baseline}, the candidate with {candidate}.",
        "pin_evaluator": (
            "{scenario}: {name} was judged by version {baseline} of its evaluator on the baseline and version "
            "{candidate} on the candidate: regrade first."
        ),
        # the first divergence
        "tool": "At step {step} the baseline {baseline}; the candidate {candidate}.",
        "arguments": "At step {step} both called {tool}, with different arguments: {changes}.",
        "result": (
            "At step {step} both made the same {tool} call; the baseline's ended {baseline}, the candidate's {candidate}."
        ),
        "policy": "At step {step} the {side}'s {tool} call met policy {policy} ({decision}); the {other}'s did not.",
        "policy_both": (
            "At step {step} the candidate's {tool} call met policy {policy} ({decision}); "
            "the baseline's met policy {other_policy} ({other_decision})."
        ),
        "stopped": "The {side} stopped after step {step} and reported {outcome}; the {other} went on with {call}.",
        "stopped_at_once": "The {side} stopped before any step and reported {outcome}; the {other} went on with {call}.",
        "outcome": "The baseline reported outcome {baseline}; the candidate reported outcome {candidate}.",
        # parts of these
        "called": "called {call}",
        "met": "met policy {policy} ({decision})",
        "changed": "{name} {before} → {after}",
        "dropped": "{name} dropped",
        "added": "{name} added",
        "ended": "{result} ({effect})",
        "ended_with_code": "{result} {code} ({effect})",
        # what it means
        "without_check": (
            "The candidate called the irreversible {tool} without first calling {check}, "
            "which the baseline called at this point."
        ),
        "check_first": (
            "The candidate called {check} before the irreversible {tool}, which the baseline called at this point."
        ),
        "without_key": "The candidate sent {tool} without the idempotency key the baseline used.",
        "repeated_applied": (
            "The candidate repeated {tool} after a failure that had already applied it, and it was applied again."
        ),
        "repeated": "The candidate repeated {tool} after a failure that had already applied it.",
        "after_stop": "The candidate made the irreversible call {tool} after the baseline had stopped.",
        "ended_without": "The candidate ended without the irreversible {tool} call that the baseline made.",
        "never_escalated": "The candidate never escalated; the baseline did, with {tool}.",
        # the verdict
        "worse": "The candidate is worse: {parts} in {cases}.",
        "worse_unknown": "The candidate fails critical expectations in {cases}; whether they are new is unknown.",
        "fails_still": "Nothing got worse, but {cases} still fail on both sides.",
        "invalid_pair": "The comparison is invalid: the two sides did not run the same.",
        "incomplete_pair": "No conclusion: {cases} could not be compared.",
        "no_evidence": "No conclusion: nothing was judged on both sides.",
        "nothing_selected": "No case was selected.",
        "not_worse": "Nothing got worse: {parts} in {cases}.",
        "run_passed": "All passed: {cases}.",
        "run_as_expected": "Nothing failed that was not expected to: {parts}.",
        "run_failed": "Failed: {parts}.",
        "run_errored": "No conclusion: {cases} could not be judged.",
        "run_no_evidence": "No conclusion: nothing was judged.",
        # warnings
        "fault_idle": "{scenario}: the fault {rule} ({type} on {target}) {how} on the {side}.",
        "fault_not_fired": "never fired",
        "fault_no_effect": "fired and took no effect",
        "unexpected_pass": "{scenario}: {name} is expected to fail and passed on the {side}.",
        "no_tool_called": "No tool was called in any case.",
    }
)


def say(phrase: str, **parts: object) -> str:
    """The sentence of that name, with its parts filled in."""
    return PHRASES[phrase].format(**parts)


def listed(names: Iterable[str]) -> str:
    """Names in a row: "a", "a and b", "a, b and c"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 case", "2 cases"."""
    return f"{number} {one if number == 1 else many or one + 's'}"
