"""Whatever is called on a few of the benchmark's records: the twin and upstream's functions agree."""

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from agenttwin.transcript import Risk
from agenttwin.values import equal
from tests.tau2._retail import Action, answer_of, by_upstream, definition, play, records, world

USERS = 5
TOOLS = {tool.name: tool for tool in definition().spec.tools}
APART = {"calculate", "transfer_to_human_agents"}
"""Upstream evaluates arithmetic as Python, which knows operators more; a hand-over has words of its own."""


def few_records():
    """Some users who have orders in every status, these orders, and the products in them."""
    known = records()
    users = sorted(known["users"].values(), key=lambda user: (-len(user["orders"]), user["user_id"]))[:USERS]
    orders = {name: known["orders"][name] for user in users for name in user["orders"]}
    products = {item["product_id"] for order in orders.values() for item in order["items"]}
    return {
        "products": {name: known["products"][name] for name in sorted(products)},
        "users": {user["user_id"]: user for user in users},
        "orders": orders,
    }


FEW = few_records()
ORDERS, USER_RECORDS = list(FEW["orders"].values()), list(FEW["users"].values())
VARIANTS = [name for product in FEW["products"].values() for name in product["variants"]]
TEXT = st.sampled_from(["", "x", "NY", "10001", "Ada"])


DELIVERED = {"exchange_delivered_order_items", "return_delivered_order_items"}
SELDOM = st.integers(0, 9).map(lambda number: number == 9)


def swap(draw, order):
    """Items of an order, and variants of the same products; now and then something else."""
    items = draw(
        st.lists(
            st.sampled_from(order["items"]), min_size=1, max_size=3, unique_by=lambda item: item["item_id"]
        )
    )
    old = [item["item_id"] for item in items]
    new = [draw(st.sampled_from(list(FEW["products"][item["product_id"]]["variants"]))) for item in items]
    if draw(SELDOM):
        old, new = (draw(st.lists(st.sampled_from([*ids, *VARIANTS[:3]]), max_size=3)) for ids in (old, new))
    return {"item_ids": old, "new_item_ids": new}


def values_for(draw, order, user):
    name, methods = user["name"], list(FEW["users"][order["user_id"]]["payment_methods"])
    return swap(draw, order) | {
        "order_id": order["order_id"],
        "payment_method_id": "gone" if draw(SELDOM) else draw(st.sampled_from(methods)),
        "reason": "why not"
        if draw(SELDOM)
        else draw(st.sampled_from(["no longer needed", "ordered by mistake"])),
        "user_id": "nobody" if draw(SELDOM) else user["user_id"],
        "email": draw(st.sampled_from([user["email"], user["email"].upper(), "nobody@example.com"])),
        "first_name": draw(st.sampled_from([name["first_name"], name["first_name"].upper(), "Nobody"])),
        "last_name": draw(st.sampled_from([name["last_name"], name["last_name"].lower(), ""])),
        "zip": draw(st.sampled_from([user["address"]["zip"], "00000"])),
        "product_id": draw(st.sampled_from([*list(FEW["products"])[:3], "gone"])),
        "item_id": draw(st.sampled_from([*VARIANTS[:3], "gone"])),
    }


@st.composite
def actions(draw):
    reads = [tool.name for tool in TOOLS.values() if tool.actual_risk is Risk.READ and tool.name not in APART]
    writes = [name for name in TOOLS if name not in APART and name not in reads]
    name = draw(st.sampled_from(writes * 2 + reads))
    wanted = "delivered" if name in DELIVERED else "pending"
    fitting = [order for order in ORDERS if order["status"] == wanted]
    order = draw(st.sampled_from(ORDERS if draw(SELDOM) else fitting))
    known = values_for(draw, order, draw(st.sampled_from(USER_RECORDS)))
    properties = TOOLS[name].input_schema["properties"]
    return Action(name, {each: known[each] if each in known else draw(TEXT) for each in properties})


@given(st.lists(actions(), min_size=1, max_size=6))
def test_any_calls_are_refused_and_answered_alike_and_end_in_the_same_state(calls):
    theirs = deepcopy(FEW)
    ours = play(world(state=FEW), calls)
    for call, (well, body) in zip(ours.calls, by_upstream(theirs, calls), strict=True):
        assert call.ok == well, (call.tool, call.arguments, call.code, body)
        assert not well or equal(answer_of(call), body)
    assert ours.tree.plain() == theirs


@given(st.recursive(
    st.decimals(0, 999, places=2).map(str) | st.integers(0, 9_999).map(str),
    lambda part: st.tuples(part, st.sampled_from("+-*/"), part).map(" ".join) | part.map("({})".format),
    max_leaves=6,
))  # fmt: skip
def test_arithmetic_comes_to_the_same(expression):
    (call,) = play(world(), [Action("calculate", {"expression": expression})]).calls
    ((well, body),) = by_upstream({}, [Action("calculate", {"expression": expression})])
    assert call.ok == well, (expression, body)
    assert not well or equal(answer_of(call), body)
