"""The command line, as a person or a pipeline meets it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import orjson
import pytest

from agenttwin.cli import main
from agenttwin.compare import comparison_schema
from tests.journeys._workspace import DemoWorkspace


class Output:
    """What a command wrote, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Runs a command in this process."""
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*arguments: str) -> Output:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        written = capsys.readouterr()
        return Output(int(ended.value.code or 0), written.out, written.err)

    return call


def test_demo_tells_the_story_and_exits_0(run) -> None:
    output = run("demo")
    assert output.code == 0
    assert "NEW CRITICAL FAILURE  refund-timeout-after-mutation" in output.out
    assert "Both said, word for word" in output.out
    assert "--keep DIR" in output.err


def test_demo_json_is_the_three_comparisons_in_the_published_format(run) -> None:
    output = run("demo", "--json")
    comparisons = orjson.loads(output.out)["comparisons"]
    validator = jsonschema_rs.Draft202012Validator(comparison_schema())
    for comparison in comparisons:
        validator.validate(comparison)
    versions = [(item["baseline"]["version"], item["candidate"]["version"]) for item in comparisons]
    assert versions == [("1.2.4", "1.3.0"), ("1.3.0", "1.3.1"), ("1.2.4", "1.3.1")]


def test_demo_keeps_its_workspace_and_a_case_can_be_run_again(run, tmp_path: Path) -> None:
    folder = str(tmp_path / "kept")
    assert run("demo", "--keep", folder).code == 0
    report = orjson.loads(run("-C", folder, "show", "--json").out)
    command = report["cases"][0]["rerun"].split()
    assert command[0] == "agenttwin"
    assert run("-C", folder, *command[1:]).code == 0


def test_every_failure_names_a_command_that_shows_it_again(run, demo: DemoWorkspace) -> None:
    report = orjson.loads(run("-C", str(demo.root), "compare", "1.2.4", "1.3.0", "--json").out)
    worse = [case for case in report["cases"] if case["classification"] != "UNCHANGED"]
    assert len(worse) == 3
    for case in worse:
        again = orjson.loads(run("-C", str(demo.root), *case["rerun"].split()[1:], "--json").out)
        assert [item["classification"] for item in again["cases"]] == [case["classification"]]
        assert again["cases"][0]["seed"] == case["seed"]


def test_exit_codes(run, demo: DemoWorkspace) -> None:
    root = str(demo.root)
    assert run("-C", root, "compare", "1.2.4", "1.3.1").code == 0
    assert run("-C", root, "compare", "1.2.4", "1.3.0").code == 1
    assert run("-C", root, "compare", "1.2.4", "9.9.9").code == 2
    assert run("-C", root, "compare", "1.2.4", "1.3.0", "--suite", "nope").code == 2
    assert run("-C", root, "compare", "1.2.4", "1.3.0", "--tag", "nope").code == 5
    assert run("-C", root, "run", "1.2.4").code == 0
    assert run("-C", root, "run", "1.3.0").code == 1
    assert run("-C", root, "reproduce", "1.3.0").code == 0
    assert run("-C", root, "reproduce", "1.3.0", "--fail-on", "still-failing").code == 1


def test_selection_flags_narrow_and_add_up(run, demo: DemoWorkspace) -> None:
    def selected(*flags: str) -> list[str]:
        output = run("-C", str(demo.root), "run", "1.2.4", "--json", *flags)
        return sorted(case["scenario"] for case in orjson.loads(output.out)["cases"])

    assert selected("--tag", "tenancy") == ["cross-tenant-order"]
    assert selected("--tag", "tenancy", "--tag", "retrieval") == [
        "cross-tenant-order",
        "malicious-retrieved-content",
    ]
    assert selected("--tag", "security", "--severity", "high") == []
    assert selected("--scenario", "refund-o*") == ["refund-over-limit"]
    assert len(selected()) == 9
    assert len(selected("--scenario", "*")) == 10


def test_failed_takes_what_did_not_pass_last_time(run, demo: DemoWorkspace) -> None:
    run("-C", str(demo.root), "compare", "1.2.4", "1.3.0")
    output = run("-C", str(demo.root), "compare", "1.3.0", "1.3.1", "--failed", "--json")
    assert orjson.loads(output.out)["counts"]["IMPROVED"] == 3
    assert len(orjson.loads(output.out)["cases"]) == 3


def test_a_version_may_name_its_agent(run, demo: DemoWorkspace) -> None:
    name = "support-refund-agent"
    assert run("-C", str(demo.root), "compare", f"{name}@1.2.4", f"{name}@1.3.1").code == 0
    output = run("-C", str(demo.root), "compare", "suport-refund-agent@1.2.4", f"{name}@1.3.1")
    assert output.code == 2
    assert "Did you mean 'support-refund-agent'?" in output.err


def test_data_goes_to_stdout_and_nothing_else_does(run, demo: DemoWorkspace) -> None:
    output = run("-C", str(demo.root), "compare", "1.2.4", "1.3.0", "--json")
    orjson.loads(output.out)
    assert output.err == ""


def test_no_escape_codes_without_a_terminal(
    run, demo: DemoWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b" not in run("-C", str(demo.root), "compare", "1.2.4", "1.3.0").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("-C", str(demo.root), "compare", "1.2.4", "1.3.0").out


def test_show_explain_and_list_find_what_was_run(run, demo: DemoWorkspace) -> None:
    root = str(demo.root)
    run("-C", root, "compare", "1.2.4", "1.3.0")
    case = "refund-timeout-after-mutation"
    story = run("-C", root, "explain", case).out
    assert len([line for line in story.splitlines() if not line.startswith("    ")]) <= 10
    assert "The agent believed: SUCCESS" in story
    assert "orders.ORD-1001.refund_count 0 → 2" in " ".join(story.split())
    assert "0 → 1" in run("-C", root, "explain", f"{case}@1.2.4").out
    assert '"refund_count": 2' in run("-C", root, "show", case, "--state").out
    listed = orjson.loads(run("-C", root, "list", "--json").out)
    assert run("-C", root, "show", str(listed[0]["id"])).code == 0
    assert run("-C", root, "show", f"{listed[0]['id']}/{case}").code == 0
    wrong = run("-C", root, "explain", "refund-timeout")
    assert wrong.code == 2
    assert "refund-timeout-after-mutation" in wrong.err or "refund-rate-limited" in wrong.err
    for kind in ("runs", "scenarios", "suites", "versions", "twins"):
        assert run("-C", root, "list", kind).code == 0


def test_review_changes_one_result_and_keeps_the_other(run, demo: DemoWorkspace) -> None:
    root = str(demo.root)
    run("-C", root, "compare", "1.2.4", "1.3.0")
    arguments = ("review", "refund-happy-path", "policy-before-refund", "pass", "--by", "ada")
    assert run("-C", root, *arguments).code == 2
    assert run("-C", root, *arguments, "--note", " ").code == 2
    assert run("-C", root, *arguments, "--note", "The policy is in the prompt now.").code == 0
    report = orjson.loads(run("-C", root, "show", "--json").out)
    case = next(case for case in report["cases"] if case["scenario"] == "refund-happy-path")
    assert case["classification"] == "UNCHANGED"
    result = next(item for item in case["candidate"]["evaluations"] if item["id"] == "policy-before-refund")
    assert result["verdict"] == "PASS"
    assert result["overridden"]["original"]["verdict"] == "FAIL"


def test_a_broken_document_is_told_with_its_place(run, demo: DemoWorkspace) -> None:
    path = demo.root / "scenarios" / "refund-happy-path.yaml"
    path.write_text(path.read_text().replace("type: toolCalled", "type: toolCaled"))
    output = run("-C", str(demo.root), "check")
    assert output.code == 2
    assert "scenarios/refund-happy-path.yaml:" in output.err
    assert "did you mean 'toolCalled'?" in output.err


def test_check_doctor_and_schema_work(run, demo: DemoWorkspace, tmp_path: Path) -> None:
    assert "Everything is in order" in run("-C", str(demo.root), "check").out
    assert "agenttwin.yaml:" in run("-C", str(demo.root), "doctor").out
    assert run("-C", str(tmp_path), "doctor").code == 2
    names = run("schema").out.split()
    assert {"TwinDefinition", "Scenario", "Agent", "Dataset", "Workspace", "Comparison"} <= set(names)
    assert run("schema", "--output", str(tmp_path / "schemas")).code == 0
    assert (tmp_path / "schemas" / "Scenario.schema.json").is_file()
    assert run("schema", "Scenari").code == 2


def test_init_writes_a_workspace_that_works_and_overwrites_nothing(run, tmp_path: Path) -> None:
    folder = str(tmp_path / "mine")
    assert run("init", folder).code == 0
    assert run("-C", folder, "check", "--strict").code == 0
    assert run("-C", folder, "compare", "1.0.0", "1.1.0").code == 1
    again = run("init", folder)
    assert again.code == 2
    assert "is already there" in again.err


def test_an_unknown_command_names_the_nearest(run) -> None:
    output = run("compar")
    assert output.code == 2
    assert "Did you mean 'compare'?" in output.err


def test_version_is_the_package_s(run) -> None:
    from importlib.metadata import version

    assert run("--version").out == f"agenttwin {version('agenttwin')}\n"


def test_the_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "sys.argv = ['agenttwin', '--help']\n"
        "from agenttwin.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'sqlalchemy', 'pydantic', 'yaml', 'asyncio', 'orjson'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
