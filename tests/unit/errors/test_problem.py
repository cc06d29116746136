"""What a problem looks like when it is told."""

import pytest

from agenttwin.errors import Location, Problem, count, quote, render

RISK = Problem(
    code="unknown_value",
    message="'REED' is not a risk level",
    location=Location(file="twin.yaml", line=12, column=11),
    path="spec.tools[0].risk",
    value="REED",
    nearest="READ",
    valid=("READ", "ADMIN"),
)


def test_a_problem_says_where_what_and_what_was_meant() -> None:
    assert str(RISK) == (
        "twin.yaml:12:11: spec.tools[0].risk: 'REED' is not a risk level; did you mean 'READ'? "
        "One of: READ, ADMIN [unknown_value]"
    )


def test_the_valid_set_follows_without_a_guess() -> None:
    told = str(Problem(code="c", message="'x' is no word", valid=("a", "b")))
    assert told == "'x' is no word. One of: a, b [c]"


def test_a_long_valid_set_is_cut() -> None:
    told = str(Problem(code="c", message="m", valid=tuple(map(str, range(42)))))
    assert told.endswith("38, 39 and 2 more [c]")


def test_a_set_that_just_fits_is_whole() -> None:
    assert "more" not in str(Problem(code="c", message="m", valid=tuple(map(str, range(40)))))


def test_a_warning_says_so() -> None:
    assert str(Problem(code="c", message="m", path="a", warning=True)) == "warning: a: m [c]"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("READ", "'READ'"),
        ("it's", '"it\'s"'),
        ("a\nb", r"'a\nb'"),
        ("x" * 60, f"'{'x' * 60}'"),
        ("x" * 61, f"'{'x' * 59}…'"),
    ],
)
def test_values_are_quoted_on_one_line_and_cut(value: str, shown: str) -> None:
    assert quote(value) == shown


def test_rendering_counts() -> None:
    assert render([RISK, RISK]).splitlines() == [str(RISK), str(RISK), "2 problems"]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ([], "0 problems"),
        ([False], "1 problem"),
        ([True], "1 warning"),
        ([False, True, True], "1 problem, 2 warnings"),
    ],
)
def test_problems_and_warnings_are_counted_apart(flags: list[bool], told: str) -> None:
    assert count(Problem(code="c", message="m", warning=flag) for flag in flags) == told
