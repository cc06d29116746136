"""What the environment gave an agent is kept nowhere: it is masked before anything is graded or stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import orjson

from agenttwin.evaluate import Evaluation, Grade
from agenttwin.transcript import (
    ENVIRONMENT_MASK,
    Claim,
    Event,
    Transcript,
    decode_claim,
    decode_events,
    encode_claim,
    encode_events,
    redact,
)
from agenttwin.values import Change


def without_secrets(transcript: Transcript, claim: Claim, secrets: Sequence[str]) -> tuple[Transcript, Claim]:
    """Evidence and claim with every value of the environment masked; the same objects where none is in them.

    That one was let out stays known, as ``setting.masked``: it is a disclosure, though nobody can read it.
    """
    if not secrets:
        return transcript, claim
    events, said = _events(transcript.events, secrets), _claim(claim, secrets)
    let_out = events is not transcript.events or said is not claim
    kept = replace(
        transcript,
        events=events,
        changes=tuple(_change(change, secrets) for change in transcript.changes),
        ending_message=redact(transcript.ending_message, secrets, ENVIRONMENT_MASK),
        setting=replace(transcript.setting, masked=True) if let_out else transcript.setting,
    )
    return kept, said


def grade_without_secrets(grade: Grade, secrets: Sequence[str]) -> Grade:
    """The grade with its reasons masked: they may quote the state, which is as the agent left it."""
    if not secrets:
        return grade
    return replace(grade, evaluations=tuple(_evaluation(item, secrets) for item in grade.evaluations))


def _events(events: tuple[Event, ...], secrets: Sequence[str]) -> tuple[Event, ...]:
    plain = orjson.loads(encode_events(events))
    shown = redact(plain, secrets, ENVIRONMENT_MASK)
    return events if shown is plain else decode_events(orjson.dumps(shown))


def _claim(claim: Claim, secrets: Sequence[str]) -> Claim:
    plain = orjson.loads(encode_claim(claim))
    shown = redact(plain, secrets, ENVIRONMENT_MASK)
    return claim if shown is plain else decode_claim(orjson.dumps(shown))


def _change(change: Change, secrets: Sequence[str]) -> Change:
    parts = (change.path, change.before, change.after)
    path, before, after = (redact(part, secrets, ENVIRONMENT_MASK) for part in parts)
    return Change(path=path, before=before, after=after)


def _evaluation(item: Evaluation, secrets: Sequence[str]) -> Evaluation:
    evidence = tuple(
        replace(each, note=redact(each.note, secrets, ENVIRONMENT_MASK)) for each in item.evidence
    )
    return replace(item, reason=redact(item.reason, secrets, ENVIRONMENT_MASK), evidence=evidence)
