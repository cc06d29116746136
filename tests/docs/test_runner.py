"""The runner of documentation blocks notices what a reader would trip over."""

import sys
from pathlib import Path

import pytest

from tests.docs._page import Page, blocks, matches, run


@pytest.fixture
def play(tmp_path):
    """Run a page given as text, in a directory of its own."""

    def play(text: str) -> Page:
        file = tmp_path / "page.md"
        file.write_text(text, encoding="utf-8")
        (tmp_path / "work").mkdir(exist_ok=True)
        page = Page(directory=tmp_path / "work")
        for block in blocks(file):
            run(block, page)
        return page

    return play


def fence(info: str, text: str) -> str:
    return f"```{info}\n{text}\n```\n"


def test_python_blocks_of_a_page_share_their_names(play):
    play(fence("python", "a = 1") + fence("python", "assert a == 1"))


def test_a_python_error_points_at_the_line_of_the_page(play):
    with pytest.raises(ZeroDivisionError) as caught:
        play("A page.\n\n" + fence("python", "x = 0\n1 / x"))
    assert caught.traceback[-1].path.name == "page.md"
    assert caught.traceback[-1].lineno + 1 == 5


def test_a_titled_block_is_a_file_that_later_blocks_see(play):
    play(
        fence('python title="shop/agent.py"', "reply = 'hi'")
        + fence("console", "$ cat shop/agent.py\nreply = 'hi'")
    )


def test_a_titled_module_is_imported_by_python_blocks(play):
    play(
        fence('python title="clerk.py"', "reply = 'hi'")
        + fence("python", "import clerk\nassert clerk.reply == 'hi'")
    )


def test_printed_text_is_compared_with_the_output_block_below(play):
    page = fence("python", "print('one')\nprint('two')")
    play(page + fence("text output", "one\n..."))
    with pytest.raises(AssertionError, match="printed:\none"):
        play(page + fence("text output", "one"))


def test_console_commands_are_compared_with_their_output(play):
    play(fence("console", "$ echo one\none\n$ echo two \\\n> three\ntwo three"))
    with pytest.raises(AssertionError, match=r"page.md:2: `echo one` printed:\none"):
        play(fence("console", "$ echo one\ntwo"))


def test_console_blocks_share_the_working_directory(play):
    play(fence("console", "$ mkdir shop && cd shop") + fence("console", '$ basename "$PWD"\nshop'))


def test_a_command_that_fails_is_a_failure_unless_announced(play):
    play(fence("console exit=3", "$ (exit 3)"))
    with pytest.raises(AssertionError, match="ended with 3, not 0"):
        play(fence("console", "$ (exit 3)"))
    with pytest.raises(AssertionError, match="ended with 0, not 1"):
        play(fence("console exit=1", "$ true"))


def test_both_streams_are_shown(play):
    play(fence("console", "$ echo out; echo err >&2\nout\nerr"))


def test_the_command_of_a_page_is_the_installed_one(play):
    installed = Path(sys.executable).with_name("agenttwin")
    play(
        fence("console", f'$ test "$(agenttwin --version)" = "$({installed} --version)"')
        + fence("console exit=2", "$ mkdir shop && cd shop\n$ agenttwin check\nError: ... [no_workspace]")
        + fence("console", '$ X=1 agenttwin --help > help; basename "$PWD"; grep -c Usage help\nshop\n1')
    )


@pytest.mark.parametrize("info", ["", "pyhton"])
def test_a_block_must_say_what_it_is(play, info):
    with pytest.raises(AssertionError, match="is none of python, console"):
        play(fence(info, "x"))


def test_a_block_must_be_closed(play):
    with pytest.raises(AssertionError, match="never closed"):
        play("```python\nx = 1\n")


def test_a_broken_data_block_is_a_failure(play):
    with pytest.raises(ValueError, match="Expecting"):
        play(fence("json", "{"))


def test_a_make_target_that_is_named_must_exist(play):
    play(fence("sh", "git clone somewhere\nmake demo"))
    with pytest.raises(AssertionError, match="demmo"):
        play(fence("sh", "make demmo"))


def test_a_block_in_a_list_is_read_without_its_indent(play):
    play("- item\n\n  ```python\n  if True:\n      a = 1\n  ```\n")


def test_the_opening_line_of_a_block_is_known(tmp_path: Path):
    file = tmp_path / "page.md"
    file.write_text("# Title\n\n" + fence("text", "x") + "\n" + fence("json", "1"), encoding="utf-8")
    assert [(block.language, block.line) for block in blocks(file)] == [("text", 4), ("json", 8)]


@pytest.mark.parametrize(
    ("expected", "output", "same"),
    [
        ("", "", True),
        ("", "x\n", False),
        ("...", "", True),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nb\nc\n", False),
        ("took ... ms", "took 12 ms\n", True),
        ("took ... ms", "took\n12 ms\n", False),
        ("a  \nb", "a\nb   \n", True),
        ("a (1)", "a (1)\n", True),
        ("a.b", "a-b\n", False),
    ],
)
def test_dots_stand_for_anything(expected, output, same):
    assert matches(expected, output) is same
