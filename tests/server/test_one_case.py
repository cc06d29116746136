"""A case of one run, and a scenario over time, as the server gives them."""

from __future__ import annotations

from tests.server.test_api import get


def test_one_case_of_a_side_is_given_whole(client):
    (run, *_) = get(client, "runs")["items"]
    listed = get(client, f"runs/{run['id']}/cases")["items"]
    for case in listed:
        assert get(client, f"runs/{run['id']}/cases/{case['scenario']}") == case
    told = get(client, f"runs/{run['id']}/cases/nowhere", 404)
    assert (told["code"], "nowhere" in told["message"]) == ("unknown_case", True)
    assert (
        get(client, f"runs/{run['id']}/cases/{listed[0]['scenario']}?trial=9", 404)["code"] == "unknown_case"
    )


def test_a_scenario_has_a_version_for_every_text_that_ran_and_the_one_that_stands_now(client, root):
    path = root / "scenarios" / "refund-happy-path.yaml"
    before = path.read_text("utf-8")
    (ran,) = get(client, "scenarios/refund-happy-path/versions")["items"]
    assert (ran["current"], ran["text"], ran["first_run_at"]) == (True, before, ran["last_run_at"])
    path.write_text(before.replace("severity: high", "severity: low"), "utf-8")
    now, earlier = get(client, "scenarios/refund-happy-path/versions")["items"]
    assert (now["current"], now["last_run_at"]) == (True, None)
    assert now["digest"] != earlier["digest"] == ran["digest"]
    assert (earlier["current"], earlier["text"]) == (False, before)
    assert get(client, "scenarios/nowhere/versions", 404)["code"] == "unknown_scenario"


def test_sums_of_what_was_measured_stand_in_the_head(client):
    (item,) = get(client, "comparisons")["items"]
    head = get(client, f"comparisons/{item['id']}")
    total = sum(head["counts"].values())
    latency = head["measured"]["totals"]["latency_ms"]
    assert latency["cases"] == total
    assert latency["candidate"] > 0
