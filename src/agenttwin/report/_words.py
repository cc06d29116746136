"""The words, shapes and styles of results, the same in every report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from agenttwin.compare import ChangeDocument
from agenttwin.report._text import NO_BREAK, shown
from agenttwin.twin import FAULTS


@dataclass(frozen=True, slots=True)
class Word:
    """A result as it is shown: a shape, a word, and a style that adds nothing to them."""

    shape: str
    text: str
    style: str

    def __str__(self) -> str:
        return f"{self.shape} {self.text}"


CLASSES: Final[Mapping[str, Word]] = MappingProxyType(
    {
        "NEW_CRITICAL_FAILURE": Word("■", "new critical failure", "red"),
        "REGRESSED": Word("▲", "regressed", "orange"),
        "INCOMPLETE": Word("◇", "incomplete", "violet"),
        "INCONCLUSIVE": Word("◈", "inconclusive", "violet"),
        "IMPROVED": Word("▼", "improved", "green"),
        "UNCHANGED": Word("●", "unchanged", "quiet"),
    }
)

DECISIONS: Final[Mapping[str, Word]] = MappingProxyType(
    {
        "worse": Word("■", "WORSE", "red"),
        "invalid": Word("◇", "INVALID", "violet"),
        "incomplete": Word("◇", "INCOMPLETE", "violet"),
        "no evidence": Word("◇", "NO EVIDENCE", "violet"),
        "nothing selected": Word("◇", "NOTHING SELECTED", "violet"),
        "nothing worse": Word("●", "NOTHING WORSE", "green"),
        "failed": Word("■", "FAILED", "red"),
        "passed": Word("●", "PASSED", "green"),
    }
)

VERDICTS: Final[Mapping[str | None, Word]] = MappingProxyType(
    {
        "PASSED": Word("●", "passed", "green"),
        "FAILED": Word("■", "failed", "red"),
        "ERRORED": Word("◇", "errored", "violet"),
        None: Word("◇", "never ran", "violet"),
        "PASS": Word("✓", "passed", "green"),
        "FAIL": Word("✗", "failed", "red"),
        "ERROR": Word("!", "could not be judged", "violet"),
        "SKIPPED": Word("–", "skipped", "violet"),
    }
)

OUTCOMES: Final[Mapping[str, Word]] = MappingProxyType(
    {
        "failed": Word("■", "failed", "red"),
        "errored": Word("◇", "errored", "violet"),
        "failed as expected": Word("□", "failed as expected", "orange"),
        "passed": Word("●", "passed", "green"),
    }
)

EXIT_CODES: Final[Mapping[int, str]] = MappingProxyType(
    {
        0: "nothing worse",
        1: "worse",
        2: "usage or document error",
        3: "incomplete, invalid, or no evidence",
        4: "waiting for a person",
        5: "nothing selected",
        130: "interrupted",
    }
)

RUN_EXIT_CODES: Final[Mapping[int, str]] = MappingProxyType(
    {**EXIT_CODES, 0: "nothing failed", 1: "failed", 3: "not everything could be judged, or no evidence"}
)

MODELS: Final[Mapping[str, str]] = MappingProxyType(
    {"llm": "a language model", "deterministic-fake": "a program, no language model", "unknown": "unknown"}
)

_COMMITTED: Final[Mapping[str | None, str]] = MappingProxyType(
    {
        "all": "it was carried out",
        "first": "only its first effect was carried out",
        "twice": "it was carried out twice",
        "late": "it was carried out later",
        "none": "nothing was done",
        None: "there was nothing to change",
    }
)

_RESULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ok": "success",
        "rate_limited": "too many requests",
        "denied": "access denied",
        "not_found": "not found",
        "unknown_tool": "unknown tool",
        "timeout": "a timeout",
        "invalid": "a refusal",
        "dropped": "a broken connection",
        "partial": "half an answer",
        "malformed": "an answer that cannot be read",
        "error": "an error",
    }
)

MAX_VALUE_CHARACTERS: Final = 120
MAX_UNBROKEN: Final = 50

MAX_CHANGES: Final = 4
"""Changes of one call that are told; the rest are counted."""


def done(call: Mapping[str, Any]) -> str:
    """What the call did, in words."""
    if call["refusal"]:
        return f"it was refused ({call['refusal']})"
    if call["replayed"]:
        return "nothing was done: an earlier answer was replayed"
    if call["committed"] == "all" and not call["changes"]:
        return "it was carried out and changed nothing"
    return _COMMITTED.get(call["committed"], str(call["committed"]))


def seen(call: Mapping[str, Any]) -> str:
    """What the caller saw, in words."""
    word = _RESULTS.get(call["result"], call["result"])
    facts = [str(call["status"])] if call["status"] is not None else []
    facts += [call["code"]] if call["code"] and call["result"] != "ok" else []
    return f"{word} ({' '.join(facts)})" if facts else word


def changes(found: Sequence[ChangeDocument], limit: int = MAX_CHANGES) -> str:
    """Changes in words: `orders.ORD-1001.refund_count 0 → 1`."""
    told = [change(item) for item in found[:limit]]
    rest = len(found) - limit
    return ", ".join([*told, f"{rest} more"] if rest > 0 else told)


def brief(found: Sequence[ChangeDocument], limit: int = MAX_CHANGES) -> str:
    """Changes in fewer words: what is new, or gone, is only named."""
    changed = [item for item in found if "before" in item and "after" in item]
    added = [item["path"] for item in found if "before" not in item]
    removed = [item["path"] for item in found if "after" not in item]
    parts = [changes(changed, limit)] if changed else []
    parts += [
        f"{how} {', '.join(paths[:limit])}{f' and {len(paths) - limit} more' if len(paths) > limit else ''}"
        for how, paths in (("added", added), ("removed", removed))
        if paths
    ]
    return ", ".join(parts)


def change(found: ChangeDocument) -> str:
    """One change in words; one that is short is not broken over two lines."""
    if "before" not in found:
        return f"{found['path']} added: {value(found['after'])}"
    if "after" not in found:
        return f"{found['path']} removed"
    text = f"{found['path']} {value(found['before'])} → {value(found['after'])}"
    return text.replace(" ", NO_BREAK) if len(text) <= MAX_UNBROKEN else text


def fault_words(kind: str) -> str:
    """What a fault does, in a sentence; empty for one that this version does not know."""
    return FAULTS[kind].description.replace("`", "") if kind in FAULTS else ""


def plural(number: int, one: str, several: str) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else several}"


def value(found: Any) -> str:
    """A value as a person reads it, cut where it is long."""
    text = shown(found)
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[:MAX_VALUE_CHARACTERS]}…"


def checked_words(twin: Mapping[str, Any]) -> str:
    """Whether a twin was ever held against what it stands in for, when, and how that came out."""
    name, checked = twin["twin"], twin["checked"]
    if checked is None:
        return f"The twin {name} was never checked against the real API."
    ran = f"The twin {name} was checked against {checked['against']} on {checked['at'][:10]}"
    total = checked["agrees"] + checked["differs"]
    told = f"{ran}: {checked['agrees']:,} of {total:,} comparisons agreed"
    return f"{told}." if checked["current"] else f"{told}; it has been changed since."
