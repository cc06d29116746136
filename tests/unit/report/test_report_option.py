"""`--report FORMAT=PATH`: any number at once, and nothing is run where one of them cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

import orjson
import pytest

from agenttwin.cli import main
from agenttwin.lab import write_example
from agenttwin.report import FORMATS, render

SCENARIO = ("--scenario", "refund-happy-path")
COMPARE = ("compare", "1.2.4", "1.3.0", *SCENARIO)
RUN = ("run", "1.3.0", *SCENARIO)
MARKER = "<!-- agenttwin-report -->"


@dataclass
class Output:
    """What a command wrote, and its exit code."""

    code: int
    out: str
    err: str


Call = Callable[..., Output]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    write_example("support-refund", folder)
    return folder


@pytest.fixture
def call(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs a command in the demo's workspace."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    def run(*arguments: str) -> Output:
        with pytest.raises(SystemExit) as ended:
            main(["-C", str(root), *arguments])
        written = capsys.readouterr()
        return Output(int(ended.value.code or 0), written.out, written.err)

    return run


def nothing_was_run(root: Path) -> bool:
    return not (root / ".agenttwin" / "agenttwin.db").exists()


@pytest.mark.parametrize("command", [COMPARE, RUN, ("reproduce", "1.3.0", *SCENARIO)])
def test_every_format_can_be_written_at_once(call: Call, root: Path, command: tuple[str, ...]) -> None:
    wanted = [part for name in FORMATS for part in ("--report", f"{name}=out/{name}.txt")]
    output = call(*command, "--json", *wanted)
    report = orjson.loads(output.out)
    for name in FORMATS:
        assert (root / "out" / f"{name}.txt").read_text("utf-8") == render(report, name)


def test_the_exit_code_and_the_terminal_stay_what_they_are(call: Call, root: Path) -> None:
    output = call(*COMPARE, "--report", "junit=junit.xml")
    assert output.code == 1
    assert "refund-happy-path" in output.out
    assert Xml.fromstring((root / "junit.xml").read_bytes()).attrib["failures"] == "1"


def test_a_path_begins_where_the_workspace_is_and_its_folders_are_made(call: Call, root: Path) -> None:
    assert call(*COMPARE, "--report", "html=a/b/c/report.html").code == 1
    assert (root / "a/b/c/report.html").read_text("utf-8").startswith("<!doctype html>")


def test_an_absolute_path_stays_one(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere" / "report.md"
    call(*RUN, "--report", f"markdown={path}")
    assert path.read_text("utf-8").startswith(MARKER)


def test_a_report_that_is_there_is_written_anew(call: Call, root: Path) -> None:
    (root / "report.md").write_text("x" * 100_000)
    call(*RUN, "--report", "markdown=report.md")
    assert "xxx" not in (root / "report.md").read_text("utf-8")


# -- what is refused, before anything is run


def test_an_unknown_format_names_the_nearest_and_all(call: Call, root: Path) -> None:
    output = call(*COMPARE, "--report", "htlm=report.html")
    assert output.code == 2
    assert "There is no report format 'htlm'. Did you mean 'html'?" in output.err
    assert all(name in output.err for name in FORMATS)
    assert "[unknown_format]" in output.err
    assert nothing_was_run(root)


@pytest.mark.parametrize("value", ["html", "html=", "html=-"])
def test_a_report_needs_a_file(call: Call, root: Path, value: str) -> None:
    output = call(*COMPARE, "--report", value)
    assert output.code == 2
    assert "[missing_report_path]" in output.err
    assert nothing_was_run(root)


@pytest.mark.parametrize("path", ["manifests", "twin.yaml/report.html"])
def test_a_file_that_cannot_be_written_is_told_first(call: Call, root: Path, path: str) -> None:
    output = call(*COMPARE, "--report", f"html={path}")
    assert output.code == 2
    assert f"The html report cannot be written to '{root / path}'" in output.err
    assert "[unwritable_report]" in output.err
    assert output.out == ""
    assert nothing_was_run(root)


def test_two_reports_do_not_overwrite_one_another(call: Call, root: Path) -> None:
    output = call(*COMPARE, "--report", "html=report", "--report", "junit=./report")
    assert output.code == 2
    assert "[conflicting_reports]" in output.err
    assert nothing_was_run(root)


def test_trying_a_file_leaves_it_as_it_was(call: Call, root: Path) -> None:
    (root / "old.html").write_text("old")
    assert (
        call("compare", "1.2.4", "9.9.9", "--report", "html=old.html", "--report", "junit=new.xml").code == 2
    )
    assert (root / "old.html").read_text() == "old"
    assert not (root / "new.xml").exists()


def test_a_file_that_fails_at_the_end_costs_nothing_else(
    call: Call, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    output = call(*COMPARE, "--report", "html=report.html")
    assert output.code == 2
    assert "no space left on device" in output.err
    assert "refund-happy-path" in output.out


# -- what is stored


def test_a_stored_comparison_is_written_too(call: Call, root: Path) -> None:
    call(*COMPARE)
    assert call("show", "--report", "html=kept.html").code == 0
    assert "refund-happy-path" in (root / "kept.html").read_text("utf-8")


def test_a_single_case_is_no_report(call: Call, root: Path) -> None:
    call(*COMPARE)
    output = call("show", "refund-happy-path", "--report", "html=case.html")
    assert output.code == 2
    assert not (root / "case.html").exists()


def test_the_help_lists_every_format(call: Call) -> None:
    text = " ".join(call("compare", "--help").out.split())
    listed = text.split("Also write the report to PATH as ")[1].split(".")[0]
    assert set(listed.replace(" or ", " ").replace(",", "").split()) == set(FORMATS)


# -- the page of a step on GitHub


def test_the_step_summary_grows_by_each_report(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "summary.md"
    page.write_text("# Before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    call(*COMPARE)
    call(*RUN)
    text = page.read_text("utf-8")
    assert text.startswith(f"# Before\n{MARKER}\n")
    assert text.count(f"\n{MARKER}\n") == 2
    assert "\n\n" + MARKER in text


def test_a_step_summary_that_cannot_be_written_is_only_told(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    output = call(*COMPARE)
    assert output.code == 1
    assert "warning: GITHUB_STEP_SUMMARY could not be written: is a directory." in output.err


def test_showing_what_is_stored_adds_nothing_to_it(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(*COMPARE)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    call("show")
    assert not (tmp_path / "summary.md").exists()
