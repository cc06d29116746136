"""Laws of the twin: whatever is called, with whatever faults."""

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from agenttwin.document import read
from agenttwin.transcript import Retrieval, decode_events, encode_events
from agenttwin.twin import FAULTS, Call, FaultRule, TwinDefinition, begin, compile, finish, search, step
from agenttwin.values import Tree, encode, equal

ORDERS = {
    "A": {"owner": "us", "total": 10, "refundable": 10, "refunded": 0, "count": 0},
    "B": {"owner": "us", "total": 3, "refundable": 3, "refunded": 0, "count": 0},
    "C": {"owner": "them", "total": 5, "refundable": 5, "refunded": 0, "count": 0},
}
ORDER, AMOUNT = "orders[{order}]", "{amount}"
REFUND = {
    "tenantPath": ORDER,
    "effectKey": "refund:{order}",
    "idempotency": {"argument": "key", "header": "Idempotency-Key"},
    "inputSchema": {
        "properties": {"order": {"type": "string"}, "amount": {"type": "number"}, "key": {"type": "string"}},
        "required": ["order", "amount"],
    },
    "handler": {
        "kind": "mutate",
        "path": ORDER,
        "preconditions": [{"that": "amount > 0 && amount <= value.refundable"}],
        "effects": [
            {"op": "increment", "path": f"{ORDER}.refunded", "by": AMOUNT},
            {"op": "decrement", "path": f"{ORDER}.refundable", "by": AMOUNT},
            {"op": "increment", "path": f"{ORDER}.count"},
            {
                "op": "append",
                "path": "refunds",
                "value": {"id": "R-{id}", "order": "{order}", "amount": AMOUNT},
            },
        ],
        "response": {"id": "R-{id}", "left": "{value.refundable}"},
    },
}
TOOLS = [
    {"name": "look", "tenantPath": ORDER, "handler": {"kind": "read", "path": ORDER}},
    {"name": "list", "handler": {"kind": "read", "response": "{= state.orders.keys() }"}},
    {"name": "refund"} | REFUND,
    {
        "name": "note",
        "handler": {
            "kind": "mutate",
            "effects": [
                {"op": "set", "path": "notes[{order}]", "value": "{args}"},
                {"op": "merge", "path": "last", "value": {"seen": "{args}", "old": None}},
                {
                    "forEach": {"in": ["{order}", "{order}"], "as": "tag"},
                    "effects": [{"op": "increment", "path": "tags[{tag}]"}],
                },
            ],
        },
    },
    {
        "name": "forget",
        "handler": {"kind": "mutate", "effects": [{"op": "delete", "path": "notes[{order}]"}]},
    },
    {"name": "erase", "risk": "ADMIN", "handler": {"kind": "echo"}},
]
SPEC = {
    "tenantKey": "owner",
    "initialState": {"orders": ORDERS, "refunds": [], "notes": {}, "kb": []},
    "tools": TOOLS,
}


def compiled():
    document = {
        "apiVersion": "agenttwin.dev/v1",
        "kind": "TwinDefinition",
        "metadata": {"name": "t"},
        "spec": SPEC,
    }
    return compile(read(orjson.dumps(document), file="t", models={"TwinDefinition": TwinDefinition}).model)


TWIN = compiled()

# what may be called

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.floats(-10, 10) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
SEGMENTS = st.sampled_from(
    ["A", "B", "C", "Z", "A.total", "A']['total", "orders", "", "{value}", "..", "length()"]
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "order": SEGMENTS,
        "amount": st.sampled_from([1, 2, 2.5, 3.0, -1, 11, "2", True]),
        "key": st.sampled_from(["k", "l", ""]),
        "extra": JSON,
    },
)
NAMES = st.sampled_from([tool["name"] for tool in TOOLS] + ["refund", "refund", "reefund"])
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), max_size=8)

BEHAVIORS = st.sampled_from(list(FAULTS)).flatmap(
    lambda kind: st.fixed_dictionaries(
        {"type": st.just(kind)}
        | ({"body": JSON.map(escaped)} if kind == "semantic_bad_response" else {})
        | ({"bytes": st.integers(1, 300)} if kind == "oversized_response" else {})
        | ({"quota": st.integers(0, 2)} if kind == "rate_limit" else {})
        | ({"landsBeforeCall": st.integers(1, 4)} if kind == "late_mutation" else {}),
        optional={"delayMs": st.integers(0, 1000)},
    )
)
CONDITIONS = st.fixed_dictionaries(
    {},
    optional={
        "callNumber": st.integers(1, 3),
        "firstN": st.integers(1, 3),
        "probability": st.sampled_from([0, 0.5, 1]),
        "matching": st.integers(1, 3),
        "argsMatch": st.sampled_from([{"order": "A"}, {"amount": 2}]),
    },
)
TARGETS = st.sampled_from(["*", "refund", "look", "risk:WRITE_IRREVERSIBLE"])
RULES = st.lists(
    st.fixed_dictionaries({"target": TARGETS, "behavior": BEHAVIORS}, optional={"when": CONDITIONS}),
    max_size=3,
)


def escaped(value):
    """A value whose texts are no templates."""
    if isinstance(value, str):
        return value.replace("{", "{{").replace("}", "}}")
    if isinstance(value, list):
        return [escaped(item) for item in value]
    return {key: escaped(item) for key, item in value.items()} if isinstance(value, dict) else value


def rules(written):
    return [FaultRule.model_validate_json(orjson.dumps(rule)) for rule in written]


def played(calls, written=(), **given):
    """A world after these calls and the end of the case."""
    world = begin(TWIN, **{"tenant": "us", "faults": rules(written), "seed": "s"} | given)
    for tool, arguments in calls:
        step(TWIN, world, Call(tool, arguments))
    finish(world)
    return world


# laws


def recalled(world):
    """The changes of all records in the order in which they were made, late ones where they landed."""
    landings = [
        (record.landed or len(world.records) + 1, record)
        for record in world.calls
        if record.landed is not None
    ]
    for record in world.calls:
        yield from (
            change
            for at, late in landings
            if at == record.seq and not record.redelivered
            for change in late.changes
        )
        if record.landed is None:
            yield from record.changes
    at_the_end = [record for record in world.calls if record.landed == 0]
    for record in sorted(at_the_end, key=lambda record: record.seq + delay_of(record, world)):
        yield from record.changes


def delay_of(record, world):
    (rule,) = (rule for rule in world.rules if rule.name == record.rule)
    return rule.behavior.lands_before_call


@given(CALLS, RULES)
def test_replaying_the_records_gives_the_final_state(calls, written):
    world = played(calls, written)
    tree = Tree(world.before.plain())
    tree.apply(recalled(world))
    assert equal(tree.plain(), world.tree.plain())


@given(CALLS, RULES)
def test_the_net_changes_lead_from_the_state_before_to_the_state_after(calls, written):
    world = played(calls, written)
    tree = Tree(world.before.plain())
    tree.apply(world.changes)
    assert equal(tree.plain(), world.tree.plain())


@given(CALLS, RULES)
def test_what_was_refunded_and_what_can_be_are_the_total(calls, written):
    halved = [rule for rule in written if rule["behavior"]["type"] != "inconsistent_state"]
    for name, order in played(calls, halved).tree.plain()["orders"].items():
        assert order["refunded"] + order["refundable"] == order["total"], name


@given(CALLS, RULES)
def test_records_of_another_tenant_stay_as_they_are(calls, written):
    assert equal(played(calls, written).tree.get(("orders", "C")), ORDERS["C"])


@given(CALLS, RULES)
def test_an_argument_never_walks_the_state(calls, written):
    for record in played(calls, written).calls:
        if record.tool == "refund":
            order = record.arguments.get("order") if isinstance(record.arguments, dict) else None
            assert record.changes == () or order in ("A", "B")
        elif record.tool in ("note", "forget"):
            assert all(change.path.startswith(("notes", "last", "tags")) for change in record.changes)


@given(CALLS, RULES)
def test_the_same_calls_and_faults_give_the_same_bytes(calls, written):
    first, second = played(calls, written), played(calls, written)
    assert encode(first.tree.plain()) == encode(second.tree.plain())
    assert first.records == second.records


@given(CALLS, RULES, st.integers(0, 8))
def test_a_fork_goes_on_as_its_world_would_have(calls, written, at):
    world = begin(TWIN, tenant="us", faults=rules(written), seed="s")
    for tool, arguments in calls[:at]:
        step(TWIN, world, Call(tool, arguments))
    fork = world.fork()
    untouched = (encode(fork.tree.plain()), list(fork.records))
    for tool, arguments in calls[at:]:
        step(TWIN, world, Call(tool, arguments))
    finish(world)
    assert (encode(fork.tree.plain()), fork.records) == untouched
    for tool, arguments in calls[at:]:
        step(TWIN, fork, Call(tool, arguments))
    finish(fork)
    assert (fork.records, equal(fork.tree.plain(), world.tree.plain())) == (world.records, True)


@given(st.lists(st.sampled_from(["look", "refund", "note"]), max_size=20))
def test_a_drawn_fault_does_not_depend_on_other_tools(names):
    written = [{"target": "*", "when": {"probability": 0.5}, "behavior": {"type": "http_503"}}]
    calls = [(name, {"order": "A", "amount": 1}) for name in names]
    among = [record.rule for record in played(calls, written).calls if record.tool == "look"]
    alone = [record.rule for record in played([call for call in calls if call[0] == "look"], written).calls]
    assert among == alone


@given(CALLS, RULES)
def test_only_what_took_effect_differs_from_a_case_without_faults(calls, written):
    first = next(
        (index for index, record in enumerate(played(calls, written).calls) if record.took_effect), None
    )
    faulted, clean = played(calls, written).calls, played(calls).calls
    for with_fault, without in list(zip(faulted, clean, strict=False))[:first]:
        if with_fault.redelivered:
            break
        assert (with_fault.status, with_fault.answer, with_fault.changes, with_fault.committed) == (
            without.status,
            without.answer,
            without.changes,
            without.committed,
        )


ANYTHING = st.recursive(
    JSON
    | st.floats()
    | st.integers()
    | st.binary(max_size=3)
    | st.just("\ud800")
    | st.sampled_from([object, ...]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.integers(0, 3) | st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
HEADERS = st.dictionaries(
    st.text(max_size=20) | st.integers() | st.just("idempotency-key"), ANYTHING, max_size=2
)


@given(st.lists(st.tuples(NAMES | ANYTHING, ARGUMENTS | ANYTHING, HEADERS | st.none()), max_size=4), RULES)
@settings(max_examples=100)
def test_nothing_that_a_caller_passes_raises(calls, written):
    world = begin(TWIN, tenant="us", faults=rules(written))
    for tool, arguments, headers in calls:
        reply = step(TWIN, world, Call(tool, arguments, headers)).reply
        assert reply.status is None or 200 <= reply.status < 600
        search(TWIN, world, tool)
    finish(world)
    assert len([record for record in world.records if isinstance(record, Retrieval)]) == len(calls)
    encode(world.fork().tree.plain())


@given(CALLS, RULES)
def test_records_can_be_kept(calls, written):
    records = tuple(played(calls, written).records)
    assert decode_events(encode_events(records)) == records
