"""What does not fit between documents is told with the place, the nearest name and the valid ones."""

import pytest

from agenttwin.errors import CODES, NotFound
from agenttwin.scenario import Library, check
from tests.unit.scenario._documents import (
    DATASET,
    MANIFEST,
    SCENARIO,
    TWIN,
    document,
    library,
    mismatches,
    scenario,
    told,
)

TOOLS = "One of: look, pay [unknown_tool]"
RISKS = "risk:READ, risk:WRITE_REVERSIBLE, risk:WRITE_IRREVERSIBLE, risk:EXECUTE, risk:ADMIN"
TARGETS = f"One of: *, look, pay, {RISKS}"
DELAY = {"type": "delay"}

REFERENCES = {
    "an agent": (
        scenario(agent="clark"),
        "spec.agent: there is no agent 'clark'; did you mean 'clerk'? One of: clerk [unknown_agent]",
    ),
    "a twin": (
        scenario(twin="shopp"),
        "spec.twin: there is no twin 'shopp'; did you mean 'shop'? One of: shop [unknown_twin]",
    ),
    "an allowed tool": (
        scenario(allowedTools=["look", "pray"]),
        f"spec.allowedTools[1]: there is no tool 'pray'; did you mean 'pay'? {TOOLS}",
    ),
    "a covered tool": (
        scenario(covers=["tool:pay", "tool:loook"]),
        f"spec.covers[1]: there is no tool 'loook'; did you mean 'look'? {TOOLS}",
    ),
    "an expected tool": (
        scenario({"type": "noLoop"}, {"type": "toolCalled", "tool": "send_email"}),
        f"spec.expectations[1].tool: there is no tool 'send_email'. {TOOLS}",
    ),
    "a tool that must be called": (
        scenario({"type": "order", "mustCall": ["look", "lock"], "before": ["pay"]}),
        f"spec.expectations[0].mustCall[1]: there is no tool 'lock'; did you mean 'look'? {TOOLS}",
    ),
    "a tool before which it must": (
        scenario({"type": "order", "mustCall": ["look"], "before": ["pai"]}),
        f"spec.expectations[0].before[0]: there is no tool 'pai'; did you mean 'pay'? {TOOLS}",
    ),
    "a fault's target": (
        scenario(faults=[{"target": "pays", "behavior": DELAY}]),
        f"spec.faults[0].target: there is no tool 'pays'; did you mean 'pay'? {TARGETS} [unknown_tool]",
    ),
    "a fault's risk": (
        scenario(faults=[{"target": "risk:WRITE", "behavior": DELAY}]),
        f"spec.faults[0].target: there is no tool 'risk:WRITE'; did you mean 'risk:READ'? {TARGETS}"
        f" [unknown_tool]",
    ),
    "a fault rule": (
        scenario(
            {"type": "faultFired", "rule": "slow"},
            faults=[{"id": "slower", "target": "*", "behavior": DELAY}],
        ),
        "spec.expectations[0].rule: there is no fault rule 'slow'; did you mean 'slower'? One of: slower"
        " [unknown_fault_rule]",
    ),
    "any fault": (
        scenario({"type": "faultFired"}),
        "spec.expectations[0]: the scenario has no fault [unknown_fault_rule]",
    ),
    "a state path": (
        scenario({"type": "state", "path": "order.A.count", "equals": 1}),
        "warning: spec.expectations[0].path: the state has no 'order', and no effect makes it; did"
        " you mean 'orders'? [unlikely_state_path]",
    ),
    "one of several state paths": (
        scenario({"type": "onlyChanged", "paths": ["orders", "logs"]}),
        "warning: spec.expectations[0].paths[1]: the state has no 'logs', and no effect makes it;"
        " did you mean 'log'? [unlikely_state_path]",
    ),
}


@pytest.mark.parametrize(("given", "message"), REFERENCES.values(), ids=REFERENCES)
def test_a_reference_that_leads_nowhere(given, message):
    assert mismatches(given) == [message]


@pytest.mark.parametrize(("given", "message"), REFERENCES.values(), ids=REFERENCES)
def test_its_code_is_in_the_table(given, message):
    assert message.rpartition("[")[2].rstrip("]") in CODES


def test_what_fits_is_not_told():
    fits = scenario(
        {"type": "toolCalled", "tool": "pay"},
        {"type": "order", "mustCall": ["look"], "before": ["pay"]},
        {"type": "faultFired", "rule": "0"},
        {"type": "faultFired"},
        {"type": "state", "path": "orders.A.count"},
        {"type": "state", "path": "log[0]"},
        {"type": "state", "path": "extra.x"},
        {"type": "outcomeVerified"},
        {"type": "outputJsonPath", "path": "whatever"},
        {"type": "toolArgs", "tool": "pay", "path": "whatever"},
        allowedTools=["look", "pay"],
        covers=["tool:pay", "fault:delay"],
        faults=[{"target": "*", "behavior": DELAY}, {"target": "risk:READ", "behavior": DELAY}],
        state={"extra": {"x": 1}},
    )
    assert mismatches(fits) == []


def test_a_problem_names_its_place_in_the_file():
    (problem,) = check(library(scenario(agent="clark")))
    assert str(problem.location).startswith("Scenario.json:1:")


def test_a_scenario_may_leave_its_agent_open():
    assert mismatches(scenario(agent=None)) == []


# -- the state's schema

SCHEMA = {
    "type": "object",
    "properties": {
        "orders": {"type": "object", "additionalProperties": {"properties": {"count": {"type": "integer"}}}}
    },
    "additionalProperties": False,
}


NO_WRITES = [TWIN["spec"]["tools"][0]]


def typed(**more):
    spec = {"initialState": {"kb": None}, "stateSchema": SCHEMA, "tools": NO_WRITES}
    return document(TWIN, **spec, **more)


def test_a_schema_makes_a_wrong_path_an_error():
    assert mismatches(typed(), scenario({"type": "state", "path": "order.A"})) == [
        "spec.expectations[0].path: the state's schema has no 'order' here; did you mean 'orders'?"
        " [unknown_state_path]"
    ]


def test_a_state_must_fit_the_schema_too():
    given = scenario(state={"orders": {"A": {"count": "many"}}, "more": 1})
    assert sorted(mismatches(typed(), given)) == [
        'spec.state.orders.A.count: the state does not fit the twin\'s stateSchema: "many" is not of type'
        ' "integer" [state_mismatch]',
        "spec.state: the state does not fit the twin's stateSchema: Additional properties are not"
        " allowed ('more' was unexpected) [state_mismatch]",
    ]


def test_a_state_that_fits_is_not_told():
    assert mismatches(typed(), scenario(state={"orders": {"A": {"count": 3}, "B": {"count": 0}}})) == []


def test_no_more_than_three_misfits_are_told():
    given = scenario(state={"orders": {name: {"count": "x"} for name in "ABCDE"}})
    assert len(mismatches(typed(), given)) == 3


def test_a_state_kept_in_a_file_counts():
    twin = document(TWIN, initialState=None, initialStateFrom="state.json")
    given = scenario({"type": "state", "path": "carts.A"}, {"type": "state", "path": "orders.A"})
    (said,) = mismatches(twin, given, states={"shop": {"carts": {}}})
    assert "the state has no 'orders'" in said
    assert mismatches(twin, scenario({"type": "state", "path": "x"}), states={}) == []


def test_a_state_kept_in_a_file_must_fit_the_schema():
    twin = document(
        TWIN, initialState=None, initialStateFrom="state.json", stateSchema=SCHEMA, tools=NO_WRITES
    )
    assert mismatches(twin, states={"shop": {"orders": {"A": {"count": "many"}}}}) == [
        'spec.initialStateFrom: the state does not fit the twin\'s stateSchema: "many" is not of type'
        ' "integer" [state_mismatch]'
    ]
    assert mismatches(twin, states={"shop": {"orders": {}}}) == []


# -- arguments


PAY = {
    "name": "pay",
    "inputSchema": {"type": "object", "properties": {"order_id": {}, "amount": {}}},
    "handler": {"kind": "echo"},
}


def declared():
    return document(TWIN, tools=[PAY, {"name": "free", "handler": {"kind": "echo"}}])


def test_a_text_of_a_fault_names_arguments_of_the_tool_it_befalls():
    behavior = {"type": "http_500", "message": "{order_id} {oder_id} {$id}", "body": {"a": "{amont}"}}
    assert mismatches(declared(), scenario(faults=[{"target": "pay", "behavior": behavior}])) == [
        "spec.faults[0].behavior.message: {oder_id}: 'oder_id' is neither an argument nor a root (character"
        " 12); did you mean 'order_id'? [unknown_name]",
        "spec.faults[0].behavior.body.a: {amont}: 'amont' is neither an argument nor a root; did you mean"
        " 'amount'? [unknown_name]",
    ]


@pytest.mark.parametrize("target", ["*", "free", "risk:READ"])
def test_a_fault_that_may_befall_any_tool_may_name_any_argument(target):
    behavior = {"type": "http_500", "message": "{oder_id}"}
    assert mismatches(declared(), scenario(faults=[{"target": target, "behavior": behavior}])) == []


def test_arguments_that_a_fault_waits_for_should_be_declared():
    rule = {"target": "pay", "when": {"argsMatch": {"oder_id": 1, "amount": 1}}, "behavior": DELAY}
    assert mismatches(declared(), scenario(faults=[rule])) == [
        "warning: spec.faults[0].when.argsMatch.oder_id: the inputSchema of 'pay' declares no argument"
        " 'oder_id'; did you mean 'order_id'? One of: amount, order_id [unknown_argument]"
    ]


def test_arguments_that_are_expected_should_be_declared():
    given = scenario(
        {"type": "toolArgs", "tool": "pay", "path": "amount.value"},
        {"type": "toolArgs", "tool": "pay", "path": "amont"},
        {"type": "toolArgs", "tool": "free", "path": "amont"},
    )
    assert mismatches(declared(), given) == [
        "warning: spec.expectations[1].path: the inputSchema of 'pay' declares no argument 'amont'; did you"
        " mean 'amount'? One of: amount, order_id [unknown_argument]"
    ]


# -- names and versions


def test_a_name_stands_once():
    assert mismatches(scenario(), document(SCENARIO, file="other.json")) == [
        "metadata.name: the Scenario 'pays-once' stands in Scenario.json too [duplicate_name]"
    ]


def test_a_twin_and_a_scenario_may_have_one_name():
    assert mismatches(scenario(metadata={"name": "shop"})) == []


def test_a_version_with_other_content_is_refused():
    changed = document(MANIFEST, file="b.json", instructions="Be quick.")
    assert mismatches(document(MANIFEST, file="a.json"), changed) == [
        "metadata.version: version 1.0.0 of 'clerk' stands in a.json with other content [duplicate_name]"
    ]


def test_the_same_manifest_twice_does_no_harm():
    assert mismatches(document(MANIFEST, file="a.json"), document(MANIFEST, file="b.json")) == []


def test_the_first_of_a_name_is_kept():
    first, second = scenario(), document(SCENARIO, file="other.json")
    kept = library(first, second)
    assert kept.scenarios["pays-once"] is first
    assert kept.repeated == ((first, second),)


def test_an_agent_that_nobody_runs_is_told():
    (said,) = mismatches(document(MANIFEST, metadata={"name": "clark"}), agents=("clerk",))
    assert said == (
        "metadata.name: there is no agent 'clark'; did you mean 'clerk'? One of: clerk [unknown_agent]"
    )


def test_without_a_list_the_agents_are_those_with_a_manifest():
    assert library(document(MANIFEST, metadata={"version": "2.0.0"})).agents == ("clerk",)


# -- risks


def test_a_risk_that_disagrees_is_told():
    manifest = document(
        MANIFEST, tools=[{"name": "look", "risk": "READ"}, {"name": "pay", "risk": "WRITE_REVERSIBLE"}]
    )
    assert mismatches(manifest, scenario()) == [
        "warning: spec.tools[1].risk: the twin 'shop' says WRITE_IRREVERSIBLE of 'pay' [risk_mismatch]"
    ]


def test_a_risk_with_reasons_is_held_against_the_twin_too():
    manifest = document(MANIFEST, tools=[{"name": "pay", "risk": {"level": "READ"}}])
    assert len(mismatches(manifest, scenario(agent=None))) == 1


def test_a_risk_that_is_not_said_agrees():
    assert mismatches(document(MANIFEST, tools=[{"name": "pay"}, {"name": "other"}]), scenario()) == []


def test_a_twin_that_the_agent_never_meets_says_nothing():
    manifest = document(MANIFEST, tools=[{"name": "pay", "risk": "READ"}])
    other = document(MANIFEST, metadata={"name": "other"})
    assert mismatches(manifest, other, scenario(agent="other")) == []


# -- datasets


def test_a_dataset_names_scenarios():
    assert mismatches(scenario(metadata={"name": "pays-twice"}), document(DATASET)) == [
        "spec.cases[0].scenario: there is no scenario 'pays-once'; did you mean 'pays-twice'? One"
        " of: pays-twice [unknown_scenario]"
    ]


def test_a_dataset_pins_content():
    given = scenario()
    assert mismatches(given, document(DATASET)) == [
        f"spec.cases[0].digest: 'pays-once' has changed since it was pinned; it is {given.digest} now"
        f" [digest_mismatch]"
    ]


@pytest.mark.parametrize("prefix", ["", "sha256:"])
def test_the_right_digest_fits(prefix):
    given = scenario()
    case = {"scenario": "pays-once", "digest": prefix + given.digest.removeprefix("sha256:")}
    assert mismatches(given, document(DATASET, cases=[case])) == []


# -- looking things up


def test_versions_come_lowest_first():
    order = [
        "0.9.0",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.9",
        "1.0.0-alpha.10",
        "1.0.0-beta",
        "1.0.0",
        "1.2.0",
        "1.10.0+b",
    ]
    kept = Library.of(document(MANIFEST, metadata={"version": version}) for version in reversed(order))
    assert kept.versions("clerk") == tuple(order)
    assert kept.versions("nobody") == ()


def test_a_manifest_is_found_by_its_version():
    assert library().manifest("clerk", "1.0.0").model.metadata.version == "1.0.0"


@pytest.mark.parametrize(
    ("agent", "version", "message"),
    [
        ("clerk", "1.0.1", "There is no version 1.0.1 of clerk. Did you mean 1.0.0? There are: 1.0.0."),
        ("clerk", "x", "There is no version x of clerk. There are: 1.0.0."),
        ("nobody", "1.0.0", "There is no version 1.0.0 of nobody."),
    ],
)
def test_a_version_that_is_not_there_is_told_with_those_that_are(agent, version, message):
    with pytest.raises(NotFound) as caught:
        library().manifest(agent, version)
    assert (caught.value.code, caught.value.message) == ("unknown_version", message)


def test_a_twin_is_its_document_and_its_state():
    plain, kept = library(), library(states={"shop": {"a": 1}})
    assert plain.twin_digest("shop") == document(TWIN).digest
    assert kept.twin_digest("shop") not in (
        plain.twin_digest("shop"),
        library(states={"shop": {"a": 2}}).twin_digest("shop"),
    )
    assert kept.twin_digest("shop") == library(states={"shop": {"a": 1.0}}).twin_digest("shop")


def test_warnings_and_errors_can_be_told_apart():
    found = check(library(scenario({"type": "state", "path": "nowhere"}, agent="clark")))
    assert [problem.warning for problem in found] == [False, True]
    assert told(found)[1].startswith("warning: ")
