"""The demo's reports, whole and made hostile; and HTML taken apart."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import orjson

from agenttwin.compare import as_json, single_as_json
from agenttwin.lab import Ask, Session, write_example

LIE = "refund-tool-success-lie"
RETRIEVED = "malicious-retrieved-content"


@cache
def _bytes(*scenarios: str) -> tuple[bytes, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        write_example("support-refund", Path(folder))
        with Session.open(folder) as session:
            ask = Ask(scenarios=scenarios, suites=() if scenarios else ("refund-regression-suite",))
            _, compared = session.compare("1.2.4", "1.3.0", ask)
            _, alone = session.run("1.3.0", ask)
            return orjson.dumps(as_json(compared)), orjson.dumps(single_as_json(alone))


def comparison(*scenarios: str) -> dict[str, Any]:
    """The demo's 1.2.4 → 1.3.0, a fresh copy."""
    report: dict[str, Any] = orjson.loads(_bytes(*scenarios)[0])
    return report


def run(*scenarios: str) -> dict[str, Any]:
    """The demo's 1.3.0 alone, a fresh copy."""
    report: dict[str, Any] = orjson.loads(_bytes(*scenarios)[1])
    return report


def full(report: dict[str, Any]) -> dict[str, Any]:
    """The report with something in every field that the demo leaves empty."""
    report["warnings"] = ["A warning."]
    for case in report["cases"]:
        case["expected_failures"] = {"reply-is-honest": "It is known."}
        for side in (case[name] for name in ("baseline", "candidate", "side") if name in case):
            side["disagreements"] = ["It leaves out call 2."]
            side["measured"] |= {"stdout": "Printed.", "stderr": "Warned.", "traceback": "Raised."}
            side["retrievals"] = [
                {"seq": 9, "query": "refunds", "documents": [{"id": "kb-1", "trusted": False}]}
            ]
            idle = {"rule": "r2", "type": "http_500", "target": "send_email", "fired": True}
            side["faults"].append(idle | {"took_effect": False})
            original = {"verdict": "ERROR", "reason": "Lost."}
            decided = {"by": "Ada", "note": "Seen.", "original": original, "measured": {}}
            side["evaluations"][1] |= {"overridden": decided}
            for call in side["calls"][:1]:
                call |= {"refusal": "ADMIN_ONLY", "cross_tenant": "denied", "approved": True}
    if "manifest_diff" in report:
        report["invalid"] = ["It ran with another seed."]
        report["manifest_diff"]["fields"] = [
            {"path": "spec.model", "before": "small", "after": {"name": "large"}}
        ]
    checked = {
        "at": "2026-11-03T08:00:00Z",
        "against": "pay.json",
        "agrees": 1,
        "differs": 2,
        "current": False,
    }
    report["coverage"]["measured"] = {"twins": [{"twin": "shop", "checked": checked}]}
    report["coverage"]["faults_without_effect"] = [
        {"scenario": "s", "side": "candidate", "rule": "r2", "type": "http_500", "fired": False}
    ]
    return report


# -- hostile reports

FOREIGN = frozenset({"stdout", "stderr", "traceback", "key", "message", "twins"})
"""What others have written among what was measured."""
WORDS = frozenset(
    {
        "format", "verdict", "classification", "movements", "claimed_outcome", "status", "sign", "kind",
        "model_kind", "committed", "effect", "plan_digest", "report_digest", "digest", "counts", "at",
    }
)  # fmt: skip
"""Keys under which a word of ours stands, or numbers; everything else may hold anything."""

OPEN, SHUT = "§", "¶"


class Poison:
    """Puts a payload into every text of a report; each different text gets a number of its own."""

    def __init__(self, payload: str) -> None:
        self.payload = payload
        self.numbers: dict[str, int] = {}

    def text(self, text: str) -> str:
        """The payload in place of a text; the same one for the same text."""
        number = self.numbers.setdefault(text, len(self.numbers))
        return self.of(number)

    def of(self, number: int) -> str:
        """The payload with a number."""
        return f"{self.payload}{OPEN}{number}{SHUT}"

    def report(self, value: Any, key: str = "") -> Any:
        """The report, every text that may be foreign replaced, keys of foreign objects too."""
        if key == "measured":
            return {name: self.report(item) if name in FOREIGN else item for name, item in value.items()}
        if key in WORDS or (key == "outcome" and isinstance(value, str)):
            return self.keys(value) if key == "movements" else value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.report(item, key) for item in value]
        if not isinstance(value, dict):
            return value
        foreign = key in ("arguments", "headers", "expected_failures", "answer", "before", "after")
        return {
            self.text(name) if foreign else name: self.report(item, "" if foreign else name)
            for name, item in value.items()
        }

    def keys(self, value: dict[str, Any]) -> dict[str, Any]:
        """Only the keys replaced."""
        return {self.text(name): item for name, item in value.items()}


def poisoned(report: dict[str, Any], payload: str) -> tuple[dict[str, Any], Poison]:
    """The report with the payload everywhere, and how it came there."""
    poison = Poison(payload)
    return poison.report(report), poison


PAYLOADS: tuple[str, ...] = tuple(orjson.loads((Path(__file__).parent / "hostile.json").read_bytes()))

EVERYWHERE = [("comparison", payload) for payload in PAYLOADS] + [
    ("run", payload) for payload in PAYLOADS[::4]
]
"""Every payload in a comparison; a run has the same parts, so it gets a quarter of them."""


# -- HTML taken apart


class Parts(HTMLParser):
    """Tags with their attributes, and texts, in order; void tags of line breaks left out."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.comments: list[str] = []
        self.texts: list[str] = []
        self._style = False
        self.feed(text)
        self.close()

    @property
    def text(self) -> str:
        """All that a reader sees."""
        return "".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps the tag."""
        self._style = tag == "style"
        if tag == "br":
            self.texts.append("\n")
        else:
            self.tags.append((tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Keeps the end."""
        self._style = False
        self.tags.append((f"/{tag}", ()))

    def handle_data(self, data: str) -> None:
        """Keeps the text."""
        if not self._style:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        """Keeps the comment."""
        self.comments.append(data)


def appears(poison: Poison, benign: str, hostile: str, spelled: Callable[[str], str]) -> Iterator[str]:
    """The payloads that stand in the hostile text less often than their numbers in the benign one.

    Inside JSON a payload is spelled as JSON does.
    """
    plain = Poison("plain")
    for number in range(len(poison.numbers)):
        expected = benign.count(plain.of(number))
        payload = poison.of(number).strip()
        quoted = orjson.dumps(payload).decode()[1:-1]
        spellings = {spelled(payload), spelled(quoted)}
        if sum(hostile.count(found) for found in spellings) < expected:
            yield payload
