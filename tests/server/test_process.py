"""`agenttwin serve` as a process: ready in one line, events as they happen, ended without losing anything."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest


@pytest.fixture
def served(root: Path):
    command = [sys.executable, "-m", "agenttwin.cli", "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    line = process.stdout.readline()
    assert line.startswith("AgentTwin serves http://127.0.0.1:"), process.stderr.read()
    yield process, line.split()[-1]
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()


def ask(url: str, body: object = None):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_what_is_run_is_told_as_it_happens_and_it_ends_when_it_is_told_to(served) -> None:
    process, address = served
    stream = urllib.request.urlopen(f"{address}/api/v1/events", timeout=30)
    begun = ask(f"{address}/api/v1/pairs", {"baseline": "1.2.4", "candidate": "1.3.0"})
    heard, last = [], ""
    for raw in stream:
        line = raw.decode().strip()
        if line.startswith("id:"):
            last = line[3:].strip()
        if line.startswith("event:"):
            heard.append(line[6:].strip())
        if heard[-1:] == ["pair.finished"]:
            break
    stream.close()
    assert heard.count("case.finished") == 18
    assert heard[0] == "pair.queued"
    again = urllib.request.Request(f"{address}/api/v1/events", headers={"Last-Event-ID": str(int(last) - 1)})
    with urllib.request.urlopen(again, timeout=30) as missed:
        text = b"".join(next(missed) for _ in range(5)).decode()
    assert f"id: {last}" in text
    assert "pair.finished" in text
    digest = ask(f"{address}/api/v1/comparisons/{begun['id']}")["report_digest"]
    first = ask(f"{address}/api/v1/comparisons")["items"][-1]["id"]
    assert digest == ask(f"{address}/api/v1/comparisons/{first}")["report_digest"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(15) == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--host", "0.0.0.0"], "no_name"),
        (["--host", "0.0.0.0", "--name", "twin.example"], "no_keys"),
        (["--sign-in"], "no_keys"),
    ],
)
def test_nobody_is_served_who_could_not_sign_in(root: Path, options: list[str], code: str) -> None:
    command = [sys.executable, "-m", "agenttwin.cli", "serve", "--port", "0", *options]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"[{code}]" in done.stderr


def test_a_port_that_is_taken_is_told(served, root: Path) -> None:
    _, address = served
    command = [sys.executable, "-m", "agenttwin.cli", "serve", "--port", address.rpartition(":")[2]]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, "address_taken" in done.stderr) == (2, True)
