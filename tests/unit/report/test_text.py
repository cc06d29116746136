"""Text for a terminal: seen width, lines that fit, nothing that is obeyed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenttwin.report import Page, clean
from agenttwin.report._text import NO_BREAK, cut, cut_start, line, pad, width, wrap


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("dos\r\nlines", "dos\nlines"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\x07 null\x00 del\x7f csi\x9b", "bell\\x07 null\\x00 del\\x7f csi\\x9b"),
        ("over\rwritten", "over\\rwritten"),
        ("\u202eright to left", "\\u202eright to left"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("half \ud800", "half \\ud800"),
        ("family 👨\u200d👩\u200d👧", "family 👨\u200d👩\u200d👧"),
    ],
)
def test_what_would_be_obeyed_is_spelled(text, shown):
    assert clean(text) == shown


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("注文", 4), ("e\u0301", 1), ("👍", 2), ("│→✓", 3), ("", 0)]
)
def test_width_is_what_is_seen(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize(
    ("columns", "shown"),
    [(20, "one two three"), (13, "one two three"), (9, "one two…"), (8, "one two…"), (1, "…")],
)
def test_a_line_is_cut_at_its_end(columns, shown):
    assert cut("one\n two   three", columns) == shown


def test_a_line_is_cut_at_its_start_where_the_end_says_more():
    assert cut_start("orders.ORD-1001.refunded_amount", 16) == "…refunded_amount"
    assert cut_start("short", 16) == "short"


def test_a_wide_character_is_never_halved():
    assert cut("注文注文", 6) == "注文…"
    assert pad("注文", 6) == "注文  "


def test_text_is_wrapped_between_words():
    assert wrap("one two three\n\nfour", 7) == ["one two", "three", "", "four"]


def test_a_word_that_is_too_long_is_broken():
    assert wrap("a 0123456789 b", 4) == ["a", "0123", "4567", "89 b"]


def test_no_line_ends_at_a_space_that_does_not_break():
    assert wrap(f"count 0{NO_BREAK}→{NO_BREAK}1", 8) == ["count", "0 → 1"]


TEXTS = st.text(max_size=200)
COLUMNS = st.integers(10, 60)


@given(TEXTS, COLUMNS)
def test_wrapped_lines_fit_and_lose_nothing(text, columns):
    lines = wrap(text, columns)
    assert all(width(part) <= columns for part in lines)
    assert "".join("".join(lines).split()) == "".join(clean(text).replace(NO_BREAK, " ").split())


@given(TEXTS, COLUMNS)
def test_padded_text_fills_its_columns(text, columns):
    assert width(pad(text, columns)) == columns
    assert width(cut_start(text, columns)) <= columns


@given(TEXTS)
def test_clean_text_has_nothing_to_obey_and_stays_so(text):
    assert clean(clean(text)) == clean(text)
    assert "\x1b" not in line(text)
    assert "\n" not in line(text)


@given(st.lists(st.lists(TEXTS, min_size=3, max_size=3), min_size=1, max_size=5), st.integers(60, 120))
def test_a_table_fits_the_page(rows, columns):
    assert all(width(part) <= columns for part in Page(columns=columns).table(rows, 4))
