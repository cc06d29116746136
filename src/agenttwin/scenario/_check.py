"""What is wrong with a scenario by itself: ids, patterns, paths, schemas, references within the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from agenttwin.document import Finding
from agenttwin.scenario._expectation import (
    AGENT_FINISHED,
    UNKNOWN_WITHOUT_A_WORD,
    Common,
    OutputJsonSchema,
)
from agenttwin.scenario._scenario import Scenario
from agenttwin.twin import Comparing, schema_validator
from agenttwin.values import Path, comparator_for, nearest

At = tuple[str | int, ...]

COVER_KINDS = ("tool", "fault", "policy", "threat", "retrieval")


_DURATION: Final = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


def milliseconds(duration: str) -> int | None:
    """An ISO 8601 duration of days, hours, minutes and seconds; None where the text is none."""
    found = _DURATION.fullmatch(duration)
    if found is None or not any(found.groups()):
        return None
    days, hours, minutes, seconds = (int(group or 0) for group in found.groups())
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000


def scenario_findings(scenario: Scenario) -> list[Finding]:
    """Every finding, in the order of the document."""
    return [
        *_input(scenario),
        *_covers(scenario),
        *_fault_ids(scenario),
        *_expectations(scenario),
        *_expected_failures(scenario),
    ]


def _input(scenario: Scenario) -> Iterator[Finding]:
    given = scenario.spec.input
    at: At = ("spec", "input")
    if (given.message is None) == (given.turns is None):
        yield Finding(at=at, code="conflicting_fields", message="input has either message or turns")
    for name in ("tenant", "now", "customer_id"):
        value = given.context.get(name, "")
        if not isinstance(value, str):
            yield Finding(at=(*at, "context", name), code="wrong_type", message=f"{name} must be text")
    for index, turn in enumerate(given.turns or ()):
        if turn.after is not None and milliseconds(turn.after) is None:
            message = f"{turn.after!r} is no duration such as PT24H or P1DT30M"
            yield Finding(at=(*at, "turns", index, "after"), code="invalid_duration", message=message)
    seen: set[str] = set()
    for index, document in enumerate(given.documents):
        if document.id in seen:
            yield _twice(document.id, (*at, "documents", index, "id"))
        seen.add(document.id)


def _covers(scenario: Scenario) -> Iterator[Finding]:
    for index, text in enumerate(scenario.spec.covers):
        kind, colon, _ = text.partition(":")
        if not colon or kind not in COVER_KINDS:
            message = f"{text!r} names nothing that can be covered; write kind:name"
            yield Finding(
                at=("spec", "covers", index), code="unknown_value", message=message, value=text,
                nearest=nearest(kind, COVER_KINDS), valid=COVER_KINDS,
            )  # fmt: skip


def _fault_ids(scenario: Scenario) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, rule in enumerate(scenario.spec.faults):
        if rule.id is not None and rule.id in seen:
            yield _twice(rule.id, ("spec", "faults", index, "id"))
        seen.add(rule.id or "")


def _expectations(scenario: Scenario) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, (name, expectation) in enumerate(scenario.expectations):
        at: At = ("spec", "expectations", index)
        if name == AGENT_FINISHED:
            message = f"the id {AGENT_FINISHED!r} belongs to the expectation that every case has"
            yield Finding(at=(*at, "id"), code="reserved_id", message=message, value=name)
        if name in seen:
            yield _twice(name, (*at, "id"))
        seen.add(name)
        yield from _expectation(expectation, at)


def _expectation(expectation: Common, at: At) -> Iterator[Finding]:
    kind: str = getattr(expectation, "type", "")
    if expectation.critical and kind in UNKNOWN_WITHOUT_A_WORD:
        message = f"{kind} is skipped where the agent reports no usage, and a critical one then leaves the case unjudged"
        yield Finding(at=(*at, "critical"), code="may_be_skipped", message=message, warning=True)
    for field, text in _paths(expectation):
        try:
            Path.parse(text)
        except ValueError as error:
            yield Finding(at=(*at, *field), code="invalid_path", message=str(error), value=text)
    if isinstance(expectation, Comparing):
        yield from _comparators(expectation, at)
    pattern = getattr(expectation, "pattern", None)
    if pattern is not None:
        yield from _operand("matches", pattern, (*at, "pattern"))
    if isinstance(expectation, OutputJsonSchema):
        try:
            schema_validator(expectation.json_schema)
        except ValueError as error:
            yield Finding(at=(*at, "schema"), code="invalid_schema", message=f"this is no JSON Schema: {error}")


def _paths(expectation: Common) -> Iterator[tuple[At, str]]:
    path: Any = getattr(expectation, "path", None)
    if path is not None:
        yield ("path",), path
    for index, text in enumerate(getattr(expectation, "paths", ())):
        yield ("paths", index), text


def _comparators(expectation: Comparing, at: At) -> Iterator[Finding]:
    given = expectation.comparators()
    if given and getattr(expectation, "path", "") is None:
        message = "the comparators need a path to compare what stands there"
        yield Finding(at=at, code="missing_field", message=message)
    for name, operand in given.items():
        yield from _operand(name, operand, (*at, name))


def _operand(name: str, operand: object, at: At) -> Iterator[Finding]:
    try:
        comparator_for(name, operand)
    except ValueError as error:
        yield Finding(at=at, code="invalid_value", message=str(error))


def _expected_failures(scenario: Scenario) -> Iterator[Finding]:
    ids = tuple(name for name, _ in scenario.expectations)
    for index, failure in enumerate(scenario.spec.expected_failures):
        if failure.expectation not in ids:
            yield Finding(
                at=("spec", "expectedFailures", index, "expectation"), code="unknown_expectation",
                message=f"the scenario has no expectation {failure.expectation!r}", value=failure.expectation,
                nearest=nearest(failure.expectation, ids), valid=ids,
            )  # fmt: skip


def _twice(name: str, at: At) -> Finding:
    return Finding(at=at, code="duplicate_id", message=f"the id {name!r} stands twice", value=name)
