"""`agenttwin compare main HEAD`: two refs of a repository whose agent is a program."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from agenttwin.compare import as_json
from agenttwin.errors import AgentTwinError
from agenttwin.lab import Ask, Session
from tests.docs import _quick
from tests.journeys._workspace import DemoWorkspace
from tests.unit.agents.test_git import git, state

COMMAND = {"kind": "command", "argv": ["{python}", "remote.py"]}
TWO = ("refund-happy-path", "refund-timeout-after-mutation")


@pytest.fixture
def repository(demo: DemoWorkspace) -> Path:
    """The demo in git: `main` is 1.2.4, and what is checked out, `feature`, is 1.3.0."""
    root = demo.root
    candidate = root.parent / "1.3.0.yaml"
    shutil.move(root / "manifests" / "1.3.0.yaml", candidate)
    (root / "manifests" / "1.3.1.yaml").unlink()
    run_in_git(root, run=COMMAND)
    (root / ".gitignore").write_text(".agenttwin\n__pycache__\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Careful")
    git(root, "switch", "-q", "-c", "feature")
    shutil.move(candidate, root / "manifests" / "1.3.0.yaml")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Fast")
    return root


def run_in_git(root: Path, **run: Any) -> None:
    file = root / "agenttwin.yaml"
    content = yaml.safe_load(file.read_text())
    content["agents"]["support-refund-agent"]["run"] = {"kind": "git", **run}
    file.write_text(yaml.safe_dump(content))


def compare(root: Path, *refs: str, scenarios: Sequence[str] = TWO) -> dict[str, Any]:
    with Session.open(root) as session:
        return dict(as_json(session.compare(*refs, Ask(scenarios=tuple(scenarios)))[1]))


def test_the_command_line_compares_two_refs(repository: Path) -> None:
    before = state(repository)
    done = subprocess.run(
        [_quick.command(), "compare", "main", "HEAD"],
        cwd=repository,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "The candidate is worse in 3 of 9 cases" in done.stdout
    assert state(repository) == before


def test_each_side_pins_the_files_that_ran(repository: Path) -> None:
    report = compare(repository, "main", "feature")
    shorts = [git(repository, "rev-parse", "--short=8", ref) for ref in ("main", "feature")]
    sides = [report["baseline"], report["candidate"]]
    assert [side["version"] for side in sides] == [f"1.2.4+{shorts[0]}", f"1.3.0+{shorts[1]}"]
    assert [case["classification"] for case in report["cases"]] == ["NEW_CRITICAL_FAILURE", "REGRESSED"]


def test_a_change_of_code_alone_is_another_version(repository: Path) -> None:
    agent = repository / "agent.py"
    agent.write_text(agent.read_text().replace("Done! I've", "Okay! I have"))
    report = compare(repository, "HEAD", "WORKTREE", scenarios=TWO[:1])
    assert report["baseline"]["digest"] != report["candidate"]["digest"]
    assert report["candidate"]["version"].startswith("1.3.0+worktree.")
    answers = [report["cases"][0][side]["answer"][:5] for side in ("baseline", "candidate")]
    assert answers == ["Done!", "Okay!"]


def test_the_command_that_a_report_gives_runs_the_same_files(repository: Path) -> None:
    (repository / "agent.py").write_text((repository / "agent.py").read_text() + "# a change\n")
    report = compare(repository, "main", "WORKTREE", scenarios=TWO[:1])
    program, verb, *words = report["cases"][0]["rerun"].split()
    assert (program, verb) == ("agenttwin", "compare")
    again = compare(repository, *words[:2], scenarios=TWO[:1])
    assert again["report_digest"] == report["report_digest"]


def test_its_own_data_is_hidden_from_git(repository: Path) -> None:
    (repository / ".gitignore").write_text("__pycache__\n")
    git(repository, "commit", "-q", "-a", "-m", "Short list")
    compare(repository, "main", "HEAD", scenarios=TWO[:1])
    assert git(repository, "status", "--porcelain") == ""


def test_a_ref_without_a_manifest_gets_one(repository: Path) -> None:
    shutil.rmtree(repository / "manifests")
    (repository / "agent.py").write_text("")
    (repository / "remote.py").write_text("print('Hello.')\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "Greets")
    report = compare(repository, "main", "HEAD", scenarios=TWO[:1])
    short = git(repository, "rev-parse", "--short=8", "HEAD")
    assert report["candidate"]["version"] == f"0.0.0+{short}"
    assert report["candidate"]["model_kind"] == "unknown"
    assert report["cases"][0]["candidate"]["answer"] == "Hello."


def test_a_python_agent_of_a_ref_runs_in_a_process_of_its_own(repository: Path) -> None:
    run_in_git(repository, run={"kind": "python", "target": "agent:run"})
    report = compare(repository, "main", "HEAD")
    assert [case["classification"] for case in report["cases"]] == ["NEW_CRITICAL_FAILURE", "REGRESSED"]


def test_a_server_of_a_ref_is_set_up_and_started(repository: Path) -> None:
    start = {"kind": "http", "url": "http://127.0.0.1:{port}", "start": ["{python}", "built.py", "{port}"]}
    run_in_git(repository, run=start, setup=["cp", "remote.py", "built.py"])
    report = compare(repository, "main", "HEAD")
    assert [case["classification"] for case in report["cases"]] == ["NEW_CRITICAL_FAILURE", "REGRESSED"]


def test_a_ref_that_is_none_is_told(repository: Path) -> None:
    with pytest.raises(AgentTwinError, match=r"'featur'\. Did you mean 'feature'\?"):
        compare(repository, "main", "featur")


def test_a_manifest_of_a_ref_that_is_broken_names_the_ref(repository: Path) -> None:
    (repository / "manifests" / "1.3.0.yaml").write_text("kind: Agnet\n")
    git(repository, "commit", "-q", "-a", "-m", "Broken")
    git(repository, "branch", "broken")
    git(repository, "checkout", "-q", "main")
    with pytest.raises(AgentTwinError, match=r"broken:manifests/1\.3\.0\.yaml:1:7"):
        compare(repository, "main", "broken")
