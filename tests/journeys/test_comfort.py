"""What makes the command line a pleasure: completion in the shell, and a run after each change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agenttwin.cli._watch import affected, without_selection
from tests.docs import _quick
from tests.journeys._workspace import DemoWorkspace
from tests.journeys.test_pair import PLAIN, agenttwin

HAPPY = "refund-happy-path"
SELECTION = {"suites": (), "scenarios": (), "tags": (), "severities": (), "failed": False}


# -- completion


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("agenttwin comp", {"compare", "completion"}),
        ("agenttwin compare 1.3", {"1.3.0", "1.3.1"}),
        ("agenttwin run support", {f"support-refund-agent@{v}" for v in ("1.2.4", "1.3.0", "1.3.1")}),
        ("agenttwin run 1.3.0 --scenario refund-h", {HAPPY}),
        ("agenttwin run 1.3.0 --tag refu", {"refund"}),
    ],
)
def test_a_shell_completes_what_is_there(demo: DemoWorkspace, words: str, found: set[str]) -> None:
    environment = {
        "_AGENTTWIN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")),
    }  # fmt: skip
    ended = subprocess.run(
        _quick.command(), cwd=demo.root, env={**PLAIN, **environment}, capture_output=True, check=False
    )
    assert {line.partition(",")[2] for line in ended.stdout.decode().splitlines()} == found


def test_outside_of_a_workspace_nothing_is_completed_and_nothing_said(tmp_path: Path) -> None:
    environment = {
        "_AGENTTWIN_COMPLETE": "bash_complete", "COMP_WORDS": "agenttwin run 1", "COMP_CWORD": "2",
    }  # fmt: skip
    ended = subprocess.run(
        _quick.command(), cwd=tmp_path, env={**PLAIN, **environment}, capture_output=True, check=False
    )
    assert (ended.stdout.strip(), ended.stderr) == (b"", b"")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(demo: DemoWorkspace, shell: str) -> None:
    script = agenttwin(demo.root, "completion", shell).stdout.decode()
    assert "_AGENTTWIN_COMPLETE" in script
    assert "agenttwin" in script


# -- what a change affects


def changed(demo: DemoWorkspace, *files: str, **selection: object) -> list[str] | None:
    return affected(demo.root, [demo.root / file for file in files], {**SELECTION, **selection}, "1.3.0")


def test_a_scenario_affects_itself(demo: DemoWorkspace) -> None:
    assert changed(demo, f"scenarios/{HAPPY}.yaml") == [HAPPY]


def test_a_scenario_that_is_not_selected_affects_nothing(demo: DemoWorkspace) -> None:
    assert changed(demo, f"scenarios/{HAPPY}.yaml", scenarios=("refund-over-limit",)) == []


def test_a_twin_affects_its_scenarios(demo: DemoWorkspace) -> None:
    names = ("refund-over-limit", HAPPY)
    assert changed(demo, "twin.yaml", scenarios=names) == sorted(names)


@pytest.mark.parametrize(
    "file", ["agent.py", "manifests/1.3.0.yaml", "agenttwin.yaml", "scenarios/gone.yaml"]
)
def test_anything_else_may_affect_all(demo: DemoWorkspace, file: str) -> None:
    assert changed(demo, file, f"scenarios/{HAPPY}.yaml") is None


def test_a_broken_workspace_affects_all(demo: DemoWorkspace) -> None:
    (demo.root / "twin.yaml").write_text("kind: [")
    assert changed(demo, "twin.yaml") is None


def test_other_selections_are_left_out_of_the_next_run() -> None:
    command = ["compare", "1", "2", "--tag", "a", "--scenario=b", "--failed", "--seed", "7", "--suite", "c"]
    assert without_selection(command) == ["compare", "1", "2", "--seed", "7"]


@contextmanager
def watching(root: Path) -> Iterator[Callable[[str], None]]:
    """A watching command; gives a function that waits until it printed a text once more."""
    command = [sys.executable, "-u", "-m", "agenttwin.cli", "run", "1.3.0", "--scenario", HAPPY, "--watch"]
    log = root.parent / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=root, env={**PLAIN, "WATCHFILES_FORCE_POLLING": "1"}, stdout=out, stderr=out
        )
    seen: dict[str, int] = {}

    def wait(text: str) -> None:
        end = time.monotonic() + 60
        while log.read_text().count(text) <= seen.get(text, 0):
            assert time.monotonic() < end, log.read_text()
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        seen[text] = seen.get(text, 0) + 1

    try:
        yield wait
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


@pytest.mark.skipif(os.name != "posix", reason="interrupts as POSIX has them")
def test_a_run_follows_each_change_until_it_is_interrupted(demo: DemoWorkspace) -> None:
    pytest.importorskip("watchfiles")
    with watching(demo.root) as wait:
        wait("Exit code")
        wait("Watching for changes")
        time.sleep(1)  # the watch begins after its first word
        file = demo.root / "scenarios" / f"{HAPPY}.yaml"
        file.write_text(file.read_text().replace("equals: 40", "equals: 41"))
        wait(f"Changed: scenarios/{HAPPY}.yaml")
        wait("refunded-amount")
        wait("Watching for changes")
