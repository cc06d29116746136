"""The demo's cases as transcripts: the example's twin and scenarios, and an agent's calls, made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from agenttwin.document import Document, read
from agenttwin.evaluate import Evaluation, NoOpinion, Opinion, Verdict, evaluate
from agenttwin.scenario import EXPECTATIONS, MODELS, Scenario
from agenttwin.transcript import Claim, ClaimedOutcome, ToolCall, Transcript, Usage
from agenttwin.twin import Call, CompiledTwin, FaultRule, begin, compile, finish, search, step

EXAMPLE = Path(__file__).parents[3] / "examples" / "support-refund"

Calls = Iterable[tuple[str, Mapping[str, Any]] | str]
"""Tool calls; a text alone is a search."""

ORDER = {"order_id": "ORD-1001"}
REFUND = {**ORDER, "amount": 40}
KEYED = {**REFUND, "idempotency_key": "refund-ORD-1001-40"}
EMAIL = {"customer_id": "CUS-1", "subject": "Your refund for ORD-1001", "body": "Done!"}
ANSWER = (
    "Done! I've refunded 40.00 USD for order ORD-1001. "
    "It will reach your original payment method within 5 business days."
)

CAREFUL: Calls = (
    ("lookup_order", ORDER),
    ("get_refund_policy", ORDER),
    ("refund_payment", KEYED),
    ("lookup_order", ORDER),
    ("send_email", EMAIL),
)
"""What 1.2.4 does when the refund times out."""

HASTY: Calls = (
    ("lookup_order", ORDER),
    ("refund_payment", REFUND),
    ("refund_payment", REFUND),
    ("send_email", EMAIL),
)
"""What 1.3.0 does then."""

SUCCESS = Claim(
    answer=ANSWER,
    outcome=ClaimedOutcome.SUCCESS,
    usage=Usage(input_tokens=800, output_tokens=90, cost_usd=0.004),
)


def document(name: str) -> Document[Any]:
    """A document of the example, by its file."""
    path = EXAMPLE / name
    return read(path.read_bytes(), file=name, models=MODELS)


def scenario(name: str = "refund-timeout-after-mutation") -> Scenario:
    """A scenario of the example."""
    return document(f"scenarios/{name}.yaml").model


@cache
def twin() -> CompiledTwin:
    """The example's twin."""
    return compile(document("twin.yaml").model)


def fault(kind: str, **when: Any) -> tuple[FaultRule, ...]:
    """One fault of refund_payment, at every call unless `when` says otherwise."""
    return (FaultRule.model_validate({"target": "refund_payment", "when": when, "behavior": {"type": kind}}),)


def play(calls: Calls, case: Scenario | None = None, **options: Any) -> Transcript:
    """What the twin records when these calls are made in a case of the scenario; the timeout by default."""
    spec = (case or scenario()).spec
    world = begin(
        twin(),
        state=spec.state,
        tenant=spec.input.context.get("tenant"),
        faults=options.pop("faults", spec.faults),
        allowed_tools=spec.allowed_tools,
        documents=[item.model_dump() for item in spec.input.documents],
        input_texts=(spec.input.message or "",),
        seed="5eed",
        **options,
    )
    for call in calls:
        if isinstance(call, str):
            search(twin(), world, call)
        else:
            step(twin(), world, Call(*call))
    finish(world)
    return Transcript(
        events=tuple(world.records),
        before=world.before,
        after=world.tree,
        changes=world.changes,
        faults=world.fault_uses,
        setting=world.setting,
        latency_ms=1200.0,
    )


def recorded() -> Transcript:
    """The one recorded transcript: the demo's timeout case as 1.2.4 plays it."""
    return play(CAREFUL)


def amended(transcript: Transcript, seq: int, **fields: Any) -> Transcript:
    """The transcript with other facts in one of its calls."""
    events = [
        replace(event, **fields) if isinstance(event, ToolCall) and event.seq == seq else event
        for event in transcript.events
    ]
    return replace(transcript, events=tuple(events))


def expecting(*expectations: Mapping[str, Any], name: str = "refund-timeout-after-mutation") -> Scenario:
    """A scenario of the example with other expectations, given as they stand in a document."""
    written: Any = document(f"scenarios/{name}.yaml").source.value
    spec = {**written["spec"], "expectations": [dict(item) for item in expectations]}
    return read(json.dumps({**written, "spec": spec}), file="scenario.json", models=MODELS).model


def judge(
    expectation: Mapping[str, Any],
    transcript: Transcript,
    claim: Claim = SUCCESS,
    opinion: Opinion | NoOpinion | None = None,
    **options: Any,
) -> Evaluation:
    """The one evaluation of an expectation."""
    opinions = {} if opinion is None else {"e1": opinion}
    found = evaluate(expecting(expectation), transcript, claim, opinions, **options).evaluations[1]
    if found.verdict is Verdict.FAIL and found.type != "custom":
        assert found.label in EXPECTATIONS[found.type].labels
    return found
