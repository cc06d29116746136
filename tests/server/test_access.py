"""Every route against every credential, as the table says; a route that nobody thought of fails here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import APIRouter
from starlette.testclient import TestClient

from agenttwin.server import create_app, openapi_document
from agenttwin.server._access import RULES, SCOPES
from agenttwin.server._app import _routes
from agenttwin.server._desk import Desk
from agenttwin.server._route import Route
from tests.server.conftest import HOST, copied

PREFIX = "/api/v1"

NEEDS = {
    None: "GET /health, GET /ready",
    "read": """
        GET /me, GET /events, GET /trend, GET /comparisons, GET /comparisons/{id}, GET /comparisons/{id}/cases,
        GET /comparisons/{id}/cases/{scenario}, GET /comparisons/{id}/report, GET /pairs, GET /pairs/{id},
        GET /runs, GET /runs/{id}, GET /runs/{id}/report, GET /runs/{id}/cases,
        GET /runs/{id}/cases/{scenario}, GET /scenarios/{name}/versions, GET /agents,
        GET /agents/{agent}/versions, GET /agents/{agent}/versions/{version}, GET /agents/{agent}/diff,
        GET /twins, GET /twins/{name}, POST /twins/validate, GET /scenarios, GET /scenarios/{name},
        GET /scenarios/{name}/results, POST /scenarios/validate, GET /suites, GET /projects,
        GET /projects/{name}
    """,
    "write": "POST /comparisons/{id}/cases/{scenario}/overrides, POST /imports",
    "run": """
        POST /pairs, POST /pairs/{id}/cancel, POST /pairs/{id}/again, POST /runs, POST /runs/{id}/cancel,
        POST /runs/{id}/again, POST /consoles, GET /consoles/{id}, GET /consoles/{id}/state,
        GET /consoles/{id}/calls, POST /consoles/{id}/calls, POST /consoles/{id}/faults,
        POST /consoles/{id}/reset, DELETE /consoles/{id}
    """,
    "admin": "PATCH /projects/{name}, GET /keys, POST /keys, DELETE /keys/{id}, GET /audit",
    "owner": "POST /projects, DELETE /projects/{name}",
}
"""Declared here once more, by hand: whoever changes what a route needs, says it twice."""

TABLE = {route.strip(): scope for scope, routes in NEEDS.items() for route in routes.split(",")}

SECRETS = ("none", "wrong", "expired", "revoked", "other project's", *SCOPES)


class Served:
    """A server that asks for keys, and a key of each kind."""

    def __init__(self, root: Path) -> None:
        self.now = 1_900_000_000.0
        self.desk = Desk(root, sign_in=True)
        self.desk.store._clock = self.desk.store.access._clock = lambda: self.now
        access = self.desk.store.access
        self.keys: dict[str, str | None] = {"none": None, "wrong": "atk_" + "0" * 64}
        for scope in SCOPES:
            self.keys[scope] = access.create_key(scope, [scope], by="ann")[1]
        ends = int(self.now * 1000) + 1
        self.keys["expired"] = access.create_key("old", SCOPES, by="ann", expires_at=ends)[1]
        gone, self.keys["revoked"] = access.create_key("gone", SCOPES, by="ann")
        access.revoke(gone.id)
        access.create_project("other")
        self.keys["other project's"] = self.desk.store.within("other").access.create_key(
            "theirs", [scope for scope in SCOPES if scope != "owner"], by="bob"
        )[1]
        self.now += 1
        self.client = TestClient(create_app(self.desk), base_url=HOST, raise_server_exceptions=False)

    def ask(self, route: str, key: str, **query: str) -> httpx.Response:
        method, path = route.split(" ")
        secret = self.keys[key]
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        return self.client.request(method, PREFIX + _filled(path), headers=headers, params=query)


def _filled(path: str) -> str:
    return re.sub(r"\{\w+\}", "nothing", path)


@pytest.fixture(scope="module")
def served(compared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    found = Served(copied(compared, tmp_path_factory.mktemp("served")))
    with found.client:
        yield found
    found.desk.close(10)


def test_the_table_has_every_route_and_every_route_is_in_the_table(served: Served) -> None:
    assert {f"{method} {path}": rule.scope for (method, path), rule in RULES.items()} == TABLE
    made = {
        f"{method} {route.path_format}"
        for part in _routes(served.desk, None).routes
        for route in getattr(getattr(part, "original_router", None), "routes", ())
        for method in route.methods
    }
    assert made == set(TABLE)
    described = openapi_document()["paths"]
    assert {f"{m.upper()} {path.removeprefix(PREFIX)}" for path in described for m in described[path]} == made


def test_no_route_is_served_without_a_rule() -> None:
    with pytest.raises(LookupError):
        APIRouter(route_class=Route).get("/unthought-of")(lambda: None)


@pytest.mark.parametrize("route", sorted(TABLE.keys() - {"GET /events"}))
def test_a_credential_opens_what_it_is_for_and_nothing_else(served: Served, route: str) -> None:
    scope = TABLE[route]
    for key in SECRETS:
        answer = served.ask(route, key)
        if scope is None:
            assert answer.status_code == 200, key
        elif key in ("none", "wrong", "expired", "revoked"):
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), key
            assert answer.headers["www-authenticate"].startswith("Bearer")
        elif key == "owner" or (key == "other project's" and scope != "owner") or key == scope:
            assert answer.status_code not in (401, 403), (key, answer.text)
        else:
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), key


@pytest.mark.parametrize("route", sorted(TABLE.keys() - {"GET /events", "GET /health", "GET /ready"}))
def test_another_project_is_not_there_for_a_key(served: Served, route: str) -> None:
    for project in ("default", "nowhere"):
        answer = served.ask(route, "other project's", project=project)
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_project")
        assert answer.json()["message"] == f"There is no project {project!r}."
    assert served.ask(route, "owner", project="nowhere").json()["code"] == "unknown_project"


def test_events_need_a_key_too(served: Served) -> None:
    for key, status in (("none", 401), ("wrong", 401), ("revoked", 401), ("write", 403)):
        assert served.ask("GET /events", key).status_code == status


def test_metrics_are_for_owners(served: Served) -> None:
    for key, status in (("none", 401), ("admin", 403), ("owner", 200)):
        secret = served.keys[key]
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        assert served.client.get("/metrics", headers=headers).status_code == status


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "bearer\tx", "Bearer é"]
)
def test_what_is_no_credential_opens_nothing(served: Served, header: str) -> None:
    answer = served.client.get(f"{PREFIX}/me", headers={"Authorization": header.encode("utf-8")})
    assert answer.status_code == 401


def test_the_scheme_may_be_written_in_any_case(served: Served) -> None:
    headers = {"Authorization": f"bearer {served.keys['read']}"}
    assert served.client.get(f"{PREFIX}/me", headers=headers).json()["scopes"] == ["read"]


def test_a_method_that_a_path_does_not_have_tells_nothing(served: Served) -> None:
    for path in sorted({route.split(" ")[1] for route in TABLE}):
        for method in ("PUT", "TRACE", "PROPFIND"):
            answer = served.client.request(method, PREFIX + _filled(path))
            assert answer.status_code in (401, 403, 404, 405), (method, path)


def test_a_key_given_where_none_is_needed_still_holds_its_scopes(root: Path) -> None:
    desk = Desk(root)
    try:
        _, secret = desk.store.access.create_key("look", ["read"], by="ann")
        with TestClient(create_app(desk), base_url=HOST) as client:
            assert client.get(f"{PREFIX}/me").json()["scopes"] == list(SCOPES)
            headers = {"Authorization": f"Bearer {secret}"}
            assert client.get(f"{PREFIX}/me", headers=headers).json()["actor"] == "look"
            assert client.get(f"{PREFIX}/keys", headers=headers).status_code == 403
            wrong = {"Authorization": f"Bearer {secret}x"}
            assert client.get(f"{PREFIX}/me", headers=wrong).status_code == 401
    finally:
        desk.close(10)
