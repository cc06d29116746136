"""AgentTwin in somebody's pytest: scenarios collected as tests, their worlds as fixtures."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agenttwin.lab import write_example

ROOT = Path(__file__).parents[2]


class Project:
    """A project with the demo as its workspace, in which pytest is run as its authors would."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write_example("support-refund", root)

    def file(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    def pytest(self, *args: str, plugins: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-p", "agenttwin.pytest_plugin", "-p", "no:cacheprovider"]
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "120"}
        env.pop("PYTEST_ADDOPTS", None)
        named = [part for name in plugins for part in ("-p", name)]
        return subprocess.run(
            [*command, *named, *args], cwd=self.root, env=env, capture_output=True, text=True, check=False
        )


def counts(text: str) -> dict[str, int]:
    """The numbers of pytest's last line."""
    return {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", text.splitlines()[-1])}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_pytest_finds_the_plugin_by_itself() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert declared["pytest11"] == {"agenttwin": "agenttwin.pytest_plugin"}


def test_at_the_start_of_pytest_nothing_heavy_is_imported(project: Project) -> None:
    project.file(
        "test_light.py",
        "import sys\n"
        "def test_light():\n"
        "    heavy = {'pydantic', 'sqlalchemy', 'yaml', 'orjson', 'jinja2', 'click'}\n"
        "    assert heavy.isdisjoint(sys.modules)\n"
        "    assert not [name for name in sys.modules if name.startswith('agenttwin.lab')]\n",
    )
    done = project.pytest("test_light.py")
    assert done.returncode == 0, done.stdout


def test_without_the_option_no_scenario_is_collected(project: Project) -> None:
    assert project.pytest().returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def test_scenarios_are_tests_of_the_version_that_is_named(project: Project) -> None:
    good = project.pytest("--agenttwin", "--agenttwin-version", "1.2.4")
    assert (good.returncode, counts(good.stdout)["passed"]) == (0, 9), good.stdout
    bad = project.pytest("--agenttwin-version", "1.3.0")
    assert bad.returncode == pytest.ExitCode.TESTS_FAILED
    assert counts(bad.stdout) == {**counts(bad.stdout), "failed": 3, "passed": 6}
    assert "expected 1, got 2" in bad.stdout
    assert "The side effect refund:ORD-1001 was applied 2 times." in bad.stdout
    assert "agenttwin run 1.3.0 --scenario refund-timeout-after-mutation --seed 7" in bad.stdout
    assert "Traceback" not in bad.stdout
    assert "_scenarios.py" not in bad.stdout


def test_they_are_chosen_as_other_tests_are(project: Project) -> None:
    by_name = project.pytest("--agenttwin-version", "1.3.0", "-k", "timeout")
    assert counts(by_name.stdout)["failed"] == 1
    by_tag = project.pytest("--agenttwin-version", "1.3.0", "-k", "not refund and not fault", "--co", "-q")
    assert "cross-tenant-order" in by_tag.stdout
    assert "refund-happy-path" not in by_tag.stdout


def test_several_processes_share_the_work(project: Project) -> None:
    done = project.pytest("--agenttwin-version", "1.3.0", "-n", "2", plugins=("xdist.plugin",))
    assert counts(done.stdout) == {**counts(done.stdout), "failed": 3, "passed": 6}, done.stdout


def test_a_failure_that_is_expected_is_one_here_too(project: Project) -> None:
    path = project.root / "scenarios" / "refund-happy-path.yaml"
    known = "  expectedFailures: [{expectation: policy-before-refund, reason: it is known}]\n"
    path.write_text(path.read_text() + known)
    done = project.pytest("--agenttwin-version", "1.3.0", "-k", "happy", "-rx")
    assert counts(done.stdout)["xfailed"] == 1
    assert "it is known" in done.stdout


def test_what_is_wrong_with_the_workspace_is_told_as_it_is_elsewhere(project: Project) -> None:
    (project.root / "scenarios" / "broken.yaml").write_text("kind: Scenaro\n")
    done = project.pytest("--agenttwin")
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert "scenarios/broken.yaml:1:7" in done.stdout
    assert "did you mean 'Scenario'?" in done.stdout


def test_an_unknown_version_is_told(project: Project) -> None:
    done = project.pytest("--agenttwin-version", "1.2.5")
    assert "There is no version 1.2.5 of support-refund-agent." in done.stdout


FIXTURES = """
import pytest
import agenttwin

@agenttwin.tool
def refund_payment(order_id, amount, idempotency_key=None):
    raise RuntimeError("this would pay")

def blind_retry():
    for _ in range(2):
        try:
            return refund_payment("ORD-1001", 40)
        except TimeoutError:
            pass

def test_the_world_of_a_scenario(agenttwin_case):
    case = agenttwin_case("refund-timeout-after-mutation")
    assert "ORD-1001" in case.message
    with case.active():
        blind_retry()
    assert len(case.calls) == 2
    assert case.state["orders"]["ORD-1001"]["refund_count"] == 2
    case.assert_holds("toolCalled", tool="refund_payment", min=2)
    case.assert_holds("noDuplicateSideEffect", tool="refund_payment")

def test_all_that_it_expects(agenttwin_case):
    case = agenttwin_case("refund-happy-path")
    assert case.call("refund_payment", order_id="ORD-1001", amount=40).ok
    case.assert_passed({"output": "Done.", "claimed_outcome": "SUCCESS"})

def test_a_kind_that_is_none(agenttwin_case):
    with pytest.raises(agenttwin.AgentTwinError, match="Did you mean 'toolCalled'"):
        agenttwin_case("refund-happy-path").assert_holds("toolcalled", tool="x")

def test_a_scenario_that_is_none(agenttwin_case):
    with pytest.raises(agenttwin.AgentTwinError, match="Did you mean 'refund-happy-path'"):
        agenttwin_case("refund-hapy-path")

def test_nothing_judged_is_no_pass(agenttwin_case):
    with pytest.raises(AssertionError, match="could not be judged"):
        agenttwin_case("refund-happy-path").assert_holds("maxTokens", value=3)

def test_the_twin(twin):
    assert twin.start().call("lookup_order", {"order_id": "ORD-1001"}).ok
"""


def test_fixtures_judge_code_under_test_by_what_happened(project: Project) -> None:
    project.file("test_shop.py", FIXTURES)
    done = project.pytest("test_shop.py")
    assert counts(done.stdout) == {**counts(done.stdout), "failed": 2, "passed": 4}, done.stdout
    assert "_scenario_case.py" not in done.stdout
    assert "ExpectationFailed: The side effect refund:ORD-1001 was applied 2 times." in done.stdout
    assert "policy-before-refund: refund_payment ran before get_refund_policy." in done.stdout


def test_the_workspace_may_lie_elsewhere(tmp_path: Path) -> None:
    project = Project(tmp_path / "agents")
    project.root = tmp_path
    project.file("test_shop.py", "def test_it(twin): assert twin.name == 'demo-co-support'")
    assert "agenttwin_workspace: There is no agenttwin.yaml in" in project.pytest("test_shop.py").stdout
    project.file("pytest.ini", "[pytest]\nagenttwin_workspace = agents\n")
    assert project.pytest("test_shop.py").returncode == 0
