"""What is wrong with single parts of a definition, whatever tool they stand in."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from agenttwin.document import Finding
from agenttwin.errors import UsageError
from agenttwin.twin._clock import milliseconds, read_clock
from agenttwin.twin._effect import COUNTING
from agenttwin.twin._model import Fixture, Idempotency, Operation, TwinDefinition
from agenttwin.twin._schema import At, Findings, schema_findings, schema_validator
from agenttwin.values import Path


def finding(at: At, code: str, message: str, **more: Any) -> Finding:
    return Finding(at=at, code=code, message=message, **more)


def state_schema_findings(definition: TwinDefinition) -> Findings:
    schema, state = definition.spec.state_schema, definition.spec.initial_state
    if schema is None:
        return
    broken = list(schema_findings(schema, ("spec", "stateSchema")))
    yield from broken
    if broken or state is None:
        return
    for error in schema_validator(schema).iter_errors(state):
        message = f"the state does not fit stateSchema: {error.message}"
        yield finding(("spec", "initialState", *error.instance_path), "state_mismatch", message)


def retrieval_findings(text: str) -> Findings:
    at: At = ("spec", "retrieval", "statePath")
    try:
        path = Path.parse(text)
    except ValueError as error:
        yield finding(at, "invalid_path", str(error), value=text)
        return
    if path.length or not path.segments:
        yield finding(at, "invalid_path", "the knowledge base is a list in the state", value=text)


def clock_findings(start: str) -> Findings:
    try:
        read_clock(start)
    except UsageError as error:
        yield finding(("spec", "clock", "start"), "invalid_time", error.message.rstrip("."), value=start)


NO_NUMBER = "by is a number, or a template that gives one"


def operand_findings(effect: Operation, at: At) -> Findings:
    """Each operation reads one of `value` and `by`, or none."""
    reads = "by" if effect.op in COUNTING else None if effect.op == "delete" else "value"
    given = effect.model_fields_set & {"value", "by"}
    for name in sorted(given - {reads}):
        message = f"{effect.op} does not read {name!r}" + (f"; it reads {reads!r}" if reads else "")
        yield finding((*at, name), "conflicting_fields", message, key=True)
    if reads == "value" and reads not in given:
        yield finding(at, "missing_field", f"{effect.op} needs a value")
    if reads == "by" and (isinstance(effect.by, bool) or not isinstance(effect.by, int | float | str)):
        yield finding((*at, "by"), "wrong_type", NO_NUMBER)


def fixture_findings(fixture: Fixture, at: At) -> Findings:
    if fixture.error is None:
        return
    if "response" in fixture.model_fields_set:
        message = "a recorded exchange has a response or an error, not both"
        yield finding((*at, "response"), "conflicting_fields", message, key=True)
    if fixture.status is not None and fixture.status < 400:
        message = f"an error has a status of 400 or more, not {fixture.status}"
        yield finding((*at, "status"), "conflicting_fields", message)


KEY_ERRORS: Final = {
    "keyError": "key_error",
    "mismatchError": "mismatch_error",
    "inFlightError": "in_flight_error",
}


def key_findings(declared: Idempotency, at: At) -> Findings:
    """What is wrong with the rules of a key by themselves."""
    span = declared.expires_after
    if span is not None and not milliseconds(span):
        message = f"{span!r} is no duration such as PT24H or P7D"
        yield finding((*at, "expiresAfter"), "invalid_duration", message, value=span)
    if declared.max_length is not None and declared.min_length > declared.max_length:
        message = f"no key has at least {declared.min_length} and at most {declared.max_length} characters"
        yield finding((*at, "minLength"), "conflicting_fields", message)
    picky = declared.required or declared.min_length or declared.max_length is not None
    for field, idle, why in (
        ("keyError", not picky, "no key is refused without required, minLength or maxLength"),
        ("mismatchError", declared.mismatch == "replay", "mismatch: replay answers no error"),
        ("inFlightError", declared.in_flight == "replay", "inFlight: replay answers no error"),
    ):
        if idle and getattr(declared, KEY_ERRORS[field]) is not None:
            yield finding((*at, field), "conflicting_fields", why, key=True)


def circle_findings(needs: Mapping[str, AbstractSet[str]], at: At) -> Findings:
    """Names of a `let` that need themselves. Only a choice in between can still make sense of that."""
    for name in needs:
        reached, waiting = set[str](), [name]
        while waiting and name not in reached:
            found = needs.get(waiting.pop(), frozenset()) - reached
            reached |= found
            waiting += found
        if name in reached:
            message = f"{name!r} is needed to compute itself"
            yield finding((*at, name), "circular_let", message, value=name, key=True, warning=True)
