"""One claim out of all that an agent said in a case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from agenttwin.evaluate import read_outcome
from agenttwin.transcript import Claim, ClaimedOutcome, Usage

T = TypeVar("T")


def joined(claims: Sequence[Claim]) -> Claim:
    """The claim of all turns: every answer, call, step and token; the outcome is the last turn's.

    An outcome that the agent does not state is read from its last answer.
    """
    if not claims:
        return Claim()
    last = _with_outcome(claims[-1])
    if len(claims) == 1:
        return last
    lists = _known(claim.own_calls for claim in claims)
    return replace(
        last,
        answer="\n\n".join(_known(claim.answer for claim in claims)) or None,
        business_outcome=_latest(claim.business_outcome for claim in claims),
        own_calls=tuple(call for calls in lists for call in calls) if lists else None,
        steps=_total(claim.steps for claim in claims),
        usage=_usage(_known(claim.usage for claim in claims)),
        trace_id=_latest(claim.trace_id for claim in claims),
    )


def _with_outcome(claim: Claim) -> Claim:
    if claim.outcome is not ClaimedOutcome.UNKNOWN or not claim.answer:
        return claim
    read = read_outcome(claim.answer)
    return replace(claim, outcome=read, inferred=read is not ClaimedOutcome.UNKNOWN)


def _usage(usages: Sequence[Usage]) -> Usage | None:
    if not usages:
        return None
    return Usage(
        input_tokens=_total(usage.input_tokens for usage in usages),
        output_tokens=_total(usage.output_tokens for usage in usages),
        cost_usd=_total(usage.cost_usd for usage in usages),
    )


def _known(values: Iterable[T | None]) -> list[T]:
    return [value for value in values if value is not None]


def _latest(values: Iterable[T | None]) -> T | None:
    known = _known(values)
    return known[-1] if known else None


def _total(values: Iterable[T | None]) -> T | None:
    """The sum of what is known, None where nothing is."""
    known = _known(values)
    return sum(known[1:], known[0]) if known else None  # type: ignore[call-overload]
