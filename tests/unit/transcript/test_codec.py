"""What is kept comes back equal, byte for byte."""

import orjson
import pytest

from agenttwin.transcript import (
    Claim,
    ClaimedOutcome,
    Commit,
    Message,
    ModelCall,
    OwnCall,
    PolicyDecision,
    Result,
    Retrieval,
    Risk,
    ToolCall,
    Usage,
    decode_claim,
    decode_events,
    encode_claim,
    encode_events,
)
from agenttwin.values import MISSING, Change

CALL = ToolCall(
    seq=3,
    number=2,
    tool="refund_payment",
    arguments={"order_id": "ORD-1001", "amount": 40},
    status=504,
    result=Result.TIMEOUT,
    code="TIMEOUT",
    answer=b'{"error":{"code":"TIMEOUT"}}',
    headers={"Retry-After": "1"},
    risk=Risk.WRITE_IRREVERSIBLE,
    fault="timeout_after_mutation",
    rule="r1",
    took_effect=True,
    knowable=False,
    computed_changes=2,
    committed=Commit.ALL,
    changes=(
        Change(path="orders.ORD-1001.refund_count", before=0, after=1),
        Change(path="refunds[0]", before=MISSING, after={"id": "RF-0001"}),
        Change(path="note", before=None, after=MISSING),
    ),
)


def changed(**fields: object) -> ToolCall:
    members = {name: getattr(CALL, name) for name in ToolCall.__slots__}
    return ToolCall(**(members | fields))


def there_and_back(event):
    (back,) = decode_events(encode_events([event]))
    return back


def test_a_call_comes_back_equal():
    assert there_and_back(CALL) == CALL


def test_a_call_comes_back_with_its_own_types():
    back = there_and_back(CALL)
    assert (type(back.risk), type(back.result), type(back.committed)) == (Risk, Result, Commit)
    assert type(back.changes) is tuple


def test_what_is_missing_is_not_what_is_null():
    _, added, removed = there_and_back(CALL).changes
    assert (added.before, removed.before, removed.after) == (MISSING, None, MISSING)


@pytest.mark.parametrize("answer", [None, b"", b"null", b'{"half', b"\xff\xfe\x00", '"é"'.encode()])
def test_an_answer_comes_back_byte_for_byte(answer):
    assert there_and_back(changed(answer=answer)).answer == answer


@pytest.mark.parametrize("arguments", [None, "text", [1, 1.5, True], {"base64": "AA=="}, {"a": {"b": []}}])
def test_arguments_of_any_shape_come_back(arguments):
    assert there_and_back(changed(arguments=arguments)).arguments == arguments


@pytest.mark.parametrize(
    "event",
    [
        Retrieval(seq=1, query="refunds?", documents=(("kb-1", True), ("doc-2", False))),
        Message(seq=1, role="user", content="Hi!"),
        ModelCall(seq=2, model=None, input_tokens=3),
        PolicyDecision(seq=4, call=3, policy="p", decision="denied"),
    ],
)
def test_every_kind_of_event_comes_back_equal(event):
    assert there_and_back(event) == event


def test_events_keep_their_order():
    events = (Message(seq=1, role="user", content="Hi!"), CALL, changed(seq=4, redelivered=True))
    assert decode_events(encode_events(events)) == events


def test_no_events_are_no_events():
    assert decode_events(encode_events([])) == ()


def test_defaults_take_no_room():
    assert b"redelivered" not in encode_events([CALL])


def test_a_field_of_a_newer_version_is_left_out():
    (members,) = orjson.loads(encode_events([CALL]))
    assert decode_events(orjson.dumps([members | {"novelty": 1}])) == (CALL,)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{}", "expected a JSON list, got dict"),
        (b"[", "unexpected end"),
        (b'[{"event":"vision"}]', "'vision' is not a kind of event that this version knows"),
        (b'[{"event":"message","seq":1}]', "a field is missing"),
    ],
)
def test_what_is_no_transcript_is_refused_with_the_reason(content, reason):
    with pytest.raises(ValueError, match=reason):
        decode_events(content)


@pytest.mark.parametrize(
    "claim",
    [
        Claim(),
        Claim(answer="Done.", outcome=ClaimedOutcome.SUCCESS, inferred=True, own_calls=()),
        Claim(
            business_outcome="refunded",
            own_calls=(OwnCall(tool="t", arguments={"a": 1}, result="ok"), OwnCall(tool="u")),
            steps=3,
            usage=Usage(input_tokens=10, cost_usd=0.5),
            trace_id="abc",
        ),
    ],
)
def test_a_claim_comes_back_equal(claim):
    assert decode_claim(encode_claim(claim)) == claim


def test_a_claim_of_a_newer_version_loses_what_is_unknown():
    assert decode_claim(b'{"answer":"a","mood":"good","usage":{"input_tokens":1,"water":2}}') == Claim(
        answer="a", usage=Usage(input_tokens=1)
    )


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("half \ud83d", "half ?"),
        (2**70, str(2**70)),
        ({1: "\ud800", "a": (2, None, True, 0.5)}, {"1": "?", "a": [2, None, True, 0.5]}),
        (object, "<class 'object'>"),
        ("x" * 2000, "x" * 2000),
        ([b"x" * 2000, "\ud800"], ["b'" + "x" * 998, "?"]),
    ],
)
def test_what_json_cannot_hold_is_kept_as_text(said, kept):
    claim = Claim(answer="\ud800", own_calls=(OwnCall(tool="t", arguments=said),))
    assert decode_claim(encode_claim(claim)).own_calls[0].arguments == kept


def test_a_claim_nests_as_deep_as_it_likes():
    deep = []
    for _ in range(900):
        deep = [deep]
    assert encode_claim(Claim(own_calls=(OwnCall(tool="t", arguments=deep),)))
