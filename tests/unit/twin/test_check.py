"""What is found in a definition before a case begins, and where."""

import json

import pytest

from agenttwin.document import read
from agenttwin.errors import CODES, DocumentError
from agenttwin.twin import TwinDefinition
from tests.unit.twin._cases import definition

SCHEMA = {"type": "object", "properties": {"order": {}, "amount": {}}}
STATE = {"orders": {"A": {"n": 1}}, "log": []}
EFFECT = {"op": "set", "path": "log", "value": []}


def findings(*tools, **spec):
    document = definition(*tools, **{"initialState": STATE} | spec)
    model = TwinDefinition.model_validate_json(json.dumps(document))
    return model.findings()


def found(tool, **spec):
    """The findings in one tool as (place in the tool, code)."""
    told = findings({"inputSchema": SCHEMA} | tool, **spec)
    return [(".".join(map(str, finding.at[3:])), finding.code) for finding in told]


def only(tool, **spec):
    (finding,) = findings({"inputSchema": SCHEMA} | tool, **spec)
    assert finding.code in CODES
    return finding


def mutate(*effects, **more):
    return {"handler": {"kind": "mutate", "effects": list(effects) or [EFFECT]} | more}


def read_of(**more):
    return {"handler": {"kind": "read"} | more}


def test_a_good_definition_has_no_findings():
    good = mutate(
        {"op": "increment", "path": "orders[{order}].n", "by": "{amount}"},
        {"forEach": {"in": "{state.log}", "as": "row"}, "let": {"x": "{row}"}, "effects": [EFFECT]},
        path="orders[{order}]",
        let={"old": "{value.n}"},
        preconditions=[{"that": "amount > old"}, {"path": "log.length()", "lt": 9}],
        response={"n": "{value.n}"},
    )
    assert (
        findings({"inputSchema": SCHEMA, "effectKey": "{order}"} | good, stateSchema={"type": "object"}) == []
    )


# the twin


def test_the_state_stands_in_one_place():
    (finding,) = findings({"handler": {"kind": "echo"}}, initialStateFrom="state.json")
    assert (finding.at, finding.code, finding.key) == (
        ("spec", "initialStateFrom"),
        "conflicting_fields",
        True,
    )


def test_a_tool_is_defined_once():
    echo = {"handler": {"kind": "echo"}}
    (finding,) = findings(echo, echo, echo | {"name": "u"}) and findings(echo, echo)
    assert (finding.at, finding.code, finding.value) == (("spec", "tools", 1, "name"), "duplicate_name", "t")
    assert finding.message == "the tool 't' is defined twice, first as number 1"


@pytest.mark.parametrize(
    ("path", "count"), [("kb", 0), ("a.kb", 0), ("a..b", 1), ("kb[{x}]", 1), ("kb.length()", 1), ("", 1)]
)
def test_the_knowledge_base_is_a_place(path, count):
    told = findings({"handler": {"kind": "echo"}}, retrieval={"statePath": path})
    assert [(finding.at, finding.code, finding.value) for finding in told] == [
        (("spec", "retrieval", "statePath"), "invalid_path", path)
    ] * count


def test_a_clock_starts_at_a_time():
    (finding,) = findings({"handler": {"kind": "echo"}}, clock={"start": "2026-02-30T00:00:00Z"})
    assert (finding.at, finding.code) == (("spec", "clock", "start"), "invalid_time")


def test_a_state_fits_its_schema():
    schema = {"properties": {"log": {"type": "array", "items": {"type": "integer"}}}}
    (finding,) = findings({"handler": {"kind": "echo"}}, stateSchema=schema, initialState={"log": [1, "x"]})
    assert (finding.at, finding.code) == (("spec", "initialState", "log", 1), "state_mismatch")


def test_a_broken_schema_is_told_and_not_used():
    (finding,) = findings({"handler": {"kind": "echo"}}, stateSchema={"type": "objekt"})
    assert (finding.at, finding.code) == (("spec", "stateSchema", "type"), "invalid_schema")


# schemas


@pytest.mark.parametrize("field", ["inputSchema", "outputSchema"])
def test_a_schema_is_one(field):
    assert found({"handler": {"kind": "echo"}, field: {"type": 7}}) == [(f"{field}.type", "invalid_schema")]


@pytest.mark.parametrize(
    ("schema", "place", "code"),
    [
        ({"$ref": "https://example.com/x"}, "$ref", "remote_reference"),
        (
            {"properties": {"a": {"anyOf": [{}, {"$ref": "x.json"}]}}},
            "properties.a.anyOf.1.$ref",
            "remote_reference",
        ),
        ({"patternProperties": {}}, "patternProperties", "unsupported_schema"),
        ({"items": {"patternProperties": {}}}, "items.patternProperties", "unsupported_schema"),
    ],
)
def test_what_is_not_supported_is_told(schema, place, code):
    assert found({"handler": {"kind": "echo"}, "outputSchema": schema}) == [(f"outputSchema.{place}", code)]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": {}}},
        {"const": {"patternProperties": 1}},
        {"enum": [{"$ref": "x"}]},
        {"properties": {"patternProperties": {}, "$ref": {"type": "string"}}},
    ],
)
def test_what_only_looks_unsupported_is_fine(schema):
    assert found({"handler": {"kind": "echo"}, "outputSchema": schema}) == []


@pytest.mark.parametrize("kind", ["array", ["string", "null"]])
def test_arguments_are_an_object(kind):
    assert found({"handler": {"kind": "echo"}, "inputSchema": {"type": kind}}) == [
        ("inputSchema.type", "invalid_schema")
    ]


@pytest.mark.parametrize("kind", ["object", ["object", "null"]])
def test_arguments_may_be_said_to_be_an_object(kind):
    assert found({"handler": {"kind": "echo"}, "inputSchema": {"type": kind}}) == []


# idempotency, tenancy, comparison


def test_a_key_has_a_place():
    assert found({"handler": {"kind": "echo"}, "idempotency": {}}) == [("idempotency", "missing_field")]


def test_a_key_argument_is_declared():
    finding = only({"handler": {"kind": "echo"}, "idempotency": {"argument": "ordr"}})
    assert (finding.at[3:], finding.code) == (("idempotency", "argument"), "unknown_argument")
    assert (finding.value, finding.nearest, finding.valid) == ("ordr", "order", ("amount", "order"))


def test_a_tool_that_declares_no_arguments_may_have_any():
    told = findings(
        {"handler": {"kind": "echo"}, "idempotency": {"argument": "x"}, "compare": {"ignore": ["y"]}}
    )
    assert told == []


def test_a_tenant_path_needs_a_tenant_key():
    tool = {"handler": {"kind": "echo"}, "tenantPath": "orders[{order}]"}
    assert found(tool) == [("tenantPath", "missing_field")]
    assert found(tool, tenantKey="owner") == []


def test_ignored_arguments_are_declared_paths():
    tool = {"handler": {"kind": "echo"}, "compare": {"ignore": ["order.note[0]", "oder", "a..b"]}}
    assert found(tool) == [
        ("compare.ignore.1", "unknown_argument"),
        ("compare.ignore.2", "invalid_path"),
    ]


# texts


BROKEN = {
    "effectKey": {"handler": {"kind": "echo"}, "effectKey": "{oder}"},
    "handler.response": {"handler": {"kind": "static", "response": "{oder}"}},
    "handler.let.x": read_of(response=1, let={"x": "{oder}"}),
    "handler.preconditions.0.that": read_of(response=1, preconditions=[{"that": "oder"}]),
    "handler.preconditions.0.equals": read_of(
        response=1, preconditions=[{"path": "log", "equals": "{oder}"}]
    ),
    "handler.preconditions.0.error.message": read_of(
        response=1, preconditions=[{"that": "true", "error": {"message": "{oder}"}}]
    ),
    "handler.notFound.message": read_of(path="log", notFound={"message": "{oder}"}),
    "handler.path": read_of(path="orders[{oder}]"),
    "tenantPath": {"handler": {"kind": "echo"}, "tenantPath": "orders[{oder}]"},
    "handler.effects.0.path": mutate({"op": "delete", "path": "orders[{oder}]"}),
    "handler.effects.0.value": mutate({"op": "set", "path": "log", "value": "{oder}"}),
    "handler.effects.0.by": mutate({"op": "increment", "path": "log", "by": "{oder}"}),
    "handler.effects.0.if": mutate(EFFECT | {"if": "oder"}),
    "handler.effects.0.forEach.in": mutate({"forEach": {"in": "{oder}", "as": "x"}, "effects": [EFFECT]}),
    "handler.effects.0.let.x": mutate({"let": {"x": "{oder}"}, "effects": [EFFECT]}),
    "handler.effects.0.effects.0.path": mutate(
        {"let": {}, "effects": [{"op": "delete", "path": "log[{oder}]"}]}
    ),
}


@pytest.mark.parametrize(("place", "tool"), BROKEN.items(), ids=BROKEN)
def test_a_name_that_does_not_exist_is_told_where_it_stands(place, tool):
    finding = only(tool, tenantKey="owner")
    assert (".".join(map(str, finding.at[3:])), finding.code) == (place, "unknown_name")
    assert (finding.value, finding.nearest, "did you mean" in finding.message) == ("oder", "order", False)


def test_a_name_within_a_response_is_told_where_it_stands():
    tool = {"handler": {"kind": "static", "response": {"a": [1, "{oder}"], "b": "{amont}"}}}
    assert found(tool) == [("handler.response.a.1", "unknown_name"), ("handler.response.b", "unknown_name")]


def test_a_function_that_does_not_exist_is_told():
    finding = only(read_of(response="{= siz(order) }"))
    assert (finding.code, finding.value, finding.nearest) == ("unknown_name", "siz", "size")


@pytest.mark.parametrize(
    ("tool", "code"),
    [
        (read_of(response="{order"), "invalid_template"),
        (read_of(response="{= 1 + }"), "invalid_template"),
        (read_of(response=1, preconditions=[{"that": "order >"}]), "invalid_template"),
        (read_of(path="orders..x"), "invalid_path"),
        (read_of(path="orders['{order}']"), "invalid_path"),
    ],
)
def test_a_text_that_cannot_be_read_is_told(tool, code):
    assert [each for _, each in found(tool)] == [code]


def test_the_character_is_named():
    assert only(read_of(response="abc {order")).message.endswith("(character 5)")


# roots


@pytest.mark.parametrize(
    ("field", "tool"),
    [
        ("effectKey", {"handler": {"kind": "echo"}, "effectKey": "{state.x}"}),
        ("effectKey", {"handler": {"kind": "echo"}, "effectKey": "{now}"}),
        ("tenantPath", {"handler": {"kind": "echo"}, "tenantPath": "orders[{value.id}]"}),
    ],
)
def test_some_texts_see_fewer_roots(field, tool):
    assert found(tool, tenantKey="owner") == [(field, "unknown_name")]


@pytest.mark.parametrize("text", ["{args.order} {tenant} {settings.x}"])
def test_an_effect_key_sees_these(text):
    assert found({"handler": {"kind": "echo"}, "effectKey": text}) == []


def test_a_name_that_is_argument_and_root_is_told_once_as_a_warning():
    schema = {"properties": {"id": {}, "now": {}}}
    response = ["{id}", "{id} again", "{$id}", "{args.id}", "{$now}"]
    finding = only(read_of(response=response) | {"inputSchema": schema})
    assert (finding.at[3:], finding.code, finding.value, finding.warning) == (
        ("handler", "response"),
        "ambiguous_name",
        "id",
        True,
    )
    assert finding.message == "'id' is taken for the argument; {args.id} is the argument, {$id} the root"


# let, forEach


@pytest.mark.parametrize(
    ("tool", "place", "code"),
    [
        (read_of(response=1, let={"order": 1}), "handler.let.order", "hidden_argument"),
        (read_of(response=1, let={"state": 1}), "handler.let.state", "hidden_root"),
        (
            mutate({"let": {"amount": 1}, "effects": [EFFECT]}),
            "handler.effects.0.let.amount",
            "hidden_argument",
        ),
        (
            mutate({"forEach": {"in": [1], "as": "order"}, "effects": [EFFECT]}),
            "handler.effects.0.forEach.as",
            "hidden_argument",
        ),
        (
            mutate({"forEach": {"in": [1], "as": "now"}, "effects": [EFFECT]}),
            "handler.effects.0.forEach.as",
            "hidden_root",
        ),
        (
            mutate({"forEach": {"in": [1], "as": "x"}, "let": {"x": 1}, "effects": [EFFECT]}),
            "handler.effects.0.let.x",
            "hidden_root",
        ),
        (
            mutate({"let": {"x": 1}, "effects": [EFFECT]}, let={"x": 1}),
            "handler.effects.0.let.x",
            "hidden_root",
        ),
    ],
)
def test_a_name_may_not_hide_another(tool, place, code):
    assert found(tool) == [(place, code)]


def test_a_name_of_a_block_is_not_seen_outside():
    block = {"let": {"x": 1}, "effects": [EFFECT]}
    tool = mutate(block, {"op": "set", "path": "log", "value": "{x}"})
    assert found(tool) == [("handler.effects.1.value", "unknown_name")]


# handlers


def test_a_read_has_a_path_or_a_response():
    assert found(read_of()) == [("handler", "missing_field")]


@pytest.mark.parametrize("guard", [{}, {"path": "log", "that": "true"}])
def test_a_precondition_is_of_one_kind(guard):
    assert found(read_of(response=1, preconditions=[guard])) == [
        ("handler.preconditions.0", "conflicting_fields")
    ]


def test_comparators_need_a_path():
    tool = read_of(response=1, preconditions=[{"that": "true", "equals": 1, "in": [1]}])
    assert found(tool) == [
        ("handler.preconditions.0.equals", "conflicting_fields"),
        ("handler.preconditions.0.in", "conflicting_fields"),
    ]


@pytest.mark.parametrize(
    ("comparators", "count"), [({"matches": "("}, 1), ({"matches": "a+"}, 0), ({"gte": "{amount}"}, 0)]
)
def test_an_operand_is_one_that_can_be_compared(comparators, count):
    tool = read_of(response=1, preconditions=[{"path": "log"} | comparators])
    assert found(tool) == [("handler.preconditions.0.matches", "invalid_value")] * count


def test_a_recorded_exchange_is_an_answer_or_an_error():
    fixture = {"response": 1, "error": {"code": "X"}, "status": 399}
    tool = {
        "handler": {"kind": "recorded", "fixtures": [{"response": 1}, fixture, {"error": {}, "status": 400}]}
    }
    assert found(tool) == [
        ("handler.fixtures.1.response", "conflicting_fields"),
        ("handler.fixtures.1.status", "conflicting_fields"),
    ]


# effects


@pytest.mark.parametrize(
    ("effect", "place", "code"),
    [
        ({"op": "increment", "value": 1}, "value", "conflicting_fields"),
        ({"op": "decrement", "by": None}, "by", "wrong_type"),
        ({"op": "increment", "by": True}, "by", "wrong_type"),
        ({"op": "increment", "by": [1]}, "by", "wrong_type"),
        ({"op": "delete", "value": 1}, "value", "conflicting_fields"),
        ({"op": "delete", "by": 1}, "by", "conflicting_fields"),
        ({"op": "set", "value": 1, "by": 1}, "by", "conflicting_fields"),
        ({"op": "set"}, "", "missing_field"),
        ({"op": "append"}, "", "missing_field"),
        ({"op": "merge"}, "", "missing_field"),
    ],
)
def test_an_operation_reads_its_own_operand(effect, place, code):
    assert found(mutate({"path": "log"} | effect)) == [(f"handler.effects.0.{place}".rstrip("."), code)]


@pytest.mark.parametrize(
    "effect", [{"op": "increment"}, {"op": "decrement", "by": 1.5}, {"op": "set", "value": None}]
)
def test_an_operation_with_its_operand_is_fine(effect):
    assert found(mutate({"path": "log"} | effect)) == []


def test_an_operand_is_named():
    assert (
        only(mutate({"op": "set", "path": "log", "value": 1, "by": 1})).message
        == "set does not read 'by'; it reads 'value'"
    )
    assert only(mutate({"op": "delete", "path": "log", "by": 1})).message == "delete does not read 'by'"


def test_a_length_is_not_written():
    assert found(mutate({"op": "set", "path": "log.length()", "value": 1})) == [
        ("handler.effects.0.path", "invalid_path")
    ]


# places in the state


def test_an_unlikely_place_is_a_warning():
    finding = only(read_of(path="ordres[{order}]"))
    assert (finding.code, finding.warning, finding.value, finding.nearest) == (
        "unlikely_state_path",
        True,
        "ordres[{order}]",
        "orders",
    )
    assert finding.message == "the state has no 'ordres', and no effect makes it"


@pytest.mark.parametrize("path", ["orders.x", "kb", "made", "made_in_a_block[0]", "{order}.x", "[{order}]"])
def test_a_place_that_may_be_there_is_fine(path):
    write = mutate(
        {"op": "set", "path": "made.deep", "value": 1},
        {"let": {}, "effects": [{"op": "append", "path": "made_in_a_block", "value": 1}]},
    )
    assert findings(read_of(path=path), write | {"name": "w"}) == []


SHAPE = {
    "properties": {
        "orders": {
            "additionalProperties": {"properties": {"n": {}}, "additionalProperties": False},
        },
        "rows": {"items": {"properties": {"x": {}}, "additionalProperties": False}},
        "open": {},
        "ref": {"$ref": "#/$defs/a"},
    },
    "additionalProperties": False,
    "$defs": {"a": {}},
}


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("orders[{order}].n", None),
        ("orders.A.n", None),
        ("orders[{order}].m", "m"),
        ("ordres", "ordres"),
        ("rows[0].x", None),
        ("rows[0].y", "y"),
        ("rows[{amount}].y", "y"),
        ("open.anything.at.all", None),
        ("ref.anything", None),
    ],
)
def test_a_place_is_held_against_the_schema_of_the_state(path, wrong):
    told = found(read_of(path=path), stateSchema=SHAPE, initialState={})
    assert told == ([] if wrong is None else [("handler.path", "unknown_state_path")])


def test_a_place_that_the_schema_lacks_is_an_error_with_the_nearest():
    finding = only(read_of(path="ordres"), stateSchema=SHAPE, initialState={})
    assert (finding.warning, finding.nearest) == (False, "orders")


def test_without_a_known_state_no_place_is_unlikely():
    assert found(read_of(path="anything"), initialState=None, initialStateFrom="state.json") == []


# together


def test_all_findings_come_together_with_their_places():
    document = definition(
        read_of(path="orders[{oder}]") | {"inputSchema": SCHEMA},
        {"name": "u", "handler": {"kind": "static", "response": "{"}},
        initialState=STATE,
    )
    with pytest.raises(DocumentError) as refusal:
        read(json.dumps(document, indent=1), file="twin.json", models={"TwinDefinition": TwinDefinition})
    told = [(problem.code, problem.path) for problem in refusal.value.problems]
    assert told == [
        ("unknown_name", "spec.tools[0].handler.path"),
        ("invalid_template", "spec.tools[1].handler.response"),
    ]
    assert all(problem.location for problem in refusal.value.problems)


def test_every_code_is_explained():
    codes = {finding.code for tool in BROKEN.values() for finding in findings({"inputSchema": SCHEMA} | tool)}
    assert codes <= set(CODES)


@pytest.mark.parametrize("op", ["set", "append", "delete", "increment", "decrement"])
def test_an_operation_has_a_place(op):
    value = {"value": 1} if op in ("set", "append") else {}
    assert found(mutate({"op": op, "path": ""} | value)) == [
        ("handler.effects.0.path", "invalid_path"),
    ]


def test_the_whole_state_may_be_merged_into():
    assert found(mutate({"op": "merge", "path": "", "value": {"log": []}})) == []


@pytest.mark.parametrize("by", ["3", "much", ""])
def test_a_text_is_no_number_to_count_by(by):
    finding = only(mutate({"op": "increment", "path": "log", "by": by}))
    assert (finding.code, finding.value) == ("wrong_type", by)


# names that need one another


@pytest.mark.parametrize(
    ("lets", "circular"),
    [
        ({"a": "{b}", "b": "{a}"}, ["a", "b"]),
        ({"a": "{= a + 1 }"}, ["a"]),
        ({"a": "{b}", "b": "{c}", "c": "{= b + order }"}, ["b", "c"]),
        ({"a": "{b}", "b": "{c}", "c": "{= 1 + 1 }"}, []),
        ({"a": "{b}", "b": "{= [1].map(a, a) }"}, []),
    ],
)
def test_a_name_that_needs_itself_is_a_warning(lets, circular):
    told = findings({"inputSchema": SCHEMA} | mutate(let=lets))
    assert [(each.at[-1], each.code, each.warning) for each in told] == [
        (name, "circular_let", True) for name in circular
    ]


def test_shared_names_that_need_one_another_are_told_once():
    tools = [{"name": name} | read_of(response="{a}") for name in ("one", "two")]
    told = findings(*tools, let={"a": "{b}", "b": "{a}"})
    assert [(each.at, each.code) for each in told] == [
        (("spec", "let", "a"), "circular_let"),
        (("spec", "let", "b"), "circular_let"),
    ]


@pytest.mark.parametrize("value", [5, "five", {"a": 1}, None])
def test_for_each_goes_over_a_list(value):
    block = {"forEach": {"in": value, "as": "x"}, "effects": [EFFECT]}
    assert found(mutate(block)) == [("handler.effects.0.forEach.in", "wrong_type")]


def test_for_each_may_go_over_a_list_that_is_written_out():
    assert found(mutate({"forEach": {"in": [1, "{order}"], "as": "x"}, "effects": [EFFECT]})) == []
