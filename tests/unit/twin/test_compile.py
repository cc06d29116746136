"""What a definition is when it is made ready: defaults, risks, roles, and what is not there."""

import pytest
from pydantic import ValidationError

from agenttwin.errors import NotFound
from agenttwin.twin import AdapterAnswer, TwinDefinition, compile
from tests.unit.twin._cases import Case, definition, loaded, twin

ECHO = {"kind": "echo"}


def tool(**fields):
    compiled = twin({"handler": ECHO} | fields)
    return compiled.tools["t"]


@pytest.mark.parametrize(
    ("handler", "risk"),
    [
        ({"kind": "read", "response": 1}, "READ"),
        ({"kind": "static", "response": 1}, "WRITE_IRREVERSIBLE"),
        (ECHO, "WRITE_IRREVERSIBLE"),
    ],
)
def test_a_risk_that_is_not_declared_is_assumed(handler, risk):
    assert tool(handler=handler).risk == risk


def test_a_declared_risk_holds():
    assert tool(risk="READ").risk == "READ"


@pytest.mark.parametrize(
    ("name", "fields", "role"),
    [
        ("Escalate_to_human", {}, "escalation"),
        ("de-escalation", {}, "escalation"),
        ("page", {"role": "escalation"}, "escalation"),
        ("page", {}, None),
    ],
)
def test_a_tool_that_hands_over_says_so(name, fields, role):
    assert twin({"name": name, "handler": ECHO} | fields).tools[name].role == role


def test_a_tool_is_what_was_declared():
    declared = {
        "description": "Says it.",
        "inputSchema": {"type": "object"},
        "idempotency": {"header": "Idempotency-Key", "argument": "key"},
        "compare": {"ignore": ["note"]},
    }
    compiled = tool(**declared)
    assert (compiled.description, compiled.input_schema, compiled.ignore) == (
        "Says it.",
        {"type": "object"},
        ("note",),
    )
    assert (compiled.key_argument, compiled.key_header, compiled.declares_idempotency) == (
        "key",
        "idempotency-key",
        True,
    )


def test_a_twin_is_what_was_declared():
    compiled = twin({"handler": ECHO}, secrets=["canary"], tenantKey="owner", settings={"a": 1})
    assert (compiled.name, compiled.secrets, compiled.tenant_key) == ("test", ("canary",), "owner")
    assert dict(compiled.settings) == {"a": 1}
    assert list(compiled.tools) == ["t"]


def test_a_state_may_come_from_beside():
    model = loaded(
        definition({"handler": {"kind": "read", "path": "a"}}, initialState=None, initialStateFrom="x.json")
    )
    assert Case(compile(model, initial_state={"a": 1}))().body == 1


def test_an_adapter_must_be_registered():
    model = loaded(definition({"handler": {"kind": "custom", "adapter": "shp"}}))
    with pytest.raises(NotFound) as missing:
        compile(model, adapters={"shop": lambda *_: AdapterAnswer()})
    assert (missing.value.code, missing.value.message) == (
        "unknown_adapter",
        "The tool 't' needs the adapter 'shp', which is not registered. Did you mean 'shop'?",
    )


def test_a_definition_finds_its_tools():
    model = loaded(definition({"handler": ECHO}, {"name": "u", "handler": ECHO}))
    assert (model.tool("u").name, model.tool("none")) == ("u", None)


@pytest.mark.parametrize("name", ["a" * 128, "A.b_c-9"])
def test_a_name_of_a_tool_has_up_to_128_characters(name):
    assert list(twin({"name": name, "handler": ECHO}).tools) == [name]


@pytest.mark.parametrize(
    "tools",
    [
        [],
        [{"name": "a" * 129, "handler": ECHO}],
        [{"name": "two words", "handler": ECHO}],
        [{"name": "", "handler": ECHO}],
        [{"handler": {"kind": "magic"}}],
        [{"handler": ECHO | {"response": 1}}],
        [{"handler": {"kind": "mutate", "effects": []}}],
        [{"handler": {"kind": "mutate", "effects": [{"op": "explode", "path": "a"}]}}],
        [{"handler": {"kind": "mutate", "effects": [{"let": {}, "effects": []}]}}],
        [{"handler": {"kind": "recorded", "fixtures": []}}],
        [{"handler": {"kind": "read", "response": 1, "notFound": {"status": 399}}}],
        [{"handler": {"kind": "read", "response": 1, "notFound": {"status": 600}}}],
        [{"handler": ECHO, "risk": "REED"}],
        [{"handler": ECHO, "riks": "READ"}],
    ],
)
def test_what_makes_no_tool_is_refused(tools):
    with pytest.raises(ValidationError):
        TwinDefinition.model_validate(definition(*tools), strict=False)


@pytest.mark.parametrize(("count", "fits"), [(4_999, True), (5_000, True), (5_001, False)])
def test_a_twin_has_at_most_5000_tools(count, fits):
    document = definition(*({"name": f"t{number}", "handler": ECHO} for number in range(count)))
    if fits:
        assert len(TwinDefinition.model_validate(document).spec.tools) == count
    else:
        with pytest.raises(ValidationError):
            TwinDefinition.model_validate(document)


@pytest.mark.parametrize(("secret", "fits"), [("abc", False), ("abcd", True), ("abcde", True)])
def test_a_secret_has_at_least_four_characters(secret, fits):
    document = definition({"handler": ECHO}, secrets=[secret])
    if fits:
        assert TwinDefinition.model_validate(document).spec.secrets == [secret]
    else:
        with pytest.raises(ValidationError):
            TwinDefinition.model_validate(document)
