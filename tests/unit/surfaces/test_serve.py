"""A twin that stands alone: what a person asks about it."""

import json
import re
from http.client import HTTPConnection
from urllib.parse import quote, urlsplit

import pytest

from agenttwin.surfaces import StandAlone
from agenttwin.twin import begin
from tests.unit.surfaces._scene import Client, fault, shop


@pytest.fixture(scope="module")
def served():
    twin = shop()
    with StandAlone(lambda: begin(twin, tenant="t"), faults=[fault("http_500", "note")]) as served:
        yield served


@pytest.fixture
def client(served):
    served.reset()
    return Client(served._server, served.case, served.address.http_url)


def test_its_token_is_dev(served):
    assert urlsplit(served.address.http_url).path == "/t/dev"


def test_the_world_is_there_whole_and_in_parts(client):
    client.call("pay", id="A-1")
    state = client.ask("GET", "/state").json
    assert state["orders"]["A-1"] == {"id": "A-1", "paid": 1}
    assert client.ask("GET", "/state?path=orders.A-1.paid").json == 1
    assert client.ask("GET", "/state?path=" + quote("orders['Zoë']")).json["paid"] == 0


@pytest.mark.parametrize(("path", "status"), [("orders.B-9", 404), ("orders..x", 400), ("[", 400)])
def test_a_place_that_the_world_lacks_is_told(client, path, status):
    assert client.ask("GET", "/state?path=" + quote(path)).status == status


def test_the_records_are_there_and_from_any_on(client):
    client.call("pay", id="A-1")
    client.ask("GET", "/kb/search?q=pay")
    client.call("raed", id="A-1")
    records = client.ask("GET", "/calls").json
    assert [record["event"] for record in records] == ["tool_call", "retrieval", "tool_call"]
    assert records[0]["changes"] == [{"path": "orders.A-1.paid", "before": 0, "after": 1}]
    assert [record["seq"] for record in client.ask("GET", "/calls?after=2").json] == [3]
    assert client.ask("GET", "/calls?after=99").json == []
    assert client.ask("GET", "/calls?after=-1").status == 400


def test_what_differs_from_the_start_is_there(client):
    assert client.ask("GET", "/changes").json == []
    client.call("pay", id="A-1")
    client.call("pay", id="A-1")
    assert client.ask("GET", "/changes").json == [{"path": "orders.A-1.paid", "before": 0, "after": 2}]


def test_faults_are_armed_from_the_next_call_on(client):
    rules = [{"target": "pay", "when": {"callNumber": 2}, "behavior": {"type": "timeout_after_mutation"}}]
    assert client.ask("POST", "/faults", rules).json["rules"] == rules
    assert [client.call("pay", id="A-1").status for _ in range(3)] == [200, 504, 200]
    told = client.ask("GET", "/faults").json
    assert told["rules"] == rules
    assert told["uses"][0]["tookEffect"]


@pytest.mark.parametrize(
    "body",
    [
        b'[{"target": "pay", "behavior": {"type": "http_500"}}]',
        b'{"faults": [{"target": "risk:WRITE_IRREVERSIBLE", "behavior": {"type": "http_500"}}]}',
        b"- target: '*'\n  behavior: {type: http_500}\n",
        b"faults:\n- target: pay\n  behavior: {type: http_500}\n",
    ],
)
def test_faults_are_a_list_alone_or_under_its_name(client, body):
    assert client.ask("POST", "/faults", body).status == 200
    assert client.call("pay", id="A-1").status == 500


@pytest.mark.parametrize(
    ("body", "path", "line", "word"),
    [
        (b'[{"target": "pya",\n "behavior": {"type": "delay"}}]', "[0].target", 1, "'pya'"),
        (b'[{"target": "pay",\n "behavior": {"type": "dleay"}}]', "[0].behavior.type", 2, "dleay"),
        (b'[{"target": "pay", "behavior": {"type": "delay", "quota": 1}}]', "[0].behavior.quota", 1, "quota"),
        (b'{"faluts": []}', "faluts", 1, "faluts"),
        (b"[{", "", 1, ""),
        (b"7", "", 1, ""),
        (b"", "", 1, ""),
        (b"\xff", "", 1, "UTF-8"),
    ],
)
def test_a_rule_that_is_none_is_told_with_its_place_and_nothing_is_armed(client, body, path, line, word):
    before = client.ask("GET", "/faults").json
    answer = client.ask("POST", "/faults", body)
    problem = answer.json["error"]["problems"][0]
    assert answer.status == 422
    assert (problem["path"], problem["line"]) == (path, line)
    assert word in problem["message"]
    assert client.ask("GET", "/faults").json == before


def test_every_problem_of_the_rules_is_told_at_once(client):
    rules = [
        {"target": "pya", "behavior": {"type": "delay"}},
        {"target": "*", "behavior": {"type": "delay"}, "x": 1},
    ]
    assert client.ask("POST", "/faults", rules).status == 422


def test_a_reset_begins_anew_with_the_first_faults(client):
    client.ask("POST", "/faults", [])
    client.call("pay", id="A-1")
    before = client.ask("GET", "/status").json
    after = client.ask("POST", "/reset").json
    assert after["generation"] == before["generation"] + 1
    assert client.ask("GET", "/calls").json == []
    assert client.ask("GET", "/state?path=orders.A-1.paid").json == 0
    assert client.call("note").status == 500


@pytest.mark.parametrize("place", ["state", "calls", "changes", "faults", "status", "console", "reset"])
def test_below_its_places_there_is_nothing(client, place):
    assert client.ask("POST" if place == "reset" else "GET", f"/{place}/x").status == 404


@pytest.mark.parametrize("place", ["state", "calls", "changes", "status", "console"])
def test_what_is_only_read_takes_no_post(client, place):
    assert client.ask("POST", f"/{place}").status == 405


def test_a_page_from_elsewhere_resets_nothing(client):
    client.call("pay", id="A-1")
    assert client.ask("POST", "/reset", b"", {"Origin": "http://evil.example"}).status == 403
    assert client.ask("POST", "/reset", b"", {"Host": "evil.example"}).status == 403
    assert len(client.ask("GET", "/calls").json) == 1


def test_the_console_learns_all_that_it_shows(client, served):
    told = client.ask("GET", "/console").json
    assert told["name"] == "shop"
    assert [tool["name"] for tool in told["tools"]] == ["read_order", "pay", "note", "slow"]
    assert told["kinds"]["timeout_after_mutation"]["commit"] == "all"
    texts = "\n".join(snippet["text"] for snippet in told["snippets"])
    assert not re.search(r"<(http|mcp|name|tool|shell|python)>", texts)
    assert served.address.mcp_url in texts


def test_python_lines_of_the_console_compile(client):
    import ast

    for snippet in client.ask("GET", "/console").json["snippets"]:
        if snippet["language"] == "python":
            compile(snippet["text"], snippet["title"], "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if snippet["language"] == "json":
            json.loads(snippet["text"])


def page(url):
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.request("GET", parts.path or "/")
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def test_the_console_is_one_page_that_loads_nothing_from_elsewhere(served):
    answer, text = page(served.url)
    policy = answer.getheader("content-security-policy")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http://" not in text
    assert "https://" not in text
    for danger in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert danger not in text


def test_the_policy_lets_the_page_itself_run(served):
    import base64
    import hashlib

    answer, text = page(served.url)
    for tag in ("script", "style"):
        inner = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in answer.getheader("content-security-policy")


def test_a_token_that_looks_like_markup_stays_text():
    twin = shop()
    with StandAlone(lambda: begin(twin), token='"><b>') as served:
        _, text = page(served._server.url + "/")
    assert '"><b>' not in text
    assert 'data-token="&quot;&gt;&lt;b&gt;"' in text


def test_where_others_can_reach_it_the_page_is_below_the_token():
    twin = shop()
    with StandAlone(lambda: begin(twin), token="s3cret", host="0.0.0.0") as served:
        port = urlsplit(served.url).port
        answer, text = page(f"http://127.0.0.1:{port}/")
        assert (answer.status, "s3cret" in text) == (404, False)
        assert page(f"http://127.0.0.1:{port}/t/s3cret/")[0].status == 200
        assert page(f"http://127.0.0.1:{port}/t/dev/")[0].status == 404
