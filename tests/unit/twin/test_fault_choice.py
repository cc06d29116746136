"""Which fault befalls which call."""

import pytest
from pydantic import ValidationError

from agenttwin.values import draw
from tests.unit.twin._cases import Case, fault, twin

ECHO = {"kind": "echo"}
TWIN = twin(
    {"name": "a", "handler": ECHO},
    {"name": "b", "handler": ECHO},
    {"name": "look", "handler": {"kind": "read", "response": 1}},
)


def met(rules, calls, **given):
    """The rule that each call met; calls are names, or (name, arguments)."""
    case = Case(TWIN, faults=rules, **given)
    pairs = [(call, {}) if isinstance(call, str) else call for call in calls]
    return [case(name, **arguments).rule for name, arguments in pairs]


# targets


def test_a_rule_aims_at_a_tool():
    assert met([fault("http_500", "a")], ["a", "b"]) == ["0", None]


def test_a_rule_may_aim_at_all():
    assert met([fault("http_500", "*")], ["a", "look"]) == ["0", "0"]


def test_a_rule_may_aim_at_a_risk():
    assert met([fault("http_500", "risk:READ")], ["a", "look"]) == [None, "0"]
    assert met([fault("http_500", "risk:WRITE_IRREVERSIBLE")], ["a", "look"]) == ["0", None]


def test_a_rule_has_its_id_as_a_name():
    assert met([fault("http_500", "b"), fault("http_500", "a", name="flaky")], ["a", "b"]) == ["flaky", "0"]


# conditions


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (None, [1, 1, 1, 1]),
        ({}, [1, 1, 1, 1]),
        ({"everyCall": True}, [1, 1, 1, 1]),
        ({"callNumber": 2}, [0, 1, 0, 0]),
        ({"callNumbers": [1, 3]}, [1, 0, 1, 0]),
        ({"firstN": 2}, [1, 1, 0, 0]),
        ({"firstN": 3, "callNumbers": [3, 4]}, [0, 0, 1, 0]),
        ({"callNumber": 2, "callNumbers": [1]}, [0, 0, 0, 0]),
        ({"probability": 1}, [1, 1, 1, 1]),
        ({"probability": 0}, [0, 0, 0, 0]),
        ({"matching": 3}, [0, 0, 1, 0]),
        ({"matching": 2, "callNumbers": [2, 4]}, [0, 0, 0, 1]),
    ],
)
def test_all_conditions_must_hold(when, expected):
    assert [int(rule is not None) for rule in met([fault("http_500", when=when)], ["a"] * 4)] == expected


def test_the_number_of_a_call_is_that_of_its_tool():
    rules = [fault("http_500", "*", when={"callNumber": 1})]
    assert met(rules, ["a", "b", "a", "b"]) == ["0", "0", None, None]


def test_a_rule_may_be_about_arguments():
    rules = [fault("http_500", when={"argsMatch": {"x": {"y": 1}}})]
    calls = [("a", {"x": {"y": 1, "z": 2}, "w": 3}), ("a", {"x": {"y": 1.0}}), ("a", {"x": {"z": 1}}), "a"]
    assert met(rules, calls) == ["0", "0", None, None]


def test_lists_in_arguments_are_compared_whole():
    rules = [fault("http_500", when={"argsMatch": {"x": [1]}})]
    assert met(rules, [("a", {"x": [1]}), ("a", {"x": [1, 2]})]) == ["0", None]


def test_matching_counts_the_calls_that_fit_the_other_conditions():
    rules = [fault("http_500", when={"argsMatch": {"x": 1}, "matching": 2})]
    calls = [("a", {"x": 1}), ("a", {"x": 2}), ("b", {"x": 1}), ("a", {"x": 1})]
    assert met(rules, calls) == [None, None, "0", None]


def test_matching_counts_calls_that_another_rule_takes():
    rules = [fault("http_503", when={"callNumber": 1}), fault("http_500", when={"matching": 2})]
    assert met(rules, ["a", "a", "a"]) == ["0", "1", None]


def test_a_refused_call_is_not_counted():
    assert met([fault("http_500", when={"matching": 1})], ["none", "a"]) == [None, "0"]


# the first that fits


def test_the_first_rule_that_fits_wins():
    rules = [fault("http_500", when={"callNumber": 1}), fault("http_503"), fault("http_429")]
    assert met(rules, ["a", "a"]) == ["0", "1"]


def test_a_probability_that_does_not_draw_falls_through():
    assert met([fault("http_500", when={"probability": 0}), fault("http_503")], ["a"]) == ["1"]


def test_a_quota_that_is_not_used_up_falls_through():
    rules = [fault("rate_limit", quota=1), fault("http_503", when={"callNumber": 1})]
    assert met(rules, ["a", "a"]) == ["1", "0"]


# quota


@pytest.mark.parametrize(
    ("quota", "statuses"), [(0, [429, 429, 429]), (1, [200, 429, 429]), (2, [200, 200, 429])]
)
def test_calls_beyond_the_quota_are_turned_away(quota, statuses):
    case = Case(TWIN, faults=[fault("rate_limit", quota=quota)])
    assert [case("a").status for _ in range(3)] == statuses


def test_a_quota_is_shared_by_the_tools_it_is_about():
    case = Case(TWIN, faults=[fault("rate_limit", quota=2)])
    assert [case(tool).status for tool in ("a", "b", "a")] == [200, 200, 429]


def test_a_quota_counts_the_calls_that_fit():
    case = Case(TWIN, faults=[fault("rate_limit", quota=1, when={"argsMatch": {"x": 1}})])
    assert [case("a", x=x).status for x in (2, 1, 2, 1)] == [200, 200, 200, 429]


def test_a_quota_counts_calls_that_another_rule_takes():
    rules = [fault("http_503", when={"callNumber": 1}), fault("rate_limit", quota=1)]
    assert met(rules, ["a", "a"]) == ["0", "1"]


# draws


def test_a_draw_below_the_probability_fires():
    numbers = [draw("7", "0", "a", number) for number in range(1, 21)]
    rules = [fault("http_500", when={"probability": 0.3})]
    assert met(rules, ["a"] * 20, seed="7") == [("0" if number < 0.3 else None) for number in numbers]


def test_a_draw_of_exactly_the_probability_does_not_fire():
    exact = draw("7", "0", "a", 1)
    assert met([fault("http_500", when={"probability": exact})], ["a"], seed="7") == [None]


def test_a_draw_is_by_the_rule_s_name():
    numbers = [draw("7", "flaky", "a", number) for number in range(1, 11)]
    rules = [fault("http_500", name="flaky", when={"probability": 0.5})]
    assert met(rules, ["a"] * 10, seed="7") == [("flaky" if number < 0.5 else None) for number in numbers]


def test_a_draw_does_not_depend_on_the_calls_of_other_tools():
    rules = [fault("http_500", "a", when={"probability": 0.5})]
    alone = met(rules, ["a"] * 8, seed="s")
    among = met(rules, ["a", "b"] * 8, seed="s")
    assert among[::2] == alone


# uses


def test_a_rule_that_never_fired_says_so():
    case = Case(TWIN, faults=[fault("http_500", "a"), fault("delay", "b", delayMs=0)])
    case("b")
    uses = [(use.rule, use.type, use.target, use.fired, use.took_effect) for use in case.world.fault_uses]
    assert uses == [("0", "http_500", "a", False, False), ("1", "delay", "b", True, False)]


def test_one_call_that_took_effect_is_enough():
    case = Case(TWIN, faults=[fault("semantic_bad_response", body={"tool": "a", "arguments": {}})])
    assert [case("a", x=1).took_effect, case("a").took_effect] == [True, False]
    assert case.world.fault_uses[0].took_effect


def test_two_rules_of_one_name_are_counted_apart():
    rules = [fault("http_500", name="1", when={"matching": 1}), fault("http_503", when={"matching": 2})]
    assert [use.fired for use in Case(TWIN, faults=rules).world.fault_uses] == [False, False]
    assert met(rules, ["a", "a"]) == ["1", "1"]


def test_other_rules_may_be_set_in_the_middle_of_a_case():
    case = Case(TWIN, faults=[fault("http_500", when={"matching": 1})])
    case("a")
    case.world.arm([fault("http_503", when={"matching": 1})])
    assert [use.fired for use in case.world.fault_uses] == [False]
    assert [case("a").status, case("a").status] == [503, 200]


# what may be written


@pytest.mark.parametrize(
    ("behavior", "reason"),
    [
        ({"type": "timeout"}, "'timeout' is no kind of fault. One of: timeout_before_mutation, "),
        ({"type": "http_5000"}, "did you mean 'http_500'?"),
        ({"type": "http_500", "quota": 1}, "'quota' is no field of a http_500 fault. One of: type, delayMs"),
        ({"type": "late_mutation", "landsBeforeCall": 0}, "greater than or equal to 1"),
        ({"type": "delay", "delayMs": 30_001}, "less than or equal to 30000"),
        ({"type": "delay", "delayMs": -1}, "greater than or equal to 0"),
        ({"type": "semantic_bad_response"}, "whose answer is a substitute needs a body"),
        ({"type": "custom", "answer": "substitute"}, "whose answer is a substitute needs a body"),
        ({"type": "http_500", "message": "{= 1 + }"}, "behavior.message\n"),
        ({"type": "http_500", "body": {"a": "{"}}, "behavior.body\n"),
        ({"type": "custom", "status": 199}, "greater than or equal to 200"),
        ({"type": "custom", "wire": "carrier pigeon"}, "'whole', 'nothing'"),
    ],
)
def test_a_behavior_that_makes_no_sense_is_refused(behavior, reason):
    fields = dict(behavior)
    with pytest.raises(ValidationError) as refusal:
        fault(fields.pop("type"), **fields)
    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    ("kind", "field", "most"), [("delay", "delayMs", 30_000), ("oversized_response", "bytes", 8 * 2**20)]
)
def test_a_fault_has_its_limits(kind, field, most):
    for value in (most - 1, most):
        assert fault(kind, **{field: value})
    with pytest.raises(ValidationError):
        fault(kind, **{field: most + 1})


@pytest.mark.parametrize("kind", ["http_503", "dropped_connection", "delay", "custom", "late_mutation"])
def test_every_kind_takes_the_common_fields(kind):
    assert fault(kind, delayMs=1, retryAfterSeconds=2, message="m", body={}).behavior.type == kind


@pytest.mark.parametrize(
    "when",
    [
        {"callNumber": 0},
        {"callNumbers": []},
        {"callNumbers": [0]},
        {"firstN": 0},
        {"probability": 1.1},
        {"probability": -0.1},
        {"matching": 0},
        {"everyCall": False},
        {"callNumber": True},
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(when):
    with pytest.raises(ValidationError):
        fault("http_500", when=when)
