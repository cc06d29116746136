"""Projects, keys, the audit log, requests that come twice, runs that are let go, numbers for Prometheus."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from agenttwin.lab import Session
from agenttwin.server import create_app
from agenttwin.server._desk import Desk
from agenttwin.server._logs import JsonLines
from agenttwin.server._upkeep import DAY_MS
from tests.server.conftest import HOST
from tests.server.test_api import get, id, post, waited  # noqa: F401 - a fixture too

V1 = "/api/v1"


def test_a_key_is_made_used_and_revoked(client, desk):
    made = post(
        client, "keys", {"name": "ci", "scopes": ["write"], "expires_at": "2099-01-01T00:00:00Z"}, 201
    )
    (listed,) = get(client, "keys")["items"]
    assert listed == made["key"]
    assert (listed["expires_at"], listed["revoked_at"], listed["last_used_at"]) == (
        "2099-01-01T00:00:00Z",
        None,
        None,
    )
    assert made["secret"] not in client.get(f"{V1}/keys").text
    with_key = {"Authorization": f"Bearer {made['secret']}"}
    assert client.get(f"{V1}/me", headers=with_key).status_code == 403  # it may write, and not read
    assert get(client, "keys")["items"][0]["last_used_at"] is not None
    gone = client.delete(f"{V1}/keys/{listed['id']}").json()
    assert gone["revoked_at"] is not None
    assert client.get(f"{V1}/me", headers=with_key).status_code == 401
    told = [(item["action"], item["target"]) for item in get(client, "audit")["items"]]
    assert told == [("key.revoked", listed["id"]), ("key.created", listed["id"])]


@pytest.mark.parametrize(
    "body",
    [
        {"name": "", "scopes": ["read"]},
        {"name": "x", "scopes": []},
        {"name": "x", "scopes": ["all"]},
        {"name": "x", "scopes": ["read"], "expires_at": "soon"},
        {"name": "x", "scopes": ["read"], "expires_at": "2001-01-01"},
        {"name": "a\nb", "scopes": ["read"]},
        {"name": "x", "scopes": ["read"], "project": "other"},
    ],
)
def test_a_key_that_cannot_be_is_refused(client, body):
    assert client.post(f"{V1}/keys", json=body).status_code in (400, 422)
    assert get(client, "keys")["items"] == []


def test_nobody_makes_a_key_that_may_more(client, desk):
    _, secret = desk.store.access.create_key("admin", ["admin"], by="ann")
    headers = {"Authorization": f"Bearer {secret}"}
    for scope, status in (("owner", 403), ("run", 403), ("admin", 201)):
        answer = client.post(f"{V1}/keys", json={"name": "n", "scopes": [scope]}, headers=headers)
        assert answer.status_code == status, scope


def test_a_project_is_made_changed_and_deleted(client):
    made = post(client, "projects", {"name": "web", "title": "The web team"}, 201)
    assert (made["name"], made["title"], made["retention_days"]) == ("web", "The web team", None)
    assert post(client, "projects", {"name": "web"}, 409)["code"] == "project_exists"
    changed = client.patch(f"{V1}/projects/web", json={"retention_days": 30}).json()
    assert (changed["title"], changed["retention_days"]) == ("The web team", 30)
    changed = client.patch(f"{V1}/projects/web", json={"title": "Web", "retention_days": None}).json()
    assert (changed["title"], changed["retention_days"]) == ("Web", None)
    assert client.patch(f"{V1}/projects/web", json={"retention_days": 0}).status_code == 422
    assert client.delete(f"{V1}/projects/web").status_code == 204
    assert client.delete(f"{V1}/projects/web").status_code == 404
    assert client.delete(f"{V1}/projects/default").status_code == 400
    told = [item["action"] for item in get(client, "audit")["items"]]
    assert told == ["project.deleted", *["project.changed"] * 2, "project.created"]


def test_a_request_under_a_key_is_carried_out_once(client):
    headers, body = {"Idempotency-Key": "once"}, {"name": "web"}
    first = client.post(f"{V1}/projects", json=body, headers=headers)
    again = client.post(f"{V1}/projects", json=body, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert len(get(client, "audit")["items"]) == 1
    other = client.post(f"{V1}/projects", json={"name": "other"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    elsewhere = client.post(f"{V1}/keys", json={"name": "ci", "scopes": ["read"]}, headers=headers)
    assert elsewhere.status_code == 422


def test_a_secret_is_told_once_and_kept_nowhere_whatever_it_was_asked_under(client, desk, root):
    headers, body = {"Idempotency-Key": "once"}, {"name": "ci", "scopes": ["read"]}
    secret = client.post(f"{V1}/keys", json=body, headers=headers).json()["secret"]
    again = client.post(f"{V1}/keys", json=body, headers=headers)
    assert (again.status_code, again.json()["code"]) == (409, "told_once")
    assert len(get(client, "keys")["items"]) == 1
    for file in (root / ".agenttwin").iterdir():
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file.name


def test_a_server_that_others_reach_starts_nothing_here_and_keeps_nothing_of_it(root):
    desk = Desk(root, remote=True)
    try:
        before = len(desk.store.pairs().items)
        with TestClient(create_app(desk), base_url=HOST) as client:
            for path, more in (("pairs", {"baseline": "1.2.4"}), ("runs", {})):
                last = "candidate" if path == "pairs" else "version"
                told = client.post(f"{V1}/{path}", json={**more, last: "1.3.0"})
                assert (told.status_code, told.json()["code"]) == (403, "agent_not_allowed")
        assert len(desk.store.pairs().items) == before
        assert not desk.store.runs(alone=True).items
    finally:
        desk.close(10)


def test_a_refusal_is_remembered_too_and_what_may_pass_is_not(client, id):  # noqa: F811
    headers = {"Idempotency-Key": "no"}
    for _ in range(2):
        answer = client.post(f"{V1}/keys", json={"name": "x", "scopes": []}, headers=headers)
        assert answer.status_code == 422
    headers = {"Idempotency-Key": "busy"}
    for _ in range(2):
        answer = client.post(f"{V1}/pairs/{id}/cancel", headers=headers)
        assert (answer.status_code, answer.headers.get("idempotency-replayed")) == (409, None)


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_an_idempotency_key_that_is_none_is_refused(client, key):
    answer = client.post(f"{V1}/projects", json={"name": "web"}, headers={"Idempotency-Key": key})
    assert answer.json()["code"] == "invalid_idempotency_key"


def test_what_is_started_under_a_key_is_started_once(client):
    body, headers = {"baseline": "1.2.4", "candidate": "1.3.0"}, {"Idempotency-Key": "go"}
    answers = [client.post(f"{V1}/pairs", json=body, headers=headers).json() for _ in range(3)]
    assert len({answer["id"] for answer in answers}) == 1
    assert waited(client, f"pairs/{answers[0]['id']}")["state"] == "finished"
    assert len(get(client, "pairs")["items"]) == 2


def test_who_did_what_is_written_down(client, desk, id):  # noqa: F811
    _, secret = desk.store.access.create_key("reviewer", ["write"], by="ann")
    body = {
        "side": "candidate",
        "expectation": get(client, f"comparisons/{id}/cases/refund-happy-path")["candidate"]["evaluations"][
            0
        ]["id"],
        "verdict": "PASS",
        "note": "It is fine.",
    }
    answer = client.post(
        f"{V1}/comparisons/{id}/cases/refund-happy-path/overrides",
        json=body,
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert answer.json()["overrides"][0]["by"] == "reviewer"
    (item,) = get(client, "audit")["items"]
    assert (item["actor"], item["action"], item["target"]) == (
        "reviewer",
        "case.overridden",
        f"{id}/refund-happy-path",
    )


def test_runs_are_let_go_when_their_time_is_over(client, desk, id, root):  # noqa: F811
    with Session.open(root) as session:
        session.run("1.3.0")
    client.patch(f"{V1}/projects/default", json={"retention_days": 10})
    desk.upkeep._let_go()
    assert len(get(client, "comparisons")["items"]) == 1  # they are younger
    now = int(time.time() * 1000)
    assert desk.store.expire(now - DAY_MS) == 0
    assert desk.store.expire(now + 1) == 2
    for path in ("comparisons", "pairs", "runs"):
        assert get(client, path)["items"] == []
    assert get(client, f"comparisons/{id}", 404)["code"] == "unknown_comparison"
    with desk.store.database.read() as connection:
        for table in ("documents", "contents", "cases", "comparison_cases", "runs"):
            number = connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            assert number == 0, table


def test_what_others_are_made_of_stays(desk, root):
    before = desk.store.latest_pair()
    with Session.open(root) as session:
        session.compare("1.2.4", "1.3.0")
    digest = desk.store.comparisons
    assert digest is not None
    newer = desk.store.latest_pair()
    assert desk.store.expire(newer.created_at) == 1
    with pytest.raises(Exception, match=before.id):
        desk.store.one_pair(before.id)
    assert len(desk.store.load_pair(newer).cases) == 9
    desk.store.bundle(newer)


def test_the_server_counts_what_it_does(client, id):  # noqa: F811
    get(client, f"comparisons/{id}")
    get(client, "comparisons/nothing", 404)
    client.request("HACK", f"{V1}/me")
    told = client.get("/metrics").text
    assert re.search(
        r'agenttwin_http_requests_total\{method="GET",route="/comparisons/\{id\}",status="200"\} 1', told
    )
    assert re.search(r'route="/comparisons/\{id\}",status="404"\} 1', told)
    assert 'method="other"' in told
    assert "HACK" not in told
    assert "agenttwin_http_request_seconds_bucket" in told
    assert id not in told


def test_requests_are_logged_as_json(client, id):  # noqa: F811
    lines = []

    class Kept(logging.Handler):
        def emit(self, record):
            lines.append(json.loads(JsonLines().format(record)))

    logger, handler = logging.getLogger("agenttwin.server.requests"), Kept()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        get(client, f"comparisons/{id}?text=secret")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    (line,) = lines
    assert (line["method"], line["route"], line["status"], line["project"]) == (
        "GET",
        "/comparisons/{id}",
        200,
        "default",
    )
    assert line["ms"] > 0
    assert "secret" not in json.dumps(line)


def test_what_a_server_left_is_taken_up_by_the_next(root: Path):
    desk = Desk(root)
    with TestClient(create_app(desk), base_url=HOST) as client:
        begun = post(client, "pairs", {"baseline": "1.2.4", "candidate": "1.3.1"}, 202)
    desk.close(30)  # at once: some of it is not done
    again = Desk(root)
    try:
        again.take_up()
        with TestClient(create_app(again), base_url=HOST) as client:
            assert waited(client, f"pairs/{begun['id']}")["state"] == "finished"
            assert len(get(client, "pairs")["items"]) == 2
            assert len(get(client, f"comparisons/{begun['id']}/cases")["items"]) == 9
    finally:
        again.close(10)


def test_an_open_stream_ends_with_its_key(desk):
    key, secret = desk.store.access.create_key("listener", ["read"], by="ann")
    events = desk.events_of("default")

    async def listen():
        heard = []
        async for part in desk.counted(events.stream(None), f"Bearer {secret}"):
            heard.append(part)
            if len(heard) == 1:
                events.tell("thing.done")
            if len(heard) == 2:
                desk.store.access.revoke(key.id)
                events.tell("thing.secret")
        return heard

    heard = asyncio.run(asyncio.wait_for(listen(), 10))
    assert len(heard) == 2
    assert b"thing.done" in heard[1]
