"""Choosing scenarios by suite, name, tag and severity; pinning what a run will be."""

import pytest

from agenttwin.errors import NotFound
from agenttwin.scenario import Filters, Suite, plan, select, suite_findings, version_of
from agenttwin.values import trial_seed
from tests.unit.scenario._documents import DATASET, MANIFEST, TWIN, document, library, scenario

HEX = "0123456789abcdef"


def named(name, severity="high", tags=(), **spec):
    return scenario(metadata={"name": name, "severity": severity, "tags": list(tags)}, **spec)


SHOP = library(
    named("refund-a", "low", ["money", "smoke"]),
    named("refund-b", "critical", ["money"]),
    named("status", "medium", ["smoke"]),
    named("open", "high", agent=None),
    named("elsewhere", agent="other"),
    document(MANIFEST, metadata={"name": "other"}),
)
SUITES = {
    "refunds": Suite(scenarios=("refund-*",)),
    "mixed": Suite(scenarios=("status", "refund-?"), tags=("smoke",)),
    "tagged": Suite(tags=("smoke",)),
    "empty": Suite(),
}


def chosen(default=None, shop=SHOP, agent="clerk", **filters):
    selection = select(shop, agent=agent, filters=Filters(**filters), suites=SUITES, default_suite=default)
    return [item.model.name for item in selection]


def test_without_filters_every_scenario_of_the_agent_is_chosen():
    assert chosen() == ["open", "refund-a", "refund-b", "status"]


def test_the_default_suite_holds_where_nothing_was_asked_for():
    assert chosen("tagged") == ["refund-a", "status"]


def test_any_filter_takes_its_place():
    assert chosen("tagged", scenarios=("refund-b",)) == ["refund-b"]
    assert chosen("tagged", severities=("high",)) == ["open"]
    assert chosen("tagged", failed=("open",)) == ["open"]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"suites": ("refunds",)}, ["refund-a", "refund-b"]),
        ({"suites": ("mixed",)}, ["refund-a", "refund-b", "status"]),
        ({"suites": ("tagged",)}, ["refund-a", "status"]),
        ({"suites": ("tagged", "refunds")}, ["refund-a", "refund-b", "status"]),
        ({"suites": ("empty",)}, []),
        ({"scenarios": ("status", "refund-b")}, ["refund-b", "status"]),
        ({"scenarios": ("*-b",)}, ["refund-b"]),
        ({"scenarios": ("REFUND-B",)}, []),
        ({"tags": ("smoke",)}, ["refund-a", "status"]),
        ({"tags": ("smoke", "money")}, ["refund-a", "refund-b", "status"]),
        ({"severities": ("critical", "low")}, ["refund-a", "refund-b"]),
        ({"failed": ("refund-a", "gone")}, ["refund-a"]),
        ({"failed": ()}, []),
    ],
)
def test_the_entries_of_one_filter_add_up(filters, names):
    assert chosen(**filters) == names


def test_different_filters_narrow():
    assert chosen(suites=("refunds",), tags=("smoke",)) == ["refund-a"]
    assert chosen(tags=("money",), severities=("critical",), scenarios=("refund-*",)) == ["refund-b"]
    assert chosen(suites=("refunds",), tags=("smoke",), severities=("critical",)) == []


def test_another_agents_scenarios_are_not_chosen():
    assert chosen(scenarios=("elsewhere",)) == []
    assert chosen(agent="other") == ["elsewhere", "open"]


def test_a_dataset_can_be_chosen_like_a_suite():
    case = {"scenario": "status", "digest": SHOP.scenarios["status"].digest}
    shop = library(*SHOP.scenarios.values(), document(DATASET, cases=[case]))
    assert chosen(shop=shop, suites=("golden",)) == ["status"]
    assert chosen("golden", shop=shop) == ["status"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("refund", "There is no suite 'refund'. Did you mean 'refunds'?"), ("zzz", "There is no suite 'zzz'.")],
)
def test_a_suite_that_does_not_exist_is_told(name, message):
    with pytest.raises(NotFound) as caught:
        chosen(suites=(name,))
    assert (caught.value.code, caught.value.message) == ("unknown_suite", message)


def test_a_default_suite_that_does_not_exist_is_told_too():
    with pytest.raises(NotFound):
        chosen("zzz")


def test_a_default_suite_that_is_not_asked_for_is_not_looked_up():
    assert chosen("zzz", tags=("smoke",)) == ["refund-a", "status"]


# -- suites of the workspace


def findings(suites, default=None, shop=SHOP):
    return [
        (item.at, item.code, item.nearest, item.warning) for item in suite_findings(shop, suites, default)
    ]


def test_suites_that_fit_are_not_told():
    assert findings(SUITES, "mixed") == []


def test_a_name_that_leads_nowhere_is_an_error():
    suites = {"s": Suite(scenarios=("status", "refund-c"))}
    assert findings(suites) == [(("suites", "s", "scenarios", 1), "unknown_scenario", "refund-b", False)]


def test_a_pattern_or_a_tag_that_matches_nothing_is_told():
    suites = {"s": Suite(scenarios=("x-*", "refund-[xy]", "x?"), tags=("smoke", "slow"))}
    assert findings(suites) == [
        (("suites", "s", "scenarios", 0), "matches_nothing", None, True),
        (("suites", "s", "scenarios", 1), "matches_nothing", None, True),
        (("suites", "s", "scenarios", 2), "matches_nothing", None, True),
        (("suites", "s", "tags", 1), "matches_nothing", None, True),
    ]


def test_a_default_suite_must_exist():
    assert findings(SUITES, "refund") == [(("default_suite",), "unknown_suite", "refunds", False)]
    assert findings({}, "golden", library(document(DATASET))) == []


# -- the plan


def pinned(shop=SHOP, names=None, seed=7, trials=1, agent="clerk"):
    documents = [shop.scenarios[name] for name in names or ("status", "refund-b", "refund-a")]
    return plan(shop, documents, agent=agent, seed=seed, trials=trials)


def test_the_worst_come_first():
    assert [(case.scenario, case.trial) for case in pinned(trials=2).cases] == [
        ("refund-b", 1), ("refund-b", 2), ("status", 1), ("status", 2), ("refund-a", 1), ("refund-a", 2),
    ]  # fmt: skip


def test_a_trial_is_pinned_to_digests_and_its_seed():
    (case,) = pinned(names=["status"]).cases
    assert case.seed == trial_seed(7, "status", 1)
    assert case.pins["scenario"] == SHOP.scenarios["status"].digest
    assert case.pins["twin"] == document(TWIN).digest
    assert case.pins["seed"] == case.seed
    assert set(case.pins) == {"scenario", "twin", "evaluators", "seed"}


def test_a_seed_does_not_depend_on_what_else_is_chosen():
    seeds = {case.scenario: case.seed for case in pinned().cases}
    assert pinned(names=["status"]).cases[0].seed == seeds["status"]


def test_trials_have_seeds_of_their_own():
    assert len({case.seed for case in pinned(trials=3).cases}) == 9


def test_a_scenario_may_have_a_seed_of_its_own():
    own = library(named("status", seed=0))
    assert pinned(own, ["status"]).cases[0].seed == trial_seed(0, "status", 1)


def test_equal_plans_have_equal_digests():
    assert pinned() == pinned(names=("refund-a", "status", "refund-b"))
    assert pinned().digest.startswith("sha256:")
    assert set(pinned().digest.removeprefix("sha256:")) <= set(HEX)


CHANGED_TWIN = document(TWIN, clock={"start": "2026-02-01T00:00:00Z"})


@pytest.mark.parametrize(
    "other",
    [
        lambda: pinned(seed=8),
        lambda: pinned(trials=2),
        lambda: pinned(agent="other"),
        lambda: pinned(names=["status"]),
        lambda: pinned(library(*SHOP.scenarios.values(), CHANGED_TWIN)),
        lambda: pinned(library(*SHOP.scenarios.values(), states={"shop": {"a": 1}})),
        lambda: pinned(
            library(*(SHOP.scenarios[n] for n in ("refund-a", "refund-b")), named("status", seed=1))
        ),
        lambda: pinned(library(*(SHOP.scenarios[n] for n in ("refund-a", "refund-b")), named("status"))),
    ],
    ids=["seed", "trials", "agent", "selection", "twin", "state", "own seed", "scenario"],
)
def test_whatever_is_run_changes_the_digest(other):
    assert other().digest != pinned().digest


def test_evaluator_versions_are_sealed(monkeypatch):
    before = pinned()
    monkeypatch.setattr("agenttwin.scenario._plan.evaluator_versions", lambda: {"state": 2})
    assert pinned().digest != before.digest
    assert pinned().cases[0].pins["evaluators"] != before.cases[0].pins["evaluators"]


def test_an_empty_plan_is_a_plan():
    assert plan(SHOP, [], agent="clerk", seed=0).cases == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [("1.3.0", (None, "1.3.0")), ("clerk@1.3.0", ("clerk", "1.3.0")), ("a@b@1.0.0", ("a@b", "1.0.0"))],
)
def test_a_version_may_name_its_agent(text, parts):
    assert version_of(text) == parts
