"""Evaluators over the agent's answer; opinions of a judge; evaluators from outside."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import orjson

from agenttwin.evaluate._answer import answer_json
from agenttwin.evaluate._finding import Finding, Held, failed, judged, passed, unjudged
from agenttwin.evaluate._on_state import path_of
from agenttwin.evaluate._values import NoOpinion, Verdict
from agenttwin.scenario import (
    Custom,
    OutputContains,
    OutputJsonPath,
    OutputJsonSchema,
    OutputNotContains,
    OutputRegex,
    Semantic,
)
from agenttwin.twin import schema_validator
from agenttwin.values import MISSING, Json, Missing, describe, match, nearest, search_pattern

NO_ANSWER: Final = "The agent gave no answer."

LABELS: Final = ("pass", "fail")
"""What a judge may say."""


def output_contains(expectation: OutputContains, held: Held) -> Finding:
    """The answer contains the text."""
    return _in_answer(expectation.value, held.claim.answer, wanted=True)


def output_not_contains(expectation: OutputNotContains, held: Held) -> Finding:
    """The answer does not contain the text."""
    return _in_answer(expectation.value, held.claim.answer, wanted=False)


def _in_answer(text: str, answer: str | None, *, wanted: bool) -> Finding:
    if answer is None:
        return failed("OUTPUT_MISMATCH", NO_ANSWER)
    holds = text in answer
    reason = f"The answer {'contained' if holds else 'did not contain'} {describe(text)}."
    return judged(holds is wanted, "OUTPUT_MISMATCH", reason)


def output_regex(expectation: OutputRegex, held: Held) -> Finding:
    """The pattern is found in the answer."""
    if held.claim.answer is None:
        return failed("OUTPUT_MISMATCH", NO_ANSWER)
    found = search_pattern(expectation.pattern, held.claim.answer)
    reason = f"The pattern {describe(expectation.pattern)} was {'' if found else 'not '}found in the answer."
    return judged(found, "OUTPUT_MISMATCH", reason)


def output_json_schema(expectation: OutputJsonSchema, held: Held) -> Finding:
    """The answer is JSON and fits the schema."""
    value = _json(held)
    if isinstance(value, Missing):
        return _no_json(held)
    validator = _validator(orjson.dumps(expectation.json_schema))
    error = next(iter(validator.iter_errors(value)), None)
    if error is None:
        return passed("The answer fitted the schema.")
    place = ".".join(str(part) for part in error.instance_path)
    return failed(
        "OUTPUT_SCHEMA", f"The answer did not fit the schema: {f'{place}: ' * bool(place)}{error.message}."
    )


@lru_cache(maxsize=256)
def _validator(schema: bytes) -> Any:
    """The schema made ready once, however many answers are held against it."""
    return schema_validator(orjson.loads(schema))


def output_json_path(expectation: OutputJsonPath, held: Held) -> Finding:
    """The answer is JSON, and what stands there satisfies the comparators."""
    value = _json(held)
    if isinstance(value, Missing):
        return _no_json(held)
    result = match(expectation.comparators(), path_of(expectation.path).get(value))
    return judged(result.ok, "OUTPUT_MISMATCH", f"Answer {expectation.path}: {result.reason}.")


def _json(held: Held) -> Json | Missing:
    return MISSING if held.claim.answer is None else answer_json(held.claim.answer)


def _no_json(held: Held) -> Finding:
    return failed("OUTPUT_NOT_JSON", NO_ANSWER if held.claim.answer is None else "The answer was no JSON.")


def semantic(expectation: Semantic, held: Held) -> Finding:
    """A judge's opinion: label and score must both be good enough."""
    if held.claim.answer is None:
        return failed("SEMANTIC_FAIL", NO_ANSWER)
    opinion = held.opinion
    if opinion is None:
        return unjudged("No judge gave an opinion.")
    if isinstance(opinion, NoOpinion):
        return unjudged(f"The judge gave no opinion: {opinion.reason}")
    if opinion.label not in LABELS or not 0 <= opinion.score <= 1:
        said = f"the label {describe(opinion.label)} and the score {opinion.score}"
        return unjudged(f"The judge gave {said}, which is no verdict.")
    reason = opinion.reason
    if opinion.score < expectation.threshold:
        reason = f"{reason} The score {opinion.score:g} was below the threshold {expectation.threshold:g}."
    elif opinion.label == "pass":
        return Finding(Verdict.PASS, reason, score=opinion.score)
    return Finding(Verdict.FAIL, reason, "SEMANTIC_FAIL", score=opinion.score)


def custom(expectation: Custom, held: Held) -> Finding:
    """What an evaluator from outside says: true, false, or a mapping with `passed`, `reason` and `label`."""
    name = expectation.evaluator
    evaluator = held.custom.get(name)
    if evaluator is None:
        close = nearest(name, held.custom)
        hint = f" Did you mean {close!r}?" if close else ""
        return unjudged(f"There was no evaluator {name!r}.{hint}")
    said = evaluator(held.transcript, held.claim, expectation.arguments)
    verdict = said if isinstance(said, Mapping) else {"passed": said}
    ok = verdict.get("passed")
    if not isinstance(ok, bool):
        return unjudged(f"The evaluator {name!r} gave {describe(said)}, neither true nor false nor `passed`.")
    reason = str(verdict.get("reason") or f"The evaluator {name} said {'yes' if ok else 'no'}.")
    return judged(ok, str(verdict.get("label") or "CUSTOM_FAIL"), reason)
