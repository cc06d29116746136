"""What is wrong with a scenario, a manifest or a dataset by itself is told in one line each."""

import pytest

from agenttwin.errors import CODES
from agenttwin.twin import FAULTS, milliseconds
from tests.unit.scenario._documents import DATASET, MANIFEST, document, problems, wrong

AT = "spec.expectations[0]"

EXPECTATION = {
    "another kind's field": ({"type": "noLoop", "tool": "pay"}, ".tool: ", "[unknown_field]"),
    "a slip in a kind": (
        {"type": "noDuplicateSideEfect"},
        ".type: ",
        "did you mean 'noDuplicateSideEffect'? One of: state, stateUnchanged, onlyChanged",
    ),
    "no kind": ({"critical": True}, ".type: ", "the field 'type' is missing. One of: state, stateUnchanged"),
    "a field that is missing": ({"type": "state"}, ".path: ", "[missing_field]"),
    "a path": (
        {"type": "state", "path": "orders..A"},
        ".path: ",
        "(character 8 of 'orders..A') [invalid_path]",
    ),
    "one of several paths": (
        {"type": "onlyChanged", "paths": ["orders", "a b"]},
        ".paths[1]: ",
        "[invalid_path]",
    ),
    "a path of arguments": ({"type": "toolArgs", "tool": "pay", "path": "[x]"}, ".path: ", "[invalid_path]"),
    "a pattern": (
        {"type": "outputRegex", "pattern": "(a"},
        ".pattern: ",
        "'(a' is not a pattern: missing ): (a [invalid_value]",
    ),
    "a pattern that looks back": (
        {"type": "state", "path": "a", "matches": r"(a)\1"},
        ".matches: ",
        r"invalid escape sequence: \1 [invalid_value]",
    ),
    "an operand": ({"type": "state", "path": "a", "gte": [1]}, ".gte: ", "[wrong_type]"),
    "a comparator without its path": (
        {"type": "outcomeVerified", "equals": 1},
        ": ",
        "comparators need a path, since they compare what stands there [missing_field]",
    ),
    "a schema": (
        {"type": "outputJsonSchema", "schema": {"type": "objct"}},
        ".schema.type: ",
        "'objct' is no type of JSON Schema; did you mean 'object'? One of: array, boolean, integer, null,"
        " number, object, string [invalid_schema]",
    ),
    "a schema that leads elsewhere": (
        {"type": "outputJsonSchema", "schema": {"$ref": "https://example.com/schema.json"}},
        ".schema['$ref']: ",
        "the reference 'https://example.com/schema.json' leads out of the document; nothing is fetched"
        " [remote_reference]",
    ),
    "a schema's reference that leads nowhere": (
        {"type": "outputJsonSchema", "schema": {"items": {"$ref": "#/$defs/a~1b"}, "$defs": {"a": {}}}},
        ".schema.items['$ref']: ",
        "the reference '#/$defs/a~1b' leads nowhere [invalid_schema]",
    ),
    "an outcome": (
        {"type": "finalOutcome", "equals": "SUCESS"},
        ".equals: ",
        "did you mean 'SUCCESS'? One of: SUCCESS, PARTIAL, FAILURE, ESCALATED, REFUSED, UNKNOWN",
    ),
    "a threshold": ({"type": "semantic", "rubric": "x", "threshold": 1.5}, ".threshold: ", "[out_of_range]"),
    "a secret of three letters": (
        {"type": "noSecretDisclosure", "secrets": ["abc"]},
        ".secrets[0]: ",
        "[wrong_length]",
    ),
    "truth for a number": ({"type": "maxSteps", "value": True}, ".value: ", "[wrong_type]"),
    "a negative limit": ({"type": "maxRetries", "value": -1}, ".value: ", "[out_of_range]"),
    "the 0th call": (
        {"type": "toolStatus", "tool": "pay", "status": 200, "call": 0},
        ".call: ",
        "[out_of_range]",
    ),
    "nothing that must come first": (
        {"type": "order", "mustCall": [], "before": ["pay"]},
        ".mustCall: ",
        "[wrong_length]",
    ),
    "the reserved id": (
        {"type": "noLoop", "id": "agent-finished"},
        ".id: ",
        "the id 'agent-finished' belongs to the expectation that every case has [reserved_id]",
    ),
}


@pytest.mark.parametrize(("expectation", "place", "message"), EXPECTATION.values(), ids=EXPECTATION)
def test_an_expectation(expectation, place, message):
    (said,) = wrong(expectation)
    assert said.startswith(f"{AT}{place}")
    assert message in said


SPEC = {
    "no message and no turns": (
        {"input": {"message": None}},
        "spec.input: an input has a message or turns, one of the two [missing_field]",
    ),
    "both": (
        {"input": {"turns": [{"say": "Hi"}]}},
        "spec.input: an input has a message or turns, one of the two [conflicting_fields]",
    ),
    "a tenant": (
        {"input": {"context": {"tenant": 7}}},
        "spec.input.context.tenant: tenant must be text [wrong_type]",
    ),
    "a customer": (
        {"input": {"context": {"customer_id": ["CUS-1"]}}},
        "spec.input.context.customer_id: customer_id must be text [wrong_type]",
    ),
    "a time of another type": (
        {"input": {"context": {"now": 7}}},
        "spec.input.context.now: now must be text [wrong_type]",
    ),
    "a time": (
        {"input": {"context": {"now": "tomorrow"}}},
        "spec.input.context.now: 'tomorrow' is no time such as 2026-01-01T00:00:00Z [invalid_time]",
    ),
    "a duration": (
        {"input": {"message": None, "turns": [{"say": "Hi"}, {"say": "So?", "after": "24h"}]}},
        "spec.input.turns[1].after: '24h' is no duration such as PT24H or P1DT30M [invalid_duration]",
    ),
    "a document twice": (
        {"input": {"documents": [{"id": "a", "content": "1"}, {"id": "a", "content": "2"}]}},
        "spec.input.documents[1].id: 'a' stands twice [duplicate_id]",
    ),
    "what is covered": (
        {"covers": ["tool:pay", "tol:pay"]},
        "warning: spec.covers[1]: 'tol:pay' names nothing that is known to be covered; write"
        " kind:name; did you mean 'tool'? One of: tool, fault, policy, threat, retrieval [unknown_cover]",
    ),
    "what is covered, without a kind": (
        {"covers": ["refunds"]},
        "warning: spec.covers[0]: 'refunds' names nothing that is known to be covered; write kind:name."
        " One of: tool, fault, policy, threat, retrieval [unknown_cover]",
    ),
    "a fault that is covered": (
        {"covers": ["fault:delay", "fault:delai"]},
        "warning: spec.covers[1]: there is no kind of fault 'delai'; did you mean 'delay'? One of:"
        f" {', '.join(FAULTS)} [unknown_cover]",
    ),
    "a day that is none": (
        {"expectedFailures": [{"expectation": "e1", "reason": "known", "until": "2026-02-30"}]},
        "spec.expectedFailures[0].until: '2026-02-30' is no day of the calendar [invalid_time]",
    ),
    "a fault's id twice": (
        {"faults": [{"id": "f", "target": "pay", "behavior": {"type": "delay"}}] * 2},
        "spec.faults[1].id: 'f' stands twice [duplicate_id]",
    ),
    "an expectation's id twice": (
        {"expectations": [{"type": "noLoop", "id": "a"}, {"type": "maxSteps", "value": 3, "id": "a"}]},
        "spec.expectations[1].id: 'a' stands twice [duplicate_id]",
    ),
    "an id that another has by its place": (
        {"expectations": [{"type": "noLoop", "id": "e2"}, {"type": "noLoop"}]},
        "spec.expectations[1].id: 'e2' stands twice [duplicate_id]",
    ),
    "an expected failure of nothing": (
        {"expectedFailures": [{"expectation": "agent-finishd", "reason": "known"}]},
        "spec.expectedFailures[0].expectation: the scenario has no expectation 'agent-finishd'; did you mean"
        " 'agent-finished'? One of: agent-finished, e1 [unknown_expectation]",
    ),
    "a metric that may be unknown": (
        {"expectations": [{"type": "maxTokens", "value": 9, "critical": True}]},
        "warning: spec.expectations[0].critical: maxTokens is skipped where the agent reports no usage, and a"
        " critical one then leaves the case unjudged [may_be_skipped]",
    ),
    "a latency that may be unknown": (
        {"expectations": [{"type": "maxLatencyMs", "value": 9, "critical": True}]},
        "warning: spec.expectations[0].critical: maxLatencyMs is skipped where the latency was not"
        " measured, and a critical one then leaves the case unjudged [may_be_skipped]",
    ),
    "an outcome that nobody claims": (
        {"expectations": [{"type": "finalOutcome", "equals": "UNKNOWN"}]},
        "warning: spec.expectations[0].equals: an agent that claims nothing is not judged, so this"
        " expectation is always skipped [may_be_skipped]",
    ),
}


@pytest.mark.parametrize(("spec", "message"), SPEC.values(), ids=SPEC)
def test_a_scenario(spec, message):
    assert wrong(**spec) == [message]


@pytest.mark.parametrize(("spec", "message"), SPEC.values(), ids=SPEC)
def test_its_codes_are_in_the_table(spec, message):
    assert message.rpartition("[")[2].rstrip("]") in CODES


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({"expectations": []}, "wrong_length"),
        ({"twin": None}, "missing_field"),
        ({"metadata": {"severity": "urgent"}}, "unknown_value"),
        ({"metadata": {"name": "Refund Happy Path"}}, "pattern_mismatch"),
        ({"timeoutSeconds": 0}, "out_of_range"),
        ({"trials": 0}, "out_of_range"),
        ({"simulationMode": "loose"}, "unknown_value"),
        ({"allowedTool": []}, "unknown_field"),
        ({"expectedFailures": [{"expectation": "e1", "reason": "x", "until": "soon"}]}, "pattern_mismatch"),
        ({"seed": "7"}, "wrong_type"),
    ],
)
def test_types_and_words_are_checked(spec, code):
    (said,) = wrong(**spec)
    assert said.endswith(f"[{code}]")


def test_every_problem_is_told_at_once():
    spec = {
        "input": {"context": {"now": "tomorrow"}},
        "covers": ["x"],
        "expectations": [{"type": "state", "path": ".."}, {"type": "outputRegex", "pattern": "("}],
    }
    assert len(wrong(**spec)) == 4


@pytest.mark.parametrize("kind", ["maxTokens", "maxCostUsd", "maxLatencyMs", "maxSteps"])
def test_a_metric_that_is_not_critical_may_be_unknown(kind):
    assert wrong({"type": kind, "value": 1}) == []


def test_steps_are_always_known():
    assert wrong({"type": "maxSteps", "value": 1, "critical": True}) == []


@pytest.mark.parametrize("duration", ["PT24H", "P1D", "P1DT30M", "PT0S", "PT1H2M3S"])
def test_a_turn_may_come_later(duration):
    assert wrong(input={"message": None, "turns": [{"say": "Hi", "after": duration}]}) == []


@pytest.mark.parametrize(
    "duration", ["", "P", "PT", "P1DT", "1D", "PT1.5H", "P1Y", "-PT1H", "P999999999D", "pt1h", "PT\u0661H"]
)
def test_but_only_by_a_duration(duration):
    (said,) = wrong(input={"message": None, "turns": [{"say": "Hi", "after": duration}]})
    assert said.endswith("[invalid_duration]")


@pytest.mark.parametrize(
    ("duration", "ms"),
    [
        ("PT0S", 0),
        ("PT1S", 1_000),
        ("PT24H", 86_400_000),
        ("P1D", 86_400_000),
        ("P1DT2H3M4S", 93_784_000),
        ("P36600D", 36_600 * 86_400_000),
        ("P36601D", None),
        ("P" + "9" * 50 + "D", None),
        ("PT", None),
        ("P1W", None),
        (" PT1S", None),
    ],
)
def test_a_duration_is_so_many_milliseconds(duration, ms):
    assert milliseconds(duration) == ms


def test_the_implicit_expectation_may_be_expected_to_fail():
    assert wrong(expectedFailures=[{"expectation": "agent-finished", "reason": "known"}]) == []


def test_a_whole_scenario_loads_unchanged():
    assert (
        wrong(
            {
                "type": "state",
                "path": "orders.A.count",
                "equals": 0,
                "category": "money",
                "description": "Nothing happens.",
            },
            metadata={
                "tags": ["a"],
                "owner": "team",
                "description": "x",
                "source": "production_regression",
                "sourceTraceId": "4bf9",
                "generated": {"by": "miner", "evidence": ["t1"], "reviewed": True},
            },
            input={
                "context": {"tenant": "demo", "now": "2026-01-01T00:00:00Z", "customer_id": "C", "vip": True},
                "documents": [{"id": "d", "content": "x", "trusted": True}],
            },
            state={"orders": {"A": None}},
            allowedTools=["pay"],
            covers=["tool:pay", "threat:injection", "retrieval:kb"],
            faults=[
                {
                    "id": "f",
                    "target": "risk:READ",
                    "when": {"firstN": 2},
                    "behavior": {"type": "delay", "delayMs": 5},
                }
            ],
            seed=7,
            trials=3,
            timeoutSeconds=1.5,
            simulationMode="strict",
            expectedFailures=[{"expectation": "e1", "reason": "known", "until": "2026-12-31"}],
        )
        == []
    )


# -- manifests


def test_a_whole_manifest_loads_unchanged():
    assert (
        problems(
            MANIFEST,
            metadata={"version": "1.2.0-rc.1+build.5", "description": "x", "labels": {"team": "support"}},
            model={
                "provider": "scripted",
                "name": "p",
                "temperature": 0,
                "maxTokens": 9,
                "params": {"k": [1]},
            },
            limits={"maxSteps": 5, "maxToolCalls": 0, "maxDurationSeconds": 1.5, "maxCostUsd": 0},
            tools=[
                {
                    "name": "pay",
                    "version": "2",
                    "description": "x",
                    "risk": "READ",
                    "inputSchema": {"type": "object"},
                },
                {
                    "name": "look",
                    "risk": {
                        "level": "ADMIN",
                        "dimensions": {"money": "high"},
                        "compensatingAction": "refund",
                    },
                    "approval": {"requiredWhen": "amount > 100"},
                },
            ],
            retrieval={"sources": [{"name": "kb", "kind": "documents"}]},
            data={"captureContent": True, "contentMode": "full", "piiMode": "mask"},
            runtime={"endpoint": "http://localhost:8080"},
            expectedOutcomes=["refunded", {"name": "escalated"}],
            dependencies=[
                {
                    "tool": "pay",
                    "dependsOn": [
                        {"kind": "api", "name": "stripe", "relation": "calls", "criticality": "high"}
                    ],
                }
            ],
        )
        == []
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            {"promptRef": {"name": "p", "sha256": "0" * 64}},
            "spec.promptRef: a manifest has instructions or promptRef, not both [conflicting_fields]",
        ),
        (
            {"tools": [{"name": "pay"}, {"name": "pay"}]},
            "spec.tools[1].name: 'pay' stands twice [duplicate_name]",
        ),
    ],
)
def test_a_manifest(spec, message):
    assert problems(MANIFEST, **spec) == [message]


@pytest.mark.parametrize("version", ["1", "1.0", "v1.0.0", "01.0.0", "1.0.0-"])
def test_a_version_is_a_semver(version):
    (said,) = problems(MANIFEST, metadata={"version": version})
    assert said.endswith("[pattern_mismatch]")


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ({"provider": "scripted"}, "deterministic-fake"),
        ({"provider": "anthropic"}, "llm"),
        ({"name": "x"}, "unknown"),
        (None, "unknown"),
    ],
)
def test_the_manifest_says_what_is_behind_the_agent(model, kind):
    assert document(MANIFEST, model=model).model.model_kind == kind


# -- datasets


def test_a_dataset_pins_a_scenario_once():
    case = {"scenario": "pays-once", "digest": "0" * 64}
    assert problems(DATASET, cases=[case, case]) == [
        "spec.cases[1].scenario: 'pays-once' stands twice [duplicate_name]"
    ]


def test_a_dataset_is_not_empty():
    (said,) = problems(DATASET, cases=[])
    assert said.endswith("[wrong_length]")


def test_a_whole_dataset_loads_unchanged():
    case = {
        "scenario": "a",
        "digest": f"sha256:{'0' * 64}",
        "tags": ["x"],
        "source": "prod",
        "privacy": "redacted",
        "note": "n",
    }
    assert problems(DATASET, metadata={"description": "x", "tags": ["y"]}, cases=[case]) == []
