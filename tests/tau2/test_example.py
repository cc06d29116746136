"""The few records that the example brings along: enough to try every tool on."""

from copy import deepcopy

from agenttwin.twin import Call, begin, compile, state_problem, step
from agenttwin.values import equal
from tests.tau2._retail import Action, answer_of, by_upstream, definition

ADDRESS = {
    "address1": "2 Mill Lane",
    "address2": "",
    "city": "Ulm",
    "state": "BW",
    "country": "Germany",
    "zip": "89073",
}
SWAP = {"item_ids": ["V-RED"], "new_item_ids": ["V-BLUE"], "payment_method_id": "gift_1"}

CALLS = [
    ("find_user_id_by_email", {"email": "ADA@example.com"}),
    ("find_user_id_by_name_zip", {"first_name": "ada", "last_name": "Brandt", "zip": "89073"}),
    ("get_user_details", {"user_id": "ada_1"}),
    ("get_order_details", {"order_id": "#W1"}),
    ("get_product_details", {"product_id": "P-MUG"}),
    ("get_item_details", {"item_id": "V-DESK"}),
    ("list_all_product_types", {}),
    ("calculate", {"expression": "(14.25 - 12.50) * 3"}),
    ("modify_pending_order_address", {"order_id": "#W1", **ADDRESS}),
    ("modify_user_address", {"user_id": "ada_1", **ADDRESS}),
    ("modify_pending_order_payment", {"order_id": "#W1", "payment_method_id": "gift_1"}),
    ("modify_pending_order_items", {"order_id": "#W1", **SWAP}),
    ("modify_pending_order_items", {"order_id": "#W1", **SWAP}),
    ("cancel_pending_order", {"order_id": "#W1", "reason": "no longer needed"}),
    (
        "exchange_delivered_order_items",
        {"order_id": "#W2", **SWAP, "item_ids": ["V-BLUE"], "new_item_ids": ["V-RED"]},
    ),
    (
        "return_delivered_order_items",
        {"order_id": "#W2", "item_ids": ["V-BLUE"], "payment_method_id": "gift_1"},
    ),
]


def test_every_tool_works_on_the_records_of_the_example_as_upstreams_does():
    twin = compile(definition())
    world, theirs = begin(twin), deepcopy(definition().spec.initial_state)
    done = []
    for name, arguments in CALLS:
        call = step(twin, world, Call(name, arguments)).records[0]
        ((well, body),) = by_upstream(theirs, [Action(name, arguments)])
        assert call.ok == well, (name, call.code, body)
        assert not well or equal(answer_of(call), body), name
        done += [call.tool] * call.ok
    assert world.tree.plain() == theirs
    assert {
        *done,
        "return_delivered_order_items",
        "cancel_pending_order",
        "modify_pending_order_payment",
    } == {name for name, _ in CALLS}


def test_the_schema_of_the_state_tells_a_misspelled_path():
    problem = state_problem(definition(), ("orders", None, "payment_histroy"))
    assert problem is not None
    assert (problem.certain, problem.nearest) == (True, "payment_history")
