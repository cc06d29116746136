"""A server that is killed at any moment of a pair: what it acknowledged is there, and the pair ends once."""

from __future__ import annotations

import http.client
import json
import random
import sqlite3
import sys
import threading
import time
import urllib.request
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.server._process import Server

CASES = 18
VERSIONS = {"baseline": "1.2.4", "candidate": "1.3.0"}
SCENARIO = "refund-happy-path"
CUT_OFF = (OSError, http.client.HTTPException, json.JSONDecodeError)

Row = tuple[str, str, int]


@dataclass
class Told:
    """What the server has acknowledged before it was killed."""

    started: bool = False
    cases: set[tuple[str, str]] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def rows(root: Path, key: str) -> dict[Row, str]:
    """Every recorded case of a pair with the digest of all that is kept of it, by (side, scenario, trial)."""
    with closing(sqlite3.connect(f"file:{root}/.agenttwin/agenttwin.db?mode=ro", uri=True)) as database:
        found = database.execute(
            "SELECT r.side, c.* FROM cases c JOIN runs r ON r.id = c.run AND r.project = c.project"
            " JOIN pairs p ON p.id = r.pair AND p.project = r.project WHERE p.key = ?",
            (key,),
        )
        names = [column[0] for column in found.description]
        place = names.index("scenario"), names.index("trial")
        return {
            (row[0], row[place[0]], row[place[1]]): sha256(repr(row).encode()).hexdigest() for row in found
        }


def listen(server: Server, told: Told, ready: threading.Event) -> None:
    """Writes down each case that the server says is finished, until it is gone."""
    with suppress(*CUT_OFF), urllib.request.urlopen(f"{server.address}/api/v1/events", timeout=60) as stream:
        kind = ""
        for raw in stream:
            ready.set()
            word, _, value = raw.decode().strip().partition(": ")
            if word == "event":
                kind = value
            if word == "data" and kind == "case.finished" and raw.endswith(b"\n"):
                event = json.loads(value)
                told.cases.add((event["side"], event["scenario"]))


def decide(server: Server, told: Told, comparison: str, expectation: str, name: str) -> None:
    """Sets one result over and over, each time with a note of its own, until the server is gone."""
    with suppress(*CUT_OFF):
        for number in range(10_000):
            note = f"{name}-{number}"
            server.ask(
                f"comparisons/{comparison}/cases/{SCENARIO}/overrides",
                {"side": "candidate", "expectation": expectation, "verdict": "PASS", "note": note},
            )
            told.notes.append(note)


def start(server: Server, told: Told, key: str) -> None:
    with suppress(*CUT_OFF):
        server.ask("pairs", {**VERSIONS, "key": key})
        told.started = True


def disturbed(root: Path, server: Server, key: str, delay: float, first: dict[str, Any]) -> Told:
    """Starts a pair while decisions are written, and kills the server ``delay`` seconds after it was asked."""
    told, ready = Told(), threading.Event()
    working = [
        threading.Thread(target=listen, args=(server, told, ready)),
        threading.Thread(target=decide, args=(server, told, first["id"], first["expectation"], key)),
        threading.Thread(target=start, args=(server, told, key)),
    ]
    working[0].start()
    assert ready.wait(30)
    working[1].start()
    working[2].start()
    time.sleep(delay)
    server.kill()
    for thread in working:
        thread.join(60)
        assert not thread.is_alive()
    return told


def pairs_under(server: Server, key: str) -> list[dict[str, Any]]:
    return [pair for pair in server.ask("pairs?limit=200")["items"] if pair["key"] == key]


def check(
    root: Path, server: Server, key: str, told: Told, kept: dict[Row, str], first: dict[str, Any]
) -> None:
    """The server that was started after the kill: it finishes the pair by itself, once, as it would have been."""
    found = pairs_under(server, key)
    assert len(found) == 1 or not (found or told.started)
    if not told.started:  # nothing was acknowledged, and so whoever asked asks again
        found = [server.ask("pairs", {**VERSIONS, "key": key})]
    (pair,) = found
    until = time.monotonic() + 60
    while (ended := server.ask(f"pairs/{pair['id']}"))["state"] in ("queued", "running", "interrupted"):
        assert time.monotonic() < until, ended  # interrupted: the upkeep has not come to it yet
        time.sleep(0.05)
    assert (ended["state"], ended["done"], ended["total"], ended["error"]) == ("finished", CASES, CASES, None)
    assert [one["id"] for one in pairs_under(server, key)] == [ended["id"]]
    now = rows(root, key)
    assert len(now) == CASES
    assert kept.items() <= now.items()  # not lost, and not run again
    assert server.ask(f"comparisons/{pair['id']}")["report_digest"] == first["digest"]
    notes = [item["note"] for item in server.ask(f"comparisons/{first['id']}/cases/{SCENARIO}")["overrides"]]
    mine = [note for note in notes if note.rpartition("-")[0] == key]
    assert len(mine) == len(set(mine))
    assert set(told.notes) <= set(mine)
    assert len(mine) - len(told.notes) <= 1  # at most the one whose answer was cut off


def killed(root: Path, times: int, seed: int) -> dict[str, int]:
    """Kills a server of a workspace so many times; how often at which moment."""
    chance, server = random.Random(seed), Server(root)
    moments = dict.fromkeys(
        ("before a case", "among the cases", "after the last", "while it was taken up"), 0
    )
    try:
        began = time.monotonic()
        whole = server.settled(f"pairs/{server.ask('pairs', {**VERSIONS, 'key': 'undisturbed'})['id']}")
        seconds = time.monotonic() - began
        (item,) = [item for item in server.ask("comparisons")["items"] if item["id"] != whole["id"]]
        case = server.ask(f"comparisons/{item['id']}/cases/{SCENARIO}")
        first = {
            "id": item["id"],
            "expectation": case["candidate"]["evaluations"][0]["id"],
            "digest": server.ask(f"comparisons/{whole['id']}")["report_digest"],
        }
        for number in range(times):
            key = f"killed-{seed}-{number}"
            told = disturbed(root, server, key, chance.uniform(0, 1.3 * seconds), first)
            kept = rows(root, key)
            assert told.cases <= {(side, scenario) for side, scenario, _ in kept}
            moment = "before a case" if not kept else "among the cases"
            moments[moment if len(kept) < CASES else "after the last"] += 1
            server = Server(root)
            if chance.random() < 0.3 and told.started and len(kept) < CASES:
                time.sleep(chance.uniform(0, seconds))
                server.kill()
                before, kept = kept, rows(root, key)
                assert before.items() <= kept.items()
                moments["while it was taken up"] += len(kept) < CASES
                server = Server(root)
            check(root, server, key, told, kept, first)
        assert "Traceback" not in (root.parent / f"{root.name}.log").read_text()
    finally:
        server.kill()
    return moments


def test_a_server_killed_at_any_moment_has_lost_nothing(root: Path) -> None:
    killed(root, 2, seed=6)


@pytest.mark.extended
def test_a_server_killed_a_hundred_times_has_lost_nothing(root: Path) -> None:
    moments = killed(root, 100, seed=random.SystemRandom().getrandbits(32))
    sys.stdout.write(f"{moments}\n")  # seen with -s
    # cases are kept by the half second, so that most kills find all of a pair or nothing of it
    assert min(moments["before a case"], moments["after the last"]) >= 10, moments
