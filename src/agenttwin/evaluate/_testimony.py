"""The agent's own call list beside the evidence: where the two disagree. Nothing is judged by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agenttwin.evaluate._definitions import failed
from agenttwin.transcript import OwnCall, Result, ToolCall
from agenttwin.values import equal

GOOD_WORDS: Final = frozenset({"ok", "success", "succeeded", "successful", "done", "completed"})
BAD_WORDS: Final = frozenset({"error", "failed", "failure"})
"""What agents write for a result beside the words of the record."""


def disagreements(own: Sequence[OwnCall] | None, calls: Sequence[ToolCall]) -> tuple[str, ...]:
    """One sentence for each call that the agent's list leaves out, tells differently, or invents.

    What an entry leaves open (its arguments, its result) is no disagreement; nor is a list that is not given.
    ``calls`` are those the agent made, redeliveries not among them.
    """
    if own is None:
        return ()
    entries = list(own)
    untold = [call for call in calls if not _taken(entries, call)]
    found = []
    for call in untold:
        entry = next((entry for entry in entries if entry.tool == call.tool), None)
        if entry is None:
            found.append(f"Call {call.seq} of {call.tool} ({call.result}) is not on the agent's list.")
        else:
            entries.remove(entry)
            found.append(f"Call {call.seq} of {call.tool} {_difference(entry, call)}.")
    found += [f"The agent's list has a call of {entry.tool} that was never made." for entry in entries]
    return tuple(found)


def _taken(entries: list[OwnCall], call: ToolCall) -> bool:
    """Whether an entry tells of the call as it was; it then stands for no other."""
    for place, entry in enumerate(entries):
        if entry.tool == call.tool and not _difference(entry, call):
            del entries[place]
            return True
    return False


def _difference(entry: OwnCall, call: ToolCall) -> str:
    """What an entry tells differently of a call of its tool; empty where nothing is."""
    if entry.arguments is not None and not equal(entry.arguments, call.arguments):
        return "stands on the agent's list with other arguments"
    if entry.result is not None and not _is_result(entry.result, call):
        return f"ended {call.result}; the agent's list says {entry.result}"
    return ""


def _is_result(word: str, call: ToolCall) -> bool:
    """Whether a word for a result fits the call; a word that is not known says nothing."""
    said = word.strip().lower()
    if said.isascii() and said.isdigit():
        return int(said) == call.status
    if said in GOOD_WORDS:
        return call.ok
    if said in BAD_WORDS:
        return failed(call)
    return said not in set(Result) or said == call.result
