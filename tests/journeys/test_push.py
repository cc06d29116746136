"""From a workspace to a team's server: keys are made there, runs are pushed here, and both say the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agenttwin.lab import Session, write_example
from tests.storage._postgres import fresh_database


def cli(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agenttwin.cli", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


class Team:
    """A workspace served over a database, where everybody signs in."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database = folder, database
        self.owner = self.key("boss", "owner")
        command = [
            sys.executable,
            "-m",
            "agenttwin.cli",
            "serve",
            "--sign-in",
            "--port",
            "0",
            "--log",
            "json",
        ]
        self.process = subprocess.Popen(
            [*command, "--database", database],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.address = self.process.stdout.readline().split()[-1]

    def key(self, name: str, *scopes: str, project: str = "default") -> str:
        words = [word for scope in scopes for word in ("--scope", scope)]
        done = cli(
            self.folder, "keys", "create", name, *words, "--project", project, "--database", self.database
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def ask(self, path: str, secret: str, body: object = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/api/v1/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def end(self) -> str:
        self.process.terminate()
        _, told = self.process.communicate(timeout=30)
        return told


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody's workspace, with a comparison and a run."""
    root = tmp_path_factory.mktemp("here") / "shop"
    write_example("support-refund", root)
    with Session.open(root) as session:
        session.run("1.3.0")
        session.compare("1.2.4", "1.3.0")
    return root


@pytest.fixture(params=["sqlite", "postgresql"])
def team(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Team]:
    folder = tmp_path / "team"
    write_example("support-refund", folder)
    where = str(tmp_path / "team.db") if request.param == "sqlite" else fresh_database()
    found = Team(folder, where)
    yield found
    if found.process.poll() is None:
        found.end()


def test_what_was_run_here_is_seen_there(here: Path, team: Team) -> None:
    team.ask("projects", team.owner, {"name": "web"})
    secret = team.key("ci", "write", "read", project="web")
    first = cli(here, "push", "--server", team.address, AGENTTWIN_KEY=secret)
    assert first.returncode == 0, first.stderr
    assert "is now on" in first.stderr
    id = first.stdout.strip().rpartition("/")[2]
    again = cli(here, "push", "--server", team.address, AGENTTWIN_KEY=secret)
    assert again.stdout == first.stdout
    with Session.open(here) as session:
        digest = session.comparison(session.store.latest_pair()).as_json()["report_digest"]
        alone = session.store.runs(alone=True).items[0].id
    assert team.ask(f"comparisons/{id}", secret)["report_digest"] == digest
    assert len(team.ask("comparisons", secret)["items"]) == 1
    assert team.ask("comparisons", team.owner)["items"] == []  # that is the project default
    assert cli(here, "push", alone, "--server", team.address, AGENTTWIN_KEY=secret).returncode == 0
    assert len(team.ask("runs?alone=true", secret)["items"]) == 1
    log = [json.loads(line) for line in team.end().splitlines() if line.startswith("{")]
    pushed = [line for line in log if line.get("route") == "/imports"]
    assert {(line["actor"], line["project"]) for line in pushed} == {("ci", "web")}
    assert [line["status"] for line in pushed] == [201, 201, 201]  # the second is the first's answer again
    assert secret not in json.dumps(log)


def test_who_may_not_push_is_told_so(here: Path, team: Team) -> None:
    reader = team.key("reader", "read")
    for secret, code in (("", "unauthenticated"), ("atk_wrong", "unauthenticated"), (reader, "forbidden")):
        done = cli(here, "push", "--server", team.address, AGENTTWIN_KEY=secret)
        assert (done.returncode, f"[{code}]" in done.stderr) == (2, True), done.stderr
    (listed,) = [line for line in _keys(team) if "reader" in line]
    revoked = cli(team.folder, "keys", "revoke", listed.split()[0], "--database", team.database)
    assert revoked.returncode == 0, revoked.stderr
    with pytest.raises(urllib.error.HTTPError, match="401"):
        team.ask("me", reader)
    assert any("reader" in line and "revoked" in line for line in _keys(team))


def _keys(team: Team) -> list[str]:
    return cli(team.folder, "keys", "list", "--database", team.database).stdout.splitlines()


def test_a_server_that_is_none_is_told(here: Path, tmp_path: Path) -> None:
    done = cli(here, "push", "--server", "http://127.0.0.1:9")
    assert (done.returncode, "[server_unreachable]" in done.stderr) == (2, True)
    empty = tmp_path / "empty"
    shutil.copytree(here, empty, ignore=shutil.ignore_patterns(".agenttwin"))
    done = cli(empty, "push", "--server", "http://127.0.0.1:9")
    assert "[no_comparison]" in done.stderr


def test_doctor_says_what_is_kept_and_whether_it_is_sound(here: Path, team: Team) -> None:
    done = cli(here, "doctor")
    assert done.returncode == 0, done.stdout
    assert "1 comparisons, 3 runs, 0 keys; sound" in done.stdout
    done = cli(team.folder, "doctor", AGENTTWIN_DATABASE=team.database)
    assert (done.returncode, "1 keys; sound" in done.stdout) == (0, True), done.stdout
    done = cli(here, "doctor", "--database", "postgresql://ann:secret@127.0.0.1:1/x")
    assert (done.returncode, "cannot be reached" in done.stdout, "secret" in done.stdout) == (2, True, False)
