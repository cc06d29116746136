"""The API says what the command line says, in one shape, and changes nothing that it was not asked to."""

from __future__ import annotations

import time

import pytest

from agenttwin.lab import Session
from agenttwin.server import openapi_document

V1 = "/api/v1"


def get(client, path, status=200, **more):
    answer = client.get(f"{V1}/{path}", **more)
    assert answer.status_code == status, answer.text
    return answer.json()


def post(client, path, body, status, **more):
    answer = client.post(f"{V1}/{path}", json=body, **more)
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.fixture
def id(client):
    return get(client, "comparisons")["items"][0]["id"]


def waited(client, path):
    """What stands at a path once it has come to an end."""
    for _ in range(600):
        found = get(client, path)
        if found["state"] not in ("queued", "running"):
            return found
        time.sleep(0.05)
    raise AssertionError(found)


# -- reading


def test_the_server_says_who_asks_and_what_there_is(client):
    assert get(client, "health")["status"] == get(client, "ready")["status"] == "ok"
    me = get(client, "me")
    assert (me["project"]["name"], me["authentication"], me["workspace"]) == (
        "default",
        False,
        {"name": "shop"},
    )


def test_a_comparison_is_the_one_of_the_command_line(client, id, root):
    (item,) = get(client, "comparisons")["items"]
    assert item["headline"].startswith("The candidate is worse in 3 of 9 cases")
    assert (item["counts"]["NEW_CRITICAL_FAILURE"], item["exit_code"], item["cases"]) == (2, 1, 9)
    head = get(client, f"comparisons/{id}")
    with Session.open(root) as session:
        own = session.comparison(session.store.latest_pair()).as_json()
    assert head["report_digest"] == own["report_digest"]
    assert head["cases"] == []
    assert (
        get(client, f"comparisons/{id}/cases/refund-happy-path")["divergence"]
        == own["cases"][2]["divergence"]
    )


def test_cases_come_worst_first_in_pages_and_by_filters(client, id):
    first = get(client, f"comparisons/{id}/cases?limit=4")
    second = get(client, f"comparisons/{id}/cases?limit=5&cursor={first['next_cursor']}")
    assert [case["classification"] for case in first["items"]][:3] == ["NEW_CRITICAL_FAILURE"] * 2 + [
        "REGRESSED"
    ]
    assert len({case["scenario"] for case in first["items"] + second["items"]}) == 9
    assert second["next_cursor"] is None
    assert first["items"][0]["why"] == "State orders.ORD-1001.refund_count: expected 1, got 2."
    for query, number in (
        ("classification=REGRESSED", 1),
        ("severity=high", 2),
        ("tag=fault", 3),
        ("text=LIE", 1),
    ):
        assert len(get(client, f"comparisons/{id}/cases?{query}")["items"]) == number, query
    names = [case["scenario"] for case in get(client, f"comparisons/{id}/cases?sort=name")["items"]]
    assert names == sorted(names)


def test_lists_are_filtered(client):
    assert get(client, "comparisons?agent=nobody")["items"] == []
    assert get(client, "comparisons?version=1.3.0&classification=REGRESSED&text=worse")["items"]
    assert get(client, "comparisons?classification=IMPROVED")["items"] == []


def test_the_report_comes_as_a_file(client, id):
    for kind in ("html", "markdown", "junit", "sarif", "json", "terminal"):
        answer = client.get(f"{V1}/comparisons/{id}/report?format={kind}")
        assert answer.status_code == 200
        assert f"comparison-{id}." in answer.headers["content-disposition"]
    assert get(client, f"comparisons/{id}/report?format=pdf", 404)["code"] == "unknown_format"


def test_documents_of_the_workspace(client):
    (agent,) = get(client, "agents")["items"]
    assert (agent["versions"], agent["latest"]) == (3, "1.3.1")
    versions = get(client, f"agents/{agent['name']}/versions")["items"]
    assert [item["version"] for item in versions] == ["1.3.1", "1.3.0", "1.2.4"]
    whole = get(client, f"agents/{agent['name']}/versions/1.3.0")
    assert whole["manifest"]["metadata"]["version"] == "1.3.0"
    difference = get(client, f"agents/{agent['name']}/diff?old=1.2.4&new=1.3.0")
    assert {line["sign"] for line in difference["instructions"]} == {"-", "+"}
    twin = get(client, f"twins/{get(client, 'twins')['items'][0]['name']}")
    assert twin["checked"] is None
    assert {tool["name"]: tool["irreversible"] for tool in twin["tool_list"]}["refund_payment"] is True
    assert {fault["type"] for fault in twin["faults"]} >= {
        "timeout_after_mutation",
        "success_without_mutation",
    }
    assert twin["state"]["orders"]["ORD-1001"]
    assert get(client, "suites")["items"][0]["default"] is True
    assert len(get(client, "scenarios")["items"]) == 10
    scenario = get(client, "scenarios/refund-happy-path")
    assert "kind: Scenario" in scenario["text"]
    (result,) = get(client, "scenarios/refund-happy-path/results")["items"]
    assert result["classification"] == "REGRESSED"


def test_a_file_that_changes_is_read_again(client, root):
    path = root / "scenarios" / "refund-happy-path.yaml"
    path.write_text(path.read_text().replace("severity: high", "severity: low"))
    assert get(client, "scenarios/refund-happy-path")["severity"] == "low"
    path.write_text("kind: Scenaro\n")
    told = get(client, "scenarios", 400)
    assert told["code"] == "invalid_document"


def test_a_document_is_validated_as_one_types(client):
    good = get(client, "scenarios/refund-happy-path")["text"]
    assert post(client, "scenarios/validate", {"text": good}, 200)["problems"] == []
    bad = post(client, "scenarios/validate", {"text": good.replace("type: state", "type: stat", 1)}, 200)
    assert (bad["digest"], bad["problems"][0]["code"]) == (None, "unknown_kind") or bad["problems"]
    elsewhere = post(client, "scenarios/validate", {"text": good.replace("demo-co-support", "nowhere")}, 200)
    assert elsewhere["problems"][0]["code"] == "unknown_twin"
    assert post(client, "twins/validate", {"text": "a: ["}, 200)["problems"][0]["line"] == 1


@pytest.mark.parametrize(
    "path",
    ["comparisons/x", "comparisons/x/cases", "runs/x", "pairs/x", "twins/x", "scenarios/x", "agents/x/versions",
     "agents/support-refund-agent/versions/9.9.9", "consoles/x", "nothing", ""],
)  # fmt: skip
def test_what_is_not_there_is_told_in_one_shape(client, path):
    told = get(client, path, 404)
    assert set(told) == {"code", "message", "where", "hint"}
    assert told["message"].endswith((".", "?"))


def test_the_same_answer_is_not_sent_twice(client, id):
    first = client.get(f"{V1}/comparisons/{id}")
    again = client.get(f"{V1}/comparisons/{id}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["content-encoding"] == "gzip"


# -- changing


def test_an_override_changes_the_class_and_is_told(client, id, desk):
    given = {"side": "candidate", "expectation": "policy-before-refund", "verdict": "PASS", "note": "agreed"}
    case = post(client, f"comparisons/{id}/cases/refund-happy-path/overrides", given, 201)
    assert case["classification"] == "UNCHANGED"
    (override,) = case["overrides"]
    assert (override["side"], override["note"]) == ("candidate", "agreed")
    assert get(client, f"comparisons/{id}")["counts"]["REGRESSED"] == 0
    assert desk.events_of("default")._kept[-1].kind == "override.added"
    (item,) = get(client, f"comparisons/{id}/cases?text=happy")["items"]
    assert item["overridden"] is True


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"note": " "}, 400, "missing_note"),
        ({"note": "x" * 5_000}, 400, "note_too_long"),
        ({"verdict": "SKIPPED"}, 422, "invalid_request"),
        ({"expectation": "nothing"}, 404, "unknown_expectation"),
        ({"trial": 9}, 404, "unknown_case"),
        ({"more": 1}, 422, "invalid_request"),
    ],
)
def test_an_override_that_cannot_be_is_refused(client, id, change, status, code):
    given = {"side": "candidate", "expectation": "policy-before-refund", "verdict": "PASS", "note": "n"}
    told = post(client, f"comparisons/{id}/cases/refund-happy-path/overrides", given | change, status)
    assert told["code"] == code


def test_a_pair_is_run_by_names_watched_and_run_again(client, desk):
    asked = {
        "baseline": "1.2.4",
        "candidate": "1.3.1",
        "scenarios": ["refund-happy-path"],
        "seed": 3,
        "key": "k",
    }
    begun = post(client, "pairs", asked, 202)
    done = waited(client, f"pairs/{begun['id']}")
    assert (done["state"], done["done"], done["total"], done["seed"]) == ("finished", 2, 2, 3)
    assert post(client, "pairs", asked, 202)["id"] == begun["id"], "the same key is the same pair"
    assert get(client, f"comparisons/{begun['id']}")["counts"]["UNCHANGED"] == 1
    begun_again = post(client, f"pairs/{begun['id']}/again", None, 202)
    again = waited(client, f"pairs/{begun_again['id']}")
    assert (again["state"], again["seed"]) == ("finished", 3)
    assert again["id"] != begun["id"]
    one, two = (get(client, f"comparisons/{found['id']}")["report_digest"] for found in (done, again))
    assert one == two
    kinds = [event.kind for event in desk.events_of("default")._kept]
    assert kinds[:5] == ["pair.queued", "pair.started", "case.finished", "case.finished", "pair.finished"]
    assert post(client, f"pairs/{begun['id']}/cancel", None, 409)["code"] == "not_running"


def test_a_version_is_run_alone(client):
    begun = post(client, "runs", {"version": "1.3.0", "scenarios": ["refund-happy-path"]}, 202)
    done = waited(client, f"runs/{begun['id']}")
    assert (done["state"], done["pair"], done["done"]) == ("finished", None, 1)
    (case,) = get(client, f"runs/{begun['id']}/cases")["items"]
    assert case["outcome"] == "failed"
    side = next(run for run in get(client, "runs")["items"] if run["pair"])
    assert post(client, f"runs/{side['id']}/again", None, 409)["code"] == "side_of_a_pair"


def test_what_was_interrupted_is_finished_when_it_is_run_again(client, root):
    class StopError(Exception):
        pass

    def stop(event):
        if type(event).__name__ == "CaseFinished":
            raise StopError

    from agenttwin.lab import Ask

    with Session.open(root) as session, pytest.raises(StopError):
        session.compare("1.2.4", "1.3.1", Ask(key="cut", listeners=(stop,)))
    cut = next(pair for pair in get(client, "pairs")["items"] if pair["key"] == "cut")
    assert cut["state"] == "failed"
    again = post(client, f"pairs/{cut['id']}/again", None, 202)
    assert again["id"] == cut["id"]
    assert waited(client, f"pairs/{cut['id']}")["done"] == 18


SLOW = """
import time
def run(request, tools):
    time.sleep(0.3)
    return "Done."
"""


def test_a_run_is_cancelled_and_what_is_recorded_stays(client, root):
    (root / "agent.py").write_text(SLOW)
    file = root / "agenttwin.yaml"
    file.write_text(file.read_text() + "concurrency: 1\n")
    begun = post(client, "runs", {"version": "1.3.0"}, 202)
    for _ in range(200):
        if get(client, f"runs/{begun['id']}")["done"]:
            break
        time.sleep(0.05)
    post(client, f"runs/{begun['id']}/cancel", None, 202)
    stopped = waited(client, f"runs/{begun['id']}")
    assert stopped["state"] == "cancelled"
    assert 0 < stopped["done"] < stopped["total"]


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"baseline": "9.9.9"}, 404, "unknown_version"),
        ({"suite": "none"}, 404, "unknown_suite"),
        ({"key": "../x"}, 422, "invalid_request"),
        ({"command": "rm"}, 422, "invalid_request"),
        ({"baseline": ["1"]}, 422, "invalid_request"),
    ],
)
def test_what_cannot_be_run_is_told(client, change, status, code):
    assert post(client, "pairs", {"baseline": "1.2.4", "candidate": "1.3.0"} | change, status)["code"] == code


def test_a_console_is_a_twin_in_ones_hands(client):
    console = post(client, "consoles", {"twin": "demo-co-support", "tenant": "demo-co"}, 201)
    at = f"consoles/{console['id']}"
    post(client, f"{at}/faults", {"tool": "refund_payment", "type": "timeout_after_mutation"}, 200)
    refund = {"tool": "refund_payment", "arguments": {"order_id": "ORD-1001", "amount": 40}}
    lost = post(client, f"{at}/calls", refund, 200)
    assert (lost["status"], lost["record"]["committed"]) == (504, "all")
    assert post(client, f"{at}/calls", refund, 200)["ok"]
    assert get(client, f"{at}/state")["state"]["orders"]["ORD-1001"]["refund_count"] == 2
    assert len(get(client, f"{at}/calls")["items"]) == 2
    post(client, f"{at}/reset", None, 200)
    assert get(client, f"{at}/calls")["items"] == []
    assert (
        post(client, f"{at}/faults", {"tool": "refund_payment", "type": "none"}, 400)["code"]
        == "invalid_fault"
    )
    assert client.delete(f"{V1}/{at}").status_code == 204
    get(client, at, 404)


def test_planted_secrets_are_masked_wherever_something_is_shown(client):
    secret = "dc-live-"
    twin = client.get(f"{V1}/twins/demo-co-support").text
    console = post(client, "consoles", {"twin": "demo-co-support", "tenant": "demo-co"}, 201)
    state = client.get(f"{V1}/consoles/{console['id']}/state").text
    assert "[masked]" in twin
    assert secret not in twin + state


# -- who may ask


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "UNHEARD"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Cookie": "a=b"},
    ],
)
def test_pages_of_other_sites_change_nothing(client, method, headers):
    answer = client.request(method, f"{V1}/pairs", headers=headers, json={})
    assert (answer.status_code, answer.json()["code"]) == (403, "other_origin")


def test_its_own_pages_and_clients_that_are_no_browsers_may(client):
    for headers in ({"Origin": "http://127.0.0.1:8321", "Sec-Fetch-Site": "same-origin"}, {}):
        assert post(client, "scenarios/validate", {"text": ""}, 200, headers=headers)["problems"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "192.168.0.1", "[::1"])
def test_a_host_that_it_is_not_is_turned_away(client, host):
    answer = client.get(f"{V1}/me", headers={"Host": host})
    assert answer.status_code in (400, 421)


def test_bodies_and_headers_have_limits(client):
    assert post(client, "scenarios/validate", {"text": "x" * 700_000}, 422)["code"] == "invalid_request"
    large = client.post(f"{V1}/scenarios/validate", content=b"x" * (20 * 1024 * 1024 + 1))
    assert (large.status_code, large.json()["code"]) == (413, "body_too_large")
    pieces = client.post(f"{V1}/scenarios/validate", content=(b"x" * 1_000_000 for _ in range(22)))
    assert pieces.status_code == 413
    many = client.get(f"{V1}/me", headers={f"x-{n}": "1" for n in range(300)})
    assert (many.status_code, many.json()["code"]) == (431, "too_many_headers")
    deep = client.post(
        f"{V1}/scenarios/validate", content=b"[" * 100_000, headers={"Content-Type": "application/json"}
    )
    assert deep.status_code in (400, 422)


# -- the app


def test_paths_of_the_app_are_its_first_page_and_of_the_api_are_not(desk, tmp_path):
    from starlette.testclient import TestClient

    from agenttwin.server import create_app

    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text("<!doctype html>app")
    (web / "assets" / "a-1.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    with TestClient(create_app(desk, web=web), base_url="http://127.0.0.1:8321") as client:
        for path in ("/", "/comparisons/x/cases/y", "/runs", "/%2e%2e/secret.txt", "/..%2fsecret.txt"):
            answer = client.get(path)
            assert (answer.status_code, answer.text) == (200, "<!doctype html>app"), path
            assert "unsafe" not in answer.headers["content-security-policy"]
        script = client.get("/assets/a-1.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert "immutable" in script.headers["cache-control"]
        assert client.get("/assets/a-2.js").status_code == 404
        assert client.head("/").status_code == 200
        assert client.get("/api/v2/x").status_code == 404


def test_the_document_of_the_api_names_every_shape():
    document = openapi_document()
    assert len(document["paths"]) > 35
    for path, item in document["paths"].items():
        for method, operation in item.items():
            assert operation["summary"], (path, method)
    assert {"ComparisonItem", "CaseWhole", "PairOut", "Error"} <= document["components"]["schemas"].keys()
