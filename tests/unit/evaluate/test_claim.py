"""What an agent gives back is read as a claim, or refused in a sentence that says where and why."""

import pytest

from agenttwin.evaluate import FIELDS, ClaimError, read_claim
from agenttwin.transcript import Claim, ClaimedOutcome, OwnCall, Usage

WHOLE = {
    "output": "Done!",
    "claimed_outcome": "SUCCESS",
    "business_outcome": "refunded",
    "tool_calls": [{"tool": "pay", "arguments": {"amount": 40}, "result": "ok"}],
    "steps": 3,
    "usage": {"input_tokens": 800, "output_tokens": 90, "cost_usd": 0.004},
    "trace_id": "abc",
}


def test_text_is_the_answer():
    assert read_claim("Done!") == Claim(answer="Done!")


def test_nothing_is_no_answer():
    assert read_claim(None) == read_claim({"output": None}) == Claim()


def test_a_mapping_says_everything():
    assert read_claim(WHOLE) == Claim(
        answer="Done!",
        outcome=ClaimedOutcome.SUCCESS,
        business_outcome="refunded",
        own_calls=(OwnCall(tool="pay", arguments={"amount": 40}, result="ok"),),
        steps=3,
        usage=Usage(input_tokens=800, output_tokens=90, cost_usd=0.004),
        trace_id="abc",
    )


def test_the_whole_mapping_has_every_field():
    assert set(WHOLE) == set(FIELDS)


def test_output_is_all_it_takes():
    assert read_claim({"output": "Hi", "mood": "good"}) == Claim(answer="Hi")


@pytest.mark.parametrize(("steps", "count"), [([], 0), (["a", "b"], 2), ((1,), 1), (0, 0), (None, None)])
def test_steps_are_a_number_or_a_list(steps, count):
    assert read_claim({"output": "", "steps": steps}).steps == count


@pytest.mark.parametrize(
    ("entry", "call"),
    [
        ("pay", OwnCall(tool="pay")),
        ({"name": "pay"}, OwnCall(tool="pay")),
        ({"tool": "pay", "result": 504}, OwnCall(tool="pay", result="504")),
        ({"tool": "pay", "status": 200}, OwnCall(tool="pay", result="200")),
        ({"tool": "pay", "result": {"id": 1}}, OwnCall(tool="pay")),
        ({"tool": "pay", "result": [1]}, OwnCall(tool="pay")),
    ],
)
def test_an_entry_of_the_own_list_may_be_short(entry, call):
    assert read_claim({"output": "", "tool_calls": [entry]}).own_calls == (call,)


def test_an_empty_list_is_not_no_list():
    assert read_claim({"output": "", "tool_calls": []}).own_calls == ()
    assert read_claim({"output": ""}).own_calls is None


def test_tokens_may_be_written_as_floats_and_costs_as_integers():
    usage = read_claim({"output": "", "usage": {"input_tokens": 8.0, "cost_usd": 1}}).usage
    assert usage == Usage(input_tokens=8, cost_usd=1)


def test_an_empty_usage_tells_nothing():
    assert read_claim({"output": "", "usage": {}}).usage.tokens is None


REFUSED = {
    "a number": (7, "An agent gives back text or a mapping, not int."),
    "a list": ([], "An agent gives back text or a mapping, not list."),
    "bytes": (b"Done", "An agent gives back text or a mapping, not bytes."),
    "no output": ({"answer": "Hi"}, "The mapping that the agent gave back has no 'output'."),
    "an empty mapping": ({}, "The mapping that the agent gave back has no 'output'."),
    "a slip": (
        {"ouput": "Hi"},
        "The mapping that the agent gave back has no 'output'. Is 'ouput' meant to be it?",
    ),
    "an object": ({"output": {"text": "Hi"}}, "'output' must be text, not dict."),
    "an outcome in small letters": (
        {"output": "", "claimed_outcome": "success"},
        "'claimed_outcome' must be one of SUCCESS, PARTIAL, FAILURE, ESCALATED, REFUSED, UNKNOWN, not"
        ' "success". Did you mean SUCCESS?',
    ),
    "an outcome that is no text": (
        {"output": "", "claimed_outcome": True},
        "'claimed_outcome' must be one of SUCCESS, PARTIAL, FAILURE, ESCALATED, REFUSED, UNKNOWN, not true.",
    ),
    "a business outcome": (
        {"output": "", "business_outcome": 1},
        "'business_outcome' must be text, not int.",
    ),
    "a long trace id": (
        {"output": "", "trace_id": "x" * 10_001},
        "'trace_id' has more than 10,000 characters.",
    ),
    "steps below 0": ({"output": "", "steps": -1}, "'steps' must be a whole number or a list, not -1."),
    "steps as text": ({"output": "", "steps": "3"}, "'steps' must be a whole number or a list, not \"3\"."),
    "steps as truth": ({"output": "", "steps": True}, "'steps' must be a whole number or a list, not true."),
    "calls as text": ({"output": "", "tool_calls": "pay"}, "'tool_calls' must be a list, not str."),
    "calls by name": ({"output": "", "tool_calls": {}}, "'tool_calls' must be a list, not dict."),
    "too many calls": (
        {"output": "", "tool_calls": ["pay"] * 10_001},
        "'tool_calls' has more than 10,000 entries.",
    ),
    "a call that is none": (
        {"output": "", "tool_calls": ["pay", 7]},
        "'tool_calls[1]' must be a mapping with its tool, not int.",
    ),
    "a call without a tool": ({"output": "", "tool_calls": [{}]}, "'tool_calls[0]' does not name its tool."),
    "arguments that are no JSON": (
        {"output": "", "tool_calls": [{"tool": "pay", "arguments": {"a": {1}}}]},
        "'tool_calls[0].arguments' is no JSON: a: a set is not JSON.",
    ),
    "usage as a number": (
        {"output": "", "usage": 900},
        "'usage' must be a mapping with input_tokens and the like, not int.",
    ),
    "half a token": (
        {"output": "", "usage": {"input_tokens": 0.5}},
        "'usage.input_tokens' must be a whole number, not 0.5.",
    ),
    "a cost below 0": (
        {"output": "", "usage": {"cost_usd": -1}},
        "'usage.cost_usd' must be a number from 0 to 2^53, not -1.",
    ),
    "no number": (
        {"output": "", "usage": {"cost_usd": float("nan")}},
        "'usage.cost_usd' must be a number from 0 to 2^53, not nan.",
    ),
    "an endless number": (
        {"output": "", "usage": {"output_tokens": 10**400}},
        f"'usage.output_tokens' must be a number from 0 to 2^53, not {'1' + '0' * 79}.",
    ),
    "truth for tokens": (
        {"output": "", "usage": {"input_tokens": True}},
        "'usage.input_tokens' must be a number from 0 to 2^53, not true.",
    ),
}


@pytest.mark.parametrize(("value", "message"), REFUSED.values(), ids=REFUSED)
def test_anything_else_is_refused_with_the_reason(value, message):
    with pytest.raises(ClaimError) as caught:
        read_claim(value)
    assert str(caught.value) == message


def test_an_answer_may_have_four_mebibytes_and_no_more():
    most = 4 * 1024 * 1024
    assert read_claim("x" * most).answer is not None
    with pytest.raises(ClaimError, match=r"^'output' has more than 4,194,304 bytes\.$"):
        read_claim("x" * (most + 1))
    with pytest.raises(ClaimError, match="bytes"):
        read_claim("ö" * (most // 2 + 1))


@pytest.mark.parametrize("tokens", [0, 2**53])
def test_a_number_may_reach_its_bounds(tokens):
    assert read_claim({"output": "", "usage": {"input_tokens": tokens}}).usage.input_tokens == tokens


def test_beyond_2_to_the_53rd_no_number_is_exact():
    with pytest.raises(ClaimError):
        read_claim({"output": "", "usage": {"input_tokens": 2**53 + 1}})


def test_texts_and_lists_may_reach_their_bounds():
    claim = read_claim({"output": "", "trace_id": "x" * 10_000, "tool_calls": ["pay"] * 10_000})
    assert (len(claim.trace_id), len(claim.own_calls)) == (10_000, 10_000)
