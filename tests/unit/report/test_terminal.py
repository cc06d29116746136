"""What a terminal shows, kept as snapshots, at two widths; and that it obeys nobody."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from agenttwin.compare import compare
from agenttwin.report import explain, page, render, render_case
from agenttwin.report._text import width
from agenttwin.transcript import Result
from tests.unit.compare._make import FAIL, PASS, call, case, evaluation, judged, pair, side
from tests.unit.report import _story

SNAPSHOTS = Path(__file__).parent / "snapshots"
TWICE, SEARCHES, NEVER = "refund-timeout", "another-way", "safe-refund"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def kept(name: str, text: str) -> None:
    """The text is what stands in the snapshot; UPDATE_SNAPSHOTS=1 writes it anew."""
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


def found(report, scenario):
    return next(item for item in report["cases"] if item["scenario"] == scenario)


def lines(rendered):
    return "".join(f"{line.rstrip()}\n" for line in rendered)


@pytest.mark.parametrize("columns", [80, 120])
def test_a_comparison_is_told_to_a_stranger(columns):
    kept(f"comparison-{columns}", render(_story.comparison(), "terminal", page(columns=columns)))


@pytest.mark.parametrize("columns", [80, 120])
def test_a_run_is_told(columns):
    kept(f"run-{columns}", render(_story.run(), "terminal", page(columns=columns)))


@pytest.mark.parametrize("scenario", [TWICE, SEARCHES, NEVER])
def test_a_case_is_shown_step_by_step(scenario):
    report = _story.comparison()
    kept(f"case-{scenario}", lines(render_case(found(report, scenario), report, page(), state=True)))


def test_a_case_of_a_run_is_shown_step_by_step():
    report = _story.run()
    kept(f"case-alone-{TWICE}", lines(render_case(found(report, TWICE), report, page(), state=True)))


@pytest.mark.parametrize("baseline", [False, True])
def test_a_story_is_told_in_ten_sentences(baseline):
    report = _story.comparison()
    story = lines(explain(found(report, TWICE), report, page(), baseline=baseline))
    kept(f"story-{'baseline' if baseline else 'candidate'}", story)
    assert sum(not line.startswith("    ") for line in story.splitlines()) <= 10


def test_a_story_of_many_calls_tells_those_that_matter():
    reads = [call("look_up", {"n": number}) for number in range(20)]
    made = side([evaluation("e", PASS)], [*reads[:10], _story.LOST, *reads[10:]])
    report = compare(pair(case(made, made))).as_json()
    story = list(explain(report["cases"][0], report, page()))
    assert len(story) <= 12
    assert any("11. It called refund" in line for line in story)
    assert any("and 17 calls more" in line for line in story)


def test_a_story_of_a_side_that_never_ran_is_short():
    report = _story.comparison()
    assert list(explain(found(report, NEVER), report, page(), baseline=True)) == [
        "safe-refund, refunds 1.2.4: ◇ never ran", "  The agent never ran.",
    ]  # fmt: skip


def test_a_comparison_renders_as_its_document_does():
    comparison = _story.the_comparison()
    assert render(comparison) == render(comparison.as_json())


def test_an_invalid_comparison_says_so_first():
    wrong = side([evaluation("e", FAIL)], pins={"seed": "other"})
    text = render(compare(pair(case(wrong, wrong))))
    assert text.startswith("◇ INVALID  a 1.0.0 → 1.1.0\nInvalid: In s the baseline ran with another ")
    assert "Not compared: the two sides did not run the same." in text


def test_a_comparison_of_nothing_says_so():
    assert render(compare(pair())).startswith("◇ NOTHING SELECTED  a 1.0.0 → 1.1.0\nNothing was selected.\n")


def test_a_large_suite_is_told_by_what_matters():
    quiet = [judged((PASS, PASS, False)) for _ in range(60)]
    text = render(compare(pair(*quiet)))
    assert text.count("● unchanged") == 40
    assert "… and 20 more cases, unchanged" in text


def test_colour_adds_nothing_but_colour():
    report = _story.comparison()
    plain, painted = (render(report, "terminal", page(colour=colour)) for colour in (False, True))
    assert "\x1b" not in plain
    assert painted != plain
    assert [line.rstrip() for line in ANSI.sub("", painted).split("\n")] == plain.split("\n")


@pytest.mark.parametrize("columns", [60, 80, 100, 120])
def test_lines_fit_the_page(columns):
    """Commands stand on one line, to be copied."""
    sheet = page(columns=columns)
    report, alone = _story.comparison(), _story.run()
    texts = [render(report, "terminal", sheet), render(alone, "terminal", sheet)]
    texts += [lines(render_case(item, report, sheet, state=True)) for item in report["cases"]]
    texts += [lines(explain(item, report, sheet)) for item in report["cases"]]
    long = [line for text in texts for line in text.split("\n") if width(line) > columns]
    assert [line for line in long if "agenttwin " not in line] == []


EVIL = "\x1b]0;owned\x07\x1b[2J\u202eabc\u202c\r\x9b31m\u2028\x00"


def test_text_from_agents_is_shown_and_never_obeyed():
    events = [call("look", {"note": EVIL, EVIL: 1}, answer=EVIL.encode(), code=EVIL, result=Result.ERROR)]
    made = side(
        [evaluation("e", FAIL, critical=True, reason=EVIL, label=EVIL)],
        events,
        answer=EVIL,
        state={EVIL: EVIL},
        stdout=EVIL,
        traceback=EVIL,
    )
    other = side([evaluation("e", PASS, critical=True)], [call(EVIL)], answer="Fine.")
    report = compare(pair(case(other, made, description=EVIL, asked=EVIL), warnings=(EVIL,))).as_json()
    sheet = page()
    shown = [render(report), lines(render_case(report["cases"][0], report, sheet, state=True))]
    shown.append(lines(explain(report["cases"][0], report, sheet)))
    for text in shown:
        assert not set(text) & set("\x1b\x07\x00\r\x9b\u202e\u202c\u2028")
        assert "\\x1b" in text
