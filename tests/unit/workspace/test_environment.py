"""What an agent gets of the environment: the process's own, and `.env` for what it lacks."""

import pytest

from agenttwin.errors import LimitExceeded, UsageError
from agenttwin.workspace import environment, expand
from tests.unit.workspace._workspace import refusal


def entries(folder, text):
    (folder / ".env").write_text(text)
    return environment(folder, {})


def test_without_a_file_it_is_the_process_own(tmp_path):
    assert environment(tmp_path, {"A": "1"}) == {"A": "1"}


def test_the_process_wins(tmp_path):
    (tmp_path / ".env").write_text("A=1\nB=2\n")
    assert environment(tmp_path, {"A": "0", "C": "3"}) == {"A": "0", "B": "2", "C": "3"}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=1", "1"),
        ("export A=1", "1"),
        ("  A = 1  ", "1"),
        ("A=", ""),
        ("A=''", ""),
        ("A=a b", "a b"),
        ("A=' a b '", " a b "),
        ('A="a # b"', "a # b"),
        ("A=a # why", "a"),
        ("A='a' # why", "a"),
        ("A=a#b", "a#b"),
        ("A=b=c", "b=c"),
        ("A='", "'"),
        ("A=it's", "it's"),
        ("A=${B}", "${B}"),
        ("\ufeffA=1", "1"),
    ],
)
def test_a_line_is_a_name_and_a_value(tmp_path, line, value):
    assert entries(tmp_path, line) == {"A": value}


@pytest.mark.parametrize("line", ["", "# A=1", "  # A=1", "A", "1A=1", "=1", "A B=1"])
def test_other_lines_are_passed_over(tmp_path, line):
    assert entries(tmp_path, line) == {}


def test_the_last_line_of_a_name_holds(tmp_path):
    assert entries(tmp_path, "A=1\r\nA=2\r\n") == {"A": "2"}


def test_a_file_of_another_sort_is_refused(tmp_path):
    assert entries(tmp_path, "A=" + "x" * (64 * 1024 - 2))
    said = refusal(LimitExceeded, entries, tmp_path, "A=" + "x" * (64 * 1024 - 1))
    assert said == ".env has more than 65,536 bytes. [env_file_too_large]"


def test_bytes_that_are_no_text_do_no_harm(tmp_path):
    (tmp_path / ".env").write_bytes(b"A=\xff\nB=1\n")
    assert environment(tmp_path, {})["B"] == "1"


@pytest.mark.parametrize(
    ("text", "value"),
    [("${A}", "1"), ("x${A}${B}y", "x12y"), ("$A", "$A"), ("${", "${"), ("", ""), ("${C}", "${A}")],
)
def test_names_in_braces_are_replaced_once(text, value):
    assert expand(text, {"A": "1", "B": "2", "C": "${A}"}, where="here") == value


@pytest.mark.parametrize("name", ["KEY", "KEY-1", ""])
def test_what_is_not_set_is_told_with_where_it_is_needed(name):
    said = refusal(UsageError, expand, f"${{{name}}}", {}, where="agents.clerk.env.STRIPE")
    assert said == f"agents.clerk.env.STRIPE needs {name!r}, which is not set. [unset_variable]"
