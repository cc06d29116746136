"""The HTML report: one file that shows everything and obeys nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agenttwin.report import clean, render
from tests.unit.report._reports import (
    EVERYWHERE,
    LIE,
    PAYLOADS,
    RETRIEVED,
    Parts,
    appears,
    comparison,
    full,
    poisoned,
    run,
)

SNAPSHOT = Path(__file__).parent / "snapshots" / "comparison.outline.txt"
REPORTS: dict[str, Callable[..., dict[str, Any]]] = {"comparison": comparison, "run": run}


@pytest.fixture(scope="module")
def html() -> str:
    return render(comparison(), "html")


def outline(text: str) -> str:
    """Headings and heads of tables, in order; classes of sections beside them."""
    found = re.findall(
        r"<(h[1-4]|th|details|tr|section)([^>]*)>(.*?)(?=<(?:/h|/th|summary|td|h3|th))", text, re.S
    )
    lines = []
    for tag, attributes, inner in found:
        classes = re.search(r'class="([^"]*)"', attributes)
        words = " ".join(re.sub(r"<[^>]*>", "", inner).split())
        line = f"{tag}{'.' + classes[1].replace(' ', '.') if classes else ''} {words}".rstrip()
        if " " in line or "." in line:
            lines.append(line)
    return "\n".join(lines) + "\n"


def test_the_demo_has_the_outline_that_is_kept(html: str) -> None:
    found = outline(html)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(found, "utf-8")
    assert found == SNAPSHOT.read_text("utf-8")


def test_the_verdict_comes_first_then_the_change_then_the_cases_worst_first(html: str) -> None:
    text = Parts(html).text
    places = [
        text.index(part)
        for part in ("The candidate is worse", "What changed in the agent", "Cases, worst first")
    ]
    assert places == sorted(places)
    classes = re.findall(r'<details class="sheet case (\w+)', html)
    assert classes == ["red", "red", "orange", *["quiet"] * 6]


def test_it_is_one_file_without_script_and_asks_for_nothing(html: str) -> None:
    parts = Parts(html)
    names = {tag for tag, _ in parts.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "form"}
    attributes = [(name, value) for _, found in parts.tags for name, value in found]
    assert [
        name for name, _ in attributes if name.startswith("on") or name in ("src", "srcset", "action")
    ] == []
    assert all(value and value.startswith("#case-") for name, value in attributes if name == "href")
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html


@pytest.mark.parametrize("name", REPORTS)
def test_every_link_leads_to_a_case_and_every_tag_is_closed(name: str) -> None:
    parts = Parts(render(REPORTS[name](), "html"))
    targets = {value for _, found in parts.tags for key, value in found if key == "id"}
    links = {
        value.removeprefix("#") for _, found in parts.tags for key, value in found if key == "href" and value
    }
    assert links == targets
    opened: list[str] = []
    for tag, _ in parts.tags:
        if tag.startswith("/"):
            assert opened.pop() == tag[1:]
        elif tag not in ("meta", "br"):
            opened.append(tag)
    assert opened == []


def test_what_was_said_stands_in_quotation_marks_and_is_labelled_as_claimed(html: str) -> None:
    answer = comparison()["cases"][0]["candidate"]["answer"].replace("'", "&#39;")
    row = re.search(r'<tr class="claimed">.*?</tr>', html, re.S)
    assert row is not None
    assert f"“{answer}”" in row[0]
    assert ">claimed<" in row[0]
    assert html.count(f"“{answer}”") == len(
        re.findall(rf'<tr class="claimed">(?:(?!</tr>).)*“{answer}”', html, re.S)
    )


def test_it_shows_what_a_reader_needs_of_a_case(html: str) -> None:
    case = comparison()["cases"][0]
    text = " ".join(Parts(html).text.split())
    for part in (
        case["reason"], case["asked"], case["description"], case["rerun"], case["source"]["file"],
        case["divergence"]["summary"], case["divergence"]["meaning"], "timeout_after_mutation",
        "orders.ORD-1001.refund_count", "The evidence contradicts the claim.", "Both said, word for word",
        "5 calls · as recorded", "It was carried out.", "A timeout (504 TIMEOUT).", "never: lookup_customer",
        "Faults that took effect", "Changed, and no expectation looks at it", "answer lost after its effect",
        "which is no verdict", "a program, no language model",
    ):  # fmt: skip
        assert part in text, part


def test_a_fault_that_made_no_difference_is_told(html: str) -> None:
    report = comparison(LIE)
    for side in ("baseline", "candidate"):
        for call in report["cases"][0][side]["calls"]:
            call["took_effect"] = False
        for use in report["cases"][0][side]["faults"]:
            use["took_effect"] = False
    text = Parts(render(report, "html")).text
    assert "fired and made no difference on 1.3.0: this side says nothing about it." in text


def test_where_an_own_list_disagrees_it_says_so() -> None:
    report = comparison(LIE)
    report["cases"][0]["candidate"]["disagreements"] = ["It leaves out call 2, refund_payment."]
    text = Parts(render(report, "html")).text
    assert "It disagrees with the record." in text
    assert "It leaves out call 2, refund_payment." in text


def test_what_was_retrieved_and_whether_it_is_trusted() -> None:
    text = Parts(render(comparison(RETRIEVED), "html")).text
    assert "untrusted" in text


@pytest.mark.parametrize("name", REPORTS)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    assert render(REPORTS[name](), "html") == render(REPORTS[name](), "html")


def test_a_report_without_cases_is_a_page() -> None:
    report = comparison(LIE)
    report |= {
        "cases": [],
        "counts": {},
        "verdict": "nothing selected",
        "exit_code": 5,
        "warnings": ["Nothing fits."],
    }
    text = Parts(render(report, "html")).text
    assert "Nothing selected" in text
    assert "Nothing fits." in text


def test_a_side_that_never_ran_is_told() -> None:
    report = comparison(LIE)
    case = report["cases"][0]
    empty = {
        "verdict": None,
        "outcome": None,
        "answer": None,
        "own_calls": None,
        "calls": [],
        "evaluations": [],
    }
    case["baseline"] |= empty | {"faults": [], "state_changes": [], "retrievals": [], "duplicate_effects": []}
    case |= {"classification": "INCOMPLETE", "divergence": None}
    case["differences"] |= {"same_answer": False, "state": []}
    for row in case["alignment"]:
        row["baseline"] = None
    text = Parts(render(report, "html")).text
    assert "It never ran." in text
    assert "absent" in text


# -- foreign text


@cache
def benign(name: str) -> Parts:
    return Parts(render(poisoned(full(REPORTS[name](LIE)), "plain")[0], "html"))


@pytest.mark.parametrize(("name", "payload"), EVERYWHERE)
def test_hostile_text_in_every_field_is_shown_and_injects_nothing(name: str, payload: str) -> None:
    hostile, poison = poisoned(full(REPORTS[name](LIE)), payload)
    expected, found = benign(name), Parts(render(hostile, "html"))
    assert found.tags == expected.tags
    assert found.comments == []
    assert list(appears(poison, expected.text, found.text, clean)) == []


def test_there_are_two_hundred_of_them() -> None:
    assert len(PAYLOADS) >= 200


# -- colours


def palettes(html: str) -> dict[str, dict[str, str]]:
    """The colours of both themes."""
    blocks = re.findall(r":root \{(.*?)\}", html, re.S)
    light, dark, paper = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks)
    return {"light": light, "dark": {**light, **dark}, "paper": {**light, **paper}}


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "paper"])
def test_every_text_reaches_aa_on_every_ground(html: str, theme: str) -> None:
    colours = palettes(html)[theme]
    texts = ("ink", "muted", "accent", "red", "orange", "violet", "green", "grey")
    low = {
        (text, ground): round(contrast(colours[text], colours[ground]), 2)
        for text in texts
        for ground in ("page", "sheet", "sunk", "tint")
        if contrast(colours[text], colours[ground]) < 4.5
    }
    assert low == {}
