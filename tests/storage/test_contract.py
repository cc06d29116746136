"""What a store keeps and gives back; the same for every database."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select, update

from agenttwin.compare import compare
from agenttwin.document import read
from agenttwin.errors import Conflict, NotFound
from agenttwin.evaluate import CaseVerdict, JudgeIdentity, Opinion, Verdict
from agenttwin.review import Override
from agenttwin.run import CaseRecord
from agenttwin.scenario import MODELS
from agenttwin.storage import Order, Store, StoredRun
from agenttwin.storage._tables import cases
from agenttwin.values import Tree
from tests.storage._scene import BASELINE, CANDIDATE, SCENARIOS, order, ordered, record_all
from tests.unit.run._scene import library, planned, scenario


def told(record: CaseRecord) -> dict[str, Any]:
    """A record as it can be compared: states by their content."""
    transcript = record.transcript
    states = {name: tree.plain() if tree else None for name, tree in states_of(record).items()}
    return {
        "record": replace(record, transcript=replace(transcript, before=None, after=None)),
        "states": states,
    }


def states_of(record: CaseRecord) -> dict[str, Tree | None]:
    return {"before": record.transcript.before, "after": record.transcript.after}


def crashes(request: Any, tools: Any) -> str:
    print("about to pay")  # noqa: T201 - it is kept
    tools.call("pay", account="A-1", amount=10)
    raise ValueError("too late")


def searches(request: Any, tools: Any) -> dict[str, Any]:
    found = tools.search("fees")
    calls = [{"tool": "pay", "arguments": {"amount": 1.5}, "result": "ok"}]
    return {"output": found[0]["text"], "tool_calls": calls, "usage": {"cost_usd": 0.25}, "trace_id": "t-1"}


def breaks_the_twin(request: Any, tools: Any) -> str:
    return tools.call("broken").text


def pays_twice(request: Any, tools: Any) -> str:
    for _ in range(2):
        tools.call("pay", account="A-1", amount=10)
    return "Done! I have paid."


def says_what_is_no_text(request: Any, tools: Any) -> str:
    tools.search("\ud83d")
    tools.call("\ud83d", {"\ud83d": 1}, headers={"\ud83d": "\ud83d"})
    print("\ud83d")  # noqa: T201 - it is kept
    raise ValueError("\ud83d")


ODD = scenario(
    "odd",
    state="{accounts: {A-2: null, A-3: {balance: 1.5, 'a.b': [1, null]}}, kb: []}",
    faults="[{id: lost, target: pay, when: {callNumber: 1}, behavior: {type: malformed_json}}]",
    input="{message: Pay., documents: [{id: note, content: Pay the fees.}]}",
    expectations="[{type: semantic, rubric: It is polite.}, {type: toolCalled, tool: pay, critical: true}]",
)


@pytest.mark.parametrize("agent", [crashes, searches, breaks_the_twin, pays_twice])
def test_a_record_comes_back_as_it_was(store: Store, agent: Callable[..., Any]) -> None:
    pair = ordered(store, "k", ODD)
    for record in record_all(store, pair, ODD, agent=agent):
        run = pair.candidate if record.side == "candidate" else pair.baseline
        assert told(store.case(run, "odd")) == told(record)


def test_what_is_no_text_can_be_kept(store: Store) -> None:
    pair = ordered(store, "k", ODD)
    record_all(store, pair, ODD, agent=says_what_is_no_text)
    assert len(store.case(pair.candidate, "odd").transcript.events) == 2


def test_states_that_come_back_share_their_base(store: Store) -> None:
    pair = ordered(store)
    record_all(store, pair)
    loaded = store.load_pair(pair)
    trees = [case.candidate.transcript.before for case in loaded.cases if case.candidate.transcript]
    assert len({id(tree.base) for tree in trees if tree is not None}) == 1


def test_a_pair_comes_back_whole(store: Store) -> None:
    pair = ordered(store)
    records = record_all(store, pair)
    loaded = store.load_pair(pair)
    assert [case.info.scenario for case in loaded.cases] == ["first", "second", "third"]
    assert (loaded.baseline.version, loaded.candidate.version) == ("1.0.0", "2.0.0")
    assert loaded.baseline.manifest == BASELINE.source.value
    assert loaded.plan_digest == order()[1].digest
    assert loaded.secrets == ("hunter2-canary",)
    assert [case.baseline.claim for case in loaded.cases] == [
        r.claim for r in records if r.side == "baseline"
    ]
    assert not compare(loaded).invalid


def test_a_side_that_never_ran_is_told_as_such(store: Store) -> None:
    loaded = store.load_pair(ordered(store))
    assert {case.candidate.transcript for case in loaded.cases} == {None}


def test_the_same_key_is_the_same_pair(store: Store) -> None:
    first = ordered(store)
    record_all(store, first)
    again = ordered(store)
    assert again.id == first.id
    assert again.complete
    assert store.missing(again) == frozenset()


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: ordered(store, "nightly", SCENARIOS[0]),
        lambda store: store.pair("nightly", order()[2], CANDIDATE, CANDIDATE),
        lambda store: store.pair("nightly", order()[2], BASELINE, changed_manifest()),
    ],
)
def test_something_else_under_the_key_is_a_conflict(store: Store, ask: Callable[[Store], Any]) -> None:
    ordered(store)
    with pytest.raises(Conflict, match="The key 'nightly' stands for another"):
        ask(store)


def changed_manifest() -> Any:
    return read(CANDIDATE.source.text.replace("Pay.", "Pay!"), file="test.yaml", models=MODELS)


def test_only_what_is_missing_is_missing(store: Store) -> None:
    pair = ordered(store)
    assert len(store.missing(pair)) == 6
    record_all(store, pair)
    assert store.missing(pair) == frozenset()


def test_a_case_is_kept_once(store: Store) -> None:
    pair = ordered(store)
    record_all(store, pair)
    before = store.case(pair.candidate, "first")
    row = {
        "run": pair.candidate.id, "scenario": "first", "trial": 1, "verdict": "FAILED", "ending": "FINISHED",
        "base": None, "setup": None, "events": b"[]", "transcript": b"{}", "claim": b"{}", "grade": b"{}",
        "judging": b"{}", "pins": b"{}", "measured": b"{}",
    }  # fmt: skip
    store.append([row])
    assert told(store.case(pair.candidate, "first")) == told(before)


def test_one_version_alone_is_kept_too(store: Store) -> None:
    run = store.run("alone", order()[2], CANDIDATE)
    record_all(store, run)
    loaded = store.load_run(run)
    assert [case.info.scenario for case in loaded.cases] == ["first", "second", "third"]
    assert {case.side.grade.verdict for case in loaded.cases if case.side.grade} == {CaseVerdict.PASSED}
    assert store.run("alone", order()[2], CANDIDATE).id == run.id
    with pytest.raises(Conflict):
        store.run("alone", order()[2], BASELINE)


def test_what_actually_ran_is_compared_with_the_plan(store: Store) -> None:
    pair = ordered(store)
    record_all(store, pair)
    with store.database.write() as connection:
        of_it = cases.c.run == pair.candidate.id
        for row in connection.execute(select(cases.c.scenario, cases.c.pins).where(of_it)).all():
            changed = {"pins": row.pins.replace(b'"seed":"', b'"seed":"0')}
            connection.execute(update(cases).where(of_it, cases.c.scenario == row.scenario).values(changed))
    assert len(compare(store.load_pair(pair)).invalid) == 3


def test_documents_are_kept_as_they_were_written(store: Store) -> None:
    ordered(store)
    for document in (*SCENARIOS, BASELINE, CANDIDATE):
        kept = store.document(document.digest)
        assert (kept.text, kept.value) == (document.source.text, document.source.value)
        assert (kept.kind, kept.name, kept.file) == (
            document.kind,
            document.model.metadata.name,
            "test.yaml",
        )
    with pytest.raises(NotFound):
        store.document("sha256:0")


def test_a_persons_decision_holds_and_the_original_is_kept(store: Store) -> None:
    pair = ordered(store)
    record_all(store, pair, agent=lambda request, tools: "Did nothing.")
    decided = Override(
        expectation="paid", verdict=Verdict.PASS, note="Paid by hand.", by="ada", at="2026-01-01T00:00:00Z"
    )
    store.override(pair.candidate.id, "first", decided)
    case = next(case for case in store.load_pair(pair).cases if case.info.scenario == "first")
    assert case.candidate.grade.verdict is CaseVerdict.PASSED
    assert case.baseline.grade.verdict is CaseVerdict.FAILED
    assert store.case(pair.candidate, "first").grade.verdict is CaseVerdict.FAILED
    assert store.overrides(pair.candidate.id) == {("first", 1): (decided,)}


def test_the_last_decision_holds(store: Store) -> None:
    pair = ordered(store)
    record_all(store, pair)
    for verdict in (Verdict.FAIL, Verdict.PASS, Verdict.FAIL):
        decided = Override(
            expectation="paid", verdict=verdict, note="Hm.", by="ada", at="2026-01-01T00:00:00Z"
        )
        store.override(pair.candidate.id, "first", decided)
    case = next(case for case in store.load_pair(pair).cases if case.info.scenario == "first")
    assert case.candidate.grade.verdict is CaseVerdict.FAILED


@pytest.mark.parametrize(("name", "expectation"), [("fourth", "paid"), ("first", "payed")])
def test_a_decision_needs_something_to_be_about(store: Store, name: str, expectation: str) -> None:
    pair = ordered(store)
    record_all(store, pair)
    decided = Override(
        expectation=expectation, verdict=Verdict.PASS, note="Hm.", by="ada", at="2026-01-01T00:00:00Z"
    )
    with pytest.raises(NotFound):
        store.override(pair.candidate.id, name, decided)


def test_opinions_are_found_again_under_their_judge(store: Store) -> None:
    judge = JudgeIdentity(provider="acme", model="m-1")
    opinion = Opinion(label="pass", score=0.9, reason="It says so.", judge=judge)
    store.opinions.put("digest", opinion)
    assert store.opinions.get("digest", judge) == opinion
    store.opinions.flush()
    assert store.opinions.get("digest", judge) == opinion
    assert store.opinions.get("digest", replace(judge, model="m-2")) is None


def test_pairs_are_listed_newest_first_in_pages(store: Store) -> None:
    ids = [ordered(store, f"key-{number}").id for number in range(5)]
    first = store.pairs(limit=2)
    second = store.pairs(limit=2, after=first.after)
    third = store.pairs(limit=2, after=second.after)
    found = [pair.id for page in (first, second, third) for pair in page.items]
    assert sorted(found, reverse=True) == found
    assert set(found) == set(ids)
    assert third.after is None


def test_runs_are_listed_with_their_pair_or_alone(store: Store) -> None:
    pair = ordered(store)
    alone = store.run("alone", order()[2], CANDIDATE)
    assert {run.id for run in store.runs().items} == {pair.baseline.id, pair.candidate.id, alone.id}
    assert [run.id for run in store.runs(alone=True).items] == [alone.id]


def test_the_latest_pair_is_the_one_ordered_last(store: Store) -> None:
    with pytest.raises(NotFound):
        store.latest_pair()
    pairs = [ordered(store, key) for key in ("a", "b")]
    assert store.latest_pair().id == max(pair.id for pair in pairs)


def test_things_are_found_by_the_beginning_of_id_or_key(store: Store) -> None:
    pair = ordered(store, "nightly-1")
    ordered(store, "nightly-10")
    run = store.run("alone", order()[2], CANDIDATE)
    assert store.find(pair.id).id == pair.id
    assert store.find("nightly-1").id == pair.id
    found = store.find("alo")
    assert isinstance(found, StoredRun)
    assert found.id == run.id
    with pytest.raises(Conflict, match="begins the names of several"):
        store.find("night")
    with pytest.raises(NotFound):
        store.find("%")


def test_a_finished_pair_says_when_and_what(store: Store) -> None:
    pair = ordered(store)
    assert pair.finished_at is None
    store.finish(pair, {"UNCHANGED": 3})
    again = ordered(store)
    assert again.summary == {"UNCHANGED": 3}
    assert again.finished_at is not None
    assert again.candidate.finished_at is not None


def test_the_initial_state_of_a_file_is_kept_with_the_case(store: Store) -> None:
    documents = replace(library(SCENARIOS[:1]), states={"bank": {"accounts": {"A-1": {"balance": 70}}}})
    twin = documents.twins["bank"].model
    spec = twin.spec.model_copy(update={"initial_state": None, "initial_state_from": "state.json"})
    documents.twins["bank"] = replace(documents.twins["bank"], model=twin.model_copy(update={"spec": spec}))
    plan = planned(documents)
    run = store.run("k", Order.of(documents, plan), CANDIDATE)
    from tests.unit.run._scene import Contender, PythonAgent, pays, prepare, records

    contender = Contender(side="candidate", agent=PythonAgent(pays), manifest=CANDIDATE)
    from agenttwin.storage import Recorder

    with Recorder(store, {"candidate": run.id}) as recorder:
        for record in records(prepare(documents, plan, [contender])):
            recorder.add(record)
    assert store.case(run, "first").transcript.after.get(("accounts", "A-1", "balance")) == 60
