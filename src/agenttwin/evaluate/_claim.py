"""Reading what an agent gives back: text, or a mapping of what it says of itself. It is never evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agenttwin.transcript import Claim, ClaimedOutcome, OwnCall, Usage
from agenttwin.values import MAX_INTEGER, canonical, describe, nearest

MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
MAX_OWN_CALLS: Final = 10_000
MAX_TEXT: Final = 10_000
"""Characters of a short text: a business outcome, a trace id, a result."""

FIELDS: Final = (
    "output", "claimed_outcome", "business_outcome", "tool_calls", "steps", "usage", "trace_id",
)  # fmt: skip
"""What an agent may say of itself; other fields are its own business and left out."""


class ClaimError(ValueError):
    """What the agent gave back cannot be read; the message says where and why, in one sentence."""


def read_claim(value: object) -> Claim:
    """The claim in what an agent gave back: text, None, or a mapping with `output` and more of FIELDS.

    ClaimError where it is something else. An outcome that is not stated stays UNKNOWN.
    """
    if value is None or isinstance(value, str):
        return Claim(answer=_answer(value))
    if not isinstance(value, Mapping):
        raise ClaimError(f"An agent gives back text or a mapping, not {_kind(value)}.")
    if "output" not in value:
        slip = next((str(key) for key in value if nearest(str(key), ("output",))), None)
        hint = f" Is {slip!r} meant to be it?" if slip else ""
        raise ClaimError(f"The mapping that the agent gave back has no 'output'.{hint}")
    return Claim(
        answer=_answer(value["output"]),
        outcome=_outcome(value.get("claimed_outcome")),
        business_outcome=_text(value, "business_outcome"),
        own_calls=_own_calls(value.get("tool_calls")),
        steps=_steps(value.get("steps")),
        usage=_usage(value.get("usage")),
        trace_id=_text(value, "trace_id"),
    )


def _kind(value: object) -> str:
    return type(value).__name__


def _answer(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ClaimError(f"'output' must be text, not {_kind(value)}.")
    if len(value) * 4 > MAX_ANSWER_BYTES and len(value.encode("utf-8", "replace")) > MAX_ANSWER_BYTES:
        raise ClaimError(f"'output' has more than {MAX_ANSWER_BYTES:,} bytes.")
    return value


def _text(value: Mapping[Any, Any], field: str) -> str | None:
    text = value.get(field)
    if text is None:
        return None
    if not isinstance(text, str):
        raise ClaimError(f"{field!r} must be text, not {_kind(text)}.")
    if len(text) > MAX_TEXT:
        raise ClaimError(f"{field!r} has more than {MAX_TEXT:,} characters.")
    return text


def _outcome(value: object) -> ClaimedOutcome:
    if value is None:
        return ClaimedOutcome.UNKNOWN
    words = tuple(ClaimedOutcome)
    if not isinstance(value, str) or value not in words:
        close = nearest(value, words) if isinstance(value, str) else None
        hint = f" Did you mean {close}?" if close else ""
        raise ClaimError(f"'claimed_outcome' must be one of {', '.join(words)}, not {describe(value)}.{hint}")
    return ClaimedOutcome(value)


def _steps(value: object) -> int | None:
    """How many steps: a number, or the steps themselves."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return len(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise ClaimError(f"'steps' must be a whole number or a list, not {describe(value)}.")


def _own_calls(value: object) -> tuple[OwnCall, ...] | None:
    if value is None:
        return None
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise ClaimError(f"'tool_calls' must be a list, not {_kind(value)}.")
    if len(value) > MAX_OWN_CALLS:
        raise ClaimError(f"'tool_calls' has more than {MAX_OWN_CALLS:,} entries.")
    return tuple(_own_call(item, f"tool_calls[{index}]") for index, item in enumerate(value))


def _own_call(item: object, place: str) -> OwnCall:
    if isinstance(item, str):
        return OwnCall(tool=item)
    if not isinstance(item, Mapping):
        raise ClaimError(f"'{place}' must be a mapping with its tool, not {_kind(item)}.")
    tool = item.get("tool", item.get("name"))
    if not isinstance(tool, str):
        raise ClaimError(f"'{place}' does not name its tool.")
    try:
        canonical(item.get("arguments"))
    except ValueError as error:
        raise ClaimError(f"'{place}.arguments' is no JSON: {error}.") from None
    result = item.get("result", item.get("status"))
    short = result is not None and not isinstance(result, Mapping | list)
    return OwnCall(
        tool=tool, arguments=item.get("arguments"), result=str(result)[:MAX_TEXT] if short else None
    )


def _usage(value: object) -> Usage | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ClaimError(f"'usage' must be a mapping with input_tokens and the like, not {_kind(value)}.")
    return Usage(
        input_tokens=_tokens(value, "input_tokens"),
        output_tokens=_tokens(value, "output_tokens"),
        cost_usd=_number(value, "cost_usd"),
    )


def _tokens(usage: Mapping[Any, Any], field: str) -> int | None:
    number = _number(usage, field)
    if number is None or number == int(number):
        return None if number is None else int(number)
    raise ClaimError(f"'usage.{field}' must be a whole number, not {number}.")


def _number(usage: Mapping[Any, Any], field: str) -> float | None:
    number = usage.get(field)
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= MAX_INTEGER:
        raise ClaimError(f"'usage.{field}' must be a number from 0 to 2^53, not {describe(number)}.")
    return number
