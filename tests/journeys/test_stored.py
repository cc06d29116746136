"""What was recorded, used again: grades made anew, and a baseline that is not run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from agenttwin.compare import as_json
from agenttwin.errors import Conflict, NotFound
from agenttwin.evaluate import Verdict
from agenttwin.lab import Ask, Session, compare_with_stored, regrade
from agenttwin.review import Override
from agenttwin.storage import StoredPair, StoredRun
from tests.journeys._workspace import DemoWorkspace
from tests.journeys.test_pair import agenttwin, with_agent

HAPPY = "refund-happy-path"
TIMEOUT = "refund-timeout-after-mutation"


def edit(demo: DemoWorkspace, scenario: str, change: Any) -> None:
    file = demo.root / "scenarios" / f"{scenario}.yaml"
    document = yaml.safe_load(file.read_text())
    change(document["spec"])
    file.write_text(yaml.safe_dump(document))


def expect(**expectation: Any) -> Any:
    return lambda spec: spec["expectations"].append(expectation)


def break_agent(demo: DemoWorkspace) -> None:
    """From now on, whoever runs the agent fails."""
    (demo.root / "agent.py").write_text("def run(request, tools):\n    raise SystemExit('it was run')\n")


def report(session: Session, stored: StoredPair | StoredRun) -> dict[str, Any]:
    assert isinstance(stored, StoredPair)
    return dict(as_json(session.comparison(stored)))


def graded_again(demo: DemoWorkspace, text: str | None = None, **ask: Any) -> dict[str, Any]:
    with Session.open(demo.root) as session:
        return report(session, regrade(session, text, Ask(**ask)))


def against_stored(demo: DemoWorkspace, run: str, candidate: str, **ask: Any) -> dict[str, Any]:
    with Session.open(demo.root) as session:
        return dict(as_json(compare_with_stored(session, run, candidate, Ask(**ask))[1]))


def runs(demo: DemoWorkspace) -> list[StoredRun]:
    with Session.open(demo.root) as session:
        return list(session.store.runs().items)


def unmeasured(value: Any) -> Any:
    """What is the same in every run."""
    if isinstance(value, dict):
        return {name: unmeasured(part) for name, part in value.items() if name != "measured"}
    return [unmeasured(part) for part in value] if isinstance(value, list) else value


# -- graded again


def test_what_was_recorded_gives_the_same_grades(demo: DemoWorkspace) -> None:
    first = demo.report("1.2.4", "1.3.0")
    break_agent(demo)
    again = graded_again(demo)
    assert [case["classification"] for case in again["cases"]] == [
        case["classification"] for case in first["cases"]
    ]
    assert [case["candidate"]["evaluations"] for case in again["cases"]] == [
        case["candidate"]["evaluations"] for case in first["cases"]
    ]
    assert "No agent was run: cases that were recorded earlier were graded again." in again["warnings"]


def test_a_new_expectation_is_judged_on_what_happened_then(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(HAPPY,))
    break_agent(demo)
    edit(demo, HAPPY, expect(id="told-twice", type="toolCalled", tool="send_email", min=2))
    (case,) = graded_again(demo)["cases"]
    found = {item["id"]: item["verdict"] for item in case["candidate"]["evaluations"]}
    assert found["told-twice"] == "FAIL"
    assert case["movements"]["told-twice"] == "still_failing"


def test_one_version_alone_is_graded_again_too(demo: DemoWorkspace) -> None:
    with Session.open(demo.root) as session:
        stored, single = session.run("1.3.0", Ask(scenarios=(TIMEOUT,)))
        break_agent(demo)
        again = regrade(session, stored.id)
        assert isinstance(again, StoredRun)
        assert again.origin == stored.id
        assert session.store.load_run(again).cases[0].side.grade == single.cases[0].side.grade


def test_a_filter_narrows_what_is_graded(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(HAPPY, TIMEOUT))
    assert [case["scenario"] for case in graded_again(demo, scenarios=(HAPPY,))["cases"]] == [HAPPY]


def test_the_same_key_gives_what_was_graded_under_it(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(HAPPY,))
    with Session.open(demo.root) as session:
        first, second = (regrade(session, session.store.pairs().items[-1].id, Ask(key="k")) for _ in range(2))
        assert first.id == second.id


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda spec: spec["input"].update(message="Refund $41."), "changed in more than its expectations"),
        (lambda spec: spec.update(seed=8), "changed in more than its expectations"),
        (lambda spec: spec.update(state={"refunds": [1]}), "changed in more than its expectations"),
    ],
    ids=["what is said", "its seed", "its state"],
)
def test_a_scenario_that_does_something_else_now_is_refused(
    demo: DemoWorkspace, change: Any, reason: str
) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(HAPPY,))
    edit(demo, HAPPY, change)
    with pytest.raises(Conflict, match=reason):
        graded_again(demo)


def test_another_twin_is_refused(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(HAPPY,))
    twin = demo.root / "twin.yaml"
    twin.write_text(twin.read_text().replace("refundable_amount: 120", "refundable_amount: 121"))
    with pytest.raises(Conflict, match=f"the twin of {HAPPY} has changed"):
        graded_again(demo)


def test_a_scenario_that_is_gone_is_named(demo: DemoWorkspace) -> None:
    name = demo.add_scenario("short-lived", lambda spec: None, like=HAPPY)
    demo.report("1.2.4", "1.3.0", scenarios=(name,))
    (demo.root / "scenarios" / f"{name}.yaml").unlink()
    with pytest.raises(NotFound, match="'short-lived', which is no scenario now"):
        graded_again(demo)


def test_what_was_never_finished_is_not_graded(demo: DemoWorkspace) -> None:
    with_agent(
        demo,
        "def run(request, tools):\n"
        "    if (ROOT / 'stop').exists():\n        raise KeyboardInterrupt\n"
        "    return agent.run(request, tools)\n",
    )
    (demo.root / "stop").touch()
    agenttwin(demo.root, "compare", "1.2.4", "1.3.0", "--key", "k", "--scenario", HAPPY)
    with pytest.raises(Conflict, match="has only 0 of its 1 cases"):
        graded_again(demo)


def decide(demo: DemoWorkspace, expectation: str, verdict: Verdict) -> None:
    with Session.open(demo.root) as session:
        run = session.store.latest_pair().candidate
        override = Override(expectation=expectation, verdict=verdict, note="Seen.", by="Ann", at="2026-01-01")
        session.store.override(run.id, TIMEOUT, override)


def test_a_persons_decision_holds_on(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(TIMEOUT,))
    decide(demo, "no-double-refund", Verdict.PASS)
    (case,) = graded_again(demo)["cases"]
    (item,) = [item for item in case["candidate"]["evaluations"] if item["id"] == "no-double-refund"]
    assert (item["verdict"], item["overridden"]["by"]) == ("PASS", "Ann")


def test_a_decision_over_another_result_is_dropped_and_told(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(TIMEOUT,))
    decide(demo, "refunded-exactly-once", Verdict.PASS)

    def twice(spec: dict[str, Any]) -> None:
        (found,) = [item for item in spec["expectations"] if item["id"] == "refunded-exactly-once"]
        found["equals"] = 2

    edit(demo, TIMEOUT, twice)
    again = graded_again(demo)
    (item,) = [
        item
        for item in again["cases"][0]["candidate"]["evaluations"]
        if item["id"] == "refunded-exactly-once"
    ]
    assert (item["verdict"], item["overridden"]) == ("PASS", None)
    assert any(text.startswith("1 decision by people no longer applied") for text in again["warnings"])


# -- a baseline that is not run again


def test_the_baseline_is_not_run_again(demo: DemoWorkspace) -> None:
    whole = demo.report("1.2.4", "1.3.0")
    baseline = next(run for run in runs(demo) if run.version == "1.2.4")
    with_agent(
        demo,
        "def run(request, tools):\n"
        "    assert request.version == '1.3.0'\n"
        "    return agent.run(request, tools)\n",
    )
    found = against_stored(demo, baseline.id, "1.3.0")
    assert unmeasured(found["cases"]) == unmeasured(whole["cases"])
    assert "The baseline was not run again: its cases were recorded earlier." in found["warnings"]


def test_last_is_the_newest_run_of_another_version(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.1", scenarios=(HAPPY,))
    demo.report("1.3.0", "1.3.0", scenarios=(HAPPY,))
    assert against_stored(demo, "last", "1.3.0", scenarios=(HAPPY,))["baseline"]["version"] == "1.3.1"


def test_without_another_version_there_is_no_last(demo: DemoWorkspace) -> None:
    demo.report("1.3.0", "1.3.0", scenarios=(HAPPY,))
    with pytest.raises(NotFound, match="no complete run of another version"):
        against_stored(demo, "last", "1.3.0", scenarios=(HAPPY,))


def test_a_selection_within_the_stored_one_will_do(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.2.4")
    assert len(against_stored(demo, "last", "1.3.0", scenarios=(HAPPY, TIMEOUT))["cases"]) == 2


def test_decisions_on_the_stored_run_hold_on(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(TIMEOUT,))
    decide(demo, "no-double-refund", Verdict.PASS)
    (case,) = against_stored(demo, "last", "1.3.1", scenarios=(TIMEOUT,))["cases"]
    (item,) = [item for item in case["baseline"]["evaluations"] if item["id"] == "no-double-refund"]
    assert item["overridden"]["by"] == "Ann"


def changed_manifest(demo: DemoWorkspace) -> None:
    file = demo.root / "manifests" / "1.2.4.yaml"
    file.write_text(file.read_text() + "# edited\n".replace("#", "    #"))
    document = yaml.safe_load(file.read_text())
    document["spec"]["instructions"] += " Be brief."
    file.write_text(yaml.safe_dump(document))


def changed_twin(demo: DemoWorkspace) -> None:
    twin = demo.root / "twin.yaml"
    twin.write_text(twin.read_text().replace("refundable_amount: 120", "refundable_amount: 121"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda demo: edit(demo, HAPPY, expect(id="more", type="toolCalled", tool="send_email")),
            f"{HAPPY} has changed",
        ),
        (changed_twin, f"{HAPPY} has another twin now"),
        (changed_manifest, "the manifest of 1.2.4 has changed"),
        (lambda demo: demo.add_scenario("new", lambda spec: None, like=HAPPY), "new is not in it"),
    ],
    ids=["scenario", "twin", "manifest", "selection"],
)
def test_a_stored_run_of_something_else_is_refused(demo: DemoWorkspace, change: Any, reason: str) -> None:
    demo.report("1.2.4", "1.2.4", scenarios=(HAPPY,))
    change(demo)
    with pytest.raises(Conflict, match=reason):
        against_stored(demo, "last", "1.3.0", scenarios=(HAPPY, "new"))


def test_another_seed_is_refused_with_the_seed_to_give(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.2.4", scenarios=(HAPPY,), seed=11)
    with pytest.raises(Conflict) as refused:
        against_stored(demo, "last", "1.3.0", scenarios=(HAPPY,))
    assert f"{HAPPY} had another seed" in refused.value.message
    assert refused.value.remedy == "It was run with --seed 11; give the same."


def test_a_key_is_not_finished_with_another_baseline(demo: DemoWorkspace) -> None:
    demo.report("1.2.4", "1.2.4", scenarios=(HAPPY,))
    against_stored(demo, "last", "1.3.0", scenarios=(HAPPY,), key="k")
    with pytest.raises(Conflict, match="another origin of the baseline"):
        demo.report("1.2.4", "1.3.0", scenarios=(HAPPY,), key="k")


# -- at the command line


def test_the_commands_say_where_the_cases_come_from(demo: DemoWorkspace, tmp_path: Path) -> None:
    demo.report("1.2.4", "1.3.0", scenarios=(HAPPY,))
    (candidate,) = [run for run in runs(demo) if run.version == "1.3.0"]
    page, text = tmp_path / "page.html", tmp_path / "page.md"
    ended = agenttwin(
        demo.root, "compare", "--baseline-run", "last", "1.3.1", "--scenario", HAPPY,
        "--report", f"html={page}", "--report", f"markdown={text}",
    )  # fmt: skip
    mark = f"the baseline is the stored run {candidate.id}"
    assert ended.returncode == 0
    assert mark in " ".join(ended.stdout.decode().split())
    assert mark in page.read_text()
    assert mark in text.read_text()
    again = agenttwin(demo.root, "regrade")
    assert again.returncode == 0
    assert "no agent was run: graded again from" in " ".join(again.stdout.decode().split())


def test_compare_takes_one_version_beside_a_stored_baseline(demo: DemoWorkspace) -> None:
    for arguments in (["1.2.4"], ["--baseline-run", "last", "1.2.4", "1.3.0"]):
        ended = agenttwin(demo.root, "compare", *arguments)
        assert ended.returncode == 2
        assert b"Name " in ended.stderr
