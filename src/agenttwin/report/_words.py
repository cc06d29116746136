"""The words, shapes and colours of results; every report uses these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from agenttwin.twin import FAULTS


@dataclass(frozen=True, slots=True)
class Word:
    """How a class is shown: a shape, words, a colour."""

    shape: str
    text: str
    style: str


CLASSES: Final[Mapping[str, Word]] = MappingProxyType(
    {
        "NEW_CRITICAL_FAILURE": Word("■", "new critical failure", "red"),
        "REGRESSED": Word("▲", "regressed", "orange"),
        "INCOMPLETE": Word("◇", "incomplete", "violet"),
        "INCONCLUSIVE": Word("◆", "inconclusive", "violet"),
        "IMPROVED": Word("▼", "improved", "green"),
        "UNCHANGED": Word("●", "unchanged", "grey"),
    }
)

VERDICTS: Final[Mapping[str, Word]] = MappingProxyType(
    {
        "FAILED": Word("■", "failed", "red"),
        "ERRORED": Word("◇", "errored", "violet"),
        "PASSED": Word("●", "passed", "green"),
        "FAIL": Word("✗", "fail", "red"),
        "ERROR": Word("!", "error", "violet"),
        "SKIPPED": Word("–", "skipped", "grey"),
        "PASS": Word("✓", "pass", "green"),
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

_COMMITTED: Final[Mapping[str | None, str]] = {
    "all": "everything was done",
    "first": "only the first effect was done",
    "twice": "it was done twice",
    "late": "it was done later",
    "none": "nothing was done",
}


def done(call: Mapping[str, Any]) -> str:
    """What the dependency did, in words."""
    if call["replayed"]:
        return "the first answer was given again, nothing was done"
    if call["refusal"] is not None:
        return "refused before it reached the tool"
    if call["committed"] is None:
        return "read" if call["status"] is not None and not call["took_effect"] else "nothing to change"
    return _COMMITTED[call["committed"]]


def seen(call: Mapping[str, Any]) -> str:
    """What the caller saw, in words."""
    if call["status"] is None:
        return "the caller saw a broken connection"
    code = f" {call['code']}" if call["code"] else ""
    return f"the caller saw {call['status']}{code}" + ("" if call["result"] != "ok" else ", a success")


def fault_words(kind: str) -> str:
    """What a kind of fault is, in one sentence."""
    return FAULTS[kind].description
