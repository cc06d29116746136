"""The pair: one plan for both sides, found again by its key, and checked before it is believed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from agenttwin.compare import as_json
from agenttwin.errors import Conflict
from agenttwin.lab import Ask, Session
from tests.docs import _quick
from tests.journeys._workspace import DemoWorkspace

PLAIN = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": os.pathsep.join(sys.path)}


def agenttwin(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command, with more in its environment; in a Python of its own where that is for Python."""
    anew = any(name.startswith("PYTHON") for name in environment)
    program = [sys.executable, "-m", "agenttwin.cli"] if anew else [_quick.command()]
    command = [*program, "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, env={**PLAIN, **environment}, check=False)


def with_agent(demo: DemoWorkspace, body: str) -> None:
    """An agent that does something beside its work."""
    (demo.root / "beside.py").write_text(
        f"import pathlib, time\nimport agent\n\nROOT = pathlib.Path(__file__).parent\n\n{body}\n"
    )
    settings = demo.root / "agenttwin.yaml"
    settings.write_text(settings.read_text().replace("agent:run", "beside:run"))


def test_both_sides_of_a_case_share_their_seed(demo: DemoWorkspace) -> None:
    def drawn(spec: dict[str, Any]) -> None:
        spec["faults"][0]["when"] = {"probability": 0.5}

    names = [
        demo.add_scenario(f"drawn-{number}", drawn, like="refund-timeout-after-mutation")
        for number in range(12)
    ]
    report = demo.report("1.3.0", "1.3.0", scenarios=tuple(names))
    fired = [
        [side["faults"][0]["fired"] for side in (case["baseline"], case["candidate"])]
        for case in report["cases"]
    ]
    assert all(before == after for before, after in fired)
    assert {True, False} <= {before for before, _ in fired}


def test_a_twin_that_changes_during_the_run_changes_for_neither_side(demo: DemoWorkspace) -> None:
    with_agent(
        demo,
        "def run(request, tools):\n"
        "    twin = ROOT / 'twin.yaml'\n"
        "    twin.write_text(twin.read_text().replace('max_auto_refund: 100', 'max_auto_refund: 1'))\n"
        "    return agent.run(request, tools)\n",
    )
    report = demo.report("1.2.4", "1.2.4", concurrency=1)
    assert report["invalid"] == []
    assert all(case["divergence"] is None for case in report["cases"])
    assert report["totals"]["candidate"]["passed"] == 9


def test_a_scenario_that_appears_during_the_run_is_run_on_neither_side(demo: DemoWorkspace) -> None:
    with_agent(
        demo,
        "def run(request, tools):\n"
        "    old = ROOT / 'scenarios' / 'refund-happy-path.yaml'\n"
        "    new = ROOT / 'scenarios' / 'another.yaml'\n"
        "    new.write_text(old.read_text().replace('name: refund-happy-path', 'name: another'))\n"
        "    return agent.run(request, tools)\n",
    )
    report = demo.report("1.2.4", "1.2.4", concurrency=1, scenarios=("*",))
    assert "another" not in [case["scenario"] for case in report["cases"]]
    assert all(case["baseline"]["verdict"] and case["candidate"]["verdict"] for case in report["cases"])


def test_the_same_key_gives_the_same_pair_and_runs_nothing_again(demo: DemoWorkspace) -> None:
    events: list[object] = []
    with Session.open(demo.root) as session:
        first, before = session.compare("1.2.4", "1.3.0", Ask(key="k"))
        second, after = session.compare("1.2.4", "1.3.0", Ask(key="k", listeners=(events.append,)))
    assert first.id == second.id
    assert events == []
    assert as_json(before)["report_digest"] == as_json(after)["report_digest"]


@pytest.mark.parametrize(
    ("versions", "ask"),
    [
        (("1.2.4", "1.3.1"), Ask(key="k")),
        (("1.3.0", "1.2.4"), Ask(key="k")),
        (("1.2.4", "1.3.0"), Ask(key="k", scenarios=("refund-happy-path",))),
    ],
)
def test_another_question_under_the_same_key_is_a_conflict(
    demo: DemoWorkspace, versions: tuple[str, str], ask: Ask
) -> None:
    with Session.open(demo.root) as session:
        session.compare("1.2.4", "1.3.0", Ask(key="k"))
        with pytest.raises(Conflict, match="'k'"):
            session.compare(*versions, ask)


def test_a_run_that_was_killed_goes_on_and_ends_as_if_it_had_not_been(demo: DemoWorkspace) -> None:
    with_agent(
        demo,
        "def run(request, tools):\n"
        "    if not (ROOT / 'quick').exists():\n"
        "        time.sleep(1)\n"
        "    return agent.run(request, tools)\n",
    )
    command = [
        sys.executable, "-m", "agenttwin.cli", "-C", str(demo.root),
        "compare", "1.2.4", "1.3.0", "--key", "k", "--concurrency", "2",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=PLAIN)
    database = demo.root / ".agenttwin" / "agenttwin.db"
    deadline = time.monotonic() + 20
    while stored_cases(database) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = stored_cases(database)
    assert 3 <= before < 18
    (demo.root / "quick").touch()
    again = orjson.loads(agenttwin(demo.root, "compare", "1.2.4", "1.3.0", "--key", "k", "--json").stdout)
    whole = orjson.loads(agenttwin(demo.root, "compare", "1.2.4", "1.3.0", "--json").stdout)
    assert stored_cases(database, key="k") == 18
    assert again["report_digest"] == whole["report_digest"]


def stored_cases(database: Path, key: str | None = None) -> int:
    if not database.exists():
        return 0
    query = "SELECT count(*) FROM cases"
    if key is not None:
        query += (
            " WHERE run IN (SELECT runs.id FROM runs JOIN pairs ON runs.pair = pairs.id"
            f" WHERE pairs.key = '{key}')"
        )
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            return int(connection.execute(query).fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize("pin", ["seed", "twin", "scenario", "evaluators"])
def test_a_side_that_ran_something_else_makes_the_comparison_invalid(demo: DemoWorkspace, pin: str) -> None:
    with Session.open(demo.root) as session:
        pair, _ = session.compare("1.2.4", "1.3.0")
        database = session.workspace.database
    tamper(database, pair.candidate.id, pin)
    with Session.open(demo.root) as session:
        report = as_json(session.comparison(session.store.latest_pair()))
    assert report["exit_code"] == 3
    assert len(report["invalid"]) == 1
    assert str(report["headline"]).startswith("Invalid: In ")


def tamper(database: Path, run: str, pin: str) -> None:
    """Another pin in one stored case, as a copied or edited database would have."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT scenario, pins FROM cases WHERE run = ?", (run,)).fetchall()
        scenario, data = rows[0]
        pins = orjson.loads(data)
        pins[pin] = "0" * 16
        connection.execute(
            "UPDATE cases SET pins = ? WHERE run = ? AND scenario = ?", (orjson.dumps(pins), run, scenario)
        )


def test_the_digest_is_the_same_under_any_hash_seed(demo: DemoWorkspace) -> None:
    digests = {
        orjson.loads(agenttwin(demo.root, "compare", "1.2.4", "1.3.0", "--json", PYTHONHASHSEED=seed).stdout)[
            "report_digest"
        ]
        for seed in ("0", "1", "4242")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_what_the_environment_gave_an_agent_is_kept_nowhere(demo: DemoWorkspace, isolation: str) -> None:
    with_agent(
        demo,
        "import os\n\n"
        "def run(request, tools):\n"
        "    print('key:', os.environ['KEY'])\n"
        "    return agent.run(request, tools)\n",
    )
    settings = demo.root / "agenttwin.yaml"
    settings.write_text(
        settings.read_text().replace('"beside:run"}', '"beside:run"}\n    env: {KEY: "${PAYMENTS_KEY}"}')
    )
    command = ("run", "1.2.4", "--scenario", "refund-happy-path", "--isolation", isolation, "--json")
    done = agenttwin(demo.root, *command, PAYMENTS_KEY="pk-from-the-environment")
    assert done.stderr == b""
    printed = orjson.loads(done.stdout)["cases"][0]["side"]["measured"]["stdout"]
    assert printed == "key: [masked]\n"
    kept = b"".join(path.read_bytes() for path in (demo.root / ".agenttwin").rglob("*") if path.is_file())
    assert b"pk-from-the-environment" not in kept
