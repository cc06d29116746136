"""Two projects with the same names: no byte of one is seen from the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agenttwin.errors import AgentTwinError
from agenttwin.evaluate import Verdict
from agenttwin.review import Override
from agenttwin.server import create_app
from agenttwin.server._access import RULES
from agenttwin.server._desk import Desk
from agenttwin.storage import Store, StoredPair
from tests.server.conftest import HOST, copied

PREFIX = "/api/v1"
SCOPES = ["read", "write", "run", "admin"]


class Two:
    """A server with two projects that took in the same comparison, each marked by a note of its own."""

    def __init__(self, root: Path) -> None:
        self.desk = Desk(root, sign_in=True)
        pair = self.desk.store.latest_pair()
        bundle = self.desk.store.bundle(pair)
        self.marks: dict[str, list[str]] = {}
        self.secrets: dict[str, str] = {}
        for name in ("quokka", "zebra"):
            self.desk.store.access.create_project(name, f"The {name} project")
            store = self.desk.store.within(name)
            taken, _ = store.take_in(bundle)
            assert isinstance(taken, StoredPair)
            key, self.secrets[name] = store.access.create_key(f"key-of-{name}", SCOPES, by="ann")
            _overridden(store, taken, f"note-of-{name}")
            store.access.audit(f"actor-of-{name}", "thing.done", "x")
            store.mark(taken, "failed", error=f"error-of-{name}")
            self.desk.events_of(name).tell("import.done", id=taken.id)
            self.marks[name] = [name, taken.id, *taken.runs.values(), key.id, key.hint]
        self.pairs = {name: self.desk.store.within(name).latest_pair() for name in self.marks}
        self.client = TestClient(create_app(self.desk), base_url=HOST, raise_server_exceptions=False)

    def ask(self, name: str, method: str, path: str, **more: object):
        headers = {"Authorization": f"Bearer {self.secrets[name]}"}
        return self.client.request(method, PREFIX + path, headers=headers, **more)


def _overridden(store: Store, pair: StoredPair, note: str) -> None:
    override = Override(
        expectation="identity-verified",
        verdict=Verdict.PASS,
        note=note,
        by=note,
        at="2026-01-01T00:00:00Z",
    )
    for case in store.load_pair(pair).cases:
        grade = case.candidate.grade
        assert grade is not None
        chosen = Override(
            expectation=grade.evaluations[0].id,
            verdict=override.verdict,
            note=note,
            by=note,
            at=override.at,
        )
        store.override(pair.candidate.id, case.info.scenario, chosen)


@pytest.fixture(scope="module")
def two(compared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    found = Two(copied(compared, tmp_path_factory.mktemp("two")))
    with found.client:
        yield found
    found.desk.close(10)


def paths(two: Two, of: str) -> list[tuple[str, str]]:
    """Every route that reads, with the names that a project has; and pages of lists, and filters."""
    pair = two.pairs[of]
    scenario = "refund-happy-path"
    names = {
        "id": pair.id,
        "scenario": scenario,
        "agent": "support-refund-agent",
        "version": "1.3.0",
        "name": "demo-co-support",
    }
    found = []
    for method, path in RULES:
        if method == "GET" and path != "/events":
            for id in {pair.id, pair.candidate.id} if "{id}" in path else {""}:
                filled = path.format(**names | {"id": id or pair.id})
                if path == "/projects/{name}":
                    filled = f"/projects/{of}"
                if path == "/agents/{agent}/diff":
                    filled += "?old=1.2.4&new=1.3.0"
                found.append((method, filled))
                found.append((method, f"{filled}{'&' if '?' in filled else '?'}limit=1&text=refund"))
    return found


@pytest.mark.parametrize("mine", ["quokka", "zebra"])
def test_no_answer_holds_a_byte_of_the_other_project(two: Two, mine: str) -> None:
    theirs = "zebra" if mine == "quokka" else "quokka"
    told = 0
    for method, path in paths(two, mine):
        answer = two.ask(mine, method, path)
        assert answer.status_code in (200, 404, 422), (path, answer.text)
        told += mine in answer.text
        for mark in two.marks[theirs]:
            assert mark not in answer.text, (path, mark)
            assert mark not in str(answer.headers)
    assert told > 5  # the marks of one's own are there to be seen


@pytest.mark.parametrize("mine", ["quokka", "zebra"])
def test_what_the_other_project_has_is_not_there(two: Two, mine: str) -> None:
    theirs = "zebra" if mine == "quokka" else "quokka"
    pair = two.pairs[theirs]
    for method, path in RULES:
        for id in (pair.id, pair.candidate.id, pair.baseline.id):
            if "{id}" not in path or path.startswith("/consoles"):
                continue
            filled = path.format(id=id, scenario="refund-happy-path")
            body = {
                "side": "candidate",
                "expectation": "identity-verified",
                "verdict": "PASS",
                "note": "x",
            }
            answer = two.ask(mine, method, filled, json=body if method == "POST" else None)
            nowhere = two.ask(
                mine,
                method,
                filled.replace(id, "0" * 12),
                json=body if method == "POST" else None,
            )
            assert answer.status_code == nowhere.status_code == 404, (method, filled, answer.text)
            assert answer.text.replace(id, "") == nowhere.text.replace("0" * 12, "")


def test_cursors_of_the_other_project_give_nothing_of_it(two: Two) -> None:
    for path in ("/comparisons", "/pairs", "/runs", "/audit"):
        for cursor in two.marks["zebra"]:
            text = two.ask("quokka", "GET", f"{path}?cursor={cursor}").text
            assert not any(mark in text for mark in two.marks["zebra"])


def test_events_are_those_of_the_project(two: Two) -> None:
    kept = {name: list(two.desk.events_of(name)._kept) for name in ("quokka", "zebra")}
    for name, events in kept.items():
        assert events
        assert {event.data["project"] for event in events} == {name}
        assert [event.id for event in events] == list(range(1, len(events) + 1))  # nothing to count by


def test_consoles_and_idempotency_keys_are_those_of_the_project(two: Two) -> None:
    opened = two.client.post(
        f"{PREFIX}/consoles",
        json={"twin": "demo-co-support"},
        headers={"Authorization": f"Bearer {_owner(two)}"},
    )
    assert opened.status_code == 201
    assert two.ask("quokka", "GET", f"/consoles/{opened.json()['id']}").status_code == 404
    assert two.ask("quokka", "POST", "/consoles", json={"twin": "demo-co-support"}).status_code == 404
    body = {"name": "n", "scopes": ["read"]}
    made = [
        two.client.post(
            f"{PREFIX}/keys",
            json=body,
            headers={"Authorization": f"Bearer {two.secrets[name]}", "Idempotency-Key": "same"},
        )
        for name in ("quokka", "zebra")
    ]
    assert [answer.status_code for answer in made] == [201, 201]
    assert made[0].json()["key"]["id"] != made[1].json()["key"]["id"]


def _owner(two: Two) -> str:
    return two.desk.store.access.create_key("owner", ["owner"], by="ann")[1]


def test_an_owner_sees_every_project_and_says_which(two: Two) -> None:
    headers = {"Authorization": f"Bearer {_owner(two)}"}
    me = two.client.get(f"{PREFIX}/me?project=quokka", headers=headers).json()
    assert me["project"]["name"] == "quokka"
    assert {project["name"] for project in me["projects"]} == {"default", "quokka", "zebra"}
    for name in ("quokka", "zebra"):
        answer = two.client.get(f"{PREFIX}/comparisons?project={name}", headers=headers)
        assert [item["id"] for item in answer.json()["items"]] == [two.pairs[name].id]
        assert json.dumps(two.marks[name][0]) not in answer.text


def test_the_workspace_is_seen_in_its_own_project_alone(two: Two) -> None:
    for path in ("/agents", "/twins", "/scenarios", "/suites"):
        assert two.ask("quokka", "GET", path).json() == {"items": [], "next_cursor": None}
    for path in (
        "/twins/demo-co-support",
        "/scenarios/refund-happy-path",
        "/agents/support-refund-agent/versions",
    ):
        assert two.ask("quokka", "GET", path).json()["code"] == "project_without_workspace"
    started = two.ask("quokka", "POST", "/pairs", json={"baseline": "1.2.4", "candidate": "1.3.0"})
    assert started.json()["code"] == "project_without_workspace"


def test_a_project_that_is_deleted_takes_its_keys_along(two: Two) -> None:
    two.desk.store.access.create_project("gone")
    _, secret = two.desk.store.within("gone").access.create_key("k", ["read"], by="ann")
    headers = {"Authorization": f"Bearer {secret}"}
    assert two.client.get(f"{PREFIX}/me", headers=headers).status_code == 200
    owner = {"Authorization": f"Bearer {_owner(two)}"}
    assert two.client.delete(f"{PREFIX}/projects/gone", headers=owner).status_code == 204
    assert two.client.get(f"{PREFIX}/me", headers=headers).status_code == 401
    with pytest.raises(AgentTwinError):
        two.desk.store.access.project("gone")
