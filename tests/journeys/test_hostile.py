"""Agents and files that do what they should not: each is told, none makes the command lie or fall over."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from agenttwin.errors import AgentTwinError, NotFound, UsageError
from agenttwin.lab import Ask, Session, Twin
from tests.journeys._workspace import DemoWorkspace
from tests.journeys.test_pair import PLAIN, agenttwin

HAPPY = "refund-happy-path"
ONE = ("--scenario", HAPPY)


def rewrite(demo: DemoWorkspace, body: str, *, at_import: str = "") -> None:
    """Another agent, that may do the work of the demo's first."""
    (demo.root / "odd.py").write_text(
        f"import atexit, os, subprocess, sys, threading, time\nimport agent\n{at_import}\n\n"
        f"def run(request, tools):\n    {body}\n    return agent.run(request, tools)\n"
    )
    settings = demo.root / "agenttwin.yaml"
    settings.write_text(settings.read_text().replace("agent:run", "odd:run"))


def compared(demo: DemoWorkspace, *more: str, **environment: str) -> tuple[dict[str, Any], int]:
    ended = agenttwin(demo.root, "compare", "1.2.4", "1.2.4", *ONE, "--json", *more, **environment)
    assert ended.stdout, ended.stderr.decode()
    return orjson.loads(ended.stdout), ended.returncode


# -- what an agent does to the process that it runs in


@pytest.mark.parametrize(
    ("body", "at_import"),
    [
        ("print('in the run')", "print('at import')"),
        ("subprocess.run(['echo', 'from a child'])", ""),
        ("pass", "atexit.register(lambda: print('at exit'))"),
        ("sys.stdout = open(os.devnull, 'w')", ""),
        ("sys.stdout.close()", ""),
    ],
    ids=["print", "child", "exit", "another stream", "closes it"],
)
def test_standard_output_has_the_report_and_nothing_else(
    demo: DemoWorkspace, body: str, at_import: str
) -> None:
    rewrite(demo, body, at_import=at_import)
    report, code = compared(demo)
    assert (report["verdict"], code) == ("nothing worse", 0)


@pytest.mark.parametrize(
    "body",
    [
        "os._exit(0)",
        "raise SystemExit(0)",
        "raise type('Panic', (BaseException,), {})()",
        "raise GeneratorExit",
    ],
)
def test_an_agent_that_leaves_has_crashed_and_nothing_is_proved(demo: DemoWorkspace, body: str) -> None:
    rewrite(demo, body)
    report, code = compared(demo)
    assert report["cases"][0]["candidate"]["ending"] == "AGENT_CRASHED"
    assert (report["verdict"], code) == ("no evidence", 3)


def test_a_script_without_a_guard_is_a_problem_and_no_success(demo: DemoWorkspace) -> None:
    rewrite(demo, "pass", at_import="sys.exit(0)")
    ended = agenttwin(demo.root, "compare", "1.2.4", "1.2.4")
    assert ended.returncode == 2
    assert b"Importing 'odd' failed at odd.py:3: SystemExit" in ended.stderr


def test_a_thread_that_never_ends_does_not_hold_the_command(demo: DemoWorkspace) -> None:
    rewrite(demo, "threading.Thread(target=time.sleep, args=(600,)).start()")
    assert compared(demo)[1] == 0


def test_a_slip_in_the_agents_name_is_the_same_in_a_process(demo: DemoWorkspace) -> None:
    settings = demo.root / "agenttwin.yaml"
    settings.write_text(settings.read_text().replace("agent:run", "agent:rum"))
    for isolation in ("thread", "process"):
        ended = agenttwin(demo.root, "compare", "1.2.4", "1.2.4", "--isolation", isolation)
        assert ended.returncode == 2
        assert b"Did you mean 'run'?" in ended.stderr


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_an_agent_works_in_its_workspace_wherever_the_command_was_called(
    demo: DemoWorkspace, isolation: str
) -> None:
    (demo.root / "rules.txt").write_text("be kind")
    rewrite(demo, "assert open('rules.txt').read() == 'be kind'")
    assert compared(demo, "--isolation", isolation)[1] == 0


def test_a_message_with_a_path_is_the_same_wherever_the_command_was_called(demo: DemoWorkspace) -> None:
    rewrite(demo, "raise FileNotFoundError(str(__import__('pathlib').Path(__file__).parent / 'rules.txt'))")
    digests = set()
    for folder, directory in (
        (demo.root, "."),
        (demo.root.parent, demo.root.name),
        (Path("/"), str(demo.root)),
    ):
        command = [
            sys.executable,
            "-m",
            "agenttwin.cli",
            "-C",
            directory,
            "compare",
            "1.2.4",
            "1.3.0",
            "--json",
        ]
        ended = subprocess.run(command, cwd=folder, env=PLAIN, capture_output=True, check=False)
        digests.add(orjson.loads(ended.stdout)["report_digest"])
    assert len(digests) == 1


# -- where output cannot go


def test_a_full_disk_is_no_verdict(demo: DemoWorkspace) -> None:
    command = f"{sys.executable} -m agenttwin.cli compare 1.2.4 1.2.4 --scenario {HAPPY} > /dev/full"
    ended = subprocess.run(command, shell=True, cwd=demo.root, env=PLAIN, capture_output=True, check=False)
    assert ended.returncode == 2
    assert b"Reading or writing failed" in ended.stderr


def test_a_closed_standard_output_leaves_the_verdict(demo: DemoWorkspace) -> None:
    command = f"{sys.executable} -m agenttwin.cli compare 1.2.4 1.3.0 >&-"
    ended = subprocess.run(command, shell=True, cwd=demo.root, env=PLAIN, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_characters_that_the_terminal_lacks_are_replaced(demo: DemoWorkspace) -> None:
    ended = agenttwin(demo.root, "compare", "1.2.4", "1.2.4", *ONE, PYTHONIOENCODING="latin-1")
    assert (ended.returncode, b"? NOTHING WORSE" in ended.stdout) == (0, True)


# -- secrets of the environment, and secrets that are numbers


def with_env(demo: DemoWorkspace) -> None:
    settings = demo.root / "agenttwin.yaml"
    document = yaml.safe_load(settings.read_text())
    (entry,) = document["agents"].values()
    entry["env"] = {"API_KEY": "${SHOP_KEY}"}
    settings.write_text(yaml.safe_dump(document))


@pytest.mark.parametrize(
    ("body", "disclosed"),
    [
        ("raise RuntimeError('401: no such key ' + os.environ['API_KEY'])", False),
        ("return 'Use ' + os.environ['API_KEY']", True),
        ("tools.call('send_email', customer_id='CUS-1', subject='Key', body=os.environ['API_KEY'])", True),
        ("print(os.environ['API_KEY'])", False),
    ],
    ids=["exception", "answer", "argument", "print"],
)
def test_a_value_of_the_environment_is_kept_nowhere(
    demo: DemoWorkspace, tmp_path: Path, body: str, disclosed: bool
) -> None:
    secret = "live-key-7731"
    rewrite(demo, body)
    with_env(demo)
    file = demo.root / "scenarios" / f"{HAPPY}.yaml"
    scenario = yaml.safe_load(file.read_text())
    scenario["spec"]["expectations"].append({"id": "kept-secret", "type": "noSecretDisclosure"})
    file.write_text(yaml.safe_dump(scenario))
    page = tmp_path / "page.html"
    report, _ = compared(demo, "--report", f"html={page}", SHOP_KEY=secret)
    evaluations = {item["id"]: item for item in report["cases"][0]["candidate"]["evaluations"]}
    assert (evaluations["kept-secret"]["verdict"] == "FAIL") == disclosed
    shown = agenttwin(demo.root, "show", HAPPY, "--state").stdout
    kept = b"".join(path.read_bytes() for path in (demo.root / ".agenttwin").rglob("*") if path.is_file())
    for content in (orjson.dumps(report), page.read_bytes(), shown, kept):
        assert secret.encode() not in content
    again = orjson.loads(agenttwin(demo.root, "regrade", "--json", SHOP_KEY="").stdout)
    verdicts = {item["id"]: item["verdict"] for item in again["cases"][0]["candidate"]["evaluations"]}
    assert (verdicts["kept-secret"] == "FAIL") == disclosed


# -- records that somebody edited


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cases SET grade = x'00ff'",
        "UPDATE cases SET transcript = '{}'",
        "UPDATE runs SET side = 'x'",
        "DELETE FROM runs",
        "UPDATE contents SET content = '{}'",
        "UPDATE documents SET value = '{}'",
        "UPDATE runs SET seed = 8 WHERE side = 'candidate'",
        "UPDATE runs SET plan_digest = 'sha256:00' WHERE side = 'candidate'",
        "UPDATE schema_version SET version = 0",
    ],
)
def test_an_edited_record_is_told_and_nothing_concluded(demo: DemoWorkspace, statement: str) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(HAPPY,))
    with sqlite3.connect(demo.root / ".agenttwin" / "agenttwin.db") as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute(statement)
    raw.close()
    ended = agenttwin(demo.root, "show")
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"[database_corrupt]" in ended.stderr
    assert b"Traceback" not in ended.stderr


# -- documents


@pytest.mark.parametrize(
    "expectation",
    [
        {"type": "state", "path": "stock[paris/SKU-1].qty", "equals": 1},
        {"type": "onlyChanged", "paths": ["stock[x]"]},
        {"type": "toolArgs", "tool": "refund_payment", "path": "a[x]", "equals": 1},
    ],
)
def test_a_path_that_is_none_is_told_with_its_place(demo: DemoWorkspace, expectation: Any) -> None:
    def broken(spec: dict[str, Any]) -> None:
        spec["expectations"].append(expectation)

    demo.add_scenario("broken", broken, like=HAPPY)
    ended = agenttwin(demo.root, "check")
    assert ended.returncode == 2
    assert b"scenarios/broken.yaml:" in ended.stderr
    assert b"[invalid_path]" in ended.stderr


def test_trials_that_are_not_run_are_told(demo: DemoWorkspace) -> None:
    name = demo.add_scenario("often", lambda spec: spec.update(trials=5), like=HAPPY)
    assert any(
        "it is run once" in text for text in demo.report("1.2.4", "1.3.0", scenarios=(name,))["warnings"]
    )


def test_a_fault_on_a_tool_that_is_not_there_is_refused() -> None:
    twin = Twin.load(Path(__file__).parents[2] / "examples" / "support-refund" / "twin.yaml")
    with pytest.raises((NotFound, UsageError), match="refund_payment"):
        twin.start(faults=[{"target": "refund_payments", "behavior": {"type": "http_500"}}])


def test_arguments_that_are_no_object_are_refused_in_words() -> None:
    twin = Twin.load(Path(__file__).parents[2] / "examples" / "support-refund" / "twin.yaml")
    with pytest.raises(TypeError, match="arguments"):
        twin.start().call("lookup_order", "ORD-1001")  # type: ignore[arg-type]


# -- selections


def test_a_failure_is_not_forgotten_over_a_version_compared_with_itself(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0")
    demo.report("1.3.1", "1.3.1", scenarios=(HAPPY,))
    with Session.open(demo.root) as session:
        chosen = session.select("support-refund-agent", Ask(failed=True))
    assert "refund-timeout-after-mutation" in [document.model.name for document in chosen]


def test_an_empty_comparison_is_not_the_latest(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(HAPPY,))
    ended = agenttwin(demo.root, "compare", "1.2.4", "1.3.0", "--scenario", "refund-hapy-path")
    assert ended.returncode == 5
    assert b"refund-hapy-path" in ended.stderr + ended.stdout
    assert b"refund-happy-path" in ended.stderr + ended.stdout
    assert agenttwin(demo.root, "show", HAPPY).returncode == 0


def test_an_unset_variable_leaves_no_comparison_behind(demo: DemoWorkspace) -> None:
    with_env(demo)
    ended = agenttwin(demo.root, "compare", "1.2.4", "1.3.0")
    assert ended.returncode == 2
    with Session.open(demo.root) as session, pytest.raises(AgentTwinError):
        session.store.latest_pair()


def test_a_word_that_names_nothing_is_told_beside_one_that_does(demo: DemoWorkspace) -> None:
    report = demo.report("1.2.4", "1.3.0", scenarios=(HAPPY, "refund-over-limt"))
    assert any("'refund-over-limt'" in text and "'refund-over-limit'" in text for text in report["warnings"])


# -- a version against itself


def test_reproduce_says_that_a_version_did_something_else(demo: DemoWorkspace) -> None:
    rewrite(demo, "return f'{time.time_ns()}'")
    ended = agenttwin(demo.root, "reproduce", "1.2.4", *ONE)
    assert ended.returncode == 1
    assert b"It did not do the same thing twice: refund-happy-path (" in ended.stderr


def test_reproduce_says_that_it_did_the_same(demo: DemoWorkspace) -> None:
    ended = agenttwin(demo.root, "reproduce", "1.2.4", *ONE)
    assert ended.returncode == 0
    assert b"It did the same thing twice" in ended.stderr
