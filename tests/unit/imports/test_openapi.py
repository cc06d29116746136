"""A twin out of an OpenAPI document: usable at once, stateful where paths are resources, and never a crash."""

from __future__ import annotations

import json

import pytest

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.imports import _resources as made_of
from agenttwin.imports import write
from agenttwin.transcript import Risk
from agenttwin.twin import _names
from tests.unit.imports._drafts import SHOP, api, draft, posted, usable


@pytest.fixture
def shop():
    return usable(draft(SHOP)).start()


def tools(made):
    return {tool.name: tool for tool in made.tools}


# -- what it behaves like


def test_the_documents_examples_are_the_first_records(shop):
    assert shop.state == {
        "orders": {
            "O-1": {"id": "O-1", "status": "open", "amount": 12.5, "customer": {"name": "Ada"}},
            "O-2": {"id": "O-2", "status": "paid", "amount": 7},
        }
    }


def test_a_record_is_read_and_one_that_is_not_there_is_told(shop):
    assert shop.call("getOrder", {"order_id": "O-2"}).body["amount"] == 7
    missing = shop.call("getOrder", {"order_id": "O-9"})
    assert (missing.status, missing.body["error"]["code"]) == (404, "NOT_FOUND")


def test_what_is_created_is_there_afterwards(shop):
    made = shop.call("createOrder", {"amount": 3, "status": "open"}).body
    assert made["id"] == "orders-0001"
    assert made["created_at"] == "2026-01-01T00:00:00Z"
    assert shop.call("getOrder", {"order_id": made["id"]}).body == made
    assert "customer" not in made, "what was not sent is left out"


def test_the_same_key_creates_once(shop):
    headers = {"Idempotency-Key": "k"}
    first = shop.call("createOrder", {"amount": 3}, headers=headers)
    second = shop.call("createOrder", {"amount": 3}, headers=headers)
    assert first.body == second.body
    assert len(shop.state["orders"]) == 3


def test_lists_are_filtered_and_paged(shop):
    assert [item["id"] for item in shop.call("listOrders", {"status": "paid"}).body["items"]] == ["O-2"]
    for _ in range(3):
        shop.call("createOrder", {"amount": 1})
    page = shop.call("listOrders", {"limit": 2, "page": 2}).body
    assert [item["id"] for item in page["items"]] == ["orders-0001", "orders-0002"]
    assert page["total"] == 5


def test_a_change_merges_and_a_deletion_deletes(shop):
    shop.call("updateOrder", {"order_id": "O-1", "status": "paid"})
    assert shop.state["orders"]["O-1"]["status"] == "paid"
    assert shop.state["orders"]["O-1"]["amount"] == 12.5
    shop.call("deleteOrder", {"order_id": "O-1"})
    assert list(shop.state["orders"]) == ["O-2"]
    assert shop.call("updateOrder", {"order_id": "O-1", "status": "paid"}).status == 404


def test_arguments_are_checked_by_the_documents_schemas(shop):
    assert shop.call("createOrder", {"amount": "much"}).status == 422
    assert shop.call("createOrder", {"amount": None}).ok, "nullable"
    assert shop.call("refund_order", {"order_id": "O-1", "amount": 0}).status == 422


def test_what_is_no_resource_answers_as_the_document_shows(shop):
    assert shop.call("refund_order", {"order_id": "O-1", "amount": 1}).body == {"refunded": True}


NESTED = api(
    {
        "/users/{user}/notes": {
            "get": {"operationId": "list"},
            "post": {
                "operationId": "add",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"type": "object", "properties": {"id": {"type": "integer"}, "t": {}}}
                        }
                    }
                },
            },
        },
        "/users/{user}/notes/{id}": {
            "get": {
                "operationId": "get",
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {
                                "schema": {"type": "object", "properties": {"id": {"type": "integer"}}}
                            }
                        }
                    }
                },
            }
        },
    }
)


def test_records_below_a_record_keep_to_it():
    case = usable(draft(NESTED)).start()
    case.call("add", {"user": "ada", "t": "one"})
    case.call("add", {"user": "bob", "id": 7})
    assert [item["user"] for item in case.call("list", {"user": "ada"}).body] == ["ada"]
    assert case.call("get", {"user": "ada", "id": "1001"}).body == {"id": 1001, "user": "ada", "t": "one"}
    assert case.call("add", {"user": "bob", "id": 7}).status == 409
    assert case.call("add", {"user": "bob", "id": 8}).ok


def test_names_that_templates_know_are_called_by_their_whole_name():
    assert _names.ROOTS | {"result"} == made_of.ROOTS
    odd = api(
        {
            "/state": {
                "get": {"parameters": [{"name": name, "in": "query"} for name in ("state", "page", "now")]}
            },
            "/state/{id}": {"get": {}, "delete": {}},
        }
    )
    case = usable(draft(odd)).start(state={"state": {"1": {"id": 1, "state": "x"}}})
    assert case.call("get_state", {}).body == [{"id": 1, "state": "x"}]
    assert case.call("delete_state_id", {"id": "1"}).ok


# -- what it is called, and how much it can do


def test_names_are_legal_once_each_and_the_same_in_every_import():
    long = "x" * 300
    document = api(
        {
            "/a": {"get": {"operationId": "get it!"}, "post": {"operationId": "get it?"}},
            "/b": {"get": {"operationId": long}, "post": {"operationId": long}},
            "/Ä": {"get": {}, "put": {"operationId": "???"}},
        }
    )
    names = [tool.name for tool in draft(document).tools]
    assert names == [tool.name for tool in draft(document).tools]
    assert names[:2] == ["get_it", "get_it_2"]
    assert len(names[2]) == len(names[3]) == 128
    assert names[4:] == ["get", "tool"]
    assert len(set(names)) == 6


def test_each_risk_says_why():
    made = tools(draft(SHOP))
    assert {name: tool.risk for name, tool in made.items()} == {
        "listOrders": Risk.READ,
        "createOrder": Risk.WRITE_IRREVERSIBLE,
        "getOrder": Risk.READ,
        "updateOrder": Risk.WRITE_REVERSIBLE,
        "deleteOrder": Risk.WRITE_IRREVERSIBLE,
        "refund_order": Risk.WRITE_IRREVERSIBLE,
    }
    text = write(draft(SHOP), {"updateOrder": Risk.WRITE_IRREVERSIBLE})
    assert "risk: READ  # GET reads" in text
    assert "risk: WRITE_IRREVERSIBLE  # as you said" in text


# -- every version


def test_swagger_2_is_read_too():
    document = {
        "swagger": "2.0",
        "info": {"title": "Old"},
        "paths": {
            "/pets/{petId}": {
                "get": {
                    "operationId": "getPet",
                    "parameters": [{"name": "petId", "in": "path", "type": "integer", "required": True}],
                    "responses": {
                        "200": {
                            "schema": {"$ref": "#/definitions/Pet"},
                            "examples": {"application/json": {"id": 5}},
                        }
                    },
                }
            },
            "/pets": {
                "post": {
                    "operationId": "addPet",
                    "parameters": [{"in": "body", "name": "body", "schema": {"$ref": "#/definitions/Pet"}}],
                }
            },
            "/upload": {
                "post": {
                    "operationId": "upload",
                    "parameters": [{"in": "formData", "name": "file", "type": "file", "required": True}],
                }
            },
        },
        "definitions": {
            "Pet": {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
        },
    }
    case = usable(draft(document)).start()
    assert case.call("getPet", {"petId": 5}).body == {"id": 5}
    made = case.call("addPet", {"name": "Rex"}).body
    assert made == {"id": 1001, "name": "Rex"}
    assert case.call("getPet", {"petId": 1001}).body == made
    assert case.call("upload", {}).status == 422


def test_callbacks_and_webhooks_are_no_tools():
    document = api({"/a": {"get": {}}}, webhooks={"paid": {"post": {}}})
    made = draft(document)
    assert [tool.name for tool in made.tools] == ["get_a"]
    assert "1 webhooks are calls that the service makes" in made.notes[0]
    assert "done" not in write(draft(SHOP))


def test_yaml_of_others_may_have_anchors_and_numbers_for_keys():
    text = b"""
openapi: 3.0.0
info: {title: on, version: 1.0}
paths:
  /a:
    get: &same
      responses: {200: {description: yes}}
    post: *same
"""
    assert [tool.name for tool in draft(text).tools] == ["get_a", "post_a"]


# -- references


def test_a_circle_of_references_ends_in_a_marker():
    text = write(draft(SHOP))
    assert "Person again, which leads back to itself." in text


def test_references_that_lead_out_are_listed_and_never_fetched():
    document = posted({"$ref": "https://example.test/schema.json#/Order"})
    document["components"] = {"schemas": {"A": {"$ref": "#/nowhere"}}}
    document["paths"]["/x"]["post"]["parameters"] = [
        {"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/A"}}
    ]
    made = draft(document)
    assert "It refers to https://example.test/schema.json#/Order, which is not read." in made.notes
    assert "It refers to #/nowhere, which is not there." in made.notes
    usable(made)


def test_a_schema_that_doubles_with_every_step_costs_no_more_than_its_budget():
    schemas = {
        f"L{n}": {
            "type": "object",
            "properties": {k: {"$ref": f"#/components/schemas/L{n + 1}"} for k in "abcd"},
        }
        for n in range(30)
    }
    document = posted({"$ref": "#/components/schemas/L0"}) | {"components": {"schemas": schemas}}
    text = write(draft(document))
    assert len(text) < 400_000
    assert "nested too deeply, or too large" in text


# -- odd schemas


@pytest.mark.parametrize(
    "schema",
    [
        {"$defs": {"a": {"type": "string"}}, "type": "object", "properties": {"x": {"$ref": "#/$defs/a"}}},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {},
        True,
        {"type": "object", "properties": {"x": {"pattern": "(?<=a)b(?!c)\\p{Foo}"}}},
        {"type": "string", "pattern": "["},
        {"type": ["string", "whatever"]},
        {"type": "any"},
        {"type": "object", "required": True},
        {"type": "object", "required": ["a", "a", 1]},
        {"enum": []},
        {"enum": [1, 1, 1.0, True]},
        {"type": "integer", "maximum": 2**63, "minimum": -(2**63)},
        {"type": "number", "multipleOf": 0},
        {"type": "array", "items": [{"type": "string"}]},
        {"minLength": -1, "maxItems": 1.5},
        {"properties": []},
        {"properties": {"x": None, "y": 7, "z": "text"}},
        {"patternProperties": {"^x": {"type": "string"}}},
        {
            "type": "object",
            "properties": {"{odd} name": {"type": "string"}, "ünï": {}, "": {}, "a b": {}, "a_b": {}},
        },
        {"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {}}}]},
        {"description": "x" * 100_000},
        {"description": "\x1b[31mred\u202e"},
        {"default": float(2**60)},
    ],
)
def test_odd_schemas_make_a_usable_twin(schema):
    case = usable(draft(posted(schema))).start()
    assert case.call("post_x", {}).status in (200, 422)


def test_a_name_that_stands_twice_in_a_body_and_a_path_is_told_apart():
    document = posted({"type": "object", "properties": {"id": {"type": "string"}, "a-b": {}, "a.b": {}}})
    document["paths"]["/x"]["post"]["parameters"] = [
        {"name": "id", "in": "query", "schema": {"type": "string"}}
    ]
    (tool,) = draft(document).tools
    assert list(tool.schema["properties"]) == ["id", "id_2", "a_b", "a_b_2"]


# -- refusals


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "no_openapi"),
        (b"[]", "no_openapi"),
        (b"{}", "no_openapi"),
        (b'{"openapi": "3.0.0"}', "no_openapi"),
        (b'{"openapi": "3.0.0", "paths": []}', "no_openapi"),
        (b'{"openapi": ', "not_json"),
        (b"a: [", "not_json"),
        (b"a: !!python/object:os.system {}", "not_json"),
        (b"\xff\xfe\x00", "not_json"),
        (b"[" * 5_000 + b"]" * 5_000, "not_json"),
        (b"a: " + b"[" * 100_000, "not_json"),
        (b"a: " + b"[" * 300 + b"]" * 300, "document_too_large"),
        (b"x: &a [1]\ny: " + b"*a " * 3, "not_json"),
    ],
)
def test_what_is_no_document_is_refused_with_a_sentence(data, code):
    with pytest.raises(AgentTwinError) as caught:
        draft(data)
    assert caught.value.code == code


def test_too_many_operations_are_refused_with_their_number():
    document = api({f"/p{n}": {"get": {}} for n in range(5_001)})
    with pytest.raises(LimitExceeded, match=r"5,001 operations; a twin has at most 5,000 tools"):
        draft(document)
    del document["paths"]["/p0"]
    assert len(draft(document).tools) == 5_000


def test_too_many_bytes_are_refused():
    with pytest.raises(LimitExceeded, match=r"more than 33,554,432 bytes"):
        draft(b" " * (32 * 1024 * 1024 + 1))


def test_an_alias_bomb_costs_what_it_says_and_not_what_it_means():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    text = "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {content: {application/json: {example: *a11}}}}}}}\n"
    made = draft("\n".join([*lines, text]).encode())
    assert len(write(made)) < 10_000, "the example is left out"


def test_the_same_document_gives_the_same_text():
    assert write(draft(SHOP)) == write(draft(json.loads(json.dumps(SHOP.decode())).encode()))
