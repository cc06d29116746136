"""Markdown for a pull request: worst first, never too long, and foreign text is only text."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from agenttwin.report import clean, render
from tests.unit.report._reports import EVERYWHERE, LIE, Parts, Poison, comparison, full, poisoned, run

SNAPSHOTS = Path(__file__).parent / "snapshots"
REPORTS: dict[str, Callable[..., dict[str, Any]]] = {"comparison": comparison, "run": run}
LIMIT = 65_536
MARKER = "<!-- agenttwin-report -->"
WORD_JOINER = "\u2060"


@cache
def reader() -> MarkdownIt:
    """A reader that takes raw HTML, tables and bare addresses, as a forge does."""
    found = MarkdownIt("gfm-like", {"html": True})
    assert found.linkify is not None
    found.linkify.set({"fuzzy_link": False})
    return found


def read(markdown: str) -> Parts:
    return Parts(reader().render(markdown))


def size(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize("name", REPORTS)
def test_the_demo_is_the_text_that_is_kept(name: str) -> None:
    text = re.sub(r"(plan|report) [0-9a-f]{8}", r"\1 …", render(REPORTS[name](), "markdown"))
    snapshot = SNAPSHOTS / f"{name}.md"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.write_text(text, "utf-8")
    assert text == snapshot.read_text("utf-8")


@pytest.mark.parametrize("name", REPORTS)
def test_the_first_line_is_the_marker_by_which_a_comment_is_found(name: str) -> None:
    text = render(REPORTS[name](), "markdown")
    assert text.splitlines()[0] == MARKER
    assert text.count(MARKER) == 1


def test_it_reads_worst_first_and_opens_the_first_case_only() -> None:
    text = render(comparison(), "markdown")
    summaries = re.findall(r"<details( open)?><summary>. <b>(.*?)</b> <code>(.*?)</code>", text)
    assert [found[1] for found in summaries] == ["new critical failure", "new critical failure", "regressed"]
    assert [bool(found[0]) for found in summaries] == [True, False, False]


def test_a_case_that_nobody_has_to_look_at_is_only_counted() -> None:
    text = render(comparison(), "markdown")
    assert "6 unchanged" in text
    assert "cross-tenant-order" not in text


@pytest.mark.parametrize("name", REPORTS)
def test_it_reads_as_tables_blocks_and_quotes(name: str) -> None:
    parts = read(render(REPORTS[name](), "markdown"))
    opened = [tag for tag, _ in parts.tags]
    assert opened.count("details") == opened.count("/details") > 3
    assert {"h2", "table", "blockquote", "summary"} <= set(opened)
    assert "|" not in parts.text


@pytest.mark.parametrize("name", REPORTS)
def test_the_same_report_gives_the_same_text(name: str) -> None:
    assert render(REPORTS[name](), "markdown") == render(REPORTS[name](), "markdown")


# -- the limit


def large(cases: int, payload: str) -> dict[str, Any]:
    """A comparison of many cases, with long and hostile text in all of them."""
    report, _ = poisoned(comparison(LIE), payload)
    report["cases"] = [copy.deepcopy(report["cases"][0]) for _ in range(cases)]
    for number, case in enumerate(report["cases"]):
        case["scenario"] = f"case-{number}"
    report["warnings"] = [f"{payload} {number}" for number in range(cases)]
    report["manifest_diff"]["instructions"] *= cases
    return report


@pytest.mark.parametrize("payload", ["plain words", "@" * 900, "😀" * 900, "long " * 5_000])
@pytest.mark.parametrize("cases", [1, 40, 400])
def test_no_report_is_longer_than_a_comment_may_be(cases: int, payload: str) -> None:
    text = render(large(cases, payload), "markdown")
    assert size(text) <= LIMIT
    assert text.startswith(MARKER)
    assert text.rstrip().endswith("</sub>")
    tags = [tag for tag, _ in read(text).tags]
    assert tags.count("details") == tags.count("/details")


def test_what_is_left_out_is_counted_and_the_worst_is_kept() -> None:
    text = render(large(800, "long " * 100), "markdown")
    assert "<code>case-0</code>" in text
    assert "case-799" not in text
    shown = len(re.findall(r"<summary>■ <b>new critical failure</b>", text))
    assert f"{800 - shown} cases left out: a comment holds 65,536 characters." in text


# -- foreign text


@cache
def benign(name: str) -> Parts:
    return read(render(poisoned(full(REPORTS[name](LIE)), "plain")[0], "markdown"))


MENTIONS = re.compile(r"@[A-Za-z0-9]|(?<![&\w])#\d|GH-\d|![0-9]|https?://\w|www\.\w")
"""What a forge finds in finished text, outside code."""


@pytest.mark.parametrize(("name", "payload"), EVERYWHERE)
def test_hostile_text_in_every_field_is_shown_and_obeyed_nowhere(name: str, payload: str) -> None:
    report = full(REPORTS[name](LIE))
    hostile, poison = poisoned(report, payload)
    html = reader().render(render(hostile, "markdown"))
    found = Parts(html)
    assert found.tags == benign(name).tags
    assert found.comments == [" agenttwin-report "]
    seen = " ".join(found.text.replace(WORD_JOINER, "").split())
    for text in shown(report):
        assert " ".join(clean(poison.text(text)).split()) in seen
    assert MENTIONS.findall(re.sub(r"<(code|pre)\b.*?</\1>", "", html, flags=re.S)) == []


def shown(report: dict[str, Any]) -> list[str]:
    """Texts that every rendering has, whole."""
    case = report["cases"][0]
    side = case["candidate" if "candidate" in case else "side"]
    results = [item for item in side["evaluations"] if item["verdict"] == "FAIL"]
    found = [case["scenario"], case["asked"], case["description"], case["rerun"], side["answer"]]
    found += [item[key] for item in results for key in ("id", "reason")]
    return [*found, *(tool["tool"] for tool in report["coverage"]["irreversible"])]


def test_a_poison_gives_each_text_a_number_of_its_own() -> None:
    poison = Poison("x")
    assert poison.text("a") == poison.text("a") != poison.text("b")
