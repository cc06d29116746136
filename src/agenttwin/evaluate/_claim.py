"""Reading what an agent gives back, and how its words say it went. Testimony, never evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agenttwin.transcript import Claim, ClaimedOutcome, Outcome, OutcomeStatus, OwnCall, ToolCall, Usage
from agenttwin.values import canonical, describe, equal, nearest

MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
MAX_OWN_CALLS: Final = 10_000


class ClaimError(ValueError):
    """What the agent gave back cannot be read; the message says where and why."""


FIELDS: Final = (
    "output", "claimed_outcome", "business_outcome", "tool_calls", "steps", "usage", "trace_id",
)  # fmt: skip


def read_claim(value: object) -> Claim:
    """What an agent gave back: text, nothing, or a mapping with `output` and what else it says of itself."""
    if value is None or isinstance(value, str):
        return Claim(answer=_answer(value))
    if not isinstance(value, Mapping):
        raise ClaimError(f"An agent gives back text or a mapping, not {type(value).__name__}.")
    unknown = [str(key) for key in value if key not in FIELDS]
    if unknown and "output" not in value:
        close = nearest(unknown[0], FIELDS)
        hint = f" Did you mean {close!r}?" if close else ""
        raise ClaimError(f"The mapping that the agent gave back has no 'output'.{hint}")
    return Claim(
        answer=_answer(value.get("output")),
        outcome=_outcome(value.get("claimed_outcome")),
        business_outcome=_text(value, "business_outcome"),
        own_calls=_own_calls(value.get("tool_calls")),
        steps=_steps(value.get("steps")),
        usage=_usage(value.get("usage")),
        trace_id=_text(value, "trace_id"),
    )


def _answer(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ClaimError(f"'output' must be text, not {type(value).__name__}.")
    if len(value) > MAX_ANSWER_BYTES or len(value.encode("utf-8", "replace")) > MAX_ANSWER_BYTES:
        raise ClaimError(f"The answer has more than {MAX_ANSWER_BYTES:,} bytes.")
    return value


def _text(value: Mapping[Any, Any], field: str) -> str | None:
    text = value.get(field)
    if text is not None and not isinstance(text, str):
        raise ClaimError(f"{field!r} must be text, not {type(text).__name__}.")
    return text


def _outcome(value: object) -> ClaimedOutcome:
    if value is None:
        return ClaimedOutcome.UNKNOWN
    words = tuple(ClaimedOutcome)
    if not isinstance(value, str) or value not in words:
        close = nearest(str(value), words)
        hint = f" Did you mean {close}?" if close else ""
        raise ClaimError(f"'claimed_outcome' is {value!r}, but must be one of {', '.join(words)}.{hint}")
    return ClaimedOutcome(value)


def _steps(value: object) -> int | None:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return len(value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise ClaimError("'steps' must be a whole number or a list.")
    return value


def _own_calls(value: object) -> tuple[OwnCall, ...] | None:
    if value is None:
        return None
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > MAX_OWN_CALLS:
        raise ClaimError(f"'tool_calls' must be a list of at most {MAX_OWN_CALLS:,} calls.")
    return tuple(_own_call(item, index) for index, item in enumerate(value))


def _own_call(item: object, index: int) -> OwnCall:
    if isinstance(item, str):
        return OwnCall(tool=item)
    tool = (item.get("tool") or item.get("name")) if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(tool, str):
        raise ClaimError(f"'tool_calls[{index}]' must name its tool.")
    arguments = item.get("arguments")
    try:
        canonical(arguments)
    except ValueError as error:
        raise ClaimError(f"'tool_calls[{index}].arguments' is no JSON: {error}.") from None
    result = item.get("result")
    return OwnCall(tool=tool, arguments=arguments, result=result if isinstance(result, str) else None)


def _usage(value: object) -> Usage | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ClaimError("'usage' must be a mapping with input_tokens, output_tokens and cost_usd.")
    return Usage(
        input_tokens=_count(value, "input_tokens"),
        output_tokens=_count(value, "output_tokens"),
        cost_usd=_number(value, "cost_usd"),
    )


def _count(value: Mapping[Any, Any], field: str) -> int | None:
    number = _number(value, field)
    if number is None:
        return None
    if number != int(number):
        raise ClaimError(f"'usage.{field}' must be a whole number.")
    return int(number)


def _number(value: Mapping[Any, Any], field: str) -> float | None:
    number = value.get(field)
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < float("inf"):
        raise ClaimError(f"'usage.{field}' must be a number of at least 0.")
    return number


# -- the words of an answer

_NOT: Final = r"(?:not|n't|never|no|cannot|can't|unable to|failed to|fail to)"
_DONE: Final = (
    r"(?:refunded|processed|completed|issued|added|sent|booked|cancelled|canceled|updated|created|changed|transferred"
    r"|scheduled|placed|applied|confirmed|resolved|delivered|paid|credited|exported|deleted|submitted|fixed)"
)

PHRASES: Final[tuple[tuple[ClaimedOutcome, re.Pattern[str]], ...]] = tuple(
    (outcome, re.compile(pattern, re.IGNORECASE))
    for outcome, pattern in (
        (ClaimedOutcome.PARTIAL, r"\b(?:partially|only part of|some of (?:it|them|the)|part of (?:it|the))\b"),
        (ClaimedOutcome.PARTIAL, r"\b(?:could not|couldn't|cannot|can't) (?:yet )?(?:confirm|verify)\b"),
        (ClaimedOutcome.PARTIAL, r"\b(?:is|was|are) not (?:yet )?(?:confirmed|recorded|complete)\b"),
        (
            ClaimedOutcome.ESCALATED,
            r"\b(?:escalated|handed (?:it|this|you|your \w+)?\s*(?:over|to)|passed (?:it|this|your \w+) (?:on )?to"
            r"|forwarded (?:it|this|your \w+)? ?to|(?:specialist|human|colleague|agent|supervisor|manager|team member)"
            r" (?:will|must|needs to|has to|is going to))\b",
        ),
        (
            ClaimedOutcome.REFUSED,
            r"\b(?:(?:can't|cannot|can not|won't|will not|am not able to|not allowed to|am unable to|not permitted to)"
            r" (?:help|do|share|refund|provide|process|disclose|give|access|comply|assist|issue|cancel|make)"
            r"|is not eligible|isn't eligible|not entitled|against (?:our )?policy|must decline|have to decline)\b",
        ),
        (
            ClaimedOutcome.FAILURE,
            rf"\b(?:(?:could not|couldn't|was unable to|were unable to|did not|didn't|failed to) \w+"
            rf"|(?:was|were|has|have)(?: not|n't)(?: been)? (?:\w+ )?{_DONE}"
            rf"|something went wrong|an error occurred|did not work|didn't work|(?:has|have) failed)\b",
        ),
        (
            ClaimedOutcome.SUCCESS,
            rf"(?:^\s*(?:done|all set|all done|success)\b|\b(?:i(?:'ve| have)(?: now| just| successfully)? {_DONE}"
            rf"|(?:has|have) been (?:successfully |now )?{_DONE}|(?:was|were) (?:successfully |now )?{_DONE}"
            rf"|is (?:now )?{_DONE}|successfully {_DONE}|is (?:now )?complete|you(?:'re| are) all set)\b)",
        ),
    )
)
"""How answers say how it went; the first that is found counts, so what limits a success stands before it."""


def read_outcome(answer: str) -> ClaimedOutcome:
    """How the agent's words say it went; UNKNOWN where they do not say. A phrase reader, no understanding."""
    text = answer[:20_000].replace("\u2019", "'")
    for outcome, phrase in PHRASES:
        if phrase.search(text):
            return outcome
    return ClaimedOutcome.UNKNOWN


def contradicts(claimed: ClaimedOutcome, outcome: Outcome) -> bool:
    """Whether a claimed success is disproved: only what was verified disproves."""
    wrong = outcome.status in (OutcomeStatus.FAILURE, OutcomeStatus.PARTIAL)
    return outcome.verified and claimed is ClaimedOutcome.SUCCESS and wrong


def disagreements(own: Sequence[OwnCall] | None, calls: Sequence[ToolCall]) -> tuple[str, ...]:
    """Where the agent's own list and the evidence disagree: omitted, invented and altered calls."""
    if own is None:
        return ()
    found: list[str] = []
    claimed = list(own)
    for call in calls:
        match = next((item for item in claimed if _same(item, call)), None)
        if match is not None:
            claimed.remove(match)
            continue
        near = next((item for item in claimed if item.tool == call.tool and not _in(item, calls)), None)
        if near is None:
            found.append(f"Call {call.seq} ({call.tool}, {call.result}) is missing from the agent's list.")
        else:
            claimed.remove(near)
            found.append(f"Call {call.seq} ({call.tool}) is on the agent's list with other {_what(near, call)}.")
    found += [f"The agent's list has a call of {item.tool} that was never made." for item in claimed]
    return tuple(found)


def _same(item: OwnCall, call: ToolCall) -> bool:
    return item.tool == call.tool and not _what(item, call)


def _in(item: OwnCall, calls: Sequence[ToolCall]) -> bool:
    return any(_same(item, call) for call in calls)


def _what(item: OwnCall, call: ToolCall) -> str:
    """What an entry tells differently of a call; empty where it tells the same. What it leaves open is no lie."""
    if item.arguments is not None and not equal(item.arguments, call.arguments):
        return f"arguments ({describe(item.arguments)})"
    if item.result is not None and item.result != call.result:
        return f"result ({item.result} for {call.result})"
    return ""
