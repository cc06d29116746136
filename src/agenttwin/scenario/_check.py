"""What is wrong with a scenario by itself: ids, patterns, paths, schemas, references within it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Final

from agenttwin.document import Finding
from agenttwin.errors import UsageError
from agenttwin.scenario._expectation import (
    AGENT_FINISHED,
    EXPECTATIONS,
    Common,
    FinalOutcome,
    OnlyChanged,
    OutputJsonSchema,
    OutputRegex,
)
from agenttwin.scenario._finding import At, repeated
from agenttwin.transcript import ClaimedOutcome
from agenttwin.twin import FAULTS, Comparing, milliseconds, read_clock, schema_findings
from agenttwin.values import Path, Segments, comparator_for, nearest

if TYPE_CHECKING:
    from agenttwin.scenario._scenario import Scenario

COVER_KINDS: Final = ("tool", "fault", "policy", "threat", "retrieval")
"""What `covers` names by habit; other kinds are allowed, and told, since they may be a slip."""

TEXTS_OF_CONTEXT: Final = ("tenant", "now", "customer_id")


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
        code = "missing_field" if given.turns is None else "conflicting_fields"
        yield Finding(at=at, code=code, message="an input has a message or turns, one of the two")
    for name in TEXTS_OF_CONTEXT:
        if not isinstance(given.context.get(name, ""), str):
            yield Finding(at=(*at, "context", name), code="wrong_type", message=f"{name} must be text")
    yield from _now(given.context.get("now"), (*at, "context", "now"))
    for index, turn in enumerate(given.turns or ()):
        if turn.after is not None and milliseconds(turn.after) is None:
            message = f"{turn.after!r} is no duration such as PT24H or P1DT30M"
            place: At = (*at, "turns", index, "after")
            yield Finding(at=place, code="invalid_duration", message=message, value=turn.after)
    documents = enumerate(given.documents)
    yield from repeated((((*at, "documents", n, "id"), item.id) for n, item in documents), "duplicate_id")


def _now(text: object, at: At) -> Iterator[Finding]:
    if isinstance(text, str):
        try:
            read_clock(text)
        except UsageError as error:
            yield Finding(at=at, code=error.code, message=error.message.rstrip("."), value=text)


def _covers(scenario: Scenario) -> Iterator[Finding]:
    for index, text in enumerate(scenario.spec.covers):
        kind, _, name = text.partition(":")
        if kind == "fault" and name and name not in FAULTS:
            yield Finding(
                at=("spec", "covers", index),
                code="unknown_cover",
                message=f"there is no kind of fault {name!r}",
                value=text,
                nearest=nearest(name, FAULTS),
                valid=tuple(FAULTS),
                warning=True,
            )
        elif kind not in COVER_KINDS or not name:
            yield Finding(
                at=("spec", "covers", index),
                code="unknown_cover",
                message=f"{text!r} names nothing that is known to be covered; write kind:name",
                value=text,
                nearest=nearest(kind, COVER_KINDS),
                valid=COVER_KINDS,
                warning=True,
            )


def _fault_ids(scenario: Scenario) -> Iterator[Finding]:
    rules = enumerate(scenario.spec.faults)
    ids = ((("spec", "faults", n, "id"), rule.id) for n, rule in rules if rule.id is not None)
    yield from repeated(ids, "duplicate_id")


def _expectations(scenario: Scenario) -> Iterator[Finding]:
    at: At = ("spec", "expectations")
    named = [((*at, n, "id"), name) for n, (name, _) in enumerate(scenario.expectations)]
    yield from repeated(named, "duplicate_id")
    for place, name in named:
        if name == AGENT_FINISHED:
            message = f"the id {AGENT_FINISHED!r} belongs to the expectation that every case has"
            yield Finding(at=place, code="reserved_id", message=message, value=name)
    for index, (_, expectation) in enumerate(scenario.expectations):
        yield from _expectation(expectation, (*at, index))


def _expectation(expectation: Common, at: At) -> Iterator[Finding]:
    why = EXPECTATIONS[expectation.type].unknown
    if expectation.critical and why:
        message = (
            f"{expectation.type} is skipped where {why}, and a critical one then leaves the case unjudged"
        )
        yield Finding(at=(*at, "critical"), code="may_be_skipped", message=message, warning=True)
    for field, text in paths_of(expectation):
        try:
            Path.parse(text)
        except ValueError as error:
            yield Finding(at=(*at, *field), code="invalid_path", message=str(error), value=text)
    match expectation:
        case Comparing():
            yield from _comparators(expectation, at)
        case OutputRegex(pattern=pattern):
            yield from _operand("matches", pattern, (*at, "pattern"))
        case OutputJsonSchema(json_schema=schema):
            yield from schema_findings(schema, (*at, "schema"), patterns=True)
        case FinalOutcome(equals=ClaimedOutcome.UNKNOWN):
            message = "an agent that claims nothing is not judged, so this expectation is always skipped"
            yield Finding(at=(*at, "equals"), code="may_be_skipped", message=message, warning=True)


def paths_of(expectation: Common) -> Iterator[tuple[At, str]]:
    """Each path that an expectation names, with the field it stands in."""
    path = getattr(expectation, "path", None)
    if path is not None:
        yield ("path",), path
    if isinstance(expectation, OnlyChanged):
        for index, text in enumerate(expectation.paths):
            yield ("paths", index), text


def segments_of(text: str) -> Segments | None:
    """The segments of a path; None where the text is none, which is told where it stands."""
    try:
        return Path.parse(text).segments
    except ValueError:
        return None


def _comparators(expectation: Comparing, at: At) -> Iterator[Finding]:
    given = expectation.comparators()
    if given and getattr(expectation, "path", None) is None:
        message = "comparators need a path, since they compare what stands there"
        yield Finding(at=at, code="missing_field", message=message)
    for name, operand in given.items():
        yield from _operand(name, operand, (*at, name))


def _operand(name: str, operand: object, at: At) -> Iterator[Finding]:
    try:
        comparator_for(name, operand)
    except ValueError as error:
        yield Finding(at=at, code="invalid_value", message=str(error))


def _expected_failures(scenario: Scenario) -> Iterator[Finding]:
    ids = (AGENT_FINISHED, *(name for name, _ in scenario.expectations))
    for index, failure in enumerate(scenario.spec.expected_failures):
        if failure.expectation not in ids:
            yield Finding(
                at=("spec", "expectedFailures", index, "expectation"),
                code="unknown_expectation",
                message=f"the scenario has no expectation {failure.expectation!r}",
                value=failure.expectation,
                nearest=nearest(failure.expectation, ids),
                valid=ids,
            )
        if failure.until is not None and not _is_day(failure.until):
            at: At = ("spec", "expectedFailures", index, "until")
            message = f"{failure.until!r} is no day of the calendar"
            yield Finding(at=at, code="invalid_time", message=message, value=failure.until)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
